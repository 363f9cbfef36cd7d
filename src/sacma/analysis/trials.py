"""Trials for the analysis, ours or of others: when the best Δf came down, and how far that is known.

A trial's best Δf at any number of evaluations is in ``best_delta_f``, a tidy table of all that the rest is made from.
Unknown values are NaN there, and never filled in.

COCO's files tell Δf at two kinds of evaluation numbers: those that their observer was told to log, which differ between
data sets, and those at which Δf passed a level. Between them the best Δf may have been lower than the last line says:
of two identical trials, the one that is known at every evaluation would look better. So where some trials of a function
are known from files only, ``at_common_resolution`` reduces all to what one logger would have told of each: Δf at the
numbers that every file tells, and where it passes one of ``LEVELS``, which every version of COCO logs.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sacma.coco.reader import CocoData, Curve
from sacma.coco.suites import SUITES
from sacma.config.plan import TrialSpec
from sacma.store.outcome import Outcome
from sacma.types import Array

PAPER_BUDGETS = (25.0, 50.0, 250.0 / 3.0, 125.0, 250.0)  # Evaluations/D at which the paper looks

# The paper's larger budget of a function, evaluations until the median of some algorithm is at the target; and a third
UNTIL_TARGET, THIRD_OF_IT = "#FE_t", "#FE_t/3"
OF_TARGET = (THIRD_OF_IT, UNTIL_TARGET)

SMALLEST_TARGET = 1e-8  # Δf of run lengths, as in COCO
ROUNDING = 1e-9  # A budget of 250/3 evaluations/D in 3-D is 250 evaluations, whatever the rounding
COMMON = 0.9  # of the functions on which trials end off the target: share that go as far as an algorithm is said to

# Of Δf, five a decade from 1e-8: of BBOB in 2009 to 2015; COCO's own are these and others between them.
LEVELS: Array = 10.0 ** (np.arange(-40, 101) / 5)


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial of an algorithm; in old data several have the same instance."""

    algorithm: str
    dimension: int  # D
    function: int  # f
    instance: int
    evaluations: int  # made
    target: float  # final target Δf: nothing below it counts as better
    known_until: float  # evaluations up to which its best Δf is known; inf if at its target, or stopped by itself
    at: Array  # evaluation numbers at which the best Δf improved, ascending, shape (n,)
    to: Array  # best Δf from each of them on, descending, shape (n,)
    told: Array | None = None  # evaluation numbers at which its best Δf is known exactly, shape (m,); None: all

    def best_after(self, evaluations: Array) -> Array:
        """Return the best Δf after so many evaluations each: inf before the first, NaN where it is not known."""
        position = np.searchsorted(self.at, evaluations + ROUNDING, side="right")
        best = np.append(np.inf, self.to)[position]
        return np.where(np.floor(evaluations + ROUNDING) <= self.known_until, best, np.nan)

    def reached(self, targets: Array) -> Array:
        """Return the evaluations until the best Δf was at each target; NaN where it never was."""
        return np.append(self.at, np.nan)[np.searchsorted(-self.to, -targets)]

    @property
    def hit_after(self) -> float:
        """Evaluations after which Δf was at the target; inf if it never was."""
        hits = np.flatnonzero(self.to <= self.target)
        return float(self.at[hits[0]]) if hits.size else math.inf

    def up_to(self, evaluations: int) -> "Trial":
        """Return the trial as if it had ended after so many evaluations, if it made more."""
        if self.evaluations <= evaluations:
            return self
        made = np.searchsorted(self.at, evaluations, side="right")
        told = None if self.told is None else self.told[self.told <= evaluations]
        cut = replace(self, evaluations=evaluations, at=self.at[:made], to=self.to[:made], told=told)
        return cut if cut.hit_after < math.inf else replace(cut, known_until=min(self.known_until, evaluations))


