"""Parallel evaluation of a generation: the run is the same to the bit, and faster."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import sacma


def simulation(x: np.ndarray) -> float:
    """Wait for another program, for which threads are enough; Python code needs processes: workers=2."""
    time.sleep(0.02)
    return float(np.sum((x - 0.5) ** 2))


if __name__ == "__main__":  # processes import this file
    results = []
    with ThreadPoolExecutor(4) as executor:
        for workers in (None, executor):
            begin = time.perf_counter()
            results.append(sacma.minimize(simulation, [0.0] * 5, 1.0, budget=64, seed=1, workers=workers))
            print(f"{'alone' if workers is None else '4 threads'}: {time.perf_counter() - begin:.2f} s")
    print("the same points:", np.array_equal(results[0].history.points, results[1].history.points))
