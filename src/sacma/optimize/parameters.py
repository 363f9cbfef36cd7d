"""Parameters of a space: real, integer and categorical ones."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from sacma.optimize.arguments import flag, number, require, whole

LARGEST_INTEGER = 10**15  # of a range: its neighbours are still floats of their own
LARGEST_LOGARITHMIC = 10**12  # integer of a log scale: the logarithms of its neighbours are still apart
MOST_CHOICES = 100
GRID = 1e-9  # error of a value between two steps, as a share of a step
ROUNDING = 8.0  # distances between floats by which a value may differ, and least step

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
        low, high = _ends(self, number, "a finite number", sys.float_info.max)
        step = self.step if low < high else None
        if step is not None:
            rounding = math.ulp(max(abs(low), abs(high)))
            allowed = f"None, or a number from {ROUNDING * rounding:g}, as floats tell steps apart, to high - low"
            step = number("step", step, allowed, least=ROUNDING * rounding, most=high - low + rounding)
            steps = math.floor((high - low) / step + GRID + 2.0 * rounding / step)
            high = min(high, low + steps * step)
        for name, value in (("low", low), ("high", high), ("step", step)):
            object.__setattr__(self, name, value)


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
        most = LARGEST_LOGARITHMIC if self.log else LARGEST_INTEGER
        low, high = _ends(self, whole, f"an integer from -{most:g} to {most:g}", most)
        step = whole("step", self.step, "an integer ≥ 1, at most high - low", least=1, most=max(1, high - low))
        for name, value in (("low", low), ("high", low + (high - low) // step * step), ("step", step)):
            object.__setattr__(self, name, value)


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
        several: Any = choices[0] if listed else choices
        given = tuple(map(_of_python, several))
        few = 1 <= len(given) <= MOST_CHOICES and all(map(_is_choice, given))
        allowed = f"1 to {MOST_CHOICES} different texts, finite numbers, booleans or None; names of other objects"
        require(few and len(set(map(repr, given))) == len(given), "choices", given, allowed)
        self.choices: tuple[Choice, ...] = given

    def __repr__(self) -> str:
        return f"Categorical({', '.join(map(repr, self.choices))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categorical) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def place(self, choice: object) -> int | None:
        """Return the place of a choice, None where it is none; 1, 1.0 and True are different ones."""
        given = _of_python(choice)
        keys = list(map(repr, self.choices))
        return keys.index(repr(given)) if _is_choice(given) and repr(given) in keys else None


Parameter = Real | Integer | Categorical


def is_number(value: object) -> TypeGuard[float]:
    """Recognize a real number, which True is none."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _ends(parameter: Real | Integer, check: Callable[..., Any], allowed: str, most: float) -> tuple[Any, Any]:
    """Return low and high of a range, checked also for a log scale."""
    low, high = (check(end, getattr(parameter, end), allowed, least=-most, most=most) for end in ("low", "high"))
    require(low <= high, "high", parameter.high, f"a number of at least low, {low!s}")
    if flag("log", parameter.log):
        usual = type(parameter).step
        require(low > 0, "low", parameter.low, "a number above 0, with log")
        require(parameter.step == usual, "step", parameter.step, f"{usual} with log")
    return low, high


def _of_python(choice: Any) -> Any:
    """Return a choice, which may be NumPy's, as Python's own."""
    return choice.item() if isinstance(choice, np.generic) else choice


def _is_choice(choice: Any) -> bool:
    """Recognize values of JSON: text that can be encoded, a finite number, True, False or None."""
    if type(choice) is str:
        return choice == choice.encode(errors="ignore").decode()
    if type(choice) in {int, float}:
        return bool(-sys.float_info.max <= choice <= sys.float_info.max)
    return choice is None or isinstance(choice, bool)


KINDS: Mapping[str, Any] = {"real": Real, "integer": Integer, "categorical": Categorical}
