"""A run that survives crashes: the same call continues where the last one ended."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import sacma

evaluations = 0
crash_at = 50


def simulation(x: np.ndarray) -> float:
    """Count the evaluations, and crash the whole program once."""
    global evaluations, crash_at  # noqa: PLW0603 a short example
    if evaluations == crash_at:
        crash_at = -1
        raise SystemExit("the computer loses power")
    evaluations += 1
    return float(np.sum(np.abs(x) ** 1.5))


def optimise(journal: Path) -> sacma.Result:
    """Minimise; the call is the same before and after the crash."""
    return sacma.minimize(simulation, [2.0, -1.0, 3.0], 1.0, budget=120, seed=1, journal=journal)


with TemporaryDirectory() as folder:
    path = Path(folder) / "run.jsonl"
    try:
        optimise(path)
    except SystemExit as crash:
        print(f"{crash}: {len(sacma.read_journal(path).values)} evaluations are on the disk")
    result = optimise(path)
    print(f"{result.message}: {evaluations} evaluations were paid for, best value {result.fun:.2g}")

    # Another search that begins with the known evaluations, which are not paid for again.
    known = sacma.read_journal(path).known
    other = sacma.minimize(simulation, [0.5, 0.5, 0.5], 0.3, budget=40, seed=2, known=known)
    print(f"with an archive of {len(known[1])}: {other.fun:.2g} after {other.nfev} more")
