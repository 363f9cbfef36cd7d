"""From a results folder to pages, tables, figures and the report."""

import json
import math
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import pandas as pd

from sacma.analysis import sheets
from sacma.analysis.comparison import Comparison, Covered, ExternalData
from sacma.analysis.figures import render
from sacma.analysis.findings import OF_TARGET, Findings, baseline_of, find
from sacma.analysis.notes import left_out, paper_notes, scope
from sacma.analysis.report.drawings import FIGURE_2, Drawing, drawings
from sacma.analysis.report.page import Drawn, Report, page
from sacma.analysis.report.words import Summary, summarise
from sacma.analysis.typeset import Sheet, csv_of, renderings
from sacma.coco.cocopp import make_pages
from sacma.coco.suites import BBOB
from sacma.config.nested import flattened
from sacma.errors import SacmaError
from sacma.files.atomic import atomic_folder, write_atomically
from sacma.files.printable import one_line, printable
from sacma.store.provenance import Manifest
from sacma.store.provenance import differences as environment_differences
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy

COCOPP_PAGE = "../cocopp/comparison/index.html"
"""From the report."""

Steps = Callable[[str, float], None]
"""Called with what is done now and which part of all is done."""

OF_TRACES = ["restart", "true_evaluations", "model_generations", "error", "smoothed_error"]


@dataclass(frozen=True)
class Written:
    """What was found, and where it was written.

    Args:
        findings: as data frames.
        summary: in words.
        page: of the report.
        figures: how many.
    """

    findings: Findings
    summary: Summary
    page: Path
    figures: int


def derive(store: Store, covered: Sequence[Covered]) -> tuple[Manifest, ...]:
    """Bring COCO folders, traces and manifests up to date with the records; return the manifests."""
    return tuple(store.derive(study) for study, _ in covered)


def environment_notes(manifests: Iterable[Manifest]) -> tuple[str, ...]:
    """Say in what the environments differ that the trials ran in."""
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
    jobs: int,
    on_step: Steps = lambda _what, _part: None,
) -> Written:
    """Write tables, figures and the page to ``RESULTS/report``, replacing what was there when all is done.

    Args:
        store: of the results; what is derived must be up to date.
        comparison: what to show.
        manifests: where our trials ran.
        notes: what to know of the data.
        jobs: processes that make figures.
        on_step: told of progress.
    """
    findings = find(comparison, lambda what: on_step(what, 0.0))
    summary = summarise(comparison, findings)
    final = store.root / "report"
    with atomic_folder(final) as folder:
        on_step("tables", 0.1)
        completeness = _completeness(comparison)
        frames = {**_applicable(comparison, findings), "summary": summary.numbers, "completeness": completeness}
        overlap = comparison.compared.overlap
        frames |= {} if overlap.whole else {"overlap": overlap.table}
        by_section = _sheets(comparison, findings)
        files = _write_tables(folder / "tables", frames, [sheet for part in by_section.values() for sheet in part])
        on_step("figures", 0.2)
        made = list(drawings(comparison, findings, _traces(store, comparison)))
        shown = _write_figures(folder / "figures", made, jobs, on_step)
        on_step("report", 0.95)
        report = Report(
            title=f"sacma: {store.root.resolve().name}",
            subtitle=_subtitle(comparison),
            partial=_partial(comparison),
            names=comparison.names,
            functions=comparison.suite.names,
            baseline=baseline_of(comparison),
            findings=findings,
            completeness=completeness,
            overlap=None if overlap.whole else overlap.table,
            scope=scope(comparison),
            summary=summary,
            notes=tuple(notes),
            paper_notes=paper_notes(comparison),
            sheets=by_section,
            figures=shown,
            provenance=[*map(_provenance, manifests), *map(_provenance_of_external, comparison.external)],
            files=files,
            cocopp=COCOPP_PAGE if (folder / COCOPP_PAGE).exists() else "",
        )
        write_atomically(folder / "index.html", page(report).encode())
    on_step("report", 1.0)
    return Written(findings, summary, final / "index.html", len(made))


def _applicable(comparison: Comparison, findings: Findings) -> dict[str, pd.DataFrame]:
    """Return what was found, by name; of what does not apply to the suite no table, but one that says so."""
    suite, frames = comparison.suite, findings.frames
    missing = left_out(suite)
    if not missing:
        return frames
    of_the_paper = {name for name in frames if name.startswith("paper_") and not suite.of_the_paper}
    of_2009 = set() if suite.of_2009 else {"ecdf"}
    kept = {name: frame for name, frame in frames.items() if name not in of_the_paper | of_2009}
    return kept | {"left_out": pd.DataFrame({"suite": suite.name, "left_out": missing})}


