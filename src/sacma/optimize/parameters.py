"""Parameters of a space: real, integer and categorical ones."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sacma.optimize.arguments import flag, number, refuse, whole
from sacma.optimize.axes import Axis, LogarithmicAxis, LogarithmicIntegerAxis, SteppedAxis
from sacma.surrogate.whitening import Array

LARGEST_INTEGER = 10**15  # of a range: its neighbours are still floats of their own
MOST_STEPS = 10**15
MOST_CHOICES = 100
LONGEST_CHOICE = 1000  # characters
GRID = 1e-9  # error of a value between two steps, as a share of a step
ROUNDING = 8.0  # distances between floats by which a value may differ
LEAST_STEP = 8  # distances between the floats of a range
LARGEST_LOGARITHMIC = 10**12  # integer of a log scale: the logarithms of its neighbours are still apart

Choice = None | bool | int | float | str


@dataclass(frozen=True)
class Real:
    """A real number between ``low`` and ``high``, both included.

    >>> import sacma
    >>> sacma.Real(1e-5, 1e-1, log=True)
    Real(low=1e-05, high=0.1, log=True, step=None)

    Args:
        low: least value.
        high: largest value.
        log: uniform on a log scale; ``low`` is above 0 then.
        step: distance between two values, from ``low`` on; None: any value. Not with ``log``.

    Raises:
        TypeError, ValueError: an argument is wrong.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        allowed = "a finite number"
        low, high = (_finite(name, getattr(self, name), allowed) for name in ("low", "high"))
        _check_order(low, self.high, high)
        flag("log", self.log)
        if self.log and not low > 0.0:
            refuse("low", self.low, "a number above 0, with log")
        step = self.step
        if step is not None:
            if self.log:
                refuse("step", step, "None with log")
            allowed = f"None, or a number above 0, at most high - low, that makes at most {MOST_STEPS:g} steps"
            rounding = math.ulp(max(abs(low), abs(high)))
            most = high - low + rounding if low < high else sys.float_info.max
            step = number("step", step, allowed, least=math.ulp(0.0), most=most)
            if not (high - low) / step <= MOST_STEPS:
                refuse("step", step, allowed)
            if low == high:
                step = None
            elif step < LEAST_STEP * rounding:
                refuse("step", step, f"None, or at least {LEAST_STEP * rounding:g}: floats there are so far apart")
        if step is not None:
            steps = math.floor((high - low) / step + GRID + 2.0 * rounding / step)
            high = min(high, low + steps * step)
        for name, value in (("low", low), ("high", high), ("step", step)):
            object.__setattr__(self, name, value)

    @cached_property
    def axis(self) -> Axis:
        """The range as [0, 1]."""
        if self.step is not None:
            return SteppedAxis(self.low, self.high, self.step)
        return LogarithmicAxis(self.low, self.high) if self.log else Axis(self.low, self.high)


