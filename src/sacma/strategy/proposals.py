"""Proposals: points for f besides the sampled ones, such as the optimum of the model near the best known point."""

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

import numpy as np
from pydantic import Field

from sacma.strategy.constrained_optimum import constrained_optimum
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive, Standing
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.model import slope_of
from sacma.surrogate.part import Context, Part
from sacma.types import Array

SUCCESS_AT_FIRST = 0.5
SUCCESS_RATE = 0.2  # weight of the latest proposal in the smoothed share of successful ones
OFTEN = 0.3  # share from which on every generation has a proposal
SELDOM = 0.1  # least number of proposals a generation: their success may come back


class Proposer(Protocol):
    """Proposes points for f after generations in which a model was trained."""

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return points, shape (n, D), to be evaluated with f; they take part in the next population.

        Args:
            model: the last that was trained.
            archive: 𝒜.
        """

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Take the standings of the points proposed last, and that of the best point before them."""


class NoProposals(Part):
    """No further points: only sampled ones are evaluated."""

    name: Literal["none"] = "none"

    def propose(self, model: TrainedModel, archive: Archive) -> Array:  # noqa: ARG002 one protocol
        """Return no point; see ``Proposer``."""
        return np.empty((0, archive.points.shape[1]))

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Learn nothing."""


class ModelOptimum(Part):
    """The point of the lowest prediction that a local search finds within a distance of m."""

    name: Literal["model-optimum"] = "model-optimum"
    radius: Annotated[float, Field(gt=0, le=1e3, description="largest whitened coordinate of a proposal")] = 3.0
    follows_success: Annotated[bool, Field(description="propose less often while few proposals succeed")] = False

    def build(self, context: Context) -> Proposer:
        """Return the proposer of one strategy."""
        return OptimumProposer(self, context.box)


class OptimumProposer:
    """Proposes the optimum of the model, in each generation or as often as that pays."""

    def __init__(self, settings: ModelOptimum, box: tuple[Array, Array]) -> None:
        self._settings = settings
        self._box = box
        self._success = SUCCESS_AT_FIRST
        self._due = SUCCESS_AT_FIRST  # number of proposals that are due

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return one point, or none; see ``Proposer``."""
        if self._settings.follows_success:
            self._due += 1.0 if self._success >= OFTEN else max(self._success, SELDOM)
            if self._due < 1.0:
                return np.empty((0, archive.points.shape[1]))
        if isinstance(model.fitted, CombinedFit):
            proposed = constrained_optimum(model.fitted, model, archive, self._settings.radius, self._box)
        else:
            proposed = optimum(model, archive, self._settings.radius)
        self._due = self._due - 1.0 if len(proposed) else 1.0
        return proposed

    def learn(self, standings: Sequence[Standing], best_before: Standing) -> None:
        """Smooth the share of proposals that were better than all points before."""
        self._success += SUCCESS_RATE * (float(min(standings) < best_before) - self._success)


def optimum(model: TrainedModel, archive: Archive, radius: float) -> Array:
    """Return the point of the lowest prediction near the best known one, shape (1, D).

    None, shape (0, D), where no prediction is lower than that at the best known point, put within ``radius``.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 slow to import

    best = model.whitening(archive.points[[archive.best]])[0]
    start, D = np.clip(best, -radius, radius), len(best)
    slope = slope_of(model.fitted)
    with np.errstate(over="ignore", invalid="ignore"):  # predictions of huge values may overflow
        first, at_mean = model.fitted.predict(np.vstack([start, np.zeros(D)]))
        scale = abs(0.5 * first - 0.5 * at_mean) or float(np.linalg.norm(slope(start)[1])) or 1.0
        latest: tuple[bytes, Array] = (b"", start)  # a point and its gradient, for which SciPy asks after its value

        def scaled(z: Array) -> float:
            nonlocal latest
            value, gradient = slope(z)
            latest = z.tobytes(), gradient / scale
            return float(value / scale - first / scale)

        def scaled_gradient(z: Array) -> Array:
            if latest[0] != z.tobytes():
                scaled(z)
            return latest[1]

        found = minimize(scaled, start, method="L-BFGS-B", jac=scaled_gradient, bounds=[(-radius, radius)] * D)
    if not found.fun < 0.0 or not np.all(np.isfinite(found.x)):
        return np.empty((0, D))
    return model.whitening.inverse(found.x[None])
