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
        """Return one point, or none where that is known already; see ``Proposals``."""
        from scipy.optimize import minimize  # noqa: PLC0415 slow to import

        best = model.whitening(archive.points[[np.argmin(archive.values)]])[0]
        start = np.clip(best, -self.radius, self.radius)
        scale = float(np.std(model.fitted.predict(np.vstack([start, np.zeros_like(start)])))) or 1.0
        found = minimize(
            lambda z: float(model.fitted.predict(z[None])[0]) / scale,
            start,
            method="L-BFGS-B",
            bounds=[(-self.radius, self.radius)] * len(start),
        )
        if not found.success or np.array_equal(found.x, start):
            return np.empty((0, len(start)))
        return model.whitening.inverse(found.x[None])
