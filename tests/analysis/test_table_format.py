"""Tables in LaTeX, Markdown, HTML and CSV: what is in them, and that odd texts are shown literally."""

import csv
import html
import io
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, number, rendered

ODD = "a_b & 50% <b>#1</b> {x} ~^\\ |$"
TABLE = FormattedTable(
    "table9_odd",
    f"Odd {ODD}",
    "Read Δf_med and #FE_t – with · and ε.",
    (
        Block(
            ((Head("D"), Head("2-D", 2)), (Head("algorithm"), Head(ODD), Head("other"))),
            (
                (Cell(ODD), number(1.5, ".2f", bold=True), number(2.25, ".2f", star=True)),
                (Cell("B"), Cell("–"), Cell("1")),
            ),
        ),
    ),
)


def test_html_shows_texts_literally() -> None:
    """A name with markup is text; bold, asterisk and sort values are marked."""
    page = rendered(TABLE, "html")
    assert page.count(html.escape(ODD)) == 2 + 1  # as a heading, as the name of a row, and in its attribute
    assert ODD not in page
    assert 'colspan="2"' in page
    assert '<td data-value="1.5"><b>1.50</b></td>' in page
    endless = rendered(
        FormattedTable("x", "", "", (Block(((Head(""), Head("F")),), ((Cell("A"), number(math.inf, ".2f")),)),)), "html"
    )
    assert '<td data-value="Infinity">∞</td>' in endless  # as JavaScript reads it


def test_csv_and_markdown_hold_the_same() -> None:
    """The same cells; headings over several columns are repeated."""
    rows = list(csv.reader(io.StringIO(rendered(TABLE, "csv"))))
    assert rows == [["D algorithm", f"2-D {ODD}", "2-D other"], [ODD, "1.50", "2.25*"], ["B", "–", "1"]]
    lines = [line for line in rendered(TABLE, "md").splitlines() if line.startswith("|")]
    assert len(lines) == 4
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert {len(row) for row in cells} == {3}
    assert re.sub(r"\\(.)", r"\1", cells[2][0]).strip() == ODD
    assert cells[2][1].strip() == "**1.50**"


@pytest.mark.skipif(
    not shutil.which("pdflatex") and os.environ.get("CI") != "true", reason="pdflatex is not installed; CI has it"
)
def test_latex_compiles_by_itself(tmp_path: Path) -> None:
    """Without a warning that anything is undefined or missing."""
    (tmp_path / "table.tex").write_text(rendered(TABLE, "tex"))
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "table.tex"],  # noqa: S607 where it is installed
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing" not in done.stdout
    assert (tmp_path / "table.pdf").stat().st_size > 1000