def our_trial(spec: TrialSpec, outcome: Outcome) -> Trial:
    """Return a trial from its record; its best Δf is known beyond its end, too.

    Where f is noisy, a record holds what COCO's logger told.
    """
    at, to = (np.array(values, float) for values in (outcome.improved_at, outcome.improved_to))
    told = None
    if SUITES[spec.suite].noisy:
        told = np.union1d(at, logged_evaluations(spec.triggers, spec.dimension, outcome.evaluations))
    place = spec.dimension, spec.function, spec.instance
    return Trial(spec.name, *place, outcome.evaluations, spec.target, math.inf, at, to, told)


def logged_evaluations(triggers: str, dimension: int, evaluations: int) -> Array:
    """Return the evaluation numbers at which COCO's logger writes Δf in any case, of a trial with so many.

    They are 1, 10^(i/20) and t·D·10^i, rounded down, and the last; ``triggers`` are t, whole numbers separated by
    commas: the observer's base_evaluation_triggers.

    >>> logged_evaluations("3", 2, 14).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 11.0, 12.0, 14.0]
    """
    decades = int(math.log10(evaluations)) + 1
    steps = np.floor(10.0 ** (np.arange(20 * decades + 1) / 20) + ROUNDING)
    multiples = [int(t) * dimension * 10.0**i for t in triggers.split(",") for i in range(decades + 1)]
    found = np.unique(np.concatenate([steps, multiples, [evaluations]]))
    return found[found <= evaluations]


def external_trials(name: str, data: CocoData, target: float) -> tuple[Trial, ...]:
    """Return the trials of others' data, unknown beyond their ends off the target.

    ``data`` are as from ``load_any``; Δf below ``target`` does not count as better.
    """

    def of(curve: Curve) -> Trial:
        known_until = math.inf if curve.to.size and curve.to[-1] <= target else curve.evaluations
        place = curve.dimension, curve.function, curve.instance
        told = curve.at if curve.told is None else curve.told
        return Trial(name, *place, curve.evaluations, target, known_until, curve.at, curve.to, told)

    return tuple(map(of, data.curves))


