"""Areas under run-length curves: the share of absolute targets that trials reach, averaged over budgets.

    T        targets, 51 from 10² to 10⁻⁸, five a decade
    B        budgets, 60 from D evaluations to the last, equidistant on a log scale
    a_i      of trial i: the share of pairs of a target and a budget at which its best Δf is at the target
    n_f      trials of an algorithm on function f; F functions

An algorithm's area is the mean over functions of the means of a_i: 1 if all targets were reached at once. Its interval
over instances is that of the normal distribution, with the squared standard error Σ_f s_f²/n_f / F², where s_f² is the
variance of a_i on f: functions are the benchmark's, instances are drawn.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.trials import Trial
from sacma.types import Array

TARGETS = np.logspace(2, -8, 51)
BUDGETS = 60
LEVEL = 0.95
COLUMNS = ["algorithm", "dimension", "functions", "trials", "area", "lower", "upper"]


def trial_areas(trials: Iterable[Trial], budget: float) -> Array:
    """Return the area of each trial up to a budget in evaluations/D; NaN where its best Δf is not known that far."""
    at = np.geomspace(1.0, budget, BUDGETS)
    best = [trial.best_after(at * trial.dimension)[:, None] for trial in trials]
    return np.array([np.nan if np.isnan(values).any() else np.mean(values <= TARGETS) for values in best])


def areas(trials: Sequence[Trial], budget: float) -> pd.DataFrame:
    """Return the area of each algorithm in each dimension, up to a budget in evaluations/D, the largest first.

    Columns are algorithm, dimension, functions, trials, area, lower and upper: the 95 % interval over instances, NaN
    where a function has a single trial. An algorithm of which a trial is not known as far has no row.
    """
    cells: dict[tuple[int, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial, area in zip(trials, trial_areas(trials, budget).tolist(), strict=True):
        cells[trial.dimension, trial.algorithm][trial.function].append(area)
    rows = []
    for (D, algorithm), functions in sorted(cells.items(), key=lambda cell: cell[0][0]):
        of = [np.array(values) for values in functions.values()]
        area = float(np.mean([values.mean() for values in of]))
        if np.isnan(area):
            continue
        alone = any(values.size < 2 for values in of)  # noqa: PLR2004 of one value there is no variance
        error = np.nan if alone else np.sqrt(sum(values.var(ddof=1) / values.size for values in of)) / len(of)
        reach = stats.norm.ppf((1 + LEVEL) / 2) * error
        rows.append((algorithm, D, len(of), sum(map(len, of)), area, area - reach, area + reach))
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values(["dimension", "area"], ascending=[True, False], kind="stable", ignore_index=True)