def _subtitle(comparison: Comparison) -> str:
    suite = "" if comparison.suite is BBOB else f" on {comparison.suite.name}"
    names, budget = ", ".join(comparison.names), f"up to {comparison.budget:g}·D evaluations"
    return f"{names}{suite}; {budget}, target Δf {comparison.target:g}"


def _partial(comparison: Comparison) -> str:
    lacking = [
        f"{study.name} lacks {len(completeness.missing)} of {len(completeness.specs)} trials"
        for study, completeness in comparison.covered
        if not completeness.complete
    ]
    return f"PARTIAL RESULTS: {', '.join(lacking)}" if lacking else ""


def _completeness(comparison: Comparison) -> pd.DataFrame:
    rows: list[tuple[object, ...]] = []
    for study, completeness in comparison.covered:
        outcomes = [outcome for _, outcome in completeness.trials]
        counts = (
            len(completeness.specs),
            len(outcomes),
            len(completeness.missing),
            len(completeness.failed),
            len(completeness.damaged),
        )
        seconds = sum(outcome.cpu.total for outcome in outcomes)
        rows.append((study.name, "records", *counts, sum(outcome.evaluations for outcome in outcomes), seconds))
    for data in comparison.external:
        curves = data.data.curves
        counts = len(curves), len(curves), 0, 0, 0
        rows.append(
            (data.name, printable(str(data.path)), *counts, sum(curve.evaluations for curve in curves), math.nan)
        )
    numbers = ["trials", "done", "missing", "failed", "damaged", "evaluations", "cpu_seconds"]
    return pd.DataFrame(rows, columns=["algorithm", "source", *numbers])


def _sheets(comparison: Comparison, findings: Findings) -> dict[str, list[Sheet]]:
    ranks, tests, duels = findings.mean_ranks, findings.rank_tests, findings.duels
    fixed = [scenario.name for scenario in comparison.scenarios if scenario.budget is not None]
    first_and_last = list(dict.fromkeys([fixed[0], fixed[-1]]))
    settings = {
        study.name: {"algorithm": study.parts[0].algorithm, **_settings_of(study)} for study, _ in comparison.covered
    }
    changed = {
        outer
        for study, _ in comparison.covered
        for key in flattened(study.parts[0].settings.model_dump(exclude_defaults=True))
        for outer in accumulate(key.split("."), "{}.{}".format)
    }
    found = {
        "ranks": [
            sheets.mean_rank_sheet(ranks, tests, OF_TARGET),
            sheets.mean_rank_sheet(ranks, tests, fixed, fixed=True),
        ],
        "duels": [
            sheets.duel_sheet(duels, OF_TARGET),
            sheets.duel_sheet(duels, first_and_last, fixed=True),
        ],
        "medians": [sheets.median_sheet(findings.median_delta_f, scenario) for scenario in (OF_TARGET[-1], fixed[-1])],
        "cpu": [sheets.cpu_sheet(findings.cpu)],
        "paper": [
            sheets.publication_rank_sheet(findings.paper_mean_ranks, findings.paper_correlation),
            sheets.publication_cpu_sheet(findings.paper_cpu),
        ],
        "settings": [sheets.settings_sheet(settings, changed)],
    }
    said = dict.fromkeys(("ranks", "duels", "medians", "cpu"), scope(comparison))
    return {
        section: [_with_scope(sheet, said.get(section, "")) for sheet in part if sheet is not None]
        for section, part in found.items()
    }


def _with_scope(sheet: Sheet, said: str) -> Sheet:
    return replace(sheet, caption=f"{sheet.caption.rstrip()} {said}") if said else sheet


def _write_tables(
    folder: Path, frames: Mapping[str, pd.DataFrame], all_sheets: Iterable[Sheet]
) -> dict[str, dict[str, str]]:
    """Write data frames and sheets; return links from the page, by name and kind of file."""
    links: dict[str, dict[str, str]] = {}
    for name, frame in frames.items():
        write_atomically(folder / f"{name}.csv", csv_of(frame, "%.9g").encode())
        links[name] = {"csv": f"tables/{name}.csv"}
    for sheet in all_sheets:
        made = renderings(sheet)
        for kind, content in made.items():
            write_atomically(folder / f"{sheet.name}.{kind}", content.encode())
        links[sheet.name] = {kind: f"tables/{sheet.name}.{kind}" for kind in made}
    return links


