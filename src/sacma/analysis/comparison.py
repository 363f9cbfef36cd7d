"""Comparisons of algorithms: studies of a results folder and data of others, as far as they are there."""

import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from sacma.analysis.overlap import Overlap, Problem, overlap
from sacma.analysis.published import FEWEST_OF_PAPER, READINGS, Reading
from sacma.analysis.trials import (
    ROUNDING,
    SMALLEST_TARGET,
    Scenario,
    Trial,
    at_common_resolution,
    budgets_to_target,
    budgets_up_to,
    evaluations_to_target,
    external_trials,
    fixed_budgets,
    our_trial,
    reach,
)
from sacma.coco.archives import archive_name, archives_in
from sacma.coco.formats import load_any
from sacma.coco.reader import CocoData
from sacma.coco.suites import SUITES, Suite
from sacma.config.study import check_name
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.store.completeness import Completeness, resuming
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy

Covered = tuple[StoredStudy, Completeness]  # A study and its finished trials
MANY = 8  # algorithms, above which names are not all told, curves not all strong, and charts have fewer points
BASELINE = "CMA-ES"  # algorithm that others are compared with, where it is there


@dataclass(frozen=True)
class ExternalData:
    """Data of others."""

    name: str  # what they are called here
    path: Path  # of the folder or archive
    data: CocoData


@dataclass(frozen=True)
class Compared:
    """Comparable trials of some algorithms: on the same instances, and known at the same resolution."""

    trials: tuple[Trial, ...]  # of all functions that some of the algorithms have
    overlap: Overlap  # what all of them have

    @cached_property
    def shared(self) -> tuple[Trial, ...]:
        """Trials of functions that all algorithms have."""
        return tuple(trial for trial in self.trials if self.overlap.shares(trial.dimension, trial.function))


