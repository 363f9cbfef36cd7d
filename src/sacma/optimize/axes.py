"""Numbers of a range as coordinates of [0, 1]: even in the number or in its logarithm, with or without steps."""

import math

import numpy as np

from sacma.surrogate.whitening import Array


class Axis:
    """The numbers between ``low`` and ``high``, both included, even along [0, 1]."""

    discrete = False  # True where a cell of coordinates has one value
    count: float = math.inf  # of values

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
        return min(max((1.0 - coordinate) * self.low + coordinate * self.high, self.low), self.high)

    def _coordinate(self, value: float) -> float:
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)  # the width may be beyond the floats

    def centred(self, coordinates: Array) -> Array:
        """Return coordinates, each moved to the centre of its cell."""
        return coordinates

    def width(self, coordinate: float) -> float:  # noqa: ARG002 that of a continuous axis is the same everywhere
        """Return the width of the cell around a coordinate, 0 where each has a value of its own."""
        return 0.0

    def at(self, place: int) -> float:
        """Return the coordinate of one of ``count`` values, by its place from 0."""
        return (place + 0.5) / self.count


class LogarithmicAxis(Axis):
    """The same, uniform on a log scale."""

    margin = 0.0  # of the axis, beyond both ends of the range

    def __init__(self, low: float, high: float) -> None:
        super().__init__(low, high)
        self._start, self._end = math.log(low - self.margin), math.log(high + self.margin)

    def value(self, coordinate: float) -> float:
        """Return the value at a coordinate."""
        value = math.exp((1.0 - coordinate) * self._start + coordinate * self._end)
        return min(max(value, self.low), self.high)

    def _coordinate(self, value: float) -> float:
        return (math.log(value) - self._start) / (self._end - self._start)


class LogarithmicIntegerAxis(LogarithmicAxis):
    """Integers, uniform on a log scale, from ½ below ``low`` to ½ above ``high``."""

    discrete = True
    margin = 0.5

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low, high)
        self.count = high - low + 1

    def at(self, place: int) -> float:
        """Return the coordinate of an integer, by its place from 0."""
        return self._coordinate(self.low + place)

    def value(self, coordinate: float) -> int:
        """Return the value at a coordinate."""
        return round(super().value(coordinate))

    def centred(self, coordinates: Array) -> Array:
        """Return coordinates, each moved to that of its integer."""
        logarithms = (1.0 - coordinates) * self._start + coordinates * self._end
        with np.errstate(over="ignore"):
            integers = np.clip(np.rint(np.exp(logarithms)), self.low, self.high)
        return np.asarray((np.log(integers) - self._start) / (self._end - self._start))

    def width(self, coordinate: float) -> float:
        """Return the width of the cell around a coordinate."""
        value = self.value(min(max(coordinate, 0.0), 1.0))
        return self._coordinate(value + 0.5) - self._coordinate(value - 0.5)


class SteppedAxis(Axis):
    """Numbers ``step`` apart from ``low`` on, each with an equal share of [0, 1]."""

    discrete = True

    def __init__(self, low: float, high: float, step: float) -> None:
        super().__init__(low, high)
        self._step = step
        self.count = 1 + (round((high - low) / step) if isinstance(step, float) else (high - low) // step)

    def value(self, coordinate: float) -> float:
        """Return the value at a coordinate."""
        place = min(int(coordinate * self.count), self.count - 1)
        return min(self.low + place * self._step, self.high)

    def _coordinate(self, value: float) -> float:
        return ((value - self.low) / self._step + 0.5) / self.count

    def centred(self, coordinates: Array) -> Array:
        """Return coordinates, each moved to the centre of its share."""
        return np.asarray((np.clip(np.floor(coordinates * self.count), 0, self.count - 1) + 0.5) / self.count)

    def width(self, coordinate: float) -> float:  # noqa: ARG002 all are as wide
        """Return the width of a share."""
        return 1.0 / self.count
