"""A section of the report is one file and one line."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd

from tests.commands import environment
from tests.conftest import CONFIGS

PACKAGE = CONFIGS.parent / "src" / "sacma"

MINE = '''
"""Best values: the lowest Δf that any trial has found."""

from functools import partial

from matplotlib.figure import Figure

from sacma.analysis.figures.layout import COLUMN, new_layout
from sacma.analysis.table_format import Block, FormattedTable, Head, number_rows
from sacma.analysis.section import Drawing, Section, of_one


def lowest(findings):
    keys = ["algorithm", "dimension"]
    return findings.best.groupby(keys, sort=False)["delta_f"].min().reset_index()


def tables(report):
    values = report.findings["lowest"].pivot(index="algorithm", columns="dimension", values="delta_f")
    header = ((Head("algorithm"), *(Head(f"{D}-D") for D in values.columns)),)
    block = Block(header, number_rows(values, ".1e"))
    yield FormattedTable("lowest_table", "Lowest values", "Of all trials.", (block,))


def draw(frame):
    layout = new_layout(COLUMN, 120)
    layout.panel(40, 10, 180, 80).plot(frame["dimension"], frame["delta_f"], "o")
    return layout.figure


SECTION = Section(
    key="lowest",
    title="Lowest",
    heading="Lowest values",
    frames={"lowest": of_one(lowest)},
    tables=tables,
    figures=lambda report: [Drawing("lowest_values", "lowest", "all", partial(draw, report.findings["lowest"]))],
    piece="""
<p class="caption">{{ values.said }} <a href="{{ files.lowest.csv }}">csv</a></p>
{% for each in tables %}{{ table(each) }}{% endfor %}
{{ figure("lowest", "The lowest of all.") }}
""",
    values=lambda report: {"said": f"Of {len(report.comparison.names)} algorithm."},
)
'''


def test_a_section_is_one_file_and_one_line(tmp_path: Path) -> None:
    """Its data frame, table, figure and piece of the page are in the report, and nothing else has to change."""
    package = tmp_path / "src" / "sacma"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    registry = package / "analysis" / "sections" / "__init__.py"
    line = '    "data",\n'
    assert registry.read_text().count(line) == 1
    registry.write_text(registry.read_text().replace(line, f'    "mine",\n{line}'))
    (registry.parent / "mine.py").write_text(MINE)

    def sacma(*arguments: object) -> None:
        command = [sys.executable, "-m", "sacma", *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(package.parent)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    protocol = ("--functions", "1", "--dimensions", "2,3", "--instances", "1-2", "--budget", "20")
    sacma("run", CONFIGS / "cmaes.yaml", *protocol, "--jobs", 1)
    sacma("postprocess", "--no-pages", "--jobs", 1)
    report = tmp_path / "results" / "report"
    frame = pd.read_csv(report / "tables" / "lowest.csv")
    assert frame.columns.to_list() == ["algorithm", "dimension", "delta_f", "partial"]
    for ending in ("csv", "tex", "md", "html"):
        assert f"{frame['delta_f'].iloc[0]:.1e}" in (report / "tables" / f"lowest_table.{ending}").read_text()
    assert {path.name for path in (report / "figures").glob("lowest*")} == {"lowest_values.svg", "lowest_values.pdf"}
    page = (report / "index.html").read_text()
    piece = re.search(r'<section id="lowest">\n<h2>Lowest values</h2>(.*?)</section>', page, flags=re.DOTALL)
    assert piece
    for text in ("Of 1 algorithm.", "tables/lowest.csv", "tables/lowest_table.tex", 'data-figures="lowest"'):
        assert text in piece[1]
    assert '<a href="#lowest">Lowest</a>' in page