def at_common_resolution(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Return trials reduced to the values that all data of their function and dimension tell.

    Identical trials are identical then. Trials of a function that are all known at every evaluation stay as they are.
    """
    files = defaultdict(list)
    for trial in trials:
        if trial.told is not None:
            files[trial.dimension, trial.function].append(trial)
    told = {place: _told_by_all(group) for place, group in files.items()}
    places = ((trial, (trial.dimension, trial.function)) for trial in trials)
    return tuple(_reduced(trial, *told[place]) if place in told else trial for trial, place in places)


def _told_by_all(files: Sequence[Trial]) -> tuple[Array, int]:
    """Return the evaluation numbers that the data of each unfinished trial hold, and the end of the longest trial."""
    told = [np.unique(trial.told) for trial in files if trial.told is not None]
    numbers, count = np.unique(np.concatenate(told), return_counts=True)
    ends = np.sort([trial.evaluations for trial in files])
    over = np.searchsorted(ends, numbers, side="left")
    return numbers[count + over == len(files)], int(ends[-1])


def _reduced(trial: Trial, numbers: Array, end: int) -> Trial:
    """Return a trial as known at some evaluation numbers, and where it passes a level, up to the end of all files."""
    to = np.array([float(f"{value:.9e}") for value in trial.to])  # the digits of COCO's files
    level = np.searchsorted(LEVELS, to)
    improved = trial.at
    passes = improved[np.append(True, level[1:] < level[:-1])[: len(level)]]
    at = np.unique(np.concatenate([passes, numbers, improved[improved > end]]))
    at = at[at >= improved[0]] if len(improved) else at[:0]
    best = to[np.searchsorted(improved, at, side="right") - 1]
    falls = np.append(True, best[1:] < best[:-1])[: len(best)]
    return replace(trial, at=at[falls], to=best[falls])


@dataclass(frozen=True)
class Scenario:
    """A number of evaluations at which algorithms are compared."""

    name: str  # for people, like ``25·D``
    budget: float | None  # evaluations/D; None where each function has its own
    evaluations: Callable[[int, int], int]  # from (dimension, function)


def fixed_budgets(budgets: Iterable[float]) -> tuple[Scenario, ...]:
    """Return scenarios with the same evaluations/D on each function, rounded down.

    >>> [(scenario.name, scenario.evaluations(2, 1)) for scenario in fixed_budgets([25, 250 / 3])]
    [('25·D', 50), ('83.33·D', 166)]
    """

    def of(budget: float) -> Scenario:
        return Scenario(_budget_name(budget), budget, lambda dimension, _: int(budget * dimension + ROUNDING))

    return tuple(map(of, budgets))


def budgets_up_to(largest: float) -> tuple[float, ...]:
    """Return the paper's budgets below ``largest``, and ``largest``, in evaluations/D; no two of the same name.

    >>> [round(b, 2) for b in budgets_up_to(100)]
    [25.0, 50.0, 83.33, 100]
    """
    named = _budget_name(largest)
    return (*(b for b in PAPER_BUDGETS if b < largest and _budget_name(b) != named), largest)


def _budget_name(budget: float) -> str:
    return f"{budget:.4g}·D"


def by_cell(trials: Iterable[Trial]) -> Iterator[tuple[tuple[str, int, int], tuple[Trial, ...]]]:
    """Yield (algorithm, dimension, function) and its trials, algorithms in the order of their first trial."""
    cells: dict[str, dict[tuple[int, int], list[Trial]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        cells[trial.algorithm][trial.dimension, trial.function].append(trial)
    for algorithm, groups in cells.items():
        yield from (((algorithm, D, f), tuple(groups[D, f])) for D, f in sorted(groups))


def reach(trials: Iterable[Trial]) -> float:
    """Return the evaluations/D, whole ones, that the trials of an algorithm reach on nine in ten functions.

    A function counts up to its shortest trial that ends off the target. The longest trial says little: one that
    makes a few evaluations more than the others, to complete a population, would be compared with nobody.
    Where all trials are at the target the length of the longest is returned.
    """
    groups = [(D, group) for (_, D, _), group in by_cell(trials)]
    ends = [[t.evaluations / D for t in group if t.hit_after == math.inf] for D, group in groups]
    shortest = sorted(min(of) for of in ends if of)
    if not shortest:
        return max(trial.evaluations / D for D, group in groups for trial in group)
    end = shortest[int((1 - COMMON) * (len(shortest) - 1) + ROUNDING)]
    return float(max(math.floor(end + ROUNDING), 1))


def evaluations_to_target(trials: Iterable[Trial], largest: float) -> pd.DataFrame:
    """Return #FE_t of each function: the fewest evaluations after which Δf_med of some algorithm is at the target.

    The median of n trials is there when ⌊n/2⌋ + 1 of them are: of an even number both in the middle must be. Trials
    that end before they are there have not reached it, as far as is known. Columns are dimension, function,
    evaluations (#FE_t; ``largest`` evaluations/D at most, and where no median is at the target), reached and algorithm
    (the first of those whose median is there first; empty where none).
    """
    hits: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for (algorithm, dimension, function), group in by_cell(trials):
        hits[dimension, function][algorithm] = sorted(trial.hit_after for trial in group)[len(group) // 2]
    rows = []
    for (dimension, function), after in sorted(hits.items()):
        limit, first = int(largest * dimension + ROUNDING), min(after, key=after.__getitem__)
        found = (int(after[first]), True, first) if after[first] <= limit else (limit, False, "")
        rows.append((dimension, function, *found))
    return pd.DataFrame(rows, columns=["dimension", "function", "evaluations", "reached", "algorithm"])


def budgets_to_target(to_target: pd.DataFrame) -> tuple[Scenario, Scenario]:
    """Return the paper's two scenarios, #FE_t/3 and #FE_t, from ``evaluations_to_target``."""
    evaluations = to_target.set_index(["dimension", "function"])["evaluations"].to_dict()
    third = Scenario(THIRD_OF_IT, None, lambda dimension, function: evaluations[dimension, function] // 3)
    return third, Scenario(UNTIL_TARGET, None, lambda dimension, function: evaluations[dimension, function])


BEST_COLUMNS = [
    *("algorithm", "dimension", "function", "instance", "trial"),
    *("scenario", "budget", "evaluations", "delta_f"),
]


def best_delta_f(trials: Iterable[Trial], scenarios: Sequence[Scenario]) -> pd.DataFrame:
    """Return the best Δf of each trial in each scenario: one tidy table.

    Returns:
        Columns algorithm, dimension, function, instance, trial (counted from 1 within algorithm, dimension and
        function), scenario, budget (evaluations/D), evaluations and delta_f: not less than the final target, inf
        before the first evaluation, NaN where it is not known.
    """
    rows: list[tuple[object, ...]] = []
    for (algorithm, D, f), group in by_cell(trials):
        at = [scenario.evaluations(D, f) for scenario in scenarios]
        looks = [(s.name, n / D if s.budget is None else s.budget, n) for s, n in zip(scenarios, at, strict=True)]
        for number, trial in enumerate(group, start=1):
            values = np.maximum(trial.best_after(np.array(at, float)), trial.target).tolist()
            place = algorithm, D, f, trial.instance, number
            rows += [(*place, *look, value) for look, value in zip(looks, values, strict=True)]
    return pd.DataFrame(rows, columns=BEST_COLUMNS).astype({"evaluations": int, "delta_f": float})


def _numbers(dimension: int, largest: float, points: int) -> Array:
    """Return up to so many numbers of evaluations, equidistant on a log scale, from D to ``largest`` · D."""
    last = int(largest * dimension + ROUNDING)
    return np.unique(np.round(np.geomspace(min(dimension, last), last, points))) if last >= 1 else np.zeros(0)


def single_trials(trials: Iterable[Trial], largest: float, points: int = 24) -> pd.DataFrame:
    """Return the best Δf of each trial, as column ``median``, at numbers of evaluations as of ``convergence_curves``.

    Further columns are algorithm, dimension, function, trial (counted from 1) and evaluations_per_dimension.
    """
    parts = []
    for (algorithm, D, f), group in by_cell(trials):
        at = _numbers(D, largest, points)
        values = np.array([np.maximum(trial.best_after(at), trial.target) for trial in group]).reshape(-1)
        place = {"algorithm": algorithm, "dimension": D, "function": f}
        numbers = {"trial": np.repeat(np.arange(1, len(group) + 1), len(at)), "median": values}
        parts.append(pd.DataFrame({**place, **numbers, "evaluations_per_dimension": np.tile(at / D, len(group))}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def convergence_curves(trials: Iterable[Trial], largest: float, points: int = 64) -> pd.DataFrame:
    """Return median and quartiles of the best Δf over trials, from one evaluation/D to the ``largest``.

    Quantiles are on the log scale, at up to ``points`` numbers of evaluations, equidistant on it. Where the best Δf of
    some trial is not known, there is no row, nor in dimensions in which the budget allows no evaluation.
    """
    parts = []
    for (algorithm, D, f), group in by_cell(trials):
        at = _numbers(D, largest, points)
        logs = np.log10([np.maximum(trial.best_after(at), trial.target) for trial in group])
        known = np.isfinite(logs).all(axis=0)
        if known.any():
            low, median, high = 10.0 ** np.quantile(logs[:, known], [0.25, 0.5, 0.75], axis=0)
            place = {"algorithm": algorithm, "dimension": D, "function": f}
            steps = {"evaluations": at[known].astype(int), "evaluations_per_dimension": at[known] / D}
            quantiles = {"trials": len(group), "lower_quartile": low, "median": median, "upper_quartile": high}
            parts.append(pd.DataFrame({**place, **steps, **quantiles}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
