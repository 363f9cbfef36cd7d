"""Our fit of the Gaussian process against scikit-learn's: same kernel, bounds, start and data.

Turn by turn in one process, on training sets recorded from real trials: CPU time of a cold fit each, and the log
marginal likelihood that it reaches, also against the best of scikit-learn's search with restarts. Theirs has no
constant mean: it is given ours, subtracted from the data. Its s_f² ends at 1e8 and its ℓ at 1e6: with the study's
upper bounds, e^50 and e^25, its first step often lands where the matrix has no factor, and there its search ends.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from threadpoolctl import threadpool_limits

from benchmarks.report import parsed, print_table, write
from benchmarks.training_sets import RecordedFit, record_fits
from sacma.coco.ranges import parse_ranges
from sacma.surrogate.gaussian_process import GaussianProcess, fit_gaussian_process
from sacma.surrogate.likelihood import BOUNDS

Result = TypeVar("Result")

SIGNAL = 4.0
"""s_f² at the study's start."""


def main() -> None:
    """Record, fit, print and write ``out/gp_fit.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument(
        "--moments", type=int, default=2, help="training sets a trial; a trial a function and dimension"
    )
    parser.add_argument("--restarts", type=int, default=10, help="of scikit-learn's search")
    options = parsed(parser, dimensions="2", functions="1,8", budget=60, moments=1, restarts=1)

    summary, sets = [], []
    with threadpool_limits(limits=1):
        for dimension in map(int, options.dimensions.split(",")):
            functions = parse_ranges(options.functions)
            fits = list(record_fits(dimension, options.moments, functions, options.budget))
            rows = [_compare(fit, options.restarts) for fit in fits]
            sets += rows
            summary.append(_summary(dimension, rows))
            print(f"{dimension}-D: {len(rows)} sets", flush=True)
    summary.append({**_summary(0, sets), "D": "all"})
    print("\nCPU time of a cold fit, and log marginal likelihood less scikit-learn's")
    print_table(summary)
    write("gp_fit", vars(options), summary=summary, sets=sets)


def _compare(fit: RecordedFit, restarts: int) -> dict[str, Any]:
    process, seconds = _timed(lambda: fit_gaussian_process(fit.training, start=fit.start))
    assert isinstance(process, GaussianProcess)  # noqa: S101 it was one in the trial
    warm, warm_seconds = _timed(lambda: fit_gaussian_process(fit.training, start=fit.start, warm=fit.warm))
    assert isinstance(warm, GaussianProcess)  # noqa: S101 idem
    y = (fit.training.values - process.center) / process.scale - process.mean
    (single, their_evaluations), their_seconds = _timed(lambda: _sklearn(fit, y, 0))
    best = max(single, _sklearn(fit, y, restarts)[0])
    return {
        "set": str(fit),
        "dimension": fit.spec.dimension,
        "n": len(fit.training),
        "full": len(fit.training) == 15 * fit.spec.dimension,
        "milliseconds": 1e3 * seconds,
        "warm_milliseconds": 1e3 * warm_seconds,
        "their_milliseconds": 1e3 * their_seconds,
        "evaluations": process.likelihood_evaluations,
        "their_evaluations": their_evaluations,
        "warm_evaluations": warm.likelihood_evaluations,
        "over_single": process.log_likelihood - single,
        "over_best": process.log_likelihood - best,
        "warm_over_cold": warm.log_likelihood - process.log_likelihood,
    }


class _Counting(GaussianProcessRegressor):
    """Counts the evaluations of the likelihood and its gradient."""

    evaluations = 0

    def log_marginal_likelihood(self, *arguments: Any, **options: Any) -> Any:
        self.evaluations += 1
        return super().log_marginal_likelihood(*arguments, **options)


def _sklearn(fit: RecordedFit, y: np.ndarray, restarts: int) -> tuple[float, int]:
    """Return the log marginal likelihood that scikit-learn's search finds, and its evaluations."""
    smallest = np.exp([2.0 * BOUNDS.log_signal[0], BOUNDS.log_length[0]])
    noise = tuple(np.exp(2.0 * np.array(BOUNDS.log_noise)))
    kernel = ConstantKernel(SIGNAL, (smallest[0], 1e8)) * Matern(fit.start.length, (smallest[1], 1e6), nu=2.5)
    kernel += WhiteKernel(fit.start.ratio * SIGNAL, noise)
    theirs = _Counting(kernel, alpha=0.0, n_restarts_optimizer=restarts, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it ends at its bounds
        try:
            theirs.fit(fit.training.inputs, y)
        except np.linalg.LinAlgError:  # where it ends has no factor
            return -np.inf, theirs.evaluations
    return float(theirs.log_marginal_likelihood_value_), theirs.evaluations


def _timed(function: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result, and the median CPU time of three calls: the first finds other data in the caches."""
    samples = []
    for _ in range(3):
        start = time.process_time()
        result = function()
        samples.append(time.process_time() - start)
    return result, statistics.median(samples)


def _summary(dimension: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    full = [row for row in rows if row["full"]] or rows
    return {
        "D": dimension,
        "sets": len(rows),
        "n = 15 D": len(full),
        "ms": statistics.median(row["milliseconds"] for row in full),
        "warm ms": statistics.median(row["warm_milliseconds"] for row in full),
        "theirs ms": statistics.median(row["their_milliseconds"] for row in full),
        "ratio": statistics.median(row["their_milliseconds"] / row["milliseconds"] for row in full),
        "theirs near ours": sum(row["over_single"] < 1.0 for row in full),
        "ratio there": statistics.median(
            [row["their_milliseconds"] / row["milliseconds"] for row in full if row["over_single"] < 1.0] or [np.nan]
        ),
        "evaluations": statistics.mean(row["evaluations"] for row in full),
        "theirs": statistics.mean(row["their_evaluations"] for row in full),
        "ratio of one": statistics.median(
            row["their_milliseconds"] / row["their_evaluations"] / row["milliseconds"] * row["evaluations"]
            for row in full
        ),
        ">= best - 0.1": statistics.mean(row["over_best"] >= -0.1 for row in rows),
        "worst to single": min(row["over_single"] for row in rows),
        "warm >= cold - 0.1": statistics.mean(row["warm_over_cold"] >= -0.1 for row in rows),
    }


if __name__ == "__main__":
    main()
