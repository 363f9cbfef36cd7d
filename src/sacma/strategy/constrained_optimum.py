"""The optimum of the model of f under the models of constraints."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sacma.process_wide import quiet
from sacma.strategy.training import TrainedModel
from sacma.surrogate.archive import Archive
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.model import slope_of
from sacma.types import Array

KEPT = 1e-6  # largest violation of a model's constraint that counts as none, in units of the problem
ACTIVE = 1e-4  # distance from its limit, in the same units, below which a constraint is active at the optimum
NEAR = 1e-8  # distance from a known point, in the whitened space, below which a proposal is that point
MOST_ITERATIONS = 100

Slope = Callable[[Array], tuple[float, Array]]


def constrained_optimum(
    fit: CombinedFit, model: TrainedModel, archive: Archive, radius: float, box: tuple[Array, Array]
) -> Array:
    """Return the lowest point of the model of f where the models of all constraints keep them, shape (1, D).

    SciPy's SLSQP searches from the best known point, within the box and ``radius`` of m. Inequalities are to be kept by
    a standard deviation of their models, where that is possible. Where the models see no feasible point, it is that of
    the least violation. None, shape (0, D), where it is a known point. The merit gets the multipliers at the optimum.

    Where some coordinates have cells, as those of integers, it is the better one of two optima: in the cell of the best
    known point, and in that of the optimum over all cells.

    Args:
        fit: of ``model``.
        model: the last that was trained.
        archive: 𝒜.
        radius: largest distance from m of a coordinate in the whitened space.
        box: of the problem, infinite where it is open.
    """
    problem = _Problem(fit, model, archive, radius, box)
    found = problem.best_near(problem.start)
    if (grid := model.whitening.grid) is not None:
        best, relaxed = archive.points[[archive.best]], model.whitening.inverse(found.point[None])
        within = []
        for cell in {cell.tobytes(): cell for cell in grid.centred(np.vstack([best, relaxed]))}.values():
            problem.hold(cell, grid.widths(cell) > 0.0)
            within.append(problem.best_near(found.point))
        found = min([each for each in within if not each.known] or within, key=lambda each: each.standing)
    if found.multipliers is not None:
        fit.merit.set_multipliers(found.multipliers)
    return model.whitening.inverse(found.point[None])[: 0 if found.known else 1]


class _Optimum(NamedTuple):
    point: Array  # shape (D,)
    standing: tuple[float, float]  # violation of the models' constraints, and value, both in units of the problem
    known: bool  # True where it is a known point
    multipliers: Array | None  # at a feasible one, shape (m,)


class _Problem:
    """The models in the whitened space, each in units of its change near the start."""

    def __init__(
        self,
        fit: CombinedFit,
        model: TrainedModel,
        archive: Archive,
        radius: float,
        box: tuple[Array, Array],
    ) -> None:
        D = archive.points.shape[1]
        self.start = np.clip(model.whitening(archive.points[[archive.best]])[0], -radius, radius)
        around = fit.outcomes(np.vstack([self.start, np.zeros(D), 0.3 * radius * np.eye(D)]))
        spans = np.ptp(around, axis=0)
        self._units = np.where((spans > 0.0) & np.isfinite(spans), spans, 1.0)
        self._offset = around[0] * (np.arange(len(spans)) == 0)  # of f alone
        self._equal = fit.merit.equalities
        self._margin = np.zeros(len(self._equal))  # by which inequalities are to be kept
        self._slopes: Sequence[Slope] = [slope_of(part) for part in fit.parts]
        self._fit, self._known = fit, model.whitening(archive.points)
        self._radius = radius
        self._centre = model.whitening.inverse(np.zeros((1, D)))[0]
        self._axes = (model.whitening.inverse(np.eye(D)) - self._centre).T  # x = centre + axes z
        self._inside = self._within_box(box)
        self._held: list[Mapping[str, Any]] = []  # what holds coordinates within a cell, as SLSQP takes it
        self._fixed = np.empty((0, D))  # its rows
        self._last: tuple[bytes, Array, Array] = (b"", spans, spans)

    def hold(self, cell: Array, fixed: NDArray[np.bool_]) -> None:
        """Hold the ``fixed`` ones of all coordinates at those of a ``cell``, shape (D,), from now on."""
        lengths = np.linalg.norm(self._axes[fixed], axis=1)
        rows, rest = self._axes[fixed] / lengths[:, None], (self._centre - cell)[fixed] / lengths
        self._held = [{"type": "eq", "fun": lambda z: rows @ z + rest, "jac": lambda _: rows}] if len(rows) else []
        self._fixed = rows

    def best_near(self, start: Array) -> _Optimum:
        """Return the optimum by a search from ``start``."""
        self.demand(np.zeros(len(self._equal)))
        point, feasible = self.solve(start)
        if feasible:
            self.demand(self._fit.deviations(point[None])[0, 1:])
            inner, feasible_within = self.solve(point)
            if feasible_within:
                point = inner
            else:
                self.demand(np.zeros(len(self._equal)))
        multipliers = self.multipliers(point) if feasible else None
        known = np.min(np.sum((self._known - point) ** 2, axis=1)) < NEAR**2
        violation = 0.0 if feasible else float(np.linalg.norm(self._excess(point)))
        return _Optimum(point, (violation, float(self._at(point)[0][0])), bool(known), multipliers)

    def demand(self, margin: Array) -> None:
        """Set the amounts by which inequalities are to be kept, shape (m,)."""
        self._margin = np.where(self._equal, 0.0, margin) / self._units[1:]

    def solve(self, start: Array) -> tuple[Array, bool]:
        """Return the optimum and True, or the point of the least violation and False."""
        inside = [*self._inside, *self._held]
        found = self._search(self._objective, start, [*inside, *self._constraints()])
        if self._keeps(found):
            return found, True
        near = self._search(self._violation, start, inside)
        if not np.all(np.isfinite(near)):
            return start, False
        found = self._search(self._objective, near, [*inside, *self._constraints()])
        return (found, True) if self._keeps(found) else (near, False)

    def multipliers(self, point: Array) -> Array | None:
        """Return the λ of ∇f + Σ λ_j ∇g_j ≈ 0 at an optimum, shape (m,); None where the radius limits all of it."""
        from scipy.optimize import lsq_linear  # noqa: PLC0415 slow to import

        values, gradients = self._at(point)
        free = np.abs(point) < self._radius * (1.0 - KEPT)
        active = np.flatnonzero(self._equal | (values[1:] + self._margin > -ACTIVE))
        if not free.any():
            return None
        multipliers = np.zeros(len(self._equal))
        if len(active):
            least = np.append(np.where(self._equal[active], -np.inf, 0.0), np.full(len(self._fixed), -np.inf))
            slopes = np.vstack([gradients[1:][active], self._fixed])[:, free].T
            found = lsq_linear(slopes, -gradients[0][free], (least, np.inf), method="bvls").x
            multipliers[active] = found[: len(active)]
        return np.asarray(multipliers * self._units[0] / self._units[1:])

    def _at(self, point: Array) -> tuple[Array, Array]:
        """Return all outcomes, shape (1 + m,), and their gradients, shape (1 + m, D)."""
        key = point.tobytes()
        if self._last[0] != key:
            pairs = [slope(point) for slope in self._slopes]
            values, gradients = np.array([value for value, _ in pairs]), np.array([slope for _, slope in pairs])
            self._last = key, (values - self._offset) / self._units, gradients / self._units[:, None]
        return self._last[1:]

    def _objective(self, point: Array) -> tuple[float, Array]:
        values, gradients = self._at(point)
        return float(values[0]), gradients[0]

    def _excess(self, point: Array) -> Array:
        """Return the violation of each constraint, that of an equality with its sign."""
        constraints = self._at(point)[0][1:]
        return np.where(self._equal, constraints, np.maximum(constraints + self._margin, 0.0))

    def _violation(self, point: Array) -> tuple[float, Array]:
        excess = self._excess(point)
        return 0.5 * float(excess @ excess), excess @ self._at(point)[1][1:]

    def _keeps(self, point: Array) -> bool:
        return bool(np.all(np.isfinite(point)) and np.all(np.abs(self._excess(point)) <= KEPT))

    def _constraints(self) -> list[Mapping[str, Any]]:
        """Return the constraints as SLSQP takes them."""
        kinds = (("ineq", np.flatnonzero(~self._equal), -1.0), ("eq", np.flatnonzero(self._equal), 1.0))
        return [
            {
                "type": kind,
                "fun": lambda z, these=these, sign=sign: sign * (self._at(z)[0][1:] + self._margin)[these],
                "jac": lambda z, these=these, sign=sign: sign * self._at(z)[1][1:][these],
            }
            for kind, these, sign in kinds
            if len(these)
        ]

    def _search(self, objective: Slope, start: Array, constraints: Sequence[Mapping[str, Any]]) -> Array:
        from scipy.optimize import minimize  # noqa: PLC0415 slow to import

        with np.errstate(all="ignore"), quiet():  # of values out of bounds by rounding
            found = minimize(
                objective,
                start,
                jac=True,
                method="SLSQP",
                bounds=[(-self._radius, self._radius)] * len(start),
                constraints=constraints,
                options={"maxiter": MOST_ITERATIONS, "ftol": 1e-12},
            )
        return np.asarray(found.x)

    def _within_box(self, box: tuple[Array, Array]) -> list[Mapping[str, Any]]:
        """Return the box as SLSQP takes constraints: a row for each finite bound."""
        lengths = np.linalg.norm(self._axes, axis=1)
        rows = np.vstack([self._axes / lengths[:, None], -self._axes / lengths[:, None]])
        rest = np.concatenate([(self._centre - box[0]) / lengths, (box[1] - self._centre) / lengths])
        finite = np.isfinite(rest)
        rows, rest = rows[finite], rest[finite]
        return [{"type": "ineq", "fun": lambda z: rows @ z + rest, "jac": lambda _: rows}] if len(rows) else []
