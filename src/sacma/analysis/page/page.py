"""The page of the report: one HTML file with all that it needs in it."""

import base64
import gzip
import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import groupby
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from sacma import __version__
from sacma.analysis.figures.style import looks
from sacma.analysis.notes import scope
from sacma.analysis.section import Drawing, Findings, Json, Report, Section
from sacma.analysis.table_format import Block, FormattedTable, Head, cell_of, html_text, rendered
from sacma.analysis.terms import explained
from sacma.coco.function_names import BEST_2009
from sacma.files.printable import printable

OFFLINE = Markup("default-src 'none'; img-src data:; style-src 'unsafe-inline'")  # what a page may load
UPLOT = "1.6.32"  # version of the drawing library in ``vendor``: https://github.com/leeoniya/uPlot
LIGHT_ENOUGH = 0.42  # luminance of a line that can be seen on a dark page
WIDTH = 2  # of a line, in pixels
# Parts of one function, in this order.
SCRIPTS = (
    "start",
    "chart",
    "scatter",
    "runs",
    "trials",
    "first",
    "ranks",
    "figures",
    "curves",
    "ert",
    "functions",
    "final",
    "end",
)
OF_FIRST_SCREEN = {"summary", "ecdf", "algorithms", "styles", "names", "baseline"}  # data that it needs: drawn at once
LONGEST_NAME = 24  # in letters, of an algorithm, that is kept on one line
GLYPH = re.compile(r'<path id="(DejaVuSans[\w-]*)"[^>]*/>\s*')  # an outline, which each figure defines anew
GROUP = r'<g id="(?:figure|axes|patch|text|legend|line2d|xtick|ytick|matplotlib\.axis)_\d+"'
UNSEEN = re.compile(rf"<!--.*?-->\n?|<metadata>.*?</metadata>|<defs>\s*</defs>\n?|{GROUP}/>\n?", re.DOTALL)
NAMED = re.compile(f"{GROUP}>")
PLACED = re.compile(r"translate\([^)]*\)")
DIGITS = re.compile(r"\d+\.\d{3,}")
COORDINATES = re.compile(r' (?:x|y)="[^"]*"| d="M [^"]*"(?= clip-path)')  # of marks, and of curves in a panel
TENTHS = re.compile(r"-?\d+\.\d{2,}")
LOCAL = re.compile(r'id="([mph][0-9a-f]{10})"')  # a mark, or the border of a panel
SPACE = re.compile(r"(?<=>)\s+(?=<)|(?<=[\w\d])\s*\n\s*(?=[\w\d\"])")


@dataclass(frozen=True)
class Page:
    """Parts of the page beside what its sections find."""

    title: str
    subtitle: str
    partial: str  # warning above all, where trials are missing
    tables: Sequence[Sequence[FormattedTable]]  # of each section
    figures: Sequence[tuple[Drawing, str]]  # with their SVG
    files: Mapping[str, Mapping[str, str]]  # links by table, then by kind of file
    cocopp: str  # link to its pages, if they are there


def render_page(page: Page, report: Report, sections: Sequence[Section]) -> str:
    """Return the page as HTML."""
    findings = report.findings
    names = report.comparison.names
    environment = _environment(names)
    figures: dict[str, list[Drawing]] = defaultdict(list)
    pictures: dict[str, list[Json]] = defaultdict(list)
    glyphs: dict[str, str] = {}
    for drawing, svg in page.figures:
        figures[drawing.group].append(drawing)
        pictures[drawing.group].append({"title": _plainly(drawing.title), "svg": _without_glyphs(svg, glyphs)})
    # What is over which functions is said once on the page, and in each file.
    over = scope(report.comparison)
    once = [[replace(table, caption=table.caption.removesuffix(over).rstrip()) for table in of] for of in page.tables]
    shown = [(section, tables) for section, tables in zip(sections, once, strict=True) if section.shown(findings)]
    places = []
    for key, group in groupby(shown, key=lambda pair: pair[0].key):
        of_place = list(group)
        first = of_place[0][0]
        parts = [
            {"tables": tables, "values": each.values(report), "piece": environment.from_string(each.piece.strip())}
            for each, tables in of_place
        ]
        places.append({"key": key, "title": first.title, "heading": first.heading or first.title, "sections": parts})
    data = _data(findings, sections, pictures) | {"glyphs": glyphs}
    return environment.get_template("template.html").render(
        title=page.title,
        policy=OFFLINE + Markup("; script-src 'unsafe-inline'"),
        subtitle=page.subtitle,
        partial=page.partial,
        uplot=UPLOT,
        script=Markup(script()),  # noqa: S704 idem
        uplot_code=Markup(uplot_script()),  # noqa: S704 idem
        data=_packed(_printable({name: content for name, content in data.items() if name in OF_FIRST_SCREEN})),
        more=_packed(_printable({name: content for name, content in data.items() if name not in OF_FIRST_SCREEN})),
        places=places,
        figures=figures,
        frames=findings,
        files=page.files,
        scope=over,
        baseline=report.comparison.baseline,
        cocopp=page.cocopp,
    )


def render_listing(title: str, names: Iterable[str]) -> str:
    """Return a page of links to files beside it: not every web server shows what is in a folder."""
    files: dict[str, dict[str, str]] = {}
    for name in sorted(names):
        stem, _, kind = name.rpartition(".")
        files.setdefault(stem, {})[kind] = name
    return _environment().get_template("listing.html").render(title=title, policy=OFFLINE, files=files)


