"""Evaluations of a generation in this thread, in an executor or through joblib."""

import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, as_completed
from functools import partial
from typing import Any

from sacma.optimize.arguments import refuse, whole
from sacma.optimize.evaluation import Evaluation, Function, evaluate
from sacma.surrogate.whitening import Array

Task = tuple[int, Array]  # the number of an evaluation, and its point
Evaluations = Generator[tuple[int, Evaluation], None, None]  # evaluations by their number, in any order, as they come
Evaluator = Callable[[Function, Sequence[Task]], Evaluations]  # evaluates f
MOST_WORKERS = 100_000  # processes that a call can ask for


def one_by_one(fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in this thread; none is begun before the last has been taken."""
    for number, point in tasks:
        yield number, evaluate(fun, point)


def in_executor(executor: Executor, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in an executor; what has not begun when nobody takes evaluations any more does not begin."""
    futures = {executor.submit(evaluate, fun, point): number for number, point in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def with_joblib(parallel: Any, fun: Function, tasks: Sequence[Task]) -> Evaluations:
    """Evaluate in the workers of a ``joblib.Parallel``."""
    from joblib import delayed  # noqa: PLC0415 who has a Parallel has it imported already

    results = parallel(delayed(_numbered)(fun, task) for task in tasks)
    try:
        for evaluation in results:  # noqa: UP028 `yield from` would close them with joblib's warning
            yield evaluation
    finally:
        if hasattr(results, "close"):  # ends what has not been taken
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # joblib's, that some results were not taken
                results.close()


def _numbered(fun: Function, task: Task) -> tuple[int, Evaluation]:
    number, point = task
    return number, evaluate(fun, point)


def evaluator_of(workers: object) -> Evaluator:
    """Return the evaluator of ``workers``, as ``minimize`` takes them."""
    allowed = "None, an integer ≥ 1, -1 for one a core, a concurrent.futures.Executor or a joblib.Parallel"
    if isinstance(workers, Executor):
        return partial(in_executor, workers)
    if callable(workers) and hasattr(workers, "n_jobs") and hasattr(workers, "return_generator"):
        return partial(with_joblib, workers)
    count = 1 if workers is None else whole("workers", workers, allowed, least=-1, most=MOST_WORKERS)
    if count == 0:
        refuse("workers", workers, allowed)
    if count == 1:
        return one_by_one
    from joblib import Parallel  # noqa: PLC0415 for those who use it

    return partial(with_joblib, Parallel(n_jobs=count, return_as="generator_unordered"))
