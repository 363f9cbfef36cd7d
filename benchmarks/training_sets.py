"""Training sets as they come up in trials of the study, recorded by running some."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from report import config_paths

from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_studies
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.seeding import sampling
from sacma.experiment.trial import suite_of
from sacma.strategy.learners import GaussianProcessLearner
from sacma.strategy.scmaes import SurrogateCMAES
from sacma.strategy.settings import SurrogateSettings
from sacma.strategy.training import Regression, Trainer
from sacma.surrogate.gaussian_process import FitStatus, GaussianProcess, Hyperparameters
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening

SURROGATES = ("gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
MOMENTS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""When in a trial, as a share of its trainings: early to late."""

Fit = tuple[TrainingSet, Hyperparameters, Hyperparameters | None]


@dataclass(frozen=True)
class RecordedFit:
    """One training of a trial: what went in."""

    spec: TrialSpec
    moment: float
    training: TrainingSet
    start: Hyperparameters
    warm: Hyperparameters | None

    def __str__(self) -> str:
        return f"f{self.spec.function} {self.spec.dimension}-D {self.spec.name} n={len(self.training)} at {self.moment}"


class Recorder:
    """A learner of Gaussian processes that keeps what it was asked to fit, where a model came of it."""

    def __init__(self, learner: GaussianProcessLearner) -> None:
        self.learner = learner
        self.fits: list[Fit] = []

    def fit(self, training: TrainingSet, whitening: Whitening) -> GaussianProcess | FitStatus:
        """Fit, and keep what went in."""
        warm = self.learner.warm_start(whitening)
        fitted = self.learner.fit(training, whitening)
        if isinstance(fitted, GaussianProcess):
            self.fits.append((training, self.learner.start, warm))
        return fitted

    def keep(self, fitted: GaussianProcess, whitening: Whitening) -> None:
        """Start the next search from a model that came to be used."""
        self.learner.keep(fitted, whitening)

    def forget(self) -> None:
        """Start the next search anew."""
        self.learner.forget()


def record_fits(
    dimension: int, moments: int, functions: Iterable[int] = range(1, 25), budget: float | None = None
) -> Iterator[RecordedFit]:
    """Run a trial a function, the algorithms in turn, and yield the trainings at ``moments`` moments of each."""
    for function in functions:
        config = SURROGATES[(function + dimension) % len(SURROGATES)]
        overrides = {"functions": str(function), "dimensions": str(dimension), "instances": "1", "budget": budget}
        (study,) = load_studies(config_paths([config]), overrides)
        (spec,) = plan([study])
        fits = run(spec, study)
        for shift in range(min(moments, len(fits))):
            moment = MOMENTS[(function + 2 * shift) % len(MOMENTS)]
            yield RecordedFit(spec, moment, *fits[int(moment * (len(fits) - 1))])


def run(spec: TrialSpec, study: Study) -> list[Fit]:
    """Run a trial, point for point that of the harness, and return its trainings."""
    suite, settings = suite_of(spec), study.settings
    problem = BudgetedProblem(spec, suite[0], optimal_value(spec))
    recorders = []

    def make_trainer(settings: SurrogateSettings, rng: np.random.Generator) -> Trainer[Regression]:
        recorders.append(Recorder(GaussianProcessLearner(settings)))
        return Trainer(settings, recorders[-1], rng)

    strategy = SurrogateCMAES(
        settings,
        initial_point=lambda: problem.initial_point(settings.initial_range),
        box=(problem.lower_bounds, problem.upper_bounds),
        rng=sampling(spec),
        make_trainer=make_trainer,
    )
    with suppress(TrialEnd):
        while not strategy.stopped:
            strategy.tell([problem(point) for point in strategy.ask()])
    return [fit for recorder in recorders for fit in recorder.fits]
