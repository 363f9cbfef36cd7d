"""Ask and tell: evaluations in a laboratory, on a cluster, or in a loop of your own."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import sacma


def measure(x: np.ndarray) -> float | None:
    """Stand in for an experiment that fails now and then."""
    return None if x[0] > 2.5 else float(np.sum((x - [1.0, 2.0, 3.0]) ** 2))


es = sacma.Optimizer([0.0, 0.0, 0.0], 1.5, budget=60, target=1e-3, seed=1)
for _ in range(6):
    X = es.ask()  # one point, or a few
    es.tell(X, [measure(x) for x in X])

with TemporaryDirectory() as folder:  # an evening, a restart of the computer …
    state = Path(folder) / "state.jsonl"
    es.save(state)
    es = sacma.Optimizer.load(state)  # … and the search continues, bit by bit

while not es.stop():
    for x in es.ask():
        es.tell([x], [measure(x)])  # one by one, in any order
print(es.stop(), es.result.fun, es.result.nfev, "evaluations,", es.result.failures, "failed")
