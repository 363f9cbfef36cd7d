"""Ranks and data profiles of runs.

A problem counts once. On each of its seeds the optimizers, which begin at the same point, are ranked; the problem's
rank of an optimizer is the mean over seeds: what to expect of a single run, and a run is all that a practitioner pays
for. Ranks of medians would not show that an optimizer fails every third time. Values that agree to six digits are the
same.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from .catalogue import PROBLEMS
from .runs import RunRecord

BUDGETS = (5, 10, 20, 40, 80)  # evaluations a dimension

DIGITS = 6
RESAMPLES = 9999


def table_of(records: Iterable[RunRecord], budgets: Sequence[float] = BUDGETS) -> pd.DataFrame:
    """Return a row for each run and budget that it had: the best value until then, inf where all had failed."""
    rows = [
        {
            "half": PROBLEMS[record.key.problem].half,
            "problem": record.key.problem,
            "optimizer": record.key.optimizer,
            "seed": record.key.seed,
            "budget": budget,
            "value": best_after(record, budget * PROBLEMS[record.key.problem].dimension),
        }
        for record in records
        for budget in budgets
        if budget <= record.key.budget
    ]
    return pd.DataFrame(rows).drop_duplicates(["problem", "optimizer", "seed", "budget"])


def best_after(record: RunRecord, evaluations: float) -> float:
    """Return the best value after a number of evaluations."""
    return min((value for n, value in record.improvements if n <= evaluations), default=np.inf)


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of problems and seeds on which all optimizers of a half and budget have run."""
    in_group = table.groupby(["half", "budget"])["optimizer"].transform("nunique")
    here = table.groupby(["problem", "budget", "seed"])["optimizer"].transform("nunique")
    return table[here == in_group]


def rounded(values: pd.Series) -> pd.Series:
    """Return values to six digits."""
    return values.map(lambda value: float(f"{value:.{DIGITS - 1}e}"))


def problem_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank over seeds of each optimizer, problem and budget."""
    table = complete(table).assign(value=lambda rows: rounded(rows["value"]))
    table["rank"] = table.groupby(["problem", "budget", "seed"])["value"].rank(method="average")
    groups = table.groupby(["half", "budget", "problem", "optimizer"], sort=False)
    return groups.agg(rank=("rank", "mean"), seeds=("seed", "nunique")).reset_index()


def mean_ranks(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return mean ranks over problems with bootstrap intervals, by half, budget and optimizer."""
    return _over_problems(ranks, "rank").rename(columns={"mean": "mean_rank"})


def win_shares(table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return the share of seeds on which the reference is better than each other optimizer; ties count half.

    It is the mean over problems, with bootstrap intervals, by half, budget and optimizer.
    """
    table = complete(table).assign(value=lambda rows: rounded(rows["value"]))
    own = table[table["optimizer"] == reference].drop(columns=["optimizer", "half"])
    pairs = table[table["optimizer"] != reference].merge(own, on=["problem", "budget", "seed"], suffixes=("", "_own"))
    pairs["share"] = (pairs["value_own"] < pairs["value"]) + 0.5 * (pairs["value_own"] == pairs["value"])
    shares = pairs.groupby(["half", "budget", "problem", "optimizer"], sort=False)["share"].mean().reset_index()
    return _over_problems(shares, "share")


def _over_problems(figures: pd.DataFrame, column: str, seed: int = 1) -> pd.DataFrame:
    """Return means over problems with 95 % percentile bootstrap intervals over them, nan where there is one only."""
    rows = []
    for _, group in figures.groupby(["half", "budget"], sort=False):
        wide = group.pivot(index="problem", columns="optimizer", values=column)
        low, high = _interval(wide.to_numpy(), np.random.default_rng(seed))
        columns = {"mean": wide.mean(), "low": low, "high": high, "problems": len(wide)}
        rows.append(
            pd.DataFrame(columns)
            .rename_axis("optimizer")
            .reset_index()
            .assign(**dict(group[["half", "budget"]].iloc[0]))
        )
    return pd.concat(rows, ignore_index=True)


def _interval(ranks: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if len(ranks) < 2:
        return np.full(ranks.shape[1], np.nan), np.full(ranks.shape[1], np.nan)
    options = {"n_resamples": RESAMPLES, "batch": 1000, "method": "percentile"}
    interval = stats.bootstrap((ranks,), np.mean, axis=0, rng=rng, **options).confidence_interval
    return interval.low, interval.high


def medians(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median over seeds, by problem, budget and optimizer."""
    return (
        complete(table).groupby(["half", "budget", "problem", "optimizer"], sort=False)["value"].median().reset_index()
    )


def hits(records: Sequence[RunRecord], accuracy: float) -> list[float]:
    """Return the evaluations of each run until it has come near the best value, inf where it has not.

    It is there with a value of at most f_best + accuracy · (f_start − f_best): f_start at its initial point, f_best
    the best of all runs and the published one (J. J. Moré and S. M. Wild, SIAM J. Optimization 20 (2009) 172–191).
    """
    best = {
        name: min(
            [record.improvements[-1][1] for record in records if record.key.problem == name and record.improvements]
            + ([problem.known.value] if problem.known else [])
        )
        for name, problem in PROBLEMS.items()
        if any(record.key.problem == name for record in records)
    }
    levels = [best[record.key.problem] * (1 - accuracy) + accuracy * record.start for record in records]
    return [
        min((n for n, value in record.improvements if value <= level), default=np.inf)
        for record, level in zip(records, levels, strict=True)
    ]


def running_times(records: Sequence[RunRecord], accuracy: float) -> pd.DataFrame:
    """Return the evaluations of all runs to this accuracy over their successes, a problem a row, inf without any."""
    rows = [
        {
            "problem": record.key.problem,
            "optimizer": record.key.optimizer,
            "spent": min(there, record.evaluations),
            "reached": np.isfinite(there),
        }
        for record, there in zip(records, hits(records, accuracy), strict=True)
    ]
    sums = pd.DataFrame(rows).groupby(["problem", "optimizer"], sort=False).sum()
    return (sums["spent"] / sums["reached"]).unstack()


def data_profiles(records: Sequence[RunRecord], accuracy: float, until: int = 80) -> pd.DataFrame:
    """Return the share of runs that have come near the best value, over evaluations a dimension.

    See ``hits``. A problem counts once.
    """
    grid = np.arange(1, until + 1)
    rows = []
    for record, there in zip(records, hits(records, accuracy), strict=True):
        dimension = PROBLEMS[record.key.problem].dimension
        within = grid[grid <= record.key.budget]
        rows += [
            {
                "half": PROBLEMS[record.key.problem].half,
                "problem": record.key.problem,
                "optimizer": record.key.optimizer,
                "evaluations": n,
                "share": float(there <= n * dimension),
            }
            for n in within
        ]
    by_problem = pd.DataFrame(rows).groupby(["half", "optimizer", "evaluations", "problem"])["share"].mean()
    return by_problem.groupby(level=["half", "optimizer", "evaluations"]).mean().reset_index()


def overheads(records: Iterable[RunRecord]) -> pd.DataFrame:
    """Return the median over runs of CPU milliseconds an evaluation beside the objective, by optimizer."""
    rows = [
        {"optimizer": record.key.optimizer, "package": record.package, "ms": 1e3 * record.overhead / record.evaluations}
        for record in records
    ]
    return pd.DataFrame(rows).groupby("optimizer", sort=False).agg({"ms": "median", "package": "last"}).reset_index()