@dataclass(frozen=True)
class Integer:
    """An integer between ``low`` and ``high``, both included.

    Args:
        low: least value.
        high: largest value.
        log: uniform on a log scale; ``low`` is 1 or more then.
        step: distance between two values, from ``low`` on. 1 with ``log``.

    Raises:
        TypeError, ValueError: an argument is wrong.
    """

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __post_init__(self) -> None:
        allowed = f"an integer between -{LARGEST_INTEGER:g} and {LARGEST_INTEGER:g}"
        low, high = (
            whole(name, getattr(self, name), allowed, least=-LARGEST_INTEGER, most=LARGEST_INTEGER)
            for name in ("low", "high")
        )
        _check_order(low, self.high, high)
        flag("log", self.log)
        if self.log and low < 1:
            refuse("low", self.low, "an integer ≥ 1, with log")
        if self.log and high > LARGEST_LOGARITHMIC:
            refuse("high", self.high, f"an integer up to {LARGEST_LOGARITHMIC:g}, with log")
        step = whole("step", self.step, "an integer ≥ 1, at most high - low", least=1, most=max(1, high - low))
        if self.log and step != 1:
            refuse("step", step, "1 with log")
        for name, value in (("low", low), ("high", low + (high - low) // step * step), ("step", step)):
            object.__setattr__(self, name, value)

    @cached_property
    def axis(self) -> Axis:
        """The range as [0, 1]."""
        if self.log:
            return LogarithmicIntegerAxis(self.low, self.high)
        return SteppedAxis(self.low, self.high, self.step)


class Categorical:
    """One of a few choices without an order.

    Two choices are the halves of one coordinate; of three or more each has a coordinate, and the largest chooses.

    >>> import sacma
    >>> sacma.Categorical("linear", "cubic", None)
    Categorical('linear', 'cubic', None)

    Args:
        choices: different ones: texts, numbers, booleans or None; or one sequence of these. For other objects, take
            their names, and look them up in the function.

    Raises:
        TypeError, ValueError: the choices are wrong.
    """

    def __init__(self, *choices: Choice | Sequence[Choice]) -> None:
        listed = len(choices) == 1 and isinstance(choices[0], Sequence) and not isinstance(choices[0], str | bytes)
        given: Any = choices[0] if listed else choices
        allowed = f"1 to {MOST_CHOICES} different texts, finite numbers, booleans or None"
        if not 1 <= len(given) <= MOST_CHOICES:
            refuse("choices", given, allowed)
        for choice in given:
            if type(choice) not in {type(None), bool, int, float, str}:
                refuse("choices", given, f"{allowed}; names of other objects", of_type=True)
            if isinstance(choice, str) and (len(choice) > LONGEST_CHOICE or not _is_text(choice)):
                refuse("choices", given, f"{allowed}; texts of at most {LONGEST_CHOICE} characters of Unicode")
            if isinstance(choice, int | float) and not abs(choice) <= sys.float_info.max:
                refuse("choices", given, allowed)
        if len({_key(choice) for choice in given}) < len(given):
            refuse("choices", given, allowed)
        self.choices: tuple[Choice, ...] = tuple(given)

    def __repr__(self) -> str:
        return f"Categorical({', '.join(map(repr, self.choices))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categorical) and list(map(_key, self.choices)) == list(map(_key, other.choices))

    def __hash__(self) -> int:
        return hash(tuple(map(_key, self.choices)))

    def place(self, choice: object) -> int | None:
        """Return the place of a choice, None where it is none; 1, 1.0 and True are different ones."""
        if isinstance(choice, np.generic):
            choice = choice.item()
        if not isinstance(choice, Choice):
            return None
        keys = [_key(one) for one in self.choices]
        return keys.index(_key(choice)) if _key(choice) in keys else None


Parameter = Real | Integer | Categorical


class FixedAxes:
    """The coordinates of a parameter with one value: none."""

    size, count, discrete = 0, 1, False
    bounds = (0.0, 1.0)

    def __init__(self, parameter: Parameter) -> None:
        self._parameter = parameter

    def value(self, coordinates: Array) -> Any:  # noqa: ARG002 there are none
        """Return the value."""
        return self._parameter.choices[0] if isinstance(self._parameter, Categorical) else self._parameter.low

    def coordinates(self, value: object) -> Array | None:
        """Return no coordinates, shape (0,); None where it is another value, but for rounding."""
        if isinstance(self._parameter, Categorical):
            return None if self._parameter.place(value) is None else np.empty(0)
        low = self._parameter.low
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool)
        return np.empty(0) if is_number and abs(value - low) <= ROUNDING * np.spacing(abs(low)) else None  # type: ignore[operator]

    def at(self, place: int) -> Array:  # noqa: ARG002 there is one
        """Return no coordinates, shape (0,)."""
        return np.empty(0)


class ParameterAxes:
    """The coordinates of a parameter: one axis; or, of three or more choices, one each, of which the largest counts."""

    def __init__(self, parameter: Parameter) -> None:
        self._choices = parameter if isinstance(parameter, Categorical) else None
        count = 0 if self._choices is None else len(self._choices.choices)
        self.size = count if count > 2 else 1  # noqa: PLR2004 halves of one
        self._axis = parameter.axis if not isinstance(parameter, Categorical) else SteppedAxis(0, count - 1, 1)
        self._step = parameter.step if isinstance(parameter, Real) else None
        self.discrete = self._choices is not None or self._axis.discrete
        self.count = count or self._axis.count  # of values, infinite where they are continuous

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest coordinate: centres of cells, so that no distribution moves away from the cell inside."""
        if self.size > 1:
            return 0.0, 1.0
        lower, upper = self._axis.centred(np.array([0.0, 1.0]))
        return float(lower), float(upper)

    def value(self, coordinates: Array) -> Any:
        """Return the value at coordinates, shape (size,)."""
        if self._choices is None:
            return self._axis.value(float(coordinates[0]))
        place = np.argmax(coordinates) if self.size > 1 else self._axis.value(float(coordinates[0]))
        return self._choices.choices[int(place)]

    def coordinates(self, value: object) -> Array | None:
        """Return the coordinates of a value, shape (size,); None where it is none of the parameter's."""
        place = None if self._choices is None else self._choices.place(value)
        if self.size > 1:
            return None if place is None else np.asarray(np.eye(self.size)[place])
        coordinate = self._axis.coordinate(value if self._choices is None else place)
        if coordinate is None or not self.discrete:
            return None if coordinate is None else np.array([coordinate])
        centre = self._axis.centred(np.array([coordinate]))
        return centre if self._choices is not None or self._is_near(value, float(centre[0])) else None

    def _is_near(self, value: Any, centre: float) -> bool:
        """Tell that a number is that of a cell, but for rounding: of the number, and of a step of its own size."""
        rounding = ROUNDING * float(np.spacing(max(abs(self._axis.low), abs(self._axis.high))))
        step = self._step if self._step is not None else 0.0
        whole_if_integer = self._step is not None or value == round(value)
        return bool(whole_if_integer and abs(self._axis.value(centre) - value) <= GRID * step + rounding)

    def at(self, place: int) -> Array:
        """Return the coordinates of one of ``count`` values, by its place from 0, shape (size,)."""
        if self.size > 1:
            return np.asarray(np.eye(self.size)[place])
        return self._axis.centred(np.array([self._axis.at(place)]))

    def centred(self, coordinates: Array) -> Array:
        """Return coordinates, shape (n, size), each point moved to the centre of the cell of its value."""
        if self.size > 1:
            return np.asarray(np.eye(self.size)[np.argmax(coordinates, axis=1)])
        return self._axis.centred(coordinates)

    def widths(self, coordinates: Array) -> Array:
        """Return the widths of the cell around a point, shape (size,)."""
        return np.full(self.size, 1.0 if self.size > 1 else self._axis.width(float(coordinates[0])))


def axes_of(parameter: Parameter) -> FixedAxes | ParameterAxes:
    """Return the coordinates of a parameter."""
    values = len(parameter.choices) if isinstance(parameter, Categorical) else 1 + (parameter.low < parameter.high)
    return ParameterAxes(parameter) if values > 1 else FixedAxes(parameter)


def _finite(name: str, value: object, allowed: str) -> float:
    return number(name, value, allowed, least=-np.finfo(float).max, most=np.finfo(float).max)


def _check_order(low: float, given: object, high: float) -> None:
    if not low <= high:
        refuse("high", given, f"a number of at least low, {low!s}")


def _key(choice: Choice) -> tuple[str, Choice]:
    return type(choice).__name__, choice


def _is_text(text: str) -> bool:
    """Recognize text that can be written to a file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
