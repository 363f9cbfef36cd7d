"""Files of figures: the same bytes for the same data, small, and readable by anything."""

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from sacma.analysis.figures import files
from sacma.analysis.figures.files import _compact, _content, render, write
from sacma.analysis.figures.style import STYLE
from sacma.analysis.sections.by_function import heatmap
from sacma.analysis.sections.control import control_frequency
from sacma.analysis.sections.convergence import convergence
from sacma.analysis.sections.cpu import cpu_time
from tests.analysis.figures.tables import SIX, TWELVE, cells, control_trials, convergence_curves, cpu_parts
from tests.conftest import SHIPPED_FONTS

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made twice, here or in other processes, and with whatever settings of the user."""
    monkeypatch.setitem(STYLE, "pdf.fonttype", SHIPPED_FONTS)
    monkeypatch.setattr(files, "FIGURES_A_PROCESS", 1)
    figures = {
        "control": partial(control_frequency, control_trials(TWELVE[:4]), function=8, dimension=20),
        "cpu": partial(cpu_time, cpu_parts(SIX[:3], [20])),
    }
    render({tmp_path / "here" / name: make for name, make in figures.items()})
    render({tmp_path / "there" / name: make for name, make in figures.items()}, jobs=2)
    with mpl.rc_context({"font.family": "serif", "text.usetex": True, "lines.linewidth": 9, "savefig.bbox": "tight"}):
        render({tmp_path / "changed" / name: make for name, make in figures.items()})
    for name in figures:
        for ending in ("svg", "pdf"):
            contents = {(tmp_path / place / f"{name}.{ending}").read_bytes() for place in ("here", "there", "changed")}
            assert len(contents) == 1


def test_written(tmp_path: Path) -> None:
    """Paths come back in the given order; each pair is told of once; folders are made; dots in names stay."""
    make = partial(heatmap, cells(SIX[:2], functions=[1]), "rank", dimension=2)
    stems = [tmp_path / "deep" / name for name in ("z", "GP-1.5", "a")]
    told: list[tuple[Path, ...]] = []
    written = render(dict.fromkeys(stems, make), on_written=told.append)
    assert sorted(told) == sorted(written)
    assert [paths[0].name for paths in written] == ["z.svg", "GP-1.5.svg", "a.svg"]
    assert all(path.stat().st_size > 1000 for paths in written for path in paths)
    (paths,) = render({tmp_path / "alone": make}, pdf=False)
    assert [path.name for path in paths] == ["alone.svg"]
    assert not (tmp_path / "alone.pdf").exists()


def test_no_figures(tmp_path: Path) -> None:
    """None at all are no error."""
    assert render({}, jobs=2) == []
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many figures it is said which cannot be drawn, from another process too."""
    monkeypatch.setattr(files, "FIGURES_A_PROCESS", 1)
    make = partial(heatmap, cells(SIX), "rank", dimension=40)
    for jobs in (1, 2):
        with pytest.raises(ValueError, match="figure ranks_40: nothing to draw: no row has dimension 40"):
            render({tmp_path / "ranks_20": partial(make, dimension=20), tmp_path / "ranks_40": make}, jobs=jobs)


def test_svg(tmp_path: Path) -> None:
    """It is XML, without a date or a font of the reader's machine, and fits a page."""
    svg, _ = write(control_frequency(control_trials(TWELVE), function=8, dimension=20), tmp_path / "control")
    root = ET.fromstring(svg.read_bytes())  # noqa: S314 our own file
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "text" not in tags
    assert "date" not in tags
    assert float(root.attrib["width"].removesuffix("pt")) <= 482


def test_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No date, and no Type 3 font."""
    monkeypatch.setitem(STYLE, "pdf.fonttype", SHIPPED_FONTS)
    _, pdf = write(control_frequency(control_trials(SIX), function=8, dimension=20), tmp_path / "control")
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert b"CreationDate" not in content
    assert b"/Subtype /Type3" not in content
    assert b"/FontFile2" in content


def test_svg_is_small() -> None:
    """Convergence on 24 functions with six algorithms takes less than 400 kB."""
    figure = convergence(convergence_curves(SIX, [20]), dimension=20)
    assert len(_compact(_content(figure, "svg"))) < 400_000


def outlines(svg: bytes) -> list[list[tuple[str, list[float]]]]:
    """Commands of all paths with their points, a pair that follows a line being one, as SVG says."""
    found = []
    for path in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"):  # noqa: S314 our own file
        commands: list[tuple[str, list[float]]] = []
        for letter, numbers in re.findall(r"([MLQCz])([^MLQCz]*)", path.get("d", "")):
            points = [float(number) for number in numbers.split()]
            first = {"Q": 4, "C": 6, "z": 0}.get(letter, 2)
            commands.append((letter, points[:first]))
            commands += [("L", points[n : n + 2]) for n in range(first, len(points), 2)]
        found.append(commands)
    return found


def test_what_is_left_out_is_not_seen() -> None:
    """Every path has the commands that it had, and no coordinate moves by more than a hundredth of a point."""
    figure = cpu_time(cpu_parts(SIX))
    whole = _content(figure, "svg")
    small = _compact(whole)
    for before, after in zip(outlines(whole), outlines(small), strict=True):
        assert [letter for letter, _ in before] == [letter for letter, _ in after]
        ends = [np.array([n for _, points in commands for n in points]) for commands in (before, after)]
        assert np.abs(ends[0] - ends[1]).max(initial=0) <= 0.005 + 1e-9
    texts = [NUMBER.sub("#", re.sub(r' d="[^"]*"|\n *', "", svg.decode())) for svg in (whole, small)]
    assert texts[0] == texts[1]
    assert len(small) < 0.9 * len(whole)


def test_letters_keep_their_size() -> None:
    """Factors of scale are not rounded: letters of 7.5 pt stay what they are."""
    figure = Figure()
    figure.text(0.5, 0.5, "x", fontsize=7.5)
    assert b"scale(0.075 -0.075)" in _compact(_content(figure, "svg"))
