"""From a results folder to pages and tables."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sacma.analysis.cocopp import make_pages
from sacma.analysis.tables import budgets_up_to, mean_ranks, median_delta_f
from sacma.errors import SacmaError
from sacma.experiment.coverage import Coverage
from sacma.experiment.provenance import differences as environment_differences
from sacma.experiment.store import Store, StoredStudy

Covered = tuple[StoredStudy, Coverage]
"""A study and what is there of it."""


@dataclass(frozen=True)
class Tables:
    """Tables of a results folder and where they were written.

    Args:
        medians: as from ``median_delta_f``.
        ranks: as from ``mean_ranks``.
        medians_file: CSV of the former.
        ranks_file: CSV of the latter.
    """

    medians: pd.DataFrame
    ranks: pd.DataFrame
    medians_file: Path
    ranks_file: Path


def check_finished(store: Store, covered: Sequence[Covered]) -> None:
    """Refuse results without any.

    Raises:
        SacmaError: no trial is finished.
    """
    if not any(coverage.heads for _, coverage in covered):
        raise SacmaError(f"{store.root} holds no finished trial; run its configs again")


def check_complete(store: Store, covered: Sequence[Covered]) -> None:
    """Refuse incomplete results.

    Raises:
        SacmaError: which studies lack how many trials.
    """
    lacking = [
        f"{study.name} ({len(coverage.missing)} of {len(coverage.specs)})"
        for study, coverage in covered
        if not coverage.complete
    ]
    if lacking:
        raise SacmaError(
            f"trials are missing: {', '.join(lacking)}; run them with: sacma run --results {store.root}, use --partial "
            f"to go on with what is there, or delete its file in {store.root / 'studies'} to leave an algorithm out"
        )


def differences(covered: Sequence[Covered]) -> tuple[str, ...]:
    """Say in what the studies differ beside their algorithms, and what follows for a comparison."""
    protocols = [study.parts[0].protocol for study, _ in covered]
    places = [{spec.place for spec in coverage.specs} for _, coverage in covered]
    found = [
        (len({p.budget for p in protocols}) > 1, "budgets: tables end at the smallest"),
        (len({p.target for p in protocols}) > 1, "final targets: Δf counts as no less than each one's own"),
        (len({p.seed for p in protocols}) > 1, "seeds: initial points are not paired"),
        (any(p != places[0] for p in places), "problems: mean ranks are over functions that all have"),
    ]
    return tuple(f"the algorithms differ in their {what}" for differ, what in found if differ)


def write_tables(store: Store, covered: Sequence[Covered]) -> Tables:
    """Compute the tables up to the smallest budget of the studies and write them as CSV.

    Each table has a column ``partial``: whether trials are missing from what the row is of.
    """
    trials = [trial for _, coverage in covered for trial in coverage.trials]
    budgets = budgets_up_to(min(study.budget for study, coverage in covered if coverage.heads))
    specs = [spec for _, coverage in covered for spec in coverage.specs]
    planned = Counter((spec.name, spec.dimension, spec.function) for spec in specs)
    medians = median_delta_f(trials, budgets)
    ranks = mean_ranks(medians)
    medians = _with_empty_cells(medians, planned, budgets)
    cells = zip(medians["algorithm"], medians["dimension"], medians["function"], strict=True)
    medians["partial"] = medians["trials"].to_numpy() < [planned[cell] for cell in cells]
    ranks["partial"] = ranks["dimension"].isin(set(medians.loc[medians["partial"], "dimension"]))
    folder = store.root / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    tables = Tables(medians, ranks, folder / "median_delta_f.csv", folder / "mean_ranks.csv")
    medians.to_csv(tables.medians_file, index=False, float_format="%.9g")
    ranks.to_csv(tables.ranks_file, index=False, float_format="%.9g")
    return tables


def _with_empty_cells(
    medians: pd.DataFrame, planned: Iterable[tuple[str, int, int]], budgets: Sequence[float]
) -> pd.DataFrame:
    """Return ``medians`` with a row of no trials for each cell of the studies of which nothing is there."""
    there = set(zip(medians["algorithm"], medians["dimension"], medians["function"], strict=True))
    empty = [
        {"algorithm": a, "dimension": D, "function": f, "budget": b, "evaluations": int(b * D + 1e-9), "trials": 0}
        for a, D, f in planned
        if (a, D, f) not in there
        for b in budgets
    ]
    return pd.concat([medians, pd.DataFrame(empty)], ignore_index=True) if empty else medians


def derive(store: Store, covered: Sequence[Covered]) -> tuple[str, ...]:
    """Bring COCO folders, traces and manifests up to date with the records; return what to know of where they ran."""
    manifests = [store.derive(study) for study, _ in covered]
    environments = list(dict.fromkeys(environment for manifest in manifests for environment in manifest.environments))
    if len(environments) <= 1:
        return ()
    first, *others = environments
    found = dict.fromkeys(phrase for other in others for phrase in environment_differences(first, other))
    return (f"trials ran in {len(environments)} environments, which differ in {'; '.join(found)}",)


def write_pages(store: Store, covered: Sequence[Covered]) -> Path:
    """Run cocopp over the COCO folders and return the page to open; where trials are missing, every page says so."""
    folders = [store.coco_folder(study.name) for study, coverage in covered if coverage.heads]
    lacking = [
        f"{study.name} lacks {len(coverage.missing)} of {len(coverage.specs)} trials"
        for study, coverage in covered
        if not coverage.complete
    ]
    return make_pages(folders, store.root / "cocopp", f"PARTIAL RESULTS: {', '.join(lacking)}" if lacking else "")
