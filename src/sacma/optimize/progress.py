"""ProgressLine of a run, for people: evaluations, the best value and the time that is left, in one line."""

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TextIO

from sacma.optimize.result import Result

EVERY = 0.2  # seconds between two lines in a terminal, which replace each other
EVERY_ELSEWHERE = 30.0  # seconds between two lines in a file
UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


class ProgressLine:
    """A line on standard error, again and again; in a notebook a bar of tqdm, where that is installed.

    Args:
        budget: most evaluations.
        stream: where lines are written to; None: standard error.
    """

    def __init__(self, budget: float, stream: TextIO | None = None) -> None:
        self._budget = budget
        self._stream = sys.stderr if stream is None else stream
        self._began = self._shown = time.monotonic()
        self._first: int | None = None  # evaluations of an earlier run
        self._bar: Any = None
        if stream is None and "ipykernel" in sys.modules and find_spec("tqdm") is not None:
            self._bar = import_module("tqdm.auto").tqdm(total=budget, unit="evaluation")

    def __call__(self, result: Result, *, last: bool = False) -> None:
        """Show a result, if it is time to, or the last one."""
        done = result.nfev
        self._first = done if self._first is None else self._first
        now, tty = time.monotonic(), self._stream.isatty()
        if self._bar is not None:
            self._bar.set_postfix_str(f"best {result.fun:g}", refresh=False)
            self._bar.update(done - self._bar.n)
        elif last or now - self._shown >= (EVERY if tty else EVERY_ELSEWHERE):
            self._shown = now
            made, left = done - self._first, self._budget - done
            rest = f", {_spoken((now - self._began) / made * left)} left" if left > 0 and made > 0 else ""
            line = f"{done}/{self._budget:.0f} evaluations, best {result.fun:g}{rest}"
            self._stream.write(("\r" if tty else "") + line.ljust(72) + ("\n" if last or not tty else ""))
            self._stream.flush()

    def at_end(self, result: Result) -> None:
        """Show the last result."""
        self(result, last=True)
        if self._bar is not None:
            self._bar.close()


def _spoken(seconds: float) -> str:
    """Return a time with one unit.

    >>> _spoken(5400.0)
    '1.5 h'
    """
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), (1, "s"))
    return f"{seconds / size:.2g} {unit}"
