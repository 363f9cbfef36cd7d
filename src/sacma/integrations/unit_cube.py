"""Numeric parameters of Optuna as coordinates of the unit cube."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution, distribution_to_json

from sacma.optimize.axes import Axis, LogarithmicAxis, LogarithmicIntegerAxis, SteppedAxis
from sacma.surrogate.whitening import Array

TOLERANCE = 1e-9  # difference of coordinates of a point that was computed elsewhere


class UnitCube:
    """The space [0, 1]^D of D parameters in the order of their names.

    A log parameter is even in its logarithm; each value of an integer, or of one with a step, has an equal share of its
    axis (with ``log``: from ½ below to ½ above in the logarithm).

    Args:
        distributions: float and int distributions of more than one value, by the names of the parameters.
    """

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        self._axes = {name: _axis(distributions[name]) for name in sorted(distributions)}
        described = {name: distribution_to_json(distributions[name]) for name in self._axes}
        self.digest = hashlib.sha256(json.dumps(described).encode()).hexdigest()
        """Names and distributions, in 64 characters."""

    @property
    def dimension(self) -> int:
        """D."""
        return len(self._axes)

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in the order of the coordinates."""
        return list(self._axes)

    def params(self, point: Array) -> dict[str, Any]:
        """Return the parameters of a point, shape (D,)."""
        return {name: axis.value(u) for (name, axis), u in zip(self._axes.items(), point.tolist(), strict=True)}

    def rounded(self, point: Array) -> Array:
        """Return the point of the parameters of a point, shape (D,): where its value is known to be."""
        rounded = self.point(self.params(point))
        assert rounded is not None  # noqa: S101 parameters of a point are within their ranges
        return rounded

    def point(self, params: Mapping[str, Any]) -> Array | None:
        """Return the point of parameters, shape (D,); None where one is missing, no number, or outside of its range."""
        point = list(self.coordinates(params).values())
        return None if None in point else np.array(point, dtype=float)

    def coordinates(self, params: Mapping[str, Any]) -> dict[str, float | None]:
        """Return the coordinate of each parameter, None where it is missing, no number, or outside of its range."""
        return {name: axis.coordinate(params.get(name)) for name, axis in self._axes.items()}

    @property
    def discrete(self) -> bool:
        """True where not all parameters are continuous."""
        return any(axis.discrete for axis in self._axes.values())

    def centred(self, points: Array) -> Array:
        """Return points, shape (…, D), with discrete parameters at the centres of their values' shares."""
        centred = np.array(points)
        for i, axis in enumerate(self._axes.values()):
            centred[..., i] = axis.centred(centred[..., i])
        return centred

    def widths(self, point: Array) -> Array:
        """Return the widths of the shares around a point, shape (D,): 0 where a parameter is continuous."""
        return np.array([axis.width(u) for u, axis in zip(point.tolist(), self._axes.values(), strict=True)])

    def is_at(self, params: Mapping[str, Any], point: Array) -> bool:
        """Return True if the parameters are those of a point, but for rounding."""
        given, expected = self.point(params), self.point(self.params(point))
        return given is not None and expected is not None and bool(np.all(np.abs(given - expected) <= TOLERANCE))


def _axis(distribution: BaseDistribution) -> Axis:
    match distribution:
        case FloatDistribution(low=low, high=high, log=True):
            return LogarithmicAxis(low, high)
        case IntDistribution(low=low, high=high, log=True):
            return LogarithmicIntegerAxis(low, high)
        case FloatDistribution(low=low, high=high, step=None):
            return Axis(low, high)
        case FloatDistribution(low=low, high=high, step=float(step)):
            return SteppedAxis(low, high, step)
        case IntDistribution(low=low, high=high, step=step):
            return SteppedAxis(low, high, step)
    raise TypeError(f"a {type(distribution).__name__} is no axis")  # pragma: no cover: callers pass numeric ones alone