@dataclass(frozen=True)
class Comparison:
    """Algorithms that are compared: our studies, of one suite, in the paper's order, then data of others."""

    covered: tuple[Covered, ...]
    external: tuple[ExternalData, ...] = ()
    against: str = ""  # the algorithm that gains are measured against; empty: as ``baseline`` says
    own_targets: tuple[float, ...] = ()  # Δf of expected running times; empty: the usual ones
    own_budget: float | None = None  # evaluations/D up to which is compared; None: as ``budget`` says
    own_budgets: tuple[float, ...] = ()  # evaluations/D that are looked at, ascending; empty: the paper's

    @property
    def suite(self) -> Suite:
        """COCO's suite that all of it is of."""
        return SUITES[self.covered[0][0].suite] if self.covered else self.external[0].data.suite

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms' names, in the order of tables and figures."""
        return (*(study.name for study, _ in self.covered), *(data.name for data in self.external))

    @property
    def of_paper(self) -> bool:
        """True where the study is the paper's: some of its algorithms, and no others; all, beside data of others."""
        ours = {study.name for study, _ in self.covered}
        only = ours <= {name for reading in READINGS for name in reading.names}
        all_there = any(ours >= set(reading.names) for reading in READINGS)
        return (
            self.suite.of_the_paper
            and only
            and (all_there or (len(self.names) >= FEWEST_OF_PAPER and not self.external))
        )

    @property
    def readings(self) -> list[Reading]:
        """The readings of the paper that have algorithms here, where the study is the paper's."""
        there = [reading for reading in READINGS if any(name in reading.names for name in self.names)]
        return there if self.of_paper else []

    @property
    def baseline(self) -> str:
        """The algorithm that others are compared with.

        Unless given it is the one of the user's own, from an algorithm file, if there is one, or the only one beside
        kept ones; else CMA-ES, or the first where that is not there.
        """
        ours = [study for study, completeness in self.covered if completeness.manifest is None]
        own = [study.name for study in ours if study.parts[-1].origin is not None]
        if len(ours) < len(self.covered) and len(own) != 1:
            own = [*(study.name for study in ours), *(data.name for data in self.external)]
        usual = BASELINE if BASELINE in self.names else self.names[0]
        return self.against or (own[0] if len(own) == 1 else usual)

    @property
    def cut(self) -> float | None:
        """Evaluations/D at which the comparison is asked to end, None where it is not."""
        return self.own_budget or max(self.own_budgets, default=None)

    @property
    def budget(self) -> float:
        """Evaluations/D up to which is compared: as asked, else the smallest of ``ends``."""
        return min(self.ends.values()) if self.cut is None else self.cut

    @cached_property
    def ends(self) -> Mapping[str, float]:
        """Evaluations/D of studies with trials; if none was run here also the ``reach`` of data of others."""
        ends = {study.name: study.budget for study, completeness in self.covered if completeness.heads}
        if all(completeness.manifest for _, completeness in self.covered):
            ends |= {of.name: reach(external_trials(of.name, of.data, self.target)) for of in self.external}
        return ends

    def evaluations(self, dimension: int) -> int:
        """Return the budget of the comparison in evaluations."""
        return int(self.budget * dimension + ROUNDING)

    @property
    def target(self) -> float:
        """Final target, the largest at which some trials stop; below it all are equal."""
        targets = (study.parts[0].protocol.target for study, completeness in self.covered if completeness.heads)
        return max(targets, default=SMALLEST_TARGET)

    @property
    def targets_below(self) -> tuple[float, ...]:
        """Targets of ``own_targets`` below the final one: who reached them is not known."""
        return tuple(target for target in self.own_targets if target < self.target * (1 - ROUNDING))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, cut at the budget of the comparison."""
        return tuple(trial.up_to(self.evaluations(trial.dimension)) for trial in self._whole_trials)

    @cached_property
    def longer(self) -> tuple[str, ...]:
        """The algorithms with trials beyond the budget."""
        beyond = {t.algorithm for t in self._whole_trials if t.evaluations > self.evaluations(t.dimension)}
        return tuple(name for name in self.names if name in beyond)

    @cached_property
    def _whole_trials(self) -> tuple[Trial, ...]:
        target = self.target
        ours = ((study, our_trial(*trial)) for study, c in self.covered for trial in c.trials)
        theirs = (trial for data in self.external for trial in external_trials(data.name, data.data, target))
        return (*(self._to_budget(study, replace(trial, target=target)) for study, trial in ours), *theirs)

    def _to_budget(self, study: StoredStudy, trial: Trial) -> Trial:
        """Return a trial as unknown beyond the budget of its study, where the comparison goes further."""
        ended = study.budget < self.budget and trial.hit_after == math.inf
        return replace(trial, known_until=trial.evaluations) if ended else trial

    @cached_property
    def compared(self) -> Compared:
        """Comparable trials of all algorithms."""
        return self.among(self.names)

    @cached_property
    def counted(self) -> Sequence[Trial]:
        """Trials of dimensions and functions that all algorithms have, or all trials if there are none."""
        dimensions = [{D for D, _, _ in places} for places in self.compared.overlap.there.values()]
        common = set.intersection(*dimensions) if dimensions else set()
        return [trial for trial in self.compared.shared if trial.dimension in common] or self.trials

    def among(self, names: Collection[str]) -> Compared:
        """Return the trials of some algorithms that can be compared with each other."""
        trials = [trial for trial in self.trials if trial.algorithm in names]
        have = overlap(self.problems, ((t.algorithm, t.dimension, t.function, t.instance) for t in trials))
        kept = [trial for trial in trials if have.has(trial.dimension, trial.function, trial.instance)]
        return Compared(at_common_resolution(kept) if self.of_files(names) else tuple(kept), have)

    def of_files(self, names: Collection[str]) -> bool:
        """Return True where trials of some algorithms must be reduced to the values of COCO's files.

        That is so for data of others, and where studies with noise were logged at different evaluations.
        """
        triggers = {spec.triggers for study, c in self.covered for spec in c.specs[:1] if study.name in names}
        return any(data.name in names for data in self.external) or (self.suite.noisy and len(triggers) > 1)

    @cached_property
    def problems(self) -> Sequence[Problem]:
        """Problems of all planned trials, and of data of others."""
        specs = (spec for _, completeness in self.covered for spec in completeness.specs)
        curves = ((data.name, curve) for data in self.external for curve in data.data.curves)
        ours = [(spec.name, spec.dimension, spec.function, spec.instance) for spec in specs]
        return ours + [(name, curve.dimension, curve.function, curve.instance) for name, curve in curves]

    @cached_property
    def to_target(self) -> pd.DataFrame:
        """#FE_t of each function, as from ``evaluations_to_target``."""
        return evaluations_to_target(self.compared.trials, self.budget)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The budgets that are looked at: those given or the paper's, up to the end; and two of each function."""
        return (*self._fixed_scenarios, *budgets_to_target(self.to_target))

    @property
    def _fixed_scenarios(self) -> tuple[Scenario, ...]:
        return fixed_budgets(self.own_budgets or budgets_up_to(self.budget))

    @property
    def fixed_budgets(self) -> list[str]:
        """Names of the scenarios that are the same for all functions."""
        return [scenario.name for scenario in self.scenarios if scenario.budget is not None]

    @cached_property
    def planned(self) -> Mapping[tuple[str, int, int], int]:
        """Number of planned trials by algorithm, dimension and function."""
        return Counter(problem[:3] for problem in self.problems)

    @property
    def complete(self) -> bool:
        """True where no trial of our studies is missing."""
        return all(completeness.complete for _, completeness in self.covered)

    def marked(self, frame: pd.DataFrame, *, compares: bool) -> pd.DataFrame:
        """Return a frame with a column ``partial``, True in rows that lack trials.

        A row depends on the trials of its dimension and function, as far as it has such columns, and on all algorithms
        where it ``compares`` them, else on the one in its column algorithm.
        """
        there = Counter((trial.algorithm, trial.dimension, trial.function) for trial in self.trials)
        lacking = [cell for cell, number in self.planned.items() if there[cell] < number]
        keys = {"algorithm": 0, "dimension": 1, "function": 2}
        used = [name for name in keys if name in frame and not (compares and name == "algorithm")]
        partial = {tuple(cell[keys[name]] for name in used) for cell in lacking}
        rows = zip(*(frame[name] for name in used), strict=True)
        return frame.assign(partial=pd.Series([row in partial for row in rows], frame.index, dtype=bool))

    def with_empty_cells(self, medians: pd.DataFrame) -> pd.DataFrame:
        """Return medians with rows of no trials for planned functions of an algorithm without a finished trial."""
        there = set(zip(medians["algorithm"], medians["dimension"], medians["function"], strict=True))
        fixed = self._fixed_scenarios
        empty = [
            {"algorithm": a, "dimension": D, "function": f, "scenario": scenario.name, "budget": scenario.budget}
            | {"evaluations": scenario.evaluations(D, f), "trials": 0}
            for a, D, f in self.planned
            if (a, D, f) not in there
            for scenario in fixed
        ]
        return pd.concat([medians, pd.DataFrame(empty)], ignore_index=True) if empty else medians


