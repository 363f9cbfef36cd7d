"""From a results folder to pages and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sacma.analysis.cocopp import make_pages
from sacma.analysis.tables import budgets_up_to, mean_ranks, median_delta_f
from sacma.errors import SacmaError
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import Outcome
from sacma.experiment.store import Store, StoredStudy


@dataclass(frozen=True)
class Coverage:
    """What of a study is there.

    Args:
        study: the study.
        expected: its trials.
        trials: those with a record, and their outcomes.
    """

    study: StoredStudy
    expected: tuple[TrialSpec, ...]
    trials: tuple[tuple[TrialSpec, Outcome], ...]

    @property
    def complete(self) -> bool:
        """Whether every trial is there."""
        return len(self.trials) == len(self.expected)


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


def cover(store: Store) -> tuple[Coverage, ...]:
    """Return what is there of each study in the results.

    Raises:
        SacmaError: there are no results, or no trial of them is finished.
    """
    studies = store.studies()
    if not studies:
        raise SacmaError(f"{store.root} holds no results; make some with: sacma run CONFIG… --results {store.root}")
    coverage = []
    for study in studies:
        expected = study.specs()
        coverage.append(Coverage(study, expected, tuple(store.outcomes(expected))))
    if not any(c.trials for c in coverage):
        raise SacmaError(f"{store.root} holds no finished trial; run its configs again")
    return tuple(coverage)


def check_complete(store: Store, coverage: Sequence[Coverage]) -> None:
    """Refuse incomplete results.

    Raises:
        SacmaError: which studies lack how many trials.
    """
    lacking = [
        f"{c.study.name} ({len(c.expected) - len(c.trials)} of {len(c.expected)})" for c in coverage if not c.complete
    ]
    if lacking:
        raise SacmaError(
            f"trials are missing: {', '.join(lacking)}; run their configs again to add them, use --partial to go on "
            f"with what is there, or delete its file in {store.root / 'studies'} to leave an algorithm out"
        )


def differences(coverage: Sequence[Coverage]) -> tuple[str, ...]:
    """Say in what the studies differ beside their algorithms, and what follows for a comparison."""
    protocols = [c.study.parts[0].protocol for c in coverage]
    places = [{spec.place for spec in c.expected} for c in coverage]
    found = [
        (len({p.budget for p in protocols}) > 1, "budgets: tables end at the smallest"),
        (len({p.target for p in protocols}) > 1, "final targets: Δf counts as no less than each one's own"),
        (len({p.seed for p in protocols}) > 1, "seeds: initial points are not paired"),
        (any(p != places[0] for p in places), "problems: mean ranks are over functions that all have"),
    ]
    return tuple(f"the algorithms differ in their {what}" for differ, what in found if differ)


def write_tables(store: Store, coverage: Sequence[Coverage]) -> Tables:
    """Compute the tables up to the smallest budget of the studies and write them as CSV."""
    trials = [trial for c in coverage for trial in c.trials]
    medians = median_delta_f(trials, budgets_up_to(min(c.study.budget for c in coverage if c.trials)))
    ranks = mean_ranks(medians)
    folder = store.root / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    tables = Tables(medians, ranks, folder / "median_delta_f.csv", folder / "mean_ranks.csv")
    medians.to_csv(tables.medians_file, index=False, float_format="%.9g")
    ranks.to_csv(tables.ranks_file, index=False, float_format="%.9g")
    return tables


def write_pages(store: Store, coverage: Sequence[Coverage]) -> Path:
    """Bring the COCO folders up to date with the records and run cocopp; return the page to open."""
    present = [c.study for c in coverage if c.trials]
    for study in present:
        store.derive(study)
    return make_pages([store.coco_folder(study.name) for study in present], store.root / "cocopp")
