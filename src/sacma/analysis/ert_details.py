"""Expected running times by target with dispersion, beside the best of BBOB 2009, and tested against a baseline.

    dispersion   10 % and 90 % quantiles of simulated run lengths with restarts, as in ``sacma.analysis.run_lengths``
    ratio        ERT over that of the best algorithm of BBOB 2009 on the function, to the target
    test         Wilcoxon's rank-sum test of the trials of an algorithm and of the baseline on a function: trials that
                 reached the target come first, by their evaluations, the others by their best Δf

So that nobody gains by longer trials, those are compared at the fewest evaluations of a trial of the two that did not
reach the target. An algorithm is ahead, or significant, if its p-value after Holm's correction over functions is below
0.05, and its ERT the lower. cocopp's tables have these numbers, with the test by the normal distribution.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from sacma.analysis.run_lengths import PROBLEM, running_times, simulated_run_lengths
from sacma.analysis.statistics.pairwise import rank_sum
from sacma.analysis.statistics.posthoc import holm_of
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, number
from sacma.analysis.tables import ALPHA, joined
from sacma.analysis.trials import Trial, by_cell
from sacma.coco.suites import BEST_2009, function_title
from sacma.types import Array

SAMPLES = 300  # simulated run lengths to a target, at least
QUANTILES = (0.1, 0.9)
SAME = 1e-3  # decades within which a target is one of the reference data
KEYS = ["algorithm", *PROBLEM]
COLUMNS = [
    *("algorithm", "dimension", "function", "target", "trials", "successes", "ert", "ert_10", "ert_90"),
    *("best_2009", "ratio", "p_value", "p_holm", "significant"),
]


def ert_details(trials: Sequence[Trial], targets: Sequence[float], baseline: str, *, of_2009: bool) -> pd.DataFrame:
    """Return ERT of each algorithm on each function to each target, from the largest down.

    Columns are algorithm, dimension, function, target, trials, successes, ert, ert_10 and ert_90 (its dispersion, inf
    without a success), best_2009 (its ERT; NaN where the reference data, which are ``of_2009``, do not have it), ratio,
    p_value, p_holm (NaN of the baseline) and significant: ahead of the baseline.
    """
    times = running_times(trials, targets)
    wanted = np.sort(np.asarray(targets, float))[::-1]
    cells = {key: _Cell(group, wanted) for key, group in by_cell(trials)}
    parts = []
    for (algorithm, D, f), cell in cells.items():
        low, high = cell.dispersion(np.random.default_rng([D, f, *algorithm.encode()]))
        theirs = cells.get((baseline, D, f)) if algorithm != baseline else None
        p = [cell.p_value(theirs, target) if theirs else np.nan for target in range(wanted.size)]
        best = [best_2009(D, f, target) if of_2009 else np.nan for target in wanted.tolist()]
        place = {"algorithm": algorithm, "dimension": D, "function": f, "target": wanted}
        parts.append(pd.DataFrame({**place, "ert_10": low, "ert_90": high, "best_2009": best, "p_value": p}))
    found = times.merge(joined(parts, [*KEYS, "ert_10", "ert_90", "best_2009", "p_value"]), on=KEYS)
    families = found.groupby(["algorithm", "dimension", "target"], sort=False)["p_value"]
    p_holm = families.transform(lambda p: holm_of(p.to_numpy()) if p.notna().all() else p * np.nan)
    of_baseline = found[found["algorithm"] == baseline].set_index(PROBLEM)["ert"].rename("theirs")
    theirs_ert = found.join(of_baseline, on=PROBLEM)["theirs"]
    ahead = (p_holm < ALPHA) & (found["ert"] < theirs_ert)
    found = found.assign(ratio=found["ert"] / found["best_2009"], p_holm=p_holm, significant=ahead)
    return found[COLUMNS]


class _Cell:
    """Trials of an algorithm on a function: their lengths (n,), and the evaluations until each target, NaN if never."""

    def __init__(self, trials: Sequence[Trial], targets: Array) -> None:
        self.trials = trials
        self.lengths = np.array([float(trial.evaluations) for trial in trials])
        self.reached = np.array([trial.reached(targets) for trial in trials]).T

    def dispersion(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return quantiles of simulated run lengths to each target, inf where no trial reached it."""
        found = np.full((2, len(self.reached)), np.inf)
        for target, lengths in enumerate(simulated_run_lengths(self.reached, self.lengths, SAMPLES, rng)):
            if lengths.size:
                found[:, target] = np.quantile(lengths, QUANTILES, method="inverted_cdf")
        return found[0], found[1]

    def p_value(self, other: "_Cell", target: int) -> float:
        """Return the p-value of the rank-sum test of both; NaN where Δf of a trial is not known as far."""
        ends = [of.lengths[np.isnan(of.reached[target])] for of in (self, other)]
        end = float(np.concatenate(ends).min(initial=np.inf))
        ours, theirs = (of.sample(target, end) for of in (self, other))
        return rank_sum(ours, theirs).p_value if np.isfinite([*ours, *theirs]).all() else math.nan

    def sample(self, target: int, end: float) -> list[float]:
        """Return values in the order of success: below 0 by evaluations up to an end, from 0 on by Δf there."""
        hits = zip(self.trials, self.reached[target].tolist(), strict=True)
        at_end = np.array([end])
        return [-1 / hit if hit <= end else max(float(trial.best_after(at_end)[0]), 0.0) for trial, hit in hits]


