"""Expected displacement: by how many ranks a point's own value is expected to move it."""

from typing import ClassVar, Literal

import numpy as np

from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.types import Array

MOST_OTHERS = 256
"""Points of a large population that stand for all others: its cost grows with λ, not with λ²."""


class OwnRank(Part):
    """Expected change of a point's own rank by its value."""

    name: Literal["own-rank"] = "own-rank"
    joint: ClassVar[bool] = False

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
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
            others = np.argsort(posterior.mean, kind="stable")[
                (2 * np.arange(MOST_OTHERS) + 1) * size // (2 * MOST_OTHERS)
            ]
        gaps = np.abs(posterior.mean[others] - posterior.mean[:, None]) / spread[:, None]
        gaps[others, np.arange(len(others))] = np.inf  # not oneself
        return np.asarray(ndtr(-gaps).sum(axis=1) * (size / len(others)))
