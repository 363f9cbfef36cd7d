"""A journalled run that is killed again and again, beside one that is left alone.

``python -m tests.optimize.kills N`` kills one N times at random moments and says whether both made the same
evaluations.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import sacma
from sacma.optimize.methods import DEFAULT
from sacma.surrogate.whitening import Array

D = 5
BUDGET = 600


def slow_rosenbrock(x: Array) -> float:
    """Take a few milliseconds; fail in a part of the space."""
    time.sleep(0.003)
    if x[0] > 1.5:
        raise RuntimeError("out of range")
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def run(journal: Path, *, threads: int, budget: int = BUDGET, method: str = DEFAULT) -> None:
    """Run, or continue, the call that the journal is of."""
    with ThreadPoolExecutor(threads) as executor:
        workers = executor if threads > 1 else None
        arguments: dict[str, Any] = {"bounds": (-3, 3), "seed": 7, "budget": budget, "max_failures": None}
        sacma.minimize(slow_rosenbrock, np.zeros(D), 1.0, journal=journal, workers=workers, method=method, **arguments)


def killed(
    journal: Path,
    kills: int,
    rng: np.random.Generator,
    *,
    threads: int = 1,
    budget: int = BUDGET,
    method: str = DEFAULT,
) -> list[int]:
    """Kill the run ``kills`` times, then let it end; return how many lines the journal had at each kill."""
    lines: list[int] = []
    step = 3 * budget // (2 * (kills + 1))
    while True:
        child = os.fork()
        if child == 0:
            run(journal, threads=threads, budget=budget, method=method)
            os._exit(0)
        if len(lines) < kills:
            _wait_for(journal, min(_lines(journal) + int(rng.integers(step)), budget), seconds=5.0)
            time.sleep(rng.uniform(0.0, 0.02))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
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


def same_evaluations(one: Path, other: Path) -> bool:
    """Whether two journals have the same evaluations under the same numbers, to the bit."""
    a, b = sacma.read_journal(one), sacma.read_journal(other)
    return (
        sorted(a.evaluations) == sorted(b.evaluations)
        and a.points.tobytes() == b.points.tobytes()
        and a.values.tobytes() == b.values.tobytes()
    )


def main() -> None:
    """Kill and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--method", default=DEFAULT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        alone, other = Path(folder) / "alone.jsonl", Path(folder) / "killed.jsonl"
        run(alone, threads=1, method=options.method)
        how = {"threads": options.threads, "method": options.method}
        lines = killed(other, options.kills, np.random.default_rng(1), **how)
        print(f"killed {len(lines)} times, with {', '.join(map(str, lines))} lines in the journal")
        same = same_evaluations(alone, other)
        if options.threads == 1:
            same &= alone.read_bytes() == other.read_bytes()
        print(f"evaluations: {len(sacma.read_journal(other).evaluations)}; the same as of the run left alone: {same}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
