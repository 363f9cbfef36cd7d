"""From a results folder to pages and tables."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sacma.analysis.cocopp import make_pages
from sacma.analysis.load import CocoData, load_coco
from sacma.analysis.tables import (
    budgets_up_to,
    duel_table,
    foreign_trial,
    mean_ranks,
    median_delta_f,
    our_trial,
    rank_tests,
)
from sacma.config import check_name
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
        tests: as from ``rank_tests``.
        duels: as from ``duel_table``.
        files: CSV of each, in this order.
    """

    medians: pd.DataFrame
    ranks: pd.DataFrame
    tests: pd.DataFrame
    duels: pd.DataFrame
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Foreign:
    """Somebody else's data, to be compared with.

    Args:
        name: what they are called here.
        path: of the folder or archive.
        data: what is in it.
    """

    name: str
    path: Path
    data: CocoData


def load_foreign(given: Iterable[str], taken: Iterable[str]) -> tuple[Foreign, ...]:
    """Read data sets given as ``NAME=PATH``.

    Args:
        given: of the command line.
        taken: names that other algorithms have.

    Raises:
        SacmaError: one is not of that form, its name is taken or cannot be one, or its data cannot be read.
    """
    names, found = {name.lower() for name in taken}, []
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise SacmaError(f"--with: {text!r} is not of the form NAME=PATH")
        try:
            check_name(name)
        except ValueError as error:
            raise SacmaError(f"--with: {error}") from None
        if name.lower() in names:
            raise SacmaError(f"--with: there is an algorithm {name} already; give the data another name")
        names.add(name.lower())
        found.append(Foreign(name, Path(path), load_coco(Path(path))))
    return tuple(found)


def foreign_notes(foreign: Sequence[Foreign], budget: float, target: float) -> tuple[str, ...]:
    """Say what foreign data do not tell, up to ``budget`` evaluations/D."""
    notes = [note for data in foreign for note in data.data.notes]
    for data in foreign:
        trials = [(foreign_trial(data.name, curve, target), curve) for curve in data.data.curves]
        short = sum(trial.known_until < int(budget * curve.dimension + 1e-9) for trial, curve in trials)
        if short:
            notes.append(
                f"{data.name}: {short} of {len(trials)} trials end before {budget:g}·D evaluations, off the target; "
                "what they would have found is not known, and not compared"
            )
    return tuple(notes)


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


def write_tables(store: Store, covered: Sequence[Covered], foreign: Sequence[Foreign] = ()) -> Tables:
    """Compute the tables up to the smallest budget of the studies and write them as CSV.

    Each table has a column ``partial``: whether trials are missing from what the row is of.
    """
    trials = [our_trial(*trial) for _, coverage in covered for trial in coverage.trials]
    target = target_of(covered)
    theirs = [(data.name, curve) for data in foreign for curve in data.data.curves]
    trials += [foreign_trial(name, curve, target) for name, curve in theirs]
    budgets = budgets_up_to(budget_of(covered))
    specs = [spec for _, coverage in covered for spec in coverage.specs]
    planned = Counter((spec.name, spec.dimension, spec.function) for spec in specs)
    planned.update((name, curve.dimension, curve.function) for name, curve in theirs)
    medians = median_delta_f(trials, budgets)
    ranks = mean_ranks(medians)
    medians = _with_empty_cells(medians, planned, budgets)
    cells = zip(medians["algorithm"], medians["dimension"], medians["function"], strict=True)
    medians["partial"] = medians["trials"].to_numpy() < [planned[cell] for cell in cells]
    ranks["partial"] = ranks["dimension"].isin(set(medians.loc[medians["partial"], "dimension"]))
    partial = set(medians.loc[medians["partial"], "dimension"])
    tests, duels = rank_tests(medians), duel_table(medians)
    for table in (tests, duels):
        if not table.empty:
            table["partial"] = table["dimension"].isin(partial)
    folder = store.root / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    frames = {"median_delta_f": medians, "mean_ranks": ranks, "rank_tests": tests, "duels": duels}
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False, float_format="%.9g")
    return Tables(medians, ranks, tests, duels, tuple(folder / f"{name}.csv" for name in frames))


def budget_of(covered: Sequence[Covered]) -> float:
    """Return the budget up to which all studies with trials can be compared, in evaluations/D."""
    return min(study.budget for study, coverage in covered if coverage.heads)


def target_of(covered: Sequence[Covered]) -> float:
    """Return the final target below which no study's trials are told apart."""
    return max(study.parts[0].protocol.target for study, _ in covered)


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


def write_pages(store: Store, covered: Sequence[Covered], foreign: Sequence[Foreign] = ()) -> Path:
    """Run cocopp over the COCO folders and return the page to open; where trials are missing, every page says so.

    Foreign data come to it as plain files below their new names: cocopp would unpickle what lies beside them.
    """
    folders = [store.coco_folder(study.name) for study, coverage in covered if coverage.heads]
    lacking = [
        f"{study.name} lacks {len(coverage.missing)} of {len(coverage.specs)} trials"
        for study, coverage in covered
        if not coverage.complete
    ]
    banner = f"PARTIAL RESULTS: {', '.join(lacking)}" if lacking else ""
    with tempfile.TemporaryDirectory(prefix="sacma-") as temporary:
        for data in foreign:
            copy = Path(temporary) / data.name
            for number, (name, content) in enumerate(data.data.files.items()):
                path = copy / name.lstrip("./")
                if ".." in path.parts:
                    path = copy / f"{number}-{path.name}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            folders.append(copy)
        return make_pages(folders, store.root / "cocopp", banner)
