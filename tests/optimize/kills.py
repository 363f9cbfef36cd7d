"""A journalled run that is killed again and again, beside one that is left alone.

An asynchronous run follows from the moments at which evaluations end, so that two differ: of one that is killed each
journal must be the beginning of the next, and what f was called with must be in the last.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.optimize.journal import JournalContent
from sacma.optimize.methods import DEFAULT
from sacma.types import Array
from tests.optimize.runs import rosenbrock

D = 5


def slow_rosenbrock(x: Array) -> float:
    """Take a few milliseconds; fail in a part of the space."""
    time.sleep(0.003)
    if x[0] > 1.5:
        raise RuntimeError("out of range")
    return rosenbrock(x)


class Noted:
    """Slow Rosenbrock of random durations, which notes its points in a file: four kilobytes at a time are whole."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, x: Array) -> float:
        """Note the point, wait and evaluate."""
        with self._path.open("ab", buffering=0) as file:
            file.write(x.tobytes())
        time.sleep(float(np.random.default_rng(list(x.tobytes())).exponential(0.004)))
        return slow_rosenbrock(x)


def run(
    journal: Path,
    *,
    threads: int = 1,
    budget: int = 90,
    method: str = DEFAULT,
    asynchronous: bool = False,
    fun: Callable[[Array], float] = slow_rosenbrock,
) -> sacma.Result:
    """Run, or continue, the call that the journal is of."""
    with ThreadPoolExecutor(threads) as executor:
        how: dict[str, Any] = {"workers": executor if threads > 1 else None, "asynchronous": asynchronous}
        given: dict[str, Any] = {"bounds": (-3, 3), "seed": 7, "max_failures": None, "method": method}
        return sacma.minimize(fun, np.zeros(D), 1.0, budget=budget, journal=journal, **how, **given)


def killed(journal: Path, kills: int, rng: np.random.Generator, *, budget: int = 90, **how: Any) -> list[int]:
    """Kill the run ``kills`` times, then let it end; return how many lines the journal had at each kill.

    A RuntimeError where it fails, or where a journal is not the beginning of the next.
    """
    if sys.platform == "win32":
        pytest.skip("it forks nothing")
    lines: list[int] = []
    before = b""
    step = 3 * budget // (2 * (kills + 1))
    while True:
        child = os.fork()
        if child == 0:
            run(journal, budget=budget, **how)
            os._exit(0)
        if len(lines) < kills:
            _wait_for(journal, min(_lines(journal) + int(rng.integers(step)), budget), seconds=5.0)
            time.sleep(rng.uniform(0.0, 0.02))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        content = journal.read_bytes() if journal.exists() else b""
        if not content.startswith(before):
            raise RuntimeError("what was in the journal has changed")
        before = content[: content.rfind(b"\n") + 1]  # half a line is written again
        if os.WIFEXITED(status):
            if os.waitstatus_to_exitcode(status) != 0:
                raise RuntimeError("the run failed")
            return lines
        lines.append(_lines(journal))


def _lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _wait_for(journal: Path, lines: int, *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while _lines(journal) < lines and time.monotonic() < end:
        time.sleep(0.001)


def numbers_of(content: JournalContent) -> list[int]:
    return sorted(entry.number for entry in content.entries)


def same_evaluations(one: Path, other: Path) -> bool:
    """Whether two journals have the same evaluations under the same numbers, to the bit."""
    a, b = sacma.read_journal(one), sacma.read_journal(other)
    return (
        numbers_of(a) == numbers_of(b)
        and a.points.tobytes() == b.points.tobytes()
        and a.values.tobytes() == b.values.tobytes()
    )


def asynchronous_failures(
    journal: Path, kills: int, rng: np.random.Generator, *, threads: int, **how: Any
) -> list[str]:
    """Kill an asynchronous run again and again, and let it end; return what is wrong with its evaluations."""
    noted = journal.with_suffix(".points")
    how |= {"threads": threads, "asynchronous": True}
    lines = killed(journal, kills, rng, fun=Noted(noted), **how)
    content = sacma.read_journal(journal)
    called = np.frombuffer(noted.read_bytes()).reshape(-1, D)
    known = {point.tobytes() for point in content.points}
    wrong = []
    if len(content.entries) != how.get("budget", 90):
        wrong.append("evaluations are missing, or too many")
    if (lost := sum(point.tobytes() not in known for point in called)) > threads * len(lines):
        wrong.append(f"{lost} evaluations, more than were running at kills, are not in the journal")
    if len(called) > len(known) + threads * len(lines):
        wrong.append(f"f was called {len(called)} times")
    before = noted.stat().st_size
    again = run(journal, fun=Noted(noted), **how)
    if noted.stat().st_size != before or again.history.values.tobytes() != content.values.tobytes():
        wrong.append("computed again, it is not the same run")
    return wrong