def best_2009(dimension: int, function: int, target: float) -> float:
    """Return the ERT of the best of BBOB 2009; NaN where the reference data do not have the target.

    >>> best_2009(2, 1, 10.0), best_2009(2, 1, 7.0)
    (2.0, nan)
    """
    of_targets = _reference().get((function, dimension), {})
    return next((ert for at, ert in of_targets.items() if abs(math.log10(at / target)) < SAME), math.nan)


@cache
def _reference() -> Mapping[tuple[int, int], Mapping[float, float]]:
    table = resources.files("sacma.analysis").joinpath("reference", "best2009_art.csv")
    with table.open(encoding="utf-8") as lines:
        frame = pd.read_csv(lines, index_col=["function", "dimension"])
    targets = [float(name) for name in frame.columns]
    return {
        key: dict(zip(targets, row, strict=True))
        for key, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)
    }


def formatted(details: pd.DataFrame, baseline: str) -> list[FormattedTable]:
    """Return a table for each dimension, a block a function."""
    tables = []
    for dimension, of_dimension in details.groupby("dimension"):
        blocks = []
        for function, rows in of_dimension.groupby("function"):
            targets = rows["target"].unique()
            first = rows.drop_duplicates("target")["best_2009"]
            head = (Head(function_title(int(str(function)))), *(Head(f"{target:.3g}") for target in targets))
            best = [(Cell(BEST_2009), *(number(value, ".3g") for value in first))] if first.notna().any() else []
            of_each = [
                (Cell(str(name)), *map(_text, of.to_dict("records")))
                for name, of in rows.groupby("algorithm", sort=False)
            ]
            blocks.append(Block((head,), (*best, *of_each)))
        caption = (
            f"Expected running times in {dimension}-D to targets Δf, with the 10 and 90 % quantiles of simulated run "
            f"lengths, as ratios to the ERT of the {BEST_2009}, or in evaluations where that is not known; trials that "
            f"reached the target, if not all. *: significantly ahead of {baseline}, by the rank-sum test with "
            f"Holm's correction over functions at {ALPHA:g}."
        )
        tables.append(FormattedTable(f"ert_{dimension}D", f"Running times, {dimension}-D", caption, tuple(blocks)))
    return tables


def _text(row: Mapping[Hashable, Any]) -> Cell:
    if not row["successes"]:
        return Cell("∞", value=np.inf)
    unit = row["best_2009"] if np.isfinite(row["best_2009"]) else 1.0
    ert, low, high = (row[name] / unit for name in ("ert", "ert_10", "ert_90"))
    some = f" {row['successes']:.0f}/{row['trials']:.0f}" if row["successes"] < row["trials"] else ""
    return Cell(f"{ert:.3g} ({low:.2g}, {high:.2g}){some}", star=bool(row["significant"]), value=ert)
