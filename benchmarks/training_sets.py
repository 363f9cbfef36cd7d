"""Training sets as they come up in trials of the study, recorded by running some."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import PrivateAttr

from benchmarks.report import config_paths
from benchmarks.studies import run_with
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_studies
from sacma.surrogate.base import FitStatus
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.models.gaussian_process import GaussianProcessModel
from sacma.surrogate.part import Context
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


class RecordedModel(GaussianProcessModel):
    """The Gaussian process, with what it was asked to fit, where a model came of it."""

    _fits: list[Fit] = PrivateAttr(default_factory=list)

    @property
    def fits(self) -> list[Fit]:
        """The training set and start of each fit."""
        return self._fits

    def build(self, context: Context) -> "Recorder":  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return Recorder(self)


class Recorder:
    """Fits as the model of the study, and keeps what went in."""

    def __init__(self, settings: RecordedModel) -> None:
        self._fits = settings.fits
        self._start = Hyperparameters(
            settings.length_start, (settings.noise_std_start / settings.signal_std_start) ** 2
        )
        self._last: Hyperparameters | None = None

    def fit(self, training: TrainingSet, whitening: Whitening) -> GaussianProcess | FitStatus:
        """Fit, and keep what went in."""
        warm = None if self._last is None else self._last.stretched(whitening.log_scale)
        fitted = fit_gaussian_process(training, start=self._start, warm=warm)
        if isinstance(fitted, GaussianProcess):
            self._fits.append((training, self._start, warm))
        return fitted

    def keep(self, fitted: GaussianProcess, whitening: Whitening) -> None:
        """Start the next search from a model that came to be used."""
        self._last = fitted.hyperparameters.stretched(-whitening.log_scale)

    def forget(self) -> None:
        """Start the next search anew."""
        self._last = None


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
    model = RecordedModel(**study.settings.model.model_dump())
    settings = study.settings.model_copy(update={"model": model})
    run_with(spec, lambda problem, rng: surrogate_cmaes(problem, rng, settings))
    return model.fits
