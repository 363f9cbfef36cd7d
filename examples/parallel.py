"""Parallel evaluation: generations, a run that is the same to the bit, and asynchronously, with no worker waiting."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

import sacma


def simulation(x: np.ndarray) -> float:
    """Wait for another program, for which threads are enough; Python code needs processes: workers=2."""
    time.sleep(0.01 + 0.02 * abs(np.sin(1e6 * x[0])))
    return float(np.sum((x - 0.5) ** 2))


if __name__ == "__main__":  # processes import this file
    for method in ("ada-kendall", "sacma"):  # loads what they compute with, which is no work of theirs
        sacma.minimize(np.sum, [0.0] * 5, 1.0, budget=30, seed=1, method=method)
    results = []
    with ThreadPoolExecutor(4) as executor:
        for how, workers, asynchronous, method in (
            ("one after another", None, False, "ada-kendall"),  # which asks for whole generations
            ("4 threads, generations", executor, False, "ada-kendall"),
            ("4 threads, asynchronous", executor, True, "sacma"),  # the default, which asks for a few points at a time
        ):
            begin = time.perf_counter()
            call = partial(sacma.minimize, simulation, [0.0] * 5, 1.0, budget=64, seed=1, method=method)
            results.append(call(workers=workers, asynchronous=asynchronous))
            print(f"{how}: {time.perf_counter() - begin:.2f} s")
    print("generations, the same points:", np.array_equal(results[0].history.points, results[1].history.points))
