"""Fit of the Gaussian process against scikit-learn's: same kernel, start and data.

Turn by turn in one process, on training sets recorded from trials of the study: CPU time of a cold fit each, and the
log marginal likelihood that it reaches, also against the best of scikit-learn's search with restarts. Theirs has no
constant mean: it is given ours, subtracted from the data. Its s_f² ends at 1e8 and its ℓ at 1e6: with the study's
upper bounds its first step often lands where the matrix has no factor, and there its search ends.
"""

import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import PrivateAttr
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from threadpoolctl import threadpool_limits

from benchmarks.common import arguments, config_paths, print_table
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.coco.ranges import parse_ranges
from sacma.config.plan import plan
from sacma.config.study import load_studies
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.seeding import sampling
from sacma.experiment.trial import suite_of
from sacma.surrogate.gaussian_process import (
    LOG_LENGTH,
    LOG_NOISE,
    LOG_SIGNAL,
    GaussianProcess,
    Hyperparameters,
    fit_gaussian_process,
)
from sacma.surrogate.model import FitStatus, Fitted
from sacma.surrogate.models import GaussianProcessModel, usual_start
from sacma.surrogate.training_set import TrainingSet

Result = TypeVar("Result")

SURROGATES = ("gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
MOMENTS = (0.05, 0.25, 0.5, 0.75, 0.95)  # of a trial, as a share of its trainings
TIMES = ("ms", "warm ms", "theirs ms", "ratio")
SIGNAL = 4.0  # s_f² at the study's start


class RecordedFit(NamedTuple):
    """Input of one training of a trial."""

    training: TrainingSet
    start: Hyperparameters
    warm: Hyperparameters | None


class RecordedModel(GaussianProcessModel):
    """The study's Gaussian process, which keeps the input of each fit that succeeds."""

    _fits: list[RecordedFit] = PrivateAttr(default_factory=list)

    @property
    def fits(self) -> list[RecordedFit]:
        """The input of each fit."""
        return self._fits

    def fit(self, training: TrainingSet, warm: Hyperparameters | None) -> Fitted | FitStatus:
        """Fit, and keep the input."""
        fitted = super().fit(training, warm)
        if isinstance(fitted, GaussianProcess):
            self._fits.append(RecordedFit(training, usual_start(self.noise_std_start), warm))
        return fitted


def main() -> None:
    """Record, fit and print."""
    tiny = {"dimensions": "2", "functions": "1,8", "budget": 60, "moments": 1, "restarts": 1}
    options = arguments(__doc__, tiny, dimensions="2,3,5,10,20", functions="1-24", budget=None, moments=2, restarts=10)
    rows, everything = [], []
    with threadpool_limits(limits=1):
        for D in map(int, options.dimensions.split(",")):
            fits = recorded_fits(D, options.moments, parse_ranges(options.functions), options.budget)
            compared = [compare(fit, options.restarts) for fit in fits]
            rows.append({"D": D, **summary(compared)})
            everything += compared
    print("\nmedian CPU ms of a fit, and log marginal likelihood beside scikit-learn's")
    print_table([*rows, {"D": "all", **summary(everything)}])


def recorded_fits(D: int, moments: int, functions: Iterable[int], budget: float | None) -> Iterator[RecordedFit]:
    """Run a trial a function, the algorithms in turn, and yield the trainings at some moments of each."""
    for function in functions:
        config = SURROGATES[(function + D) % len(SURROGATES)]
        protocol = {"functions": str(function), "dimensions": str(D), "instances": "1", "budget": budget}
        (study,) = load_studies(config_paths([config]), protocol)
        (spec,) = plan([study])
        model = RecordedModel(**study.settings.model.model_dump())
        problem = BudgetedProblem(spec, suite_of(spec)[0], optimal_value(spec))
        with suppress(TrialEnd):
            surrogate_cmaes(problem, sampling(spec), study.settings.model_copy(update={"model": model}))
        for shift in range(min(moments, len(model.fits))):
            moment = MOMENTS[(function + 2 * shift) % len(MOMENTS)]
            yield model.fits[int(moment * (len(model.fits) - 1))]


def compare(fit: RecordedFit, restarts: int) -> dict[str, float]:
    """Return CPU milliseconds of fits to one training set, and differences of their log likelihoods."""
    process, cold = timed(lambda: fit_gaussian_process(fit.training, start=fit.start))
    warm, from_last = timed(lambda: fit_gaussian_process(fit.training, start=fit.start, warm=fit.warm))
    y = (fit.training.values - process.center) / process.scale - process.mean
    single, theirs = timed(lambda: log_likelihood_of_sklearn(fit, y, 0))
    best = max(single, log_likelihood_of_sklearn(fit, y, restarts))
    return {
        "full": float(len(fit.training) == 15 * fit.training.inputs.shape[1]),
        "ms": 1e3 * cold,
        "warm ms": 1e3 * from_last,
        "theirs ms": 1e3 * theirs,
        "ratio": theirs / cold,
        "over best": process.log_likelihood - best,
        "warm over cold": warm.log_likelihood - process.log_likelihood,
    }


def log_likelihood_of_sklearn(fit: RecordedFit, y: np.ndarray, restarts: int) -> float:
    """Return the log marginal likelihood that scikit-learn's search finds."""
    smallest = np.exp([2.0 * LOG_SIGNAL[0], LOG_LENGTH[0]])
    noise = tuple(np.exp(2.0 * np.array(LOG_NOISE)))
    kernel = ConstantKernel(SIGNAL, (smallest[0], 1e8)) * Matern(fit.start.length, (smallest[1], 1e6), nu=2.5)
    kernel += WhiteKernel(fit.start.ratio * SIGNAL, noise)
    theirs = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=restarts, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it ends at its bounds
        try:
            return float(theirs.fit(fit.training.inputs, y).log_marginal_likelihood_value_)
        except np.linalg.LinAlgError:  # the matrix at the end has no factor
            return -np.inf


def timed(function: Callable[[], Result]) -> tuple[Result, float]:
    """Return a result, and the median CPU time of three calls: the first finds other data in the caches."""
    samples = []
    for _ in range(3):
        start = time.process_time()
        result = function()
        samples.append(time.process_time() - start)
    return result, statistics.median(samples)


def summary(rows: list[dict[str, float]]) -> dict[str, Any]:
    """Return medians over sets of 15 D points, and the shares of all sets on which the likelihood is near the best."""
    full = [row for row in rows if row["full"]] or rows

    def share(column: str) -> float:
        return statistics.mean(row[column] >= -0.1 for row in rows)

    return {
        "sets": len(rows),
        **{column: statistics.median(row[column] for row in full) for column in TIMES},
        ">= best - 0.1": share("over best"),
        "warm >= cold - 0.1": share("warm over cold"),
    }


if __name__ == "__main__":
    main()
