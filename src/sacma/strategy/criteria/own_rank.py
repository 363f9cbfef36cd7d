"""Expected displacement: by how many ranks a point's own value is expected to move it."""

from typing import Literal

import numpy as np

from sacma.strategy.criteria.base import variance
from sacma.surrogate.base import Posterior
from sacma.surrogate.part import Part
from sacma.surrogate.whitening import Array


class OwnRank(Part):
    """Expected change of a point's own rank by its value."""

    name: Literal["own-rank"] = "own-rank"

    def worth(self, posterior: Posterior, best_value: float, parents: int) -> Array:  # noqa: ARG002 one protocol
        """Return Σ_j Φ(−|ŷ_j − ŷ_i|/s_i) of each point; see ``Criterion``.

        With y_i ~ N(ŷ_i, s_i²), noise included, the rank of i among the predictions of the others changes by the number
        of them between ŷ_i and y_i, and Φ(…) is the probability that ŷ_j is one of these.
        """
        from scipy.special import ndtr  # noqa: PLC0415 slow to import

        spread = np.sqrt(np.clip(variance(posterior) + posterior.noise, np.finfo(float).tiny, None))
        gaps = np.abs(posterior.mean[None, :] - posterior.mean[:, None]) / spread[:, None]
        np.fill_diagonal(gaps, np.inf)
        return np.asarray(np.sum(ndtr(-gaps), axis=1))
