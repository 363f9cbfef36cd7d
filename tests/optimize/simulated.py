"""An executor whose evaluations end in an order that a seed draws, in the thread that waits for them."""

from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import numpy as np

from sacma.optimize import pool


class Simulated(Executor):
    """Workers in simulated time: each evaluation takes an exponentially distributed one.

    An evaluation ends when the number of workers is asked for twice and none is submitted meanwhile: with
    ``without_waiting`` that is when all workers are busy, or nothing is left to begin. The ``long`` ones, by their
    numbers, take longer than any run.
    """

    def __init__(self, workers: int, seed: int = 1, *, long: Collection[int] = ()) -> None:
        self._long = long
        self.time = 0.0
        self.busy = 0.0  # summed over the workers
        self._workers = workers
        self._rng = np.random.default_rng(seed)
        self._running: list[tuple[float, int, Future[Any], Callable[[], Any]]] = []
        self._submitted = 0
        self._asked = 0  # since the last evaluation began or ended

    @property
    def max_workers(self) -> int:
        """Number of workers; one of them may have ended its evaluation."""
        self._asked += 1
        if self._running and self._asked > 1:
            self._asked = 0
            self.time, _, future, call = self._running.pop(0)
            if future.set_running_or_notify_cancel():
                future.set_result(call())
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin an evaluation."""
        self._asked = 0
        self._submitted += 1
        duration = float(self._rng.exponential()) + (1e6 if self._submitted in self._long else 0.0)
        self.busy += duration
        future: Future[Any] = Future()
        self._running.append((self.time + duration, self._submitted, future, lambda: fn(*args, **kwargs)))
        self._running.sort(key=lambda each: each[:2])
        return future


def without_waiting() -> AbstractContextManager[object]:
    """Let simulated workers be asked without a pause."""
    waiting: AbstractContextManager[object] = mock.patch.object(pool, "RECOUNTED", 0.0)
    return waiting
