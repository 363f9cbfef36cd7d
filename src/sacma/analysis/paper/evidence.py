"""Evidence on the paper's claims, and a single check of a claim."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sacma.analysis.paper.resampling import Resamples
from sacma.types import Array

EARLY, MIDDLE, END = 1 / 10, 1 / 3, 1.0  # shares of the budget at which the paper's words on run lengths are checked
SURE = 0.95  # share of resamples in which a comparison comes out one way, from which on it is decided


@dataclass(frozen=True)
class Evidence:
    """Data frames that claims are judged by, of the paper's algorithms."""

    ranks: pd.DataFrame  # as from ``mean_ranks``
    tests: pd.DataFrame  # as from ``rank_tests``
    pairs: pd.DataFrame  # as from ``pairwise_table``
    control: pd.DataFrame  # as from ``control_frequencies``
    ecdf: pd.DataFrame  # as from ``run_lengths.by_group``, told at ``budgets_of_claims``
    resamples: Resamples  # of the trials that these are of
    budget: float  # evaluations/D of the trials
    as_in_paper: bool  # functions, instances, budget and target are the paper's; else there is no verdict


@dataclass(frozen=True)
class Check:
    """A number of ours against what a claim says of it."""

    what: str
    ours: float
    wanted: str
    holds: bool | None  # None where our data do not decide
    share: float = np.nan  # of resamples in which the comparison holds, NaN where there is none; see ``compared``


def budgets_of_claims(budget: float) -> tuple[float, ...]:
    """Return the evaluations/D at which claims look at run lengths."""
    return EARLY * budget, MIDDLE * budget, END * budget


def lower(ours: Array, theirs: Array) -> Array:
    """Return 1 where ours is lower, 0 where it is not, and NaN where one of the two is not known; they broadcast."""
    found: Array = np.where(np.isnan(ours) | np.isnan(theirs), np.nan, ours < theirs)
    return found


def share_of(resampled: Array) -> float:
    """Return the share of resamples with 1, NaN where some are NaN.

    >>> share_of(np.array([1.0, 0.0, 0.0, 1.0])), share_of(np.array([1.0, np.nan]))
    (0.5, nan)
    """
    return float(np.mean(resampled))


def compared(what: str, ours: float, wanted: str, resampled: Array, *, holds: bool | None) -> Check:
    """Return a check of a bare comparison, which is undecided where it could be chance.

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
