"""Criteria that pick points of a population for f: the worth of evaluating each of them."""

from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np

from sacma.surrogate.model import Posterior
from sacma.surrogate.part import Kinds, Part
from sacma.types import Array, Indices

# Points of a large population that stand for all others: the cost of a criterion grows with λ, not with λ².
MOST_OTHERS = 256


class Criterion(Protocol):
    """Worth of evaluating points with f."""

    joint: ClassVar[bool]  # True if it needs covariances, not variances alone

    def worth(self, posterior: Posterior, parents: int) -> Array:
        """Return the worth of each point, shape (λ,), given the posterior of the population and μ."""

    def prepare(self) -> None:
        """Import or compile the code."""


class ExpectedRankingDifference(Part):
    """Expected change of the ranking of all other points by a point's value (ERDE)."""

    name: Literal["ranking-difference"] = "ranking-difference"
    joint: ClassVar[bool] = True

    def worth(self, posterior: Posterior, parents: int) -> Array:
        """Return the expected ranking difference of each point; see ``Criterion``."""
        from sacma.strategy.expected_ranking import expected_ranking_difference  # noqa: PLC0415 loads Numba

        return expected_ranking_difference(posterior, parents)

    def prepare(self) -> None:
        """Compile the code, or load it, by judging a small population."""
        self.worth(Posterior(np.arange(3.0), np.eye(3), 0.0), parents=1)


class OwnRank(Part):
    """Expected change of a point's own rank by its value."""

    name: Literal["own-rank"] = "own-rank"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return Σ_j Φ(−|ŷ_j − ŷ_i|/s_i) of each point; see ``Criterion``.

        With y_i ~ N(ŷ_i, s_i²), noise included, the rank of i among the predictions of the others changes by the number
        of them between ŷ_i and y_i, and Φ(…) is the probability that ŷ_j is one of these. Of more than ``MOST_OTHERS``
        j is one in so many, evenly by rank.
        """
        from scipy.special import ndtr  # noqa: PLC0415 slow to import

        size = len(posterior.mean)
        spread = np.sqrt(np.clip(posterior.variance + posterior.noise, np.finfo(float).tiny, None))
        others = np.arange(size)
        if size > MOST_OTHERS:
            evenly = (2 * np.arange(MOST_OTHERS) + 1) * size // (2 * MOST_OTHERS)
            others = np.argsort(posterior.mean, kind="stable")[evenly]
        gaps = np.abs(posterior.mean[others] - posterior.mean[:, None]) / spread[:, None]
        gaps[others, np.arange(len(others))] = np.inf  # not oneself
        return np.asarray(ndtr(-gaps).sum(axis=1) * (size / len(others)))


class Variance(Part):
    """Posterior variance."""

    name: Literal["variance"] = "variance"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return the variance of each point; see ``Criterion``."""
        return posterior.variance


CRITERIA = Kinds(ExpectedRankingDifference, OwnRank, Variance, usual="ranking-difference")
AnyCriterion = Annotated[Any, CRITERIA]


def select_points(worth: Array, variance: Array, number: int) -> Indices:
    """Return the indices, ascending, of ``number`` points: by worth, NaN the least, and by variance among equals."""
    return np.sort(np.lexsort((-variance, -worth))[:number])
