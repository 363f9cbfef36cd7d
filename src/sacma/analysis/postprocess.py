"""From a results folder to the report, its tables and figures, and cocopp's pages."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from sacma.analysis.comparison import MANY, Comparison, Covered
from sacma.analysis.figures.draw import draw
from sacma.analysis.figures.files import render
from sacma.analysis.notes import beyond, scope
from sacma.analysis.page import Page, render_listing, render_page
from sacma.analysis.section import Findings, Report
from sacma.analysis.sections import all_sections, find
from sacma.analysis.sections.summary import Summary, summarise
from sacma.analysis.table_format import FormattedTable, csv_of, renderings
from sacma.analysis.trials import logged_evaluations
from sacma.coco.cocopp import make_pages
from sacma.coco.reader import Curve
from sacma.coco.suites import BBOB, Suite
from sacma.coco.writer import DATA_FORMAT, SUFFIXES, CocoFiles, header_of, merge
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.atomic import atomic_folder, write_atomically
from sacma.files.printable import one_line
from sacma.files.scratch import scratch
from sacma.store.outcome import Outcome
from sacma.store.provenance import Manifest
from sacma.store.provenance import differences as environment_differences
from sacma.store.store import Store

ALL_OF_EACH = (
    "These pages are over all trials of each algorithm, though not all have the same functions and instances: "
    "what they show of several functions is not of the same problems. The report compares what all have."
)
COCOPP_PAGE = "../cocopp/comparison/index.html"  # from the report
Steps = Callable[[str, float], None]  # called with the present step and the finished share of all


@dataclass(frozen=True)
class Written:
    """A written report: its findings, their summary, the path of its page, and the number of its figures."""

    findings: Findings
    summary: Summary
    page: Path
    figures: int


def derive(store: Store, covered: Sequence[Covered]) -> tuple[Manifest, ...]:
    """Bring COCO folders, traces and manifests up to date with the records; return the manifests."""
    return tuple(completeness.manifest or store.derive(study) for study, completeness in covered)


def environment_notes(covered: Iterable[Covered], manifests: Iterable[Manifest]) -> tuple[str, ...]:
    """Return the differences of the environments that trials ran in, or that kept ones beside them ran elsewhere."""
    kept = {study.name for study, completeness in covered if completeness.manifest}
    own = [manifest for manifest in manifests if manifest.name not in kept]
    elsewhere = "outcomes that come with sacma were made on other machines: CPU times beside yours are not comparable"
    return (*_differences(own or manifests), *[elsewhere] * bool(own and kept))


def _differences(manifests: Iterable[Manifest]) -> tuple[str, ...]:
    environments = list(dict.fromkeys(environment for manifest in manifests for environment in manifest.environments))
    if len(environments) <= 1:
        return ()
    first, *others = environments
    found = dict.fromkeys(phrase for other in others for phrase in environment_differences(first, other))
    return (f"trials ran in {len(environments)} environments, which differ in {'; '.join(found)}",)


def write_report(
    store: Store,
    comparison: Comparison,
    manifests: Sequence[Manifest],
    notes: Sequence[str],
    *,
    output: Path | None = None,
    jobs: int,
    pdf: bool = True,
    pages: bool = True,
    on_step: Steps = lambda _what, _part: None,
) -> Written:
    """Write tables, figures and the page to ``output/report``, replacing a former report when all is done.

    Without ``output`` that is the results folder. Derived files of the store must be up to date. Figures are made by so
    many ``jobs``, processes, as SVG and PDF. The page links cocopp's ``pages`` if these are of the same comparison.
    """
    findings = find(comparison, store)
    report = Report(findings, manifests, notes)
    sections = [section for section in all_sections() if section.applies(comparison)]
    final = (output or store.root) / "report"
    with atomic_folder(final) as folder:
        for section in sections:
            on_step((section.heading or section.title).lower(), 0.0)
            frames = {name: findings[name] for name in section.frames}
            _write_frames(folder / "tables", frames)
        over = scope(comparison)
        tables = {
            section.key: [
                replace(table, caption=f"{table.caption.rstrip()} {over if section.scoped else ''}".rstrip())
                for table in section.tables(report)
            ]
            for section in sections
        }
        _write_tables(folder / "tables", [table for of in tables.values() for table in of])
        charts = {section.key: [chart for chart in section.charts(report) if len(chart.data)] for section in sections}
        on_step("figures", 0.2)
        figures = {
            folder / "figures" / stem: partial(
                draw, chart, comparison.names, baseline=comparison.baseline, incomplete=not comparison.complete
            )
            for of in charts.values()
            for whole in of
            for stem, chart in whole.files()
        }
        for number, _ in enumerate(render(figures, jobs=jobs, pdf=pdf), 1):
            on_step(f"figures {number}/{len(figures)}", 0.2 + 0.75 * number / len(figures))
        on_step("report", 0.95)
        named = ", ".join(comparison.names) if len(comparison.names) <= MANY else f"{len(comparison.names)} algorithms"
        suite = "" if comparison.suite is BBOB else f" on {comparison.suite.name}"
        page = Page(
            title=f"sacma: {store.root.resolve().name}",
            subtitle=f"{named}{suite}; up to {comparison.budget:g}·D evaluations, target Δf {comparison.target:g}",
            partial=_partial(comparison),
            tables=tables,
            charts=charts,
            files=_links(folder / "tables"),
            cocopp=COCOPP_PAGE if pages and (folder / COCOPP_PAGE).exists() else "",
        )
        for of in (folder / "tables", folder / "figures"):
            of.mkdir(exist_ok=True)
            listing = render_listing(f"{page.title}, {of.name}", [file.name for file in of.iterdir()])
            write_atomically(of / "index.html", listing.encode())
        write_atomically(folder / "index.html", render_page(page, report, sections).encode())
    on_step("report", 1.0)
    return Written(findings, findings.once(summarise), final / "index.html", len(figures))


def _partial(comparison: Comparison) -> str:
    lacking = [
        f"{study.name} lacks {len(completeness.missing)} of {len(completeness.specs)} trials"
        for study, completeness in comparison.covered
        if not completeness.complete
    ]
    return f"PARTIAL RESULTS: {', '.join(lacking)}" if lacking else ""


def _write_frames(folder: Path, frames: Mapping[str, pd.DataFrame]) -> None:
    for name, frame in frames.items():
        if len(frame.columns):
            write_atomically(folder / f"{name}.csv", csv_of(frame, "%.9g").encode())


def _write_tables(folder: Path, tables: Iterable[FormattedTable]) -> None:
    for table in tables:
        for kind, content in renderings(table).items():
            write_atomically(folder / f"{table.name}.{kind}", content.encode())


def _links(folder: Path) -> dict[str, dict[str, str]]:
    """Return links from the page to the files of a folder, by name and kind."""
    links: dict[str, dict[str, str]] = defaultdict(dict)
    for file in folder.iterdir():
        links[file.stem][file.suffix[1:]] = f"{folder.name}/{file.name}"
    return dict(links)


def write_pages(store: Store, comparison: Comparison, note: str = "", *, output: Path | None = None) -> Path:
    """Run cocopp over the COCO folders, into ``output/cocopp``, and return the page to open.

    A banner on each page names missing trials, and has the note. Data of others are written anew from the values that
    were read, under their new names: cocopp believes any attribute of an index, unpickles files beside it, and fails
    for damaged ones.
    """
    covered = [(study.name, completeness) for study, completeness in comparison.covered if completeness.heads]
    folders = [store.coco_folder(name) for name, completeness in covered if not completeness.manifest]
    with scratch() as temporary:
        for name, completeness in covered:
            if completeness.manifest:  # of kept outcomes, without COCO's files
                curves = [_curve(*trial) for trial in completeness.trials]
                folders.append(temporary / name)
                _write_plainly(name, comparison.suite, curves, folders[-1])
        for data in comparison.external:
            copy = temporary / data.name
            try:
                _write_plainly(data.name, data.data.suite, data.data.all_curves, copy)
            except OSError as error:
                raise SacmaError(
                    f"{data.path}: its files cannot be given to cocopp ({one_line(str(error), 200)}); use --no-pages"
                ) from None
            folders.append(copy)
        apart = "" if comparison.compared.overlap.complete else ALL_OF_EACH
        whole = [f"{line}." for line in beyond(comparison, "These pages")]
        banner = " ".join(filter(None, [_partial(comparison), apart, *whole, note]))
        return make_pages(folders, (output or store.root) / "cocopp", banner, expensive=comparison.suite.expensive)


def _curve(spec: TrialSpec, outcome: Outcome) -> Curve:
    """Return a trial of ours as COCO's files hold it."""
    at, to = (np.array(values, float) for values in (outcome.improved_at, outcome.improved_to))
    told = logged_evaluations(spec.triggers, spec.dimension, outcome.evaluations)
    return Curve(*spec.place, outcome.evaluations, at, to, told)


