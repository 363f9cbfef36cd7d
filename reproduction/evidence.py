"""Evidence for the paper's claims, and the check of a number."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproduction.resampling import Resamples, resampled_control, resampled_proportions, resampled_ranks
from sacma.analysis.notes import protocol_differences
from sacma.analysis.published import Reading
from sacma.analysis.section import Findings
from sacma.analysis.sections.costs import comparable_costs
from sacma.analysis.sections.curves import SHARES, all_run_lengths
from sacma.analysis.sections.publication import alone, of_target
from sacma.analysis.trials import OF_TARGET
from sacma.types import Array

EARLY, MIDDLE, END = SHARES  # of the budget, at which the paper's words on run lengths are checked
SURE = 0.95  # share of resamples in which a comparison comes out one way, from which on it is decided


@dataclass(frozen=True)
class Evidence:
    """Data frames of the paper's algorithms, by which claims are judged."""

    ranks: pd.DataFrame  # as from ``mean_ranks``
    tests: pd.DataFrame  # as from ``rank_tests``
    pairs: pd.DataFrame  # as from ``pairwise_table``
    control: pd.DataFrame  # as from ``control_frequencies``
    ecdf: pd.DataFrame  # as from ``run_lengths.by_group``, with points at these shares of the budget
    resamples: Resamples  # of the trials that these are of
    budget: float  # evaluations/D of the trials
    as_in_paper: bool  # functions, instances, budget and target are the paper's; else there is no verdict


@dataclass(frozen=True)
class Check:
    """Number of ours against a claim."""

    what: str
    ours: float
    wanted: str
    holds: bool | None  # None where our data do not decide
    share: float = np.nan  # of resamples in which the comparison holds, NaN where there is none; see ``compared``


def evidence_of(findings: Findings, reading: Reading) -> Evidence:
    """Return the evidence of the algorithms of one reading among themselves, by their names in the paper."""
    own = findings.alone(reading.names)
    budgets = [share * own.comparison.budget for share in SHARES]
    costs = comparable_costs(own).replace({"algorithm": reading.names})
    lengths = [of.replace({"algorithm": reading.names}) for of in own.once(all_run_lengths)]
    resamples = Resamples(
        resampled_ranks(best_of(findings, reading)), resampled_proportions(lengths, budgets), resampled_control(costs)
    )
    return Evidence(
        of_target(findings, reading, "mean_ranks"),
        of_target(findings, reading, "rank_tests"),
        of_target(findings, reading, "pairwise"),
        alone(findings, reading, "control_frequency"),
        alone(findings, reading, "ecdf"),
        resamples,
        own.comparison.budget,
        not protocol_differences(own.comparison, reading),
    )


def best_of(findings: Findings, reading: Reading) -> pd.DataFrame:
    """Return the best Δf of one reading's trials, as from ``best_delta_f``, on functions of all its algorithms."""
    own = findings.alone(reading.names)
    best = own.best[own.best["scenario"].isin(OF_TARGET)]
    return own.comparison.compared.overlap.shared(best).replace({"algorithm": reading.names})


def lower(ours: Array, theirs: Array) -> Array:
    """Return 1 where ours is lower, 0 where it is not, and NaN where one is NaN; shapes broadcast."""
    found: Array = np.where(np.isnan(ours) | np.isnan(theirs), np.nan, ours < theirs)
    return found


def share_of(resampled: Array) -> float:
    """Return the share of resamples with 1, NaN where some are NaN.

    >>> share_of(np.array([1.0, 0.0, 0.0, 1.0])), share_of(np.array([1.0, np.nan]))
    (0.5, nan)
    """
    return float(np.mean(resampled))


def compared(what: str, ours: float, wanted: str, resampled: Array, *, holds: bool | None) -> Check:
    """Return a check of two numbers, undecided where chance may decide.

    It holds where it does in our data and in 95 % of resamples at least, and fails where it does in neither: in 5 % of
    resamples at most.

    Args:
        what: is compared.
        ours: the number in our data.
        wanted: of it.
        resampled: 1 for each resample in which the comparison holds, 0 where it does not, NaN where that is not known.
        holds: it does in our data; None where these are not known.
    """
    share, decided = share_of(resampled), None
    if holds is not None and not np.isnan(share):
        sure = np.mean(resampled == (1 if holds else 0)) >= SURE
        decided = bool(holds) if sure else None
    return Check(what, ours, wanted, decided, share)