def compare(
    covered: Iterable[Covered],
    external: Sequence[ExternalData] = (),
    baseline: str | None = None,
    targets: tuple[float, ...] = (),
    budget: float | None = None,
    *,
    budgets: tuple[float, ...] = (),
) -> Comparison:
    """Return a comparison, our studies in the paper's order, others behind by name; see ``Comparison`` for the rest.

    Raises:
        SacmaError: there is no algorithm of the name ``baseline``, no trial as long as ``budget`` or the largest of
            ``budgets``, or none of the ``targets`` is one that trials go to.
    """
    if budget is not None and budgets:
        raise SacmaError("--budget and --budgets are both given; the largest of --budgets is the end, so give one")
    paper = {name: number for number, name in enumerate(name for of in READINGS[::-1] for name in of.names)}
    ours = sorted(covered, key=lambda pair: (paper.get(pair[0].name, len(paper)), pair[0].name))
    comparison = Comparison(tuple(ours), tuple(external), baseline or "", targets, budget, budgets)
    if baseline is not None and baseline not in comparison.names:
        there = ", ".join(comparison.names)
        raise SacmaError(f"--baseline: there is no algorithm {one_line(baseline, 80)!r}; there are {there}")
    if targets and comparison.targets_below == targets:
        below = ", ".join(f"{target:g}" for target in targets)
        raise SacmaError(
            f"--targets: {below} {'is' if len(targets) == 1 else 'are'} below the final target, and Δf counts as "
            f"no less; give at least one from {comparison.target:g} up"
        )
    if budget is not None or budgets:
        option, budget = ("--budget", budget) if budget is not None else ("--budgets", budgets[-1])
        studies = [study.budget for study, completeness in comparison.covered if completeness.heads]
        curves = (curve.evaluations / curve.dimension for data in comparison.external for curve in data.data.curves)
        longest = max([*studies, *curves], default=math.inf)
        if budget > longest:
            raise SacmaError(
                f"{option}: no trial has more than {longest:g}·D evaluations; give at most that, not {budget:g}"
            )
    return comparison


