"""The page of the report, one HTML file without any other."""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from sacma import __version__
from sacma.analysis.charts import Chart, title
from sacma.analysis.comparison import MANY, Comparison
from sacma.analysis.figures.style import COLOURS, INK, Look, look, looks
from sacma.analysis.notes import scope
from sacma.analysis.section import Report, Section
from sacma.analysis.table_format import Block, FormattedTable, Head, cell_of, html_text, rendered
from sacma.analysis.terms import explained
from sacma.coco.suites import BEST_2009, VIRTUAL_BEST
from sacma.files.printable import printable

OFFLINE = Markup("default-src 'none'; img-src data:; style-src 'unsafe-inline'")  # what a page may load
SCRIPTS = ("statistics.js", "drawing.js", "computed.js", "choice.js", "page.js")  # of one function, in this order
LIGHT_ENOUGH = 0.42  # luminance of a line that can be seen on a dark page
WIDTH = 2  # of a line, in pixels
REFERENCE = {"light": "#777777", "dark": "#aaaaaa", "dash": [3, 3]}


@dataclass(frozen=True)
class Page:
    """Parts of the page, those of sections by their keys."""

    title: str
    subtitle: str
    partial: str  # warning above all, where trials are missing
    tables: Mapping[str, Sequence[FormattedTable]]
    charts: Mapping[str, Sequence[Chart]]
    files: Mapping[str, Mapping[str, str]]  # links by table, then by kind of file
    cocopp: str  # link to its pages, if they are there


def render_page(page: Page, report: Report, sections: Sequence[Section]) -> str:
    """Return the page as HTML."""
    over = scope(report.comparison)
    places = [
        {
            **vars(section),
            # What all tables are over is said once on the page, and in each file.
            "tables": [replace(each, caption=each.caption.removesuffix(over)) for each in page.tables[section.key]],
            "charts": [each.name for each in page.charts[section.key]],
            "values": section.values(report),
        }
        for section in sections
        if section.shown(report.findings)
    ]
    charts = {each.name: each for of in page.charts.values() for each in of}
    data = _data(report.comparison, charts.values())
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=page.title,
            policy=OFFLINE + Markup("; script-src 'unsafe-inline'"),
            subtitle=page.subtitle,
            partial=page.partial,
            script=Markup(script()),  # noqa: S704 our own
            data=_packed(_printable(data)),
            places=places,
            charts=charts,
            figures=frozenset(name for name, chart in charts.items() if any(chart.files())),
            frames=report.findings,
            files=page.files,
            scope=over,
            baseline=report.comparison.baseline,
            cocopp=page.cocopp,
        )
    )


def render_listing(title: str, names: Iterable[str]) -> str:
    """Return a page of links to the files beside it: not every web server lists folders."""
    files: dict[str, dict[str, str]] = {}
    for name in sorted(names):
        stem, _, kind = name.rpartition(".")
        files.setdefault(stem, {})[kind] = name
    return _environment().get_template("listing.html").render(title=title, policy=OFFLINE, files=files)


def styles() -> str:
    """Return the style sheet of the page."""
    return _resource("page.css")


def script() -> str:
    """Return the script of the page."""
    return f'"use strict";\n(async () => {{\n{"".join(map(_resource, SCRIPTS))}}})();\n'


def _resource(name: str) -> str:
    return resources.files("sacma.analysis.page").joinpath(name).read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    """Return the environment of the templates beside this module."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=_printable,
    )
    environment.filters |= {
        "symbols": lambda text: Markup(explained(html_text(str(text)))),  # noqa: S704 it escapes
        "terms": lambda text: Markup(html_text(str(text))),  # noqa: S704 idem
        "table": lambda table: Markup(rendered(table, "html")),  # noqa: S704 idem
        "rows": _rows,
    }
    environment.globals |= {"version": __version__, "styles": Markup(styles())}  # noqa: S704 our own
    return environment


def _rows(frame: pd.DataFrame, name: str, columns: Sequence[str], texts: Sequence[str] = ()) -> Markup:
    """Return some columns of a data frame as a sortable table of a name."""
    header = (tuple(Head(each.replace("_", " ").replace("cpu", "CPU")) for each in columns),)
    rows = tuple(
        tuple(cell_of(value, text=each in texts) for each, value in zip(columns, values, strict=True))
        for values in frame[list(columns)].itertuples(index=False)
    )
    return Markup(rendered(FormattedTable(name, "", "", (Block(header, rows),)), "html"))  # noqa: S704 it escapes


def _printable(value: Any) -> Any:
    """Return a value with all its texts printable; markup stays as it is."""
    match value:
        case Markup():
            return value
        case str():
            return printable(value)
        case list() | tuple():
            return [_printable(item) for item in value]
        case dict():
            return {_printable(key): _printable(item) for key, item in value.items()}
    return value


def _packed(content: Mapping[str, object]) -> str:
    """Return JSON, compressed, as text that can stand in a page: a tenth of its size."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def _data(comparison: Comparison, charts: Iterable[Chart]) -> dict[str, object]:
    """Return the data of the page's script: charts, looks, groups of functions, and first choices."""
    styles = {name: _style(of) for name, of in looks(comparison.names, comparison.baseline).items()}
    there = {(trial.algorithm, trial.dimension) for trial in comparison.trials}
    number = {D: sum(d == D for _, d in there) for _, D in sorted(there)}
    functions = sorted({trial.function for trial in comparison.trials})
    groups = {name: [str(f) for f in functions if f in of] for name, of in comparison.suite.groups.items()}
    return {
        "charts": {chart.name: chart.for_page() for chart in charts},
        "styles": {**styles, BEST_2009: REFERENCE, VIRTUAL_BEST: REFERENCE},
        "others": [_style(look(n)) for n in range(len(COLOURS))],
        "algorithms": list(comparison.names),
        "dimensions": [str(D) for D in number],
        "functions": [[str(f), title("function", f)] for f in functions],
        "groups": {name: of for name, of in groups.items() if of},
        "scenarios": [scenario.name for scenario in comparison.scenarios],
        "first": {
            "dimension": str(max(number, key=lambda D: (number[D], D))),  # the largest with most algorithms
            "functions": "all",
            "budget": comparison.fixed_budgets[-1],
            "baseline": comparison.baseline,
        },
        "many": MANY,
    }


def _style(of: Look) -> dict[str, object]:
    return {"light": of.colour, "dark": _lighter(of.colour), "dash": [WIDTH * part for part in of.dashes]}


def _lighter(colour: str) -> str:
    """Return a colour, mixed with white until it is light enough for a dark page; black is the text's."""
    if colour == INK:
        return "#e6e9ed"
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    while rgb @ [0.2126, 0.7152, 0.0722] < LIGHT_ENOUGH:
        rgb = 0.9 * rgb + 0.1
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