def _environment(names: Sequence[str] = ()) -> jinja2.Environment:
    """Return what fills the templates beside this module; ``names`` are of algorithms, which are not parted."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=_printable,
    )
    environment.filters |= {
        "symbols": lambda text: Markup(explained(names_together(html_text(str(text)), names))),  # noqa: S704 it escapes
        "symbols_plain": _plainly,
        "terms": lambda text: Markup(html_text(str(text))),  # noqa: S704 it escapes
        "table": lambda table: Markup(rendered(table, "html")),  # noqa: S704 idem
        "rows": _rows,
    }
    environment.globals |= {"version": __version__, "styles": Markup(styles())}  # noqa: S704 our own
    return environment


def _resource(name: str) -> str:
    return resources.files("sacma.analysis.page").joinpath(name).read_text(encoding="utf-8")


def styles() -> str:
    """Return the style sheet of the page."""
    return _resource("vendor/uPlot.min.css") + _resource("page.css")


def script() -> str:
    """Return the script of the page, but for the library that draws curves."""
    parts = "\n".join(_resource(f"script/{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(async () => {{\n{parts}}})();\n'


def uplot_script() -> str:
    """Return the library that draws curves."""
    return _resource("vendor/uPlot.iife.min.js")


def _rows(frame: pd.DataFrame, columns: Sequence[str], texts: Sequence[str] = ()) -> Markup:
    """Return some columns of a data frame as a sortable table."""
    header = (tuple(Head(name.replace("_", " ").replace("cpu", "CPU")) for name in columns),)
    rows = tuple(
        tuple(cell_of(value, text=name in texts) for name, value in zip(columns, values, strict=True))
        for values in frame[list(columns)].itertuples(index=False)
    )
    return Markup(rendered(FormattedTable("", "", "", (Block(header, rows),)), "html"))  # noqa: S704 it escapes


def _without_glyphs(svg: str, glyphs: dict[str, str]) -> str:
    """Return a picture without the outlines of characters that ``glyphs`` has, or takes: the page has each once.

    Comments, empty groups, long names, metadata and digits that cannot be seen are left out, too.
    """

    def kept(found: re.Match[str]) -> str:
        outline = " ".join(found[0].split())
        return "" if glyphs.setdefault(found[1], outline) == outline else found[0]

    slim = UNSEEN.sub("", GLYPH.sub(kept, svg))
    slim = SPACE.sub("", NAMED.sub("<g>", slim))
    for number, name in enumerate(dict.fromkeys(LOCAL.findall(slim))):
        slim = slim.replace(name, f"{name[0]}{number}")
    slim = COORDINATES.sub(lambda found: TENTHS.sub(lambda digits: f"{float(digits[0]):.1f}", found[0]), slim)
    return PLACED.sub(lambda found: DIGITS.sub(lambda digits: f"{float(digits[0]):.2f}", found[0]), slim)


def _plainly(text: str) -> str:
    """Return a text whose symbols have no markup."""
    return text.replace("#FE_t", "#FEₜ")


def names_together(text: str, names: Iterable[str]) -> str:
    """Return HTML in which no line ends within a short name of an algorithm.

    >>> names_together("ADA-KL is ahead of GP-5", ["ADA-KL"])
    '<span class="name">ADA-KL</span> is ahead of GP-5'
    """
    short = sorted((name for name in names if "-" in name and len(name) <= LONGEST_NAME), key=len, reverse=True)
    pattern = "|".join(re.escape(html.escape(name)) for name in short)
    return re.sub(rf"(?<![\w-])({pattern})(?![\w-])", r'<span class="name">\1</span>', text) if short else text


def _printable(value: Any) -> Any:
    """Return texts as they can be shown, all that is in a list or mapping too; pictures are, and markup."""
    match value:
        case Markup():
            return value
        case str():
            return printable(value)
        case list() | tuple():
            return [_printable(item) for item in value]
        case dict():
            return {_printable(key): item if key == "svg" else _printable(item) for key, item in value.items()}
    return value


def _packed(content: Json) -> str:
    """Return JSON, compressed, as text that can stand in a page: a tenth of its size."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def _data(findings: Findings, sections: Sequence[Section], figures: Mapping[str, object]) -> Json:
    """Return what the page's script draws from: charts by key, with their algorithms, looks, and figures by group."""
    names, charts = findings.comparison.names, {each.key: each.chart(findings) for each in sections if each.chart}
    there = {key: set(findings[key].get("algorithm", ())) for key in charts if key in findings}
    algorithms = {key: [name for name in (*names, BEST_2009) if name in of] for key, of in there.items()}
    functions = {str(number): name for number, name in findings.comparison.suite.names.items()}
    styles = {
        name: {"light": look.colour, "dark": _lighter(look.colour), "dash": [WIDTH * part for part in look.dashes]}
        for name, look in looks(names).items()
    }
    styles[BEST_2009] = {"light": "#777777", "dark": "#aaaaaa", "dash": [3, 3]}
    return {
        **charts,
        "algorithms": algorithms,
        "styles": styles,
        "names": functions,
        "figures": figures,
        "baseline": findings.comparison.baseline,
    }


def _lighter(colour: str) -> str:
    """Return a colour light enough for a dark page: mixed with white, as far as it must be."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    while rgb @ [0.2126, 0.7152, 0.0722] < LIGHT_ENOUGH:
        rgb = 0.9 * rgb + 0.1
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
