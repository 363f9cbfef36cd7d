"""Numeric parameters of Optuna as coordinates of the unit cube."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution, distribution_to_json

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

    def is_at(self, params: Mapping[str, Any], point: Array) -> bool:
        """Return True if the parameters are those of a point, but for rounding."""
        given, expected = self.point(params), self.point(self.params(point))
        return given is not None and expected is not None and bool(np.all(np.abs(given - expected) <= TOLERANCE))


class _Axis:
    """A parameter between ``low`` and ``high``, both included."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def coordinate(self, value: object) -> float | None:
        """Return the coordinate of a value, None where it is no number of the range."""
        if isinstance(value, bool | np.bool) or not isinstance(value, int | float | np.integer | np.floating):
            return None
        if not self.low <= value <= self.high:
            return None
        return min(max(self._coordinate(float(value)), 0.0), 1.0)

    def value(self, coordinate: float) -> float:
        """Return the value at a coordinate."""
        raise NotImplementedError

    def _coordinate(self, value: float) -> float:
        raise NotImplementedError


class _Linear(_Axis):
    def value(self, coordinate: float) -> float:
        return min(max((1.0 - coordinate) * self.low + coordinate * self.high, self.low), self.high)

    def _coordinate(self, value: float) -> float:
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)  # the width may be beyond the floats


class _Logarithmic(_Axis):
    margin = 0.0  # of the axis, beyond both ends of the range

    def __init__(self, low: float, high: float) -> None:
        super().__init__(low, high)
        self._start, self._end = math.log(low - self.margin), math.log(high + self.margin)

    def value(self, coordinate: float) -> float:
        value = math.exp((1.0 - coordinate) * self._start + coordinate * self._end)
        return min(max(value, self.low), self.high)

    def _coordinate(self, value: float) -> float:
        return (math.log(value) - self._start) / (self._end - self._start)


class _LogarithmicInteger(_Logarithmic):
    margin = 0.5

    def value(self, coordinate: float) -> int:
        return round(super().value(coordinate))


class _Stepped(_Axis):
    def __init__(self, low: float, high: float, step: float) -> None:
        super().__init__(low, high)
        self._step = step
        self._count = 1 + (round((high - low) / step) if isinstance(step, float) else (high - low) // step)

    def value(self, coordinate: float) -> float:
        place = min(int(coordinate * self._count), self._count - 1)
        return min(self.low + place * self._step, self.high)

    def _coordinate(self, value: float) -> float:
        return ((value - self.low) / self._step + 0.5) / self._count


def _axis(distribution: BaseDistribution) -> _Axis:
    match distribution:
        case FloatDistribution(low=low, high=high, log=True):
            return _Logarithmic(low, high)
        case IntDistribution(low=low, high=high, log=True):
            return _LogarithmicInteger(low, high)
        case FloatDistribution(low=low, high=high, step=None):
            return _Linear(low, high)
        case FloatDistribution(low=low, high=high, step=float(step)):
            return _Stepped(low, high, step)
        case IntDistribution(low=low, high=high, step=step):
            return _Stepped(low, high, step)
    raise TypeError(f"a {type(distribution).__name__} is no axis")  # pragma: no cover: callers pass numeric ones alone
