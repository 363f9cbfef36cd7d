"""Training sets as they come up in trials of the study, recorded by running some."""

from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import patch

from report import config_paths

from sacma.config import load_studies
from sacma.experiment.plan import TrialSpec, plan
from sacma.experiment.trial import run_trial
from sacma.strategy import scmaes
from sacma.surrogate.gaussian_process import FitStatus, GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet

SURROGATES = ("gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
MOMENTS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""When in a trial, as a share of its trainings: early to late."""


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


def record_fits(dimension: int, moments: int) -> Iterator[RecordedFit]:
    """Run a trial a function, the algorithms in turn, and yield the trainings at ``moments`` moments of each."""
    for function in range(1, 25):
        config = SURROGATES[(function + dimension) % len(SURROGATES)]
        overrides = {"functions": str(function), "dimensions": str(dimension), "instances": "1"}
        (spec,) = plan(load_studies(config_paths([config]), overrides))
        fits: list[tuple[TrainingSet, Hyperparameters, Hyperparameters | None]] = []

        def recording(
            training: TrainingSet,
            *,
            start: Hyperparameters,
            warm: Hyperparameters | None = None,
            fits: list[tuple[TrainingSet, Hyperparameters, Hyperparameters | None]] = fits,
            **how: bool | float,
        ) -> GaussianProcess | FitStatus:
            process = fit_gaussian_process(training, start=start, warm=warm, **how)  # type: ignore[arg-type]
            if isinstance(process, GaussianProcess):
                fits.append((training, start, warm))
            return process

        with patch.object(scmaes, "fit_gaussian_process", recording):
            run_trial(spec)
        for shift in range(min(moments, len(fits))):
            moment = MOMENTS[(function + 2 * shift) % len(MOMENTS)]
            yield RecordedFit(spec, moment, *fits[int(moment * (len(fits) - 1))])
