"""The optimum of the model near the best known point."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Part
from sacma.surrogate.whitening import Array


class ModelOptimum(Part):
    """The point of the lowest prediction that a local search finds within a distance of m."""

    name: Literal["model-optimum"] = "model-optimum"
    radius: Annotated[
        float, Field(gt=0, le=1e3, description="largest distance from m of a coordinate in the whitened space")
    ] = 3.0

    def propose(self, model: TrainedModel, archive: Archive) -> Array:
        """Return one point, or none where no prediction is lower than at the best known; see ``Proposals``."""
        from scipy.optimize import minimize  # noqa: PLC0415 slow to import

        best = model.whitening(archive.points[[np.argmin(archive.values)]])[0]
        start = np.clip(best, -self.radius, self.radius)
        first, at_mean = model.fitted.predict(np.vstack([start, np.zeros_like(start)]))
        with np.errstate(over="ignore", invalid="ignore"):  # predictions of huge values may overflow
            scale = abs(0.5 * first - 0.5 * at_mean) or 1.0
            found = minimize(
                lambda z: float(model.fitted.predict(z[None])[0] / scale - first / scale),
                start,
                method="L-BFGS-B",
                jac="3-point",  # one-sided differences of predictions are mostly rounding near the optimum
                bounds=[(-self.radius, self.radius)] * len(start),
            )
        if not found.fun < 0.0 or not np.all(np.isfinite(found.x)):
            return np.empty((0, len(start)))
        return model.whitening.inverse(found.x[None])
