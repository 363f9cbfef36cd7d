"""The page of the report, from findings, sheets and figures: one HTML file with all that it needs in it."""

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from sacma import __version__
from sacma.analysis.figures.style import looks
from sacma.analysis.findings import Findings
from sacma.analysis.sections.summary import Summary
from sacma.analysis.sheets import cell_of
from sacma.analysis.page.table_format import Block, Head, FormattedTable, html_table, html_text
from sacma.coco.function_names import BEST_2009
from sacma.files.printable import printable

UPLOT = "1.6.32"
"""Version of the drawing library in ``vendor``: https://github.com/leeoniya/uPlot."""

LIGHT_ENOUGH = 0.42
"""Luminance of a line that can be seen on a dark page."""

Json = dict[str, object]


@dataclass(frozen=True)
class Drawn:
    """A figure that is shown in the page.

    Args:
        group: of figures, of which one is shown at a time.
        title: to choose it by.
        svg: its content.
        first: whether it is shown at first.
    """

    group: str
    title: str
    svg: str
    first: bool = False


@dataclass(frozen=True)
class Report:
    """What the page shows.

    Args:
        title: of the page.
        subtitle: below it.
        partial: warning above all, where trials are missing.
        names: of the algorithms, in order.
        functions: their names, by number.
        baseline: algorithm that gains are over.
        findings: what was found.
        completeness: columns algorithm, source, trials, done, missing, failed, damaged, evaluations, cpu_seconds.
        overlap: as from ``Overlap.table``; None where all there is is compared.
        scope: says what is over which problems, and how known; empty where that is all there is.
        summary: in words.
        notes: what to know of the data.
        paper_notes: what to know where the data are held against the paper's.
        sheets: tables by section: ranks, duels, medians, cpu, paper, settings.
        figures: as pictures.
        provenance: of each algorithm, pairs of what and what it is.
        files: links by table, then by kind of file.
        cocopp: link to its pages, if they are there.
    """

    title: str
    subtitle: str
    partial: str
    names: tuple[str, ...]
    functions: Mapping[int, str]
    baseline: str
    findings: Findings
    completeness: pd.DataFrame
    overlap: pd.DataFrame | None
    scope: str
    summary: Summary
    notes: tuple[str, ...]
    paper_notes: Sequence[str]
    sheets: Mapping[str, Sequence[Sheet]]
    figures: Sequence[Drawn]
    provenance: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    files: Mapping[str, Mapping[str, str]]
    cocopp: str


def page(report: Report) -> str:
    """Return the page as HTML."""
    findings = report.findings
    compared = len(report.names) > 1
    groups: dict[str, list[Drawn]] = {}
    for drawn in report.figures:
        groups.setdefault(drawn.group, []).append(drawn)
    has = {
        "compared": compared and not findings["mean_ranks"].empty,
        "has_ecdf": not findings["ecdf"].empty,
        "has_control": not findings.control_frequency.empty,
        "has_paper": len(findings["paper_mean_ranks"]) > 0 or len(findings["paper_cpu"]) > 0,
    }
    sections = [
        ("summary", "Summary", True),
        ("ranks", "Ranks", has["compared"]),
        ("duels", "Duels", has["compared"]),
        ("convergence", "Convergence", True),
        ("ecdf", "Run lengths", has["has_ecdf"]),
        ("functions", "Functions", True),
        ("control", "Control", has["has_control"]),
        ("time", "Time", bool(report.sheets["cpu"])),
        ("publication", "Publication", has["has_paper"]),
        ("data", "Data", True),
    ]
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, finalize=_printable
    )
    environment.filters |= {
        "symbols": lambda text: Markup(html_text(str(text))),  # noqa: S704 it escapes
        "symbols_plain": lambda text: str(text).replace("#FE_t", "#FEt"),
        "table": lambda sheet: Markup(html_table(sheet)),  # noqa: S704 idem
        "rows": _rows,
    }
    template = environment.from_string(_resource("template.html"))
    return template.render(
        title=report.title,
        subtitle=report.subtitle,
        partial=report.partial,
        version=__version__,
        uplot=UPLOT,
        styles=Markup(_resource("vendor/uPlot.min.css") + _resource("report.css")),  # noqa: S704 our own
        script=Markup(_resource("report.js")),  # noqa: S704 idem
        uplot_code=Markup(_resource("vendor/uPlot.iife.min.js")),  # noqa: S704 idem
        data=_packed(_printable(_data(report, groups))),
        sections=[(anchor, text) for anchor, text, there in sections if there],
        summary=report.summary.sentences,
        notes=report.notes,
        paper_notes=report.paper_notes,
        rank_sheets=report.sheets["ranks"],
        duel_sheets=report.sheets["duels"],
        median_sheets=report.sheets["medians"],
        cpu_sheet=next(iter(report.sheets["cpu"]), None),
        paper_sheets=report.sheets["paper"],
        settings_sheet=next(iter(report.sheets["settings"]), None),
        figures=groups | {group: groups.get(group, []) for group in FIGURE_GROUPS},
        frames={**findings.frames, "completeness": report.completeness, "overlap": report.overlap},
        scope=report.scope,
        claims=_claims(findings),
        baseline=report.baseline,
        provenance=report.provenance,
        files=report.files,
        cocopp=report.cocopp,
        **has,
    )


