"""Data: completeness, overlap, settings and provenance."""

import json
import math
from collections.abc import Iterator, Mapping
from itertools import accumulate

import pandas as pd

from sacma.analysis.comparison import ExternalData
from sacma.analysis.section import Findings, Report, Section
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head
from sacma.config.nested import flattened, setting_text
from sacma.files.printable import printable
from sacma.store.provenance import Manifest


def _completeness(findings: Findings) -> pd.DataFrame:
    covered = findings.comparison.covered
    rows: list[tuple[object, ...]] = [(study.name, "records", *completeness.counts) for study, completeness in covered]
    for data in findings.comparison.external:
        n, evaluations = len(data.data.curves), sum(curve.evaluations for curve in data.data.curves)
        rows.append((data.name, printable(str(data.path)), n, n, 0, 0, 0, evaluations, math.nan))
    numbers = ["trials", "done", "missing", "failed", "damaged", "evaluations", "cpu_seconds"]
    return pd.DataFrame(rows, columns=["algorithm", "source", *numbers])


def _overlap(findings: Findings) -> pd.DataFrame:
    overlap = findings.comparison.compared.overlap
    return pd.DataFrame() if overlap.complete else overlap.table


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield the settings of each algorithm that differ, or that some config has changed from the default."""
    studies = [(study.name, study.parts[0]) for study, _ in report.comparison.covered]
    settings = {name: {"algorithm": part.algorithm, **flattened(part.settings.model_dump())} for name, part in studies}
    changed = {key for _, part in studies for key in flattened(part.settings.model_dump(exclude_defaults=True))}
    changed = {outer for key in changed for outer in accumulate(key.split("."), "{}.{}".format)}
    keys = list(dict.fromkeys(key for values in settings.values() for key in values))
    values_of = {key: {repr(values[key]) for values in settings.values() if key in values} for key in keys}
    rows = tuple(
        (Cell(key), *(Cell(setting_text(values[key]) if key in values else "") for values in settings.values()))
        for key in keys
        if key in changed or len(values_of[key]) > 1
    )
    if not rows:
        return
    header = ((Head("setting"), *map(Head, settings)),)
    yield FormattedTable(
        "table_settings",
        "Settings",
        "Those that differ between algorithms or from the defaults; empty where an algorithm has no such setting.",
        (Block(header, rows),),
    )


def _provenance(manifest: Manifest) -> tuple[str, list[tuple[str, str]]]:
    content = json.loads(manifest.encode())
    entries = [(key, str(content[key])) for key in ("started", "ended", "trials", "cpu_seconds", "seeds")]
    for environment in content["environments"]:
        entries += [(key, _shown(value)) for key, value in environment.items()]
    return manifest.name, [*entries, *(("config", json.dumps(study)) for study in content["studies"])]


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)


def _provenance_of_external(data: ExternalData) -> tuple[str, list[tuple[str, str]]]:
    algorithm = data.data.algorithm
    return data.name, [("path", str(data.path)), ("called there", algorithm), ("trials", str(len(data.data.curves)))]


def _values(report: Report) -> Mapping[str, object]:
    external = report.comparison.external
    return {"provenance": [*map(_provenance, report.manifests), *map(_provenance_of_external, external)]}


SECTION = Section(
    key="data",
    title="Data",
    frames={"completeness": _completeness, "overlap": _overlap},
    tables=_tables,
    template="data.html",
    values=_values,
    scoped=False,
)
