"""Run lengths: their bootstrapped distributions, as in the paper's Figure 3, and expected running times to targets.

    T        targets of a function
    n        trials of an algorithm on a function
    s        trials of them that reached a target

A run length is the number of evaluations until the best Δf is at a target. Its distribution over all pairs of a
function and a target says what proportion of a group's problems is solved after how many evaluations. Beyond the end
of the trials it is that of an algorithm that starts again wherever a trial was not successful: trials are drawn with
replacement until a successful one, and their evaluations are added up.

    ERT      evaluations of all trials of an algorithm on a function, until a target or the end, over s: ∞ where s is 0

The expected running time is that of an algorithm that starts again wherever a trial was not successful; COCO calls its
estimate average running time, aRT.

Source: N. Hansen, A. Auger, D. Brockhoff, D. Tušar and T. Tušar, COCO: performance assessment, arXiv:1605.03560 (2016),
and ``cocopp --expensive``, whose figure this is, from data frames.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from sacma.analysis.tables import joined
from sacma.analysis.trials import ROUNDING, Trial, by_cell
from sacma.coco.suites import BBOB, BEST_2009
from sacma.types import Array

END = 1000  # Evaluations/D at which curves end, as cocopp's do, unless some trial is longer
POINTS = 200  # numbers of evaluations, at most, at which a curve is told, beside the largest length and those asked for

COLUMNS = ["algorithm", "dimension", "group", "functions", "largest_length", "evaluations_per_dimension", "proportion"]
FUNCTION_COLUMNS = ["algorithm", "dimension", "function", "targets", "evaluations_per_dimension", "reached"]


def targets(dimension: int) -> pd.DataFrame:
    """Return the targets that the best algorithm of BBOB 2009 just did not reach within budgets of k·D evaluations.

    The 31 values of k are equidistant on a log scale in 0.5 … 50. For each, the target is the next below the smallest
    Δf of cocopp's reference data whose aRT is at most max(1, k·D): a factor of 10^0.2 below, but at least 1e-8. Where
    several k give the same target, it counts once, for the smallest k: there are 1 to 22 targets a function, from 1e-8
    to more than 1e8, whatever the 10^[-8..2] in the captions of cocopp's figures.

    These are cocopp's ``RunlengthBasedTargetValues`` with ``reference_data`` best2009-bbob, ``times_dimension``,
    ``step_to_next_difficult_target`` 10^0.2, ``force_different_targets_factor`` 1, ``unique_target_values`` and
    ``smallest_target`` 1e-8, of cocopp 2.9.1; ``tools/best2009_targets.py`` writes them.

    Columns are function, dimension, k (evaluations/D), target (Δf) and best_2009_art: the smallest aRT observed, in
    evaluations, at the largest Δf of the reference data that is at most the target.

    >>> targets(2).query("function == 1").round(2)[["k", "target", "best_2009_art"]].to_numpy().tolist()
    [[0.5, 10.0, 2.0], [1.08, 3.98, 3.0], [1.71, 1.58, 5.0], [2.71, 1.0, 6.0], [3.15, 0.0, 6.0]]
    """
    table = _all_targets()
    return table[table["dimension"] == dimension].drop_duplicates(["function", "target"]).reset_index(drop=True)


def run_lengths(trials: Sequence[Trial], targets: pd.DataFrame) -> pd.DataFrame:
    """Return the evaluations until each trial reached each target of its function, as from ``targets``.

    A trial that ended above a target did not reach it. Columns are algorithm, dimension,
    function, instance, trial (counted from 1 within these but instance), k, target, best_2009_art, reached
    (evaluations, NaN if never) and length (evaluations that the trial made).

    >>> trial = Trial("A", 2, 1, 1, 500, 1e-8, math.inf, np.array([1.0, 7.0]), np.array([50.0, 2.0]))
    >>> run_lengths([trial], targets(2))["reached"].to_list()
    [7.0, 7.0, nan, nan, nan]
    """
    rows_of = targets.groupby(["dimension", "function"]).indices
    values = targets["target"].to_numpy()
    rows = [rows_of[trial.dimension, trial.function] for trial in trials]
    reached = [trial.reached(values[wanted]) for trial, wanted in zip(trials, rows, strict=True)]
    keys = ["algorithm", "dimension", "function", "instance"]
    of_trials = pd.DataFrame([[getattr(trial, key) for key in keys] for trial in trials], columns=keys)
    of_trials["trial"] = of_trials.groupby(keys[:3]).cumcount() + 1
    times = [len(wanted) for wanted in rows]
    repeated = of_trials.loc[of_trials.index.repeat(times)].reset_index(drop=True)
    taken = targets.iloc[np.concatenate([np.zeros(0, int), *rows])][["k", "target", "best_2009_art"]]
    return repeated.join(taken.reset_index(drop=True)).assign(
        reached=np.concatenate([np.zeros(0), *reached]),
        length=np.repeat([float(trial.evaluations) for trial in trials], times),
    )


class _Cell(NamedTuple):
    """An algorithm on a function in a dimension."""

    targets: int  # T
    reached: Array  # of them after so many evaluations, in the mean, shape (p,)
    longest: float  # evaluations of the longest trial; NaN of the reference


@dataclass(frozen=True)
class Distributions:
    """Distributions of simulated run lengths in one dimension, exact at p numbers of evaluations."""

    dimension: int
    points: Array  # evaluations, ascending, shape (p,)
    grid: Array  # of them, those at which every curve is told
    cells: Mapping[str, Mapping[int, _Cell]]  # by algorithm, in the order given, then "best 2009"; by function


def distributions(
    run_lengths: pd.DataFrame, rng: np.random.Generator, samples: int = 100, *, told_at: Sequence[float] = ()
) -> list[Distributions]:
    """Return the distributions of simulated run lengths of each algorithm and function, dimension by dimension.

    A simulated run is trials drawn with replacement until a successful one; where no trial is, it never ends. As in
    cocopp, every trial is first equally often and only what follows is drawn: up to the length of the shortest
    unsuccessful trial a curve is that of the trials, without noise, and beyond the longest trial it rises by restarts
    alone.

    A curve depends on ``rng`` and on the algorithm's own trials only, not on the order of rows nor on which other
    algorithms there are: each (algorithm, dimension, function) has random numbers of its own.

    Args:
        run_lengths: as from ``run_lengths``.
        rng: the source of the random numbers.
        samples: how many runs to each target, at least: a multiple of the number of trials.
        told_at: evaluations/D, rounded down to whole evaluations, that are among the points of every curve.
    """
    key = rng.integers(2**32, size=4).tolist()
    return [
        _distributions(cast("int", dimension), lengths, key, samples, told_at)
        for dimension, lengths in run_lengths.groupby("dimension")
    ]


def _distributions(
    dimension: int, lengths: pd.DataFrame, key: Sequence[int], samples: int, told_at: Sequence[float]
) -> Distributions:
    ends = lengths.groupby(["algorithm", "function"])["length"].max().to_numpy()
    grid: Array = np.unique(np.round(np.geomspace(1, max(END * dimension, ends.max()), POINTS)))
    told = np.floor(np.asarray(told_at, float) * dimension + ROUNDING)
    grid = np.union1d(grid, told[(told >= 1) & (told <= grid[-1])])
    points = np.union1d(grid, ends)
    ordered = lengths.sort_values(["function", "k", "trial"])
    cells: dict[str, dict[int, _Cell]] = {name: {} for name in (*lengths["algorithm"].unique(), BEST_2009)}
    for name, of_algorithm in ordered.groupby("algorithm", sort=False):
        for number, rows in of_algorithm.groupby("function"):
            function, T = cast("int", number), rows["k"].nunique()
            rng = np.random.default_rng([*key, dimension, function, *str(name).encode()])
            reached, length = (rows[column].to_numpy().reshape(T, -1) for column in ("reached", "length"))
            found = _targets_reached(points, reached, length[0], samples, rng)
            cells[str(name)][function] = _Cell(T, found, length.max())
    for number, rows in ordered.drop_duplicates(["function", "k"]).groupby("function"):
        art = np.sort(rows["best_2009_art"].to_numpy())
        found = np.searchsorted(art, points, side="right").astype(float)
        cells[BEST_2009][cast("int", number)] = _Cell(art.size, found, math.nan)
    return Distributions(dimension, points, grid, cells)


def by_group(found: Iterable[Distributions], groups: Mapping[str, range] = BBOB.groups) -> pd.DataFrame:
    """Return the distributions over functions of a group × targets × samples: on the grid and at the longest trial.

    Each pair of a function and a target has the same weight: a function with more targets has more. Columns are
    algorithm, dimension, group, functions (of the group, of how many there are trials: only these count),
    largest_length (evaluations/D of the longest trial, beyond which a curve is extrapolated), evaluations_per_dimension
    (ascending) and proportion.
    """
    parts = []
    for of in found:
        for (name, cells), (group, functions) in product(of.cells.items(), groups.items()):
            there = [cells[function] for function in functions if function in cells]
            if not there:
                continue
            longest = max(cell.longest for cell in there)
            proportion = np.sum([cell.reached for cell in there], axis=0) / sum(cell.targets for cell in there)
            shown = np.isin(of.points, of.grid) | (of.points == longest)
            at = of.points[shown] / of.dimension
            values = (name, of.dimension, group, len(there), longest / of.dimension, at, proportion[shown])
            parts.append(pd.DataFrame(dict(zip(COLUMNS, values, strict=True))))
    return joined(parts, COLUMNS)


def by_function(found: Iterable[Distributions]) -> pd.DataFrame:
    """Return the distributions of single functions: the first point, and each point at which one rises.

    Columns are algorithm, dimension, function, targets (how many), evaluations_per_dimension (ascending) and reached
    (how many of the targets, in the mean over samples).
    """
    parts = []
    for of in found:
        for name, cells in of.cells.items():
            for function, cell in cells.items():
                rises = np.diff(cell.reached, prepend=-1.0) > 0
                at = of.points[rises] / of.dimension
                values = (name, of.dimension, function, cell.targets, at, cell.reached[rises])
                parts.append(pd.DataFrame(dict(zip(FUNCTION_COLUMNS, values, strict=True))))
    return joined(parts, FUNCTION_COLUMNS)


def _targets_reached(points: Array, reached: Array, length: Array, samples: int, rng: np.random.Generator) -> Array:
    """Return the mean number of targets, T at most, that a simulated run has reached after so many evaluations, (p,).

    ``reached`` are evaluations until a trial was at a target, NaN if never, (T, n), ``length`` those of trials (n,).
    """
    n = length.size
    copies = -(-samples // n)
    direct = np.searchsorted(np.sort(reached[~np.isnan(reached)]), points, side="right")
    restarted = np.sort(_restarted_run_lengths(reached, length, copies, rng))
    return (direct + np.searchsorted(restarted, points, side="right") / copies) / n


def simulated_run_lengths(reached: Array, length: Array, samples: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield simulated run lengths to each target, ``samples`` at least; none where no trial reached it.

    ``reached`` and ``length`` are as of ``_targets_reached``; every trial is first equally often.
    """
    copies = -(-samples // length.size)
    restarted = _restarted_run_lengths(reached, length, copies, rng)
    for of_target in reached:
        failures = int(np.isnan(of_target).sum())
        if failures == length.size:
            yield restarted[:0]
            continue
        mine, restarted = restarted[: failures * copies], restarted[failures * copies :]
        yield np.concatenate([np.repeat(of_target[~np.isnan(of_target)], copies), mine])


def _restarted_run_lengths(reached: Array, length: Array, copies: int, rng: np.random.Generator) -> Array:
    """Return run lengths that begin with an unsuccessful trial, where some other is successful.

    The number of further unsuccessful ones is geometric, which and how long they are is drawn from the unsuccessful.
    Each unsuccessful trial begins ``copies`` runs: m = copies · Σ (n - s) over targets with s > 0, shape (m,).
    """
    some = reached[~np.isnan(reached).all(axis=1)]
    failed = np.isnan(some)
    successes = np.sort(some)  # s of them first, the order of trials forgotten
    failures = np.sort(np.where(failed, length, np.inf))  # n - s of them first
    u = failed.sum(axis=1)
    s = length.size - u
    begun = np.repeat(failures[np.arange(length.size) < u[:, None]], copies)
    row = np.repeat(np.arange(len(some)), u * copies)
    more = rng.geometric(s[row] / length.size) - 1
    run = np.repeat(np.arange(row.size), more)
    between = failures[row[run], rng.integers(u[row[run]])]
    at_last = successes[row, rng.integers(s[row])]
    total: Array = begun + np.bincount(run, between, minlength=row.size) + at_last
    return total


@cache
def _all_targets() -> pd.DataFrame:
    table = resources.files("sacma.analysis").joinpath("reference", "best2009_targets.csv")
    with table.open(encoding="utf-8") as lines:  # as Python reads floats: pandas may miss the last bit
        return pd.read_csv(lines, converters={"k": float, "target": float})


# Δf that COCO's files of every version tell exactly: whole decades, down to its final target.
TARGETS = tuple(float(f"1e{exponent}") for exponent in range(2, -9, -1))

TIME_COLUMNS = [
    *("algorithm", "dimension", "function", "target", "trials", "successes", "success_rate"),
    *("evaluations", "ert", "ert_per_dimension"),
]
PROBLEM = ["dimension", "function", "target"]


def running_times(trials: Iterable[Trial], targets: Sequence[float] = TARGETS) -> pd.DataFrame:
    """Return the expected running time of each algorithm on each function to each target, from the largest down.

    Columns are algorithm, dimension, function, target, trials, successes, success_rate, evaluations (of all trials, of
    successful ones until the target), ert (evaluations; inf without a success) and ert_per_dimension.

    >>> at, to = np.array([1.0, 7.0]), np.array([50.0, 2.0])
    >>> two = [Trial("A", 2, 1, 1, 20, 1e-8, np.inf, at, to), Trial("A", 2, 1, 2, 90, 1e-8, np.inf, at[:1], to[:1])]
    >>> running_times(two, [10])[["successes", "evaluations", "ert"]].to_numpy().tolist()
    [[1.0, 97.0, 97.0]]
    """
    wanted = np.sort(np.asarray(targets, float))[::-1]
    parts = []
    for (algorithm, dimension, function), group in by_cell(trials):
        reached = np.array([trial.reached(wanted) for trial in group])
        length = np.array([float(t.evaluations) for t in group])[:, None]
        successes = np.isfinite(reached).sum(axis=0)
        evaluations = np.where(np.isfinite(reached), reached, length).sum(axis=0)
        with np.errstate(divide="ignore"):
            ert = np.where(successes > 0, evaluations / successes, np.inf)
        place = {"algorithm": algorithm, "dimension": dimension, "function": function, "target": wanted}
        counts = {"trials": len(group), "successes": successes, "success_rate": successes / len(group)}
        times = {"evaluations": evaluations, "ert": ert, "ert_per_dimension": ert / dimension}
        parts.append(pd.DataFrame({**place, **counts, **times}))
    return joined(parts, TIME_COLUMNS)


def virtual_best(times: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest ERT that some algorithm has to each target of each function, where one reached it.

    ``times`` are as from ``running_times``. Columns are dimension, function, target, algorithm (the first of those that
    have it), algorithms (how many do), ert and ert_per_dimension.
    """
    known = times[np.isfinite(times["ert"].to_numpy(float))]
    best = known[known["ert"] == known.groupby(PROBLEM)["ert"].transform("min")]
    grouped = best.groupby(PROBLEM, sort=False)
    found = grouped.agg(
        algorithm=("algorithm", "first"),
        algorithms=("algorithm", "size"),
        ert=("ert", "first"),
        ert_per_dimension=("ert_per_dimension", "first"),
    )
    table: pd.DataFrame = found.reset_index()
    return table.sort_values(PROBLEM, ascending=[True, True, False], ignore_index=True)


def shares(times: pd.DataFrame) -> pd.DataFrame:
    """Return each algorithm's share of the virtual best, for each dimension.

    ``times`` are as from ``running_times``, of functions that all algorithms have. Columns are algorithm, dimension,
    problems (pairs of function and target that some algorithm reached), reached (of them, by this one), best (of them,
    on which its ERT is the lowest; a tie of m counts 1/m to each), share (best over problems) and median_ratio (of its
    ERT to the lowest, the median over problems; inf where it reached fewer than half).
    """
    joint = times.merge(virtual_best(times)[[*PROBLEM, "algorithms", "ert"]], on=PROBLEM, suffixes=("", "_best"))
    ratio = joint["ert"] / joint["ert_best"]
    rated = joint.assign(
        ratio=ratio, won=np.where(ratio == 1, 1 / joint["algorithms"], 0.0), there=np.isfinite(ratio.to_numpy(float))
    )
    found = rated.groupby(["dimension", "algorithm"], sort=False).agg(
        problems=("won", "size"), reached=("there", "sum"), best=("won", "sum"), median_ratio=("ratio", "median")
    )
    found = found.assign(share=found["best"] / found["problems"]).reset_index()
    order = ["algorithm", "dimension", "problems", "reached", "best", "share", "median_ratio"]
    found = found.sort_values("dimension", kind="stable", ignore_index=True)
    return found.reindex(columns=order)