def _write_figures(folder: Path, made: Sequence[Drawing], jobs: int, on_step: Steps) -> list[Drawn]:
    count = 0

    def on_written(_: object) -> None:
        nonlocal count
        count += 1
        on_step(f"figures {count}/{len(made)}", 0.2 + 0.75 * count / len(made))

    render({folder / drawing.name: drawing.make for drawing in made}, jobs=jobs, on_written=on_written)
    return [
        Drawn(drawing.group, drawing.title, (folder / f"{drawing.name}.svg").read_text(encoding="utf-8"), drawing.first)
        for drawing in made
        if drawing.group
    ]


def _traces(store: Store, comparison: Comparison) -> dict[tuple[int, int, int], pd.DataFrame]:
    """Return traces of the first trial on f8, or on the first function, in each dimension, where models are judged."""
    adaptive = [
        (study, completeness) for study, completeness in comparison.covered if "control.error" in _settings_of(study)
    ]
    places = sorted({(D, f, i) for _, c in adaptive for f, D, i in (spec.place for spec, _ in c.trials)})
    found = {}
    for dimension in sorted({D for D, _, _ in places}):
        here = [(f, i) for D, f, i in places if dimension == D]
        function, instance = next((place for place in here if place[0] == FIGURE_2[0]), here[0])
        place = (function, dimension, instance)
        filters = [
            (name, "==", value) for name, value in zip(("function", "dimension", "instance"), place, strict=True)
        ]
        parts = []
        for study, _ in adaptive:
            trace = pd.read_parquet(store.trace_file(study.name), columns=OF_TRACES, filters=filters)
            parts.append(trace.assign(algorithm=study.name))
        generations = pd.concat(parts, ignore_index=True)
        if len(generations):
            found[place] = generations
    return found


def _settings_of(study: StoredStudy) -> Mapping[str, object]:
    return flattened(study.parts[0].settings.model_dump())


def _provenance(manifest: Manifest) -> tuple[str, list[tuple[str, str]]]:
    content = json.loads(manifest.encode())
    entries = [(key, str(content[key])) for key in ("started", "ended", "trials", "cpu_seconds", "seeds")]
    for environment in content["environments"]:
        entries += [(key, _shown(value)) for key, value in environment.items()]
    entries += [("config", json.dumps(study)) for study in content["studies"]]
    return manifest.name, entries


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)


def _provenance_of_external(data: ExternalData) -> tuple[str, list[tuple[str, str]]]:
    algorithm = data.data.algorithm
    return data.name, [("path", str(data.path)), ("called there", algorithm), ("trials", str(len(data.data.curves)))]


def write_pages(store: Store, comparison: Comparison) -> Path:
    """Run cocopp over the COCO folders and return the page to open; where trials are missing, every page says so.

    External data come to it as plain files below their new names: cocopp would unpickle what lies beside them.
    """
    folders = [store.coco_folder(study.name) for study, completeness in comparison.covered if completeness.heads]
    with tempfile.TemporaryDirectory(prefix="sacma-") as temporary:
        for data in comparison.external:
            copy = Path(temporary) / data.name
            try:
                _write_plainly(data, copy)
            except (OSError, ValueError) as error:  # of names that cannot be those of files, or not beside each other
                raise SacmaError(
                    f"{data.path}: its files cannot be given to cocopp ({one_line(str(error), 200)}); use --no-pages"
                ) from None
            folders.append(copy)
        banner = " ".join(filter(None, [_partial(comparison), _all_of_each(comparison)]))
        return make_pages(folders, store.root / "cocopp", banner, expensive=comparison.suite.expensive)


def _write_plainly(data: ExternalData, folder: Path) -> None:
    """Write somebody else's files, what indices call the algorithm replaced by what it is called here."""
    for name, content in data.data.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".info"):
            text = printable(content.decode(errors="replace"), keep="\n\r\t")
            path.write_text(re.sub(r"\b(algId|algorithm)( *= *)'[^'\n]*'", rf"\1\2'{data.name}'", text))
        else:
            path.write_bytes(content)


def _all_of_each(comparison: Comparison) -> str:
    overlap = comparison.compared.overlap
    if overlap.whole:
        return ""
    return (
        "These pages are over all trials of each algorithm, though not all have the same functions and instances: "
        "what they show of several functions is not of the same problems. The report compares what all have."
    )