FIGURE_GROUPS = ("ranks", "critical", "heatmap_rank", "heatmap_gain", "transfer", "control", "evolution", "cpu")
"""Places for figures in the page."""


def _resource(name: str) -> str:
    return resources.files("sacma.analysis.report").joinpath(name).read_text(encoding="utf-8")


def _rows(frame: pd.DataFrame, columns: Sequence[str], texts: Sequence[str] = ()) -> Markup:
    """Return some columns of a data frame as a sortable table."""
    shown = frame[list(columns)]
    header = (tuple(Head(name.replace("_", " ").replace("cpu", "CPU")) for name in columns),)
    rows = tuple(
        tuple(cell_of(value, text=name in texts) for name, value in zip(columns, values, strict=True))
        for values in shown.itertuples(index=False)
    )
    return Markup(html_table(FormattedTable("", None, "", "", (Block(header, rows),))))  # noqa: S704 it escapes


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


def _claims(findings: Findings) -> list[Json]:
    checks = findings["paper_checks"].to_dict("records")
    claims: list[Any] = findings["paper_claims"].to_dict("records")
    for check in checks:
        check["shown"] = "no data" if math.isnan(check["ours"]) else f"{check['ours']:.3g}"
    return [{**claim, "of": [check for check in checks if check["claim"] == claim["claim"]]} for claim in claims]


def _packed(content: Json) -> str:
    """Return JSON, compressed, as text that can stand in a page: a tenth of its size."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def _data(report: Report, groups: Mapping[str, Sequence[Drawn]]) -> Json:
    findings = report.findings
    of_convergence = [name for name in report.names if name in set(findings["convergence"].get("algorithm", ()))]
    of_ecdf = [name for name in (*report.names, BEST_2009) if name in set(findings["ecdf"].get("algorithm", ()))]
    return {
        "convergence": _convergence(findings["convergence"]),
        "ecdf": _ecdf(findings["ecdf"]),
        "algorithms": {"convergence": of_convergence, "ecdf": of_ecdf},
        "styles": _styles(report.names),
        "names": {str(number): name for number, name in report.functions.items()},
        "figures": {
            group: [{"title": drawn.title, "svg": drawn.svg} for drawn in drawings]
            for group, drawings in groups.items()
        },
    }


def _number(value: float, digits: int = 4) -> float | None:
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _convergence(frame: pd.DataFrame) -> Json:
    """Return by dimension the numbers of evaluations, and by function and algorithm quartile, median, quartile."""
    found: dict[str, Json] = {}
    for D, of_dimension in frame.groupby("dimension") if len(frame) else ():
        x = np.unique(of_dimension["evaluations_per_dimension"])
        functions: dict[str, dict[str, object]] = {}
        for (f, name), curve in of_dimension.groupby(["function", "algorithm"], sort=False):
            indexed = curve.set_index("evaluations_per_dimension").reindex(x)
            quantiles = [[_number(v) for v in indexed[c]] for c in ("lower_quartile", "median", "upper_quartile")]
            functions.setdefault(str(f), {})[str(name)] = quantiles
        in_order = dict(sorted(functions.items(), key=lambda item: int(item[0])))
        found[str(D)] = {"x": [_number(v, 5) for v in x], "functions": in_order}
    return dict(found)


def _ecdf(frame: pd.DataFrame) -> Json:
    """Return by dimension the numbers of evaluations, and by group and algorithm the proportions."""
    found: dict[str, Json] = {}
    for D, of_dimension in frame.groupby("dimension") if len(frame) else ():
        x = np.unique(of_dimension["evaluations_per_dimension"])
        groups: dict[str, dict[str, object]] = {}
        for (group, name), curve in of_dimension.groupby(["group", "algorithm"], sort=False):
            at = np.searchsorted(curve["evaluations_per_dimension"].to_numpy(), x, side="right")
            steps = np.append(0.0, curve["proportion"].to_numpy())[at]
            groups.setdefault(str(group), {})[str(name)] = [_number(p) for p in steps]
        found[str(D)] = {"x": [_number(v, 5) for v in x], "groups": groups}
    return dict(found)


def _styles(names: Sequence[str]) -> Json:
    """Return colours, by light and dark, and dashes of each algorithm: those of the figures."""
    width = 2
    found: Json = {
        name: {"light": look.colour, "dark": _lighter(look.colour), "dash": [width * part for part in look.dashes]}
        for name, look in looks(names).items()
    }
    return found | {BEST_2009: {"light": "#777777", "dark": "#aaaaaa", "dash": [3, 3]}}


def _lighter(colour: str) -> str:
    """Return a colour light enough for a dark page: mixed with white, as far as it must be."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    while rgb @ [0.2126, 0.7152, 0.0722] < LIGHT_ENOUGH:
        rgb = 0.9 * rgb + 0.1
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
