"""Runs of one optimizer on one problem with one seed, a line of a file each."""

import json
import lzma
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from .budgeted import BudgetedObjective
from .catalogue import PROBLEMS
from .optimizers import OPTIMIZERS, run

DIGITS = 10  # of a value in the file


@dataclass(frozen=True)
class RunKey:
    """The identity of a run."""

    problem: str
    optimizer: str
    seed: int
    budget: float  # evaluations a dimension


@dataclass(frozen=True)
class RunRecord:
    """The outcome of a run."""

    key: RunKey
    start: float  # value at the initial point, which is not counted; inf where it fails
    improvements: list[tuple[int, float]]  # number of the evaluation, and its value
    evaluations: int
    failures: int
    overhead: float  # CPU seconds beside the objective
    package: str  # and its version


def initial_point(problem: str, seed: int) -> np.ndarray:
    """Return the initial point of a seed in the unit cube: the same for all optimizers."""
    return np.random.default_rng([seed, 0]).random(PROBLEMS[problem].dimension)


def perform(key: RunKey) -> RunRecord:
    """Run, on one core."""
    problem, optimizer = PROBLEMS[key.problem], OPTIMIZERS[key.optimizer]
    objective = BudgetedObjective(problem, math.ceil(key.budget * problem.dimension))
    start = initial_point(key.problem, key.seed)
    with threadpool_limits(1):
        at_start = problem.at(start)  # also loads data
        begun = time.process_time()
        run(optimizer, objective, start, key.seed)
        seconds = time.process_time() - begun
    return RunRecord(
        key,
        at_start,
        objective.improvements,
        objective.evaluations,
        objective.failures,
        seconds - objective.seconds,
        optimizer.package(),
    )


def read(folder: Path) -> Iterator[RunRecord]:
    """Yield the runs of a folder; a line that a kill has cut off is left out."""
    for path in sorted(folder.glob("*.jsonl*")):
        packed = path.suffix == ".xz"  # those that are committed
        text = lzma.decompress(path.read_bytes()).decode() if packed else path.read_text()
        for line in text.splitlines():
            try:
                fields = json.loads(line)
            except json.JSONDecodeError:
                continue
            improvements = [(int(n), float(value)) for n, value in fields.pop("improvements")]
            yield RunRecord(RunKey(**fields.pop("key")), improvements=improvements, **fields)


def append(folder: Path, record: RunRecord) -> None:
    """Write a run to the file of its optimizer."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.key.optimizer.replace(' ', '_')}.jsonl"
    kept = replace(record, improvements=[(n, float(f"{value:.{DIGITS}g}")) for n, value in record.improvements])
    cut_off = path.exists() and not path.read_bytes().endswith(b"\n")
    with path.open("a") as file:
        file.write("\n" * cut_off + json.dumps(asdict(kept)) + "\n")
