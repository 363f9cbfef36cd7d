"""Local quadratic regression: a quadratic function for each query, fitted to its nearest points with weights.

Kern, Hansen and Koumoutsakos, *Local Meta-Models for Optimization Using Evolution Strategies*, PPSN 2006. The metric is
that of C, and the k = D(D + 3) + 2 nearest points are twice as many as a quadratic function has coefficients. A point
at the share ζ of the distance of the last of them has the weight (1 − ζ²)².
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sacma.surrogate.model import FitStatus, Posterior
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

# Share of the constant function that the others leave, below which its coefficient has no meaning; and the share of the
# diagonal of the normal equations that is added to it, about as much as rounding does.
SINGULAR, RIDGE = 1e-6, 1e-14


def neighbours(dimension: int) -> int:
    """Return k, the number of points that a query's function is fitted to.

    >>> [neighbours(D) for D in (2, 5, 10)]
    [12, 42, 132]
    """
    return dimension * (dimension + 3) + 2


@dataclass(frozen=True)
class LocalQuadratic:
    """Functions of the values around each query; see ``fit_local_quadratic``."""

    inputs: Array  # whitened, shape (n, D)
    values: Array  # shape (n,)
    center: float  # the median of the values
    scale: float  # the range of the values
    _known: dict[bytes, float] = field(default_factory=dict)  # predictions, by query

    def again(self, training: TrainingSet) -> "LocalQuadratic | FitStatus":
        """Return functions of other points; see ``Refitted``."""
        return fit_local_quadratic(training)

    def predict(self, inputs: Array) -> Array:
        """Return the predictions at whitened ``inputs``, shape (n, D), in the objective's units."""
        new = [i for i, x in enumerate(inputs) if x.tobytes() not in self._known]
        if new:
            for i, value in zip(new, self._local(inputs[new])[0], strict=True):
                self._known[inputs[i].tobytes()] = float(value)
        return np.array([self._known[x.tobytes()] for x in inputs])

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return the least-squares estimates and their covariance; the noise is the mean square of residuals."""
        means, squares, spread = self._local(inputs, spread=True)
        deviations = np.sqrt(squares) / self.scale
        covariance = spread @ spread.T if joint else (spread**2).sum(axis=1)
        scales = np.outer(deviations, deviations) if joint else deviations**2
        mean = (means - self.center) / self.scale
        return Posterior(mean, covariance * scales, float(np.mean(deviations**2)), self.center, self.scale)

    def search(self) -> Mapping[str, int | str]:
        """Return no cost: there are no hyperparameters to search for."""
        return {}

    def _local(self, queries: Array, *, spread: bool = False) -> tuple[Array, Array, Array]:
        """Return estimates and mean squares of residuals at m queries, shape (m,), and coefficients, shape (m, n).

        An estimate is the sum of all values with its coefficients. Without ``spread`` both others are zeros.
        """
        k, m = min(neighbours(queries.shape[1]), len(self.values)), len(queries)
        squares = ((queries[:, None] - self.inputs) ** 2).sum(axis=2)
        nearest = np.argpartition(squares, k - 1, axis=1)[:, :k]
        squares = np.take_along_axis(squares, nearest, axis=1)
        reach = squares.max(axis=1, keepdims=True)
        reach[reach == 0.0] = 1.0
        root = 1.0 - squares / reach  # of the weights
        base = np.take_along_axis(self.values[nearest], squares.argmin(axis=1)[:, None], axis=1)
        size = np.linalg.norm(root, axis=1)
        points = (self.inputs[nearest] - queries[:, None]) / np.sqrt(reach)[:, :, None]
        terms = quadratic_terms(points.transpose(0, 2, 1))
        terms *= root[:, None]
        values = (self.values[nearest] - base) * root
        # The normal equations, and those of the last coefficient, of the constant: it is the estimate.
        p = terms.shape[1]
        system = terms @ terms.transpose(0, 2, 1)
        diagonal = system[:, range(p), range(p)]
        system[:, range(p), range(p)] = np.where(diagonal > 0.0, diagonal * (1.0 + RIDGE), 1.0)
        sides = np.zeros((m, p, 2))
        sides[:, :, 0] = (terms @ values[:, :, None])[:, :, 0]
        sides[:, -1, 1] = 1.0
        solved = np.linalg.solve(system, sides)
        usable = (solved[:, -1, 1] > 0.0) & (solved[:, -1, 1] * (SINGULAR * size) ** 2 < 1.0)
        mean = (root * values).sum(axis=1) / size**2
        estimates = base[:, 0] + np.where(usable, solved[:, -1, 0], mean)
        residuals, coefficients = np.zeros(m), np.zeros((m, len(self.values)))
        if spread:
            fitted = (solved[:, None, :, 0] @ terms)[:, 0]
            residuals = ((values - fitted) ** 2).sum(axis=1) / size**2 * (k / max(k - p, 1))
            local = np.where(usable[:, None], (solved[:, None, :, 1] @ terms)[:, 0], root / size[:, None] ** 2)
            np.put_along_axis(coefficients, nearest, local * root, axis=1)
        return estimates, residuals, coefficients


def quadratic_terms(points: Array) -> Array:
    """Return a quadratic function's terms at ``points``, shape (…, D, n): squares and products, linear, constant."""
    *batch, D, n = points.shape
    terms = np.empty((*batch, (D + 1) * (D + 2) // 2, n))
    start = 0
    for i in range(D):
        end = start + D - i
        np.multiply(points[..., i : i + 1, :], points[..., i:, :], out=terms[..., start:end, :])
        start = end
    terms[..., start:-1, :] = points
    terms[..., -1, :] = 1.0
    return terms


def fit_local_quadratic(training: TrainingSet) -> LocalQuadratic | FitStatus:
    """Keep the points for later queries, or return the reason for having no model: fewer than k, or constant values."""
    values = training.values
    if len(training) <= neighbours(training.inputs.shape[1]) // 2 + 1:
        return FitStatus.TOO_FEW_POINTS
    with np.errstate(over="ignore"):
        scale = float(np.ptp(values))
    if not 0.0 < scale < np.inf:
        return FitStatus.CONSTANT_VALUES
    return LocalQuadratic(training.inputs, values, float(np.median(values)), scale)


class LocalRegression:
    """Fits local quadratic functions; see ``Model``."""

    def fit(self, training: TrainingSet, whitening: Whitening) -> LocalQuadratic | FitStatus:  # noqa: ARG002 one protocol
        """Keep the points."""
        return fit_local_quadratic(training)

    def keep(self, fitted: LocalQuadratic, whitening: Whitening) -> None:
        """Remember nothing."""

    def forget(self) -> None:
        """Forget nothing."""
