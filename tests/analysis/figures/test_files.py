"""Files of figures: the same bytes for the same data, small, and readable by anything."""

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from sacma.analysis.figures import control_frequency, convergence, cpu_time, ecdf, rank_heatmap, render, write
from sacma.analysis.figures.files import _compact, _content
from tests.analysis.figures.tables import SIX, TWELVE, cells, control_trials, convergence_curves, cpu_parts, proportions

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_same_bytes(tmp_path: Path) -> None:
    """Made twice, here or in other processes, and with whatever settings of the user."""
    figures = {
        "control": partial(control_frequency, control_trials(TWELVE[:4]), function=8, dimension=20),
        "cpu": partial(cpu_time, cpu_parts(SIX)),
        "ecdf": partial(ecdf, proportions(SIX[:2]), dimension=2),
    }
    render({tmp_path / "here" / name: make for name, make in figures.items()})
    render({tmp_path / "there" / name: make for name, make in figures.items()}, jobs=2)
    with mpl.rc_context({"font.family": "serif", "text.usetex": True, "lines.linewidth": 9, "savefig.bbox": "tight"}):
        render({tmp_path / "changed" / name: make for name, make in figures.items()})
    for name in figures:
        for ending in ("svg", "pdf"):
            contents = {(tmp_path / place / f"{name}.{ending}").read_bytes() for place in ("here", "there", "changed")}
            assert len(contents) == 1
            assert b"20" in contents.pop()


def test_written(tmp_path: Path) -> None:
    """Paths come back in the given order; each pair is told of once; folders are made; dots in names stay."""
    make = partial(rank_heatmap, cells(SIX[:2], functions=[1]), dimension=2)
    stems = [tmp_path / "deep" / name for name in ("z", "GP-1.5", "a")]
    told: list[tuple[Path, Path]] = []
    written = render(dict.fromkeys(stems, make), on_written=told.append)
    assert sorted(told) == sorted(written)
    assert [paths[0].name for paths in written] == ["z.svg", "GP-1.5.svg", "a.svg"]
    assert all(path.stat().st_size > 1000 for paths in written for path in paths)


def test_errors_name_the_figure(tmp_path: Path) -> None:
    """Of many figures it is said which cannot be drawn, from another process too."""
    make = partial(rank_heatmap, cells(SIX), dimension=40)
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


def test_pdf(tmp_path: Path) -> None:
    """No date, and no Type 3 font."""
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


def test_rounding_is_not_seen() -> None:
    """Nothing but digits goes, and no coordinate moves by more than a hundredth of a point."""
    figure = cpu_time(cpu_parts(SIX))
    whole = _content(figure, "svg").decode()
    small = _compact(whole.encode()).decode()
    assert NUMBER.sub("#", whole) == NUMBER.sub("#", small)
    before, after = (np.array([float(n) for n in NUMBER.findall(text)]) for text in (whole, small))
    assert np.abs(before - after).max() <= 0.005 + 1e-9
    assert len(small) < len(whole)


def test_letters_keep_their_size() -> None:
    """Factors of scale are not rounded: letters of 7.5 pt stay what they are."""
    figure = Figure()
    figure.text(0.5, 0.5, "x", fontsize=7.5)
    assert b"scale(0.075 -0.075)" in _compact(_content(figure, "svg"))