def _write_plainly(name: str, suite: Suite, curves: Iterable[Curve], folder: Path) -> None:
    """Write COCO's files of an algorithm from its trials."""
    placed = []
    for curve in curves:
        told = curve.at if curve.told is None else curve.told
        header = header_of(suite.name, curve.function, curve.dimension, name)
        files = CocoFiles(
            f"{header}, data_format = '{DATA_FORMAT}'",
            f"{curve.instance}:{curve.evaluations}|{curve.to[-1]:.1e}",
            {**dict.fromkeys(SUFFIXES, ""), "dat": _rows(curve, [*curve.at, told[-1]]), "tdat": _rows(curve, told)},
        )
        placed.append(((curve.function, curve.dimension, curve.instance), files))
    for path, text in merge(placed, "").items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def _rows(curve: Curve, at: Iterable[float]) -> str:
    """Return the lines of a run: evaluations of f and of constraints, and Δf as best, measured and best measured."""
    numbers = np.unique(np.fromiter(at, float))
    best = curve.to[np.searchsorted(curve.at, numbers, side="right") - 1]
    rows = zip(numbers.tolist(), best.tolist(), strict=True)
    return "".join(["% f evaluations\n", *(f"{n:.0f} 0 {f!r} {f!r} {f!r}\n" for n, f in rows)])
