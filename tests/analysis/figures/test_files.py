"""Files of figures: the same bytes for the same data, small, and readable by anything."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest

from sacma.analysis.figures import files
from sacma.analysis.figures.draw import draw
from sacma.analysis.figures.files import render, write
from sacma.analysis.figures.style import STYLE, styled
from tests.analysis.figures.charts import SIX, TWELVE, bars, of_one_file, rows, steps
from tests.conftest import SHIPPED_FONTS


def test_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made twice, here or in other processes, and with whatever settings of the user."""
    monkeypatch.setitem(STYLE, "pdf.fonttype", SHIPPED_FONTS)
    monkeypatch.setattr(files, "FIGURES_A_PROCESS", 1)
    figures = {"more": partial(draw, bars(TWELVE[:4]), TWELVE), "bars": partial(draw, bars(SIX[:3]), SIX)}
    list(render({tmp_path / "here" / name: make for name, make in figures.items()}))
    list(render({tmp_path / "there" / name: make for name, make in figures.items()}, jobs=2))
    with mpl.rc_context({"font.family": "serif", "text.usetex": True, "lines.linewidth": 9, "savefig.bbox": "tight"}):
        list(render({tmp_path / "changed" / name: make for name, make in figures.items()}))
    for name in figures:
        for ending in ("svg", "pdf"):
            contents = {(tmp_path / place / f"{name}.{ending}").read_bytes() for place in ("here", "there", "changed")}
            assert len(contents) == 1


def test_written(tmp_path: Path) -> None:
    """Paths are those of the given stems; folders are made; dots in names stay."""
    make = partial(draw, bars(SIX[:2]), SIX)
    stems = [tmp_path / "deep" / name for name in ("z", "GP-1.5", "a")]
    written = list(render(dict.fromkeys(stems, make)))
    assert [paths[0].name for paths in written] == ["z.svg", "GP-1.5.svg", "a.svg"]
    assert all(path.stat().st_size > 1000 for paths in written for path in paths)
    (paths,) = render({tmp_path / "alone": make}, pdf=False)
    assert [path.name for path in paths] == ["alone.svg"]
    assert not (tmp_path / "alone.pdf").exists()


def test_errors_name_the_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many figures it is said which cannot be drawn, from another process too."""
    monkeypatch.setattr(files, "FIGURES_A_PROCESS", 1)
    nothing = replace(bars(SIX), data=bars(SIX).data.iloc[:0])
    figures = {tmp_path / name: partial(draw, chart, SIX) for name, chart in (("some", bars(SIX)), ("none", nothing))}
    for jobs in (1, 2):
        with pytest.raises(ValueError, match="figure none: nothing to draw: bars has no data"):
            list(render(figures, jobs=jobs))


def test_written_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SVG is XML without a date or fonts of the reader's machine, and fits a page; PDF has no date or Type 3 font."""
    monkeypatch.setitem(STYLE, "pdf.fonttype", SHIPPED_FONTS)
    svg, pdf = write(draw(of_one_file(rows(TWELVE)), TWELVE), tmp_path / "rows")
    root = ET.fromstring(svg.read_bytes())  # noqa: S314 our own file
    assert not {"text", "date"} & {element.tag.rpartition("}")[2] for element in root.iter()}
    assert float(root.attrib["width"].removesuffix("pt")) <= 482
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert b"CreationDate" not in content
    assert b"/Subtype /Type3" not in content
    assert b"/FontFile2" in content


def test_shorter_paths_are_the_same(tmp_path: Path) -> None:
    """Points of all lines in a file are those that matplotlib writes, to hundredths, in less text."""
    figure = draw(steps(SIX), SIX)
    (short,) = write(figure, tmp_path / "short", pdf=False)
    with styled():
        figure.savefig(tmp_path / "whole.svg", format="svg")
    assert short.stat().st_size < 0.8 * (tmp_path / "whole.svg").stat().st_size
    one, other = (paths(tmp_path / f"{name}.svg") for name in ("short", "whole"))
    assert len(one) == len(other) > 20
    for found, expected in zip(one, other, strict=True):
        np.testing.assert_allclose(found, expected, atol=0.0101)


def paths(file: Path) -> list[list[tuple[float, float]]]:
    """Return the points of all lines of an SVG file."""
    found = []
    for path in re.findall(r'<path d="([^"]*)"[^>]*fill: none', file.read_text()):
        x = y = 0.0
        points = []
        for command, numbers in re.findall(r"([MLlhv])\s*([^MLlhvz]*)", path):
            values = [float(number) for number in numbers.split()]
            if command in "ML":
                x, y = 0.0, 0.0
            x += values[0] if command != "v" else 0.0
            y += values[-1] if command != "h" else 0.0
            points.append((x, y))
        found.append(points)
    return found