def load_external_data(given: Iterable[str], taken: Iterable[str], suite: Suite | None) -> tuple[ExternalData, ...]:
    """Read data of a suite, given as on the command line; names that are ``taken`` are refused.

    The form is ``NAME=PATH``, or ``PATH`` alone: an archive or a folder, named by its file, a folder of archives, or
    data of several algorithms with their own names, behind NAME if there is one. Without a suite it is that of the
    first data.

    Raises:
        SacmaError: one is not of that form, its name is taken or cannot be one, or its data cannot be read.
    """
    names, found = {name.lower() for name in taken}, list[ExternalData]()

    def check(name: str) -> None:
        try:
            check_name(name)
        except ValueError as error:
            raise SacmaError(f"--with: {error}; name the data yourself, like BIPOP=downloads/bipop.tgz") from None
        if name.lower() in names:
            raise SacmaError(f"--with: there is an algorithm {name} already; name the data yourself, like old=PATH")

    for name, path in (pair for text in given for pair in _named(text)):
        if name:
            check(name)
        read = load_any(path, suite)
        for data in read:
            own = _fit_name(data.algorithm)
            called = (name or archive_name(path)) if len(read) == 1 else f"{name}-{own}" if name else own
            check(called)
            names.add(called.lower())
            found.append(ExternalData(called, path, data))
        suite = found[0].data.suite
    return tuple(found)


def _fit_name(text: str) -> str:
    """Return the name of an algorithm in data of others as a name of ours.

    >>> _fit_name("BIPOP (restarts: 9)")
    'BIPOP-restarts-9'
    """
    return re.sub(r"[^A-Za-z0-9._+]+", "-", text)[:64].strip("-._")


def _named(text: str) -> list[tuple[str, Path]]:
    """Return names and paths of an argument ``NAME=PATH`` or ``PATH``, which has an empty name."""
    name, equals, path = text.partition("=")
    if equals and not path:
        raise SacmaError(f"--with: {text!r} has no path; give it like BIPOP=downloads/bipop.tgz")
    if equals:
        archives = archives_in(Path(path).expanduser())
        if archives and not any(Path(path).expanduser().glob("[!.]*.info")):
            are = f"it is a folder of {len(archives)} archives; give it without {name}=, or one of them"
            raise SacmaError(f"--with: {path} holds no COCO data itself: {are}")
        return [(name, Path(path))]
    there = archives_in(Path(text).expanduser()) or [Path(text)]
    return [("", path) for path in there]


def check_finished(store: Store, covered: Sequence[Covered], *, chosen: bool = False) -> None:
    """Refuse results without any finished trial by a SacmaError; ``chosen``: they are some of all results."""
    if covered and not any(completeness.heads for _, completeness in covered):
        if chosen:
            run = shlex.join(resuming(store.root, covered))
            raise SacmaError(f"none of the chosen trials is finished; run them with: {run}, or choose others")
        raise SacmaError(f"{store.root} holds no finished trial; run its configs again")


def check_complete(store: Store, covered: Sequence[Covered], *, partial: bool = False) -> None:
    """Refuse incomplete results by a SacmaError with the missing trials by study, and the remedy.

    Args:
        store: where the results are.
        covered: the studies, with the finished trials of each.
        partial: True where the command has an option ``--partial``, for the message to name.
    """
    lacking = [
        f"{study.name} ({len(completeness.missing)} of {len(completeness.specs)})"
        for study, completeness in covered
        if not completeness.complete
    ]
    if lacking:
        way = "use --partial to go on with what is there, " if partial else ""
        command = shlex.join(resuming(store.root, covered))
        raise SacmaError(
            f"trials are missing: {', '.join(lacking)}; run them with: {command}, {way}"
            f"or delete its file in {store.root / 'studies'} to leave an algorithm out"
        )
