"""Expected running times to targets, success rates, and the virtual best of several algorithms.

    n     trials of an algorithm on a function
    s     trials of them that reached a target
    ERT   evaluations of all n trials, until the target is reached or the trial ends, over s: ∞ where s is 0

It is the expected number of evaluations until the target of an algorithm that starts again wherever a trial was not
successful. Source: N. Hansen, A. Auger, D. Brockhoff, D. Tušar and T. Tušar, COCO: performance assessment,
arXiv:1605.03560 (2016), which calls its estimate average running time, aRT.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from sacma.analysis.tables import joined
from sacma.analysis.trials import Trial, by_cell

TARGETS = tuple(float(f"1e{exponent}") for exponent in range(2, -9, -1))
"""Δf that COCO's files of every version tell exactly: whole decades, down to its final target."""

COLUMNS = [
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
        reached = np.array([np.append(t.at, np.inf)[np.searchsorted(-t.to, -wanted)] for t in group])
        length = np.array([float(t.evaluations) for t in group])[:, None]
        successes = np.isfinite(reached).sum(axis=0)
        evaluations = np.where(np.isfinite(reached), reached, length).sum(axis=0)
        with np.errstate(divide="ignore"):
            ert = np.where(successes > 0, evaluations / successes, np.inf)
        place = {"algorithm": algorithm, "dimension": dimension, "function": function, "target": wanted}
        counts = {"trials": len(group), "successes": successes, "success_rate": successes / len(group)}
        times = {"evaluations": evaluations, "ert": ert, "ert_per_dimension": ert / dimension}
        parts.append(pd.DataFrame({**place, **counts, **times}))
    return joined(parts, COLUMNS)


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
