"""Parts of the published code of the paper's authors, where it differs from the paper.

Only ``configs/as_run`` uses them. Algorithm 1 and the parts of the paper do not know them. The error measures of this
code are beside the paper's, in ``errors``.
"""

import itertools
import math
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from sacma.strategy.cma_es import CMAES, Bounds, CMAESSampling
from sacma.strategy.control import Control, no_better_than
from sacma.strategy.generation_control import (
    TRANSFERS,
    AdaptiveControl,
    AdaptiveGenerations,
    GenerationControl,
    Generations,
    round_half_up,
)
from sacma.strategy.population import Population
from sacma.strategy.restarts import Factor, InitialRange, Keeps, MostRestarts, Start, Starts
from sacma.strategy.training import TrainedModel
from sacma.surrogate.model import FitStatus, Fitted
from sacma.surrogate.models import LikelihoodModel, usual_start
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

RAISED_BY = 1.000001  # factor of the amount by which predictions are raised to the best true value
SECOND_SEARCH_BELOW = 0.1  # gain in log likelihood below which a search from several starts follows


class CMAESAsRun(CMAESSampling):
    """CMA-ES with a penalty for points outside of the box; the archive holds repaired points."""

    name: Literal["cma-es-as-run"] = "cma-es-as-run"  # type: ignore[assignment]  # the same fields under its own name
    bounds: Bounds = "penalty"
    constants: Annotated[Literal["cmaes.m", "pycma"], Field(description="c_μ, c_σ and d_σ of this code")] = "cmaes.m"
    largest_share: ClassVar[float] = 0.5

    def start(self, start: Start, initial_point: Array, context: Context) -> CMAES:
        """Begin a run; see ``CMAESSampling``."""
        return CMAESOfTheCode(initial_point, self.population(start, context), self.stepping(start), context)


class CMAESOfTheCode(CMAES):
    """A run with the constants of cmaes.m, whose repaired points are archived."""

    def __init__(self, initial_point: Array, population_size: int, settings: CMAESAsRun, context: Context) -> None:
        super().__init__(initial_point, population_size, settings, context)
        if settings.constants == "cmaes.m":
            es = self._es
            mueff = es.sp.weights.mueff
            learning = es.sm.parameters(mueff=mueff, lam=es.sp.weights.lambda_)
            learning["cmu"] = rank_mu_rate(context.dimension, mueff)
            es.adapt_sigma.cs, es.adapt_sigma.damps = path_rate_and_damping(context.dimension, mueff)

    @property
    def learned(self) -> Array:
        """The population as f sees it, shape (λ, D)."""
        return np.asarray(self.proposed)

    def place(self, points: Array) -> tuple[Array, Array]:
        """Return points of the distribution, shape (n, D), as f is to see them and as the archive keeps them."""
        repaired, _ = super().place(points)
        return repaired, repaired


def rank_mu_rate(dimension: int, mueff: float) -> float:
    """c_μ of cmaes.m 3, 2 (μ_eff − 2 + 1/μ_eff) / ((D + 2)² + μ_eff), at most 1 − c_1.

    >>> round(rank_mu_rate(2, 2.0286), 4)
    0.0579
    >>> round(rank_mu_rate(2, 50.0), 4)
    0.9672
    """
    c1 = 2.0 / ((dimension + 1.3) ** 2 + mueff)
    return min(1.0 - c1, 2.0 * (mueff - 2.0 + 1.0 / mueff) / ((dimension + 2.0) ** 2 + mueff))


def path_rate_and_damping(dimension: int, mueff: float) -> tuple[float, float]:
    """c_σ = (μ_eff + 2) / (D + μ_eff + 3) and d_σ = 1 + 2 max(0, √((μ_eff − 1)/(D + 1)) − 1) + c_σ of cmaes.m 3.

    >>> [round(constant, 4) for constant in path_rate_and_damping(2, 2.0286)]
    [0.5732, 1.5732]
    >>> [round(constant, 4) for constant in path_rate_and_damping(2, 50.0)]
    [0.9455, 8.0284]
    """
    cs = (mueff + 2.0) / (dimension + mueff + 3.0)
    return cs, 1.0 + 2.0 * max(0.0, math.sqrt((mueff - 1.0) / (dimension + 1.0)) - 1.0) + cs


class IPOPAsRun(Part):
    """IPOP from the same point, keeping everything; after the last restart a new start that knows a point and no more.

    x₀ is evaluated with f before each run, and m after it; these values count but enter no model and no update.
    """

    name: Literal["ipop-as-run"] = "ipop-as-run"
    initial_range: InitialRange = 4.0
    population_factor: Factor = 2.0
    max_restarts: MostRestarts = 4
    evaluates_initial_points: ClassVar[bool] = False
    evaluates_means: ClassVar[bool] = True

    def starts(self, context: Context) -> Starts:  # noqa: ARG002 one protocol
        """Return the starts; see ``Restarts``."""
        last = yield Start(1.0, keeps=Keeps.NOTHING)
        for place in itertools.cycle([*range(1, self.max_restarts + 1), 0]):
            growth = self.population_factor**place
            if place:
                last = yield Start(growth, initial_point=last.initial_point, keeps=Keeps.ALL)
            else:
                best, value = last.recent_best
                x0 = last.mean if last.value_at_mean < value else best
                last = yield Start(growth, initial_point=x0, keeps=Keeps.NOTHING)


class GaussianProcessAsRun(LikelihoodModel):
    """Gaussian process whose likelihood search begins at the published start at every training."""

    name: Literal["gaussian-process-as-run"] = "gaussian-process-as-run"

    def fit(self, training: TrainingSet, warm: object) -> Fitted | FitStatus:  # noqa: ARG002 each search begins anew
        """Fit by maximum likelihood from ℓ = 0.5, s_f = 2, σ_n = 0.01."""
        from sacma.surrogate.gaussian_process import Search, SearchedFrom  # noqa: PLC0415 loads Numba

        search = Search.of(training, mean_around_minimum=True)
        if isinstance(search, FitStatus):
            return search
        if search.run(SearchedFrom.START, [usual_start()]) < SECOND_SEARCH_BELOW:
            search.run_from_several(usual_start())
        return search.model()


class SpansSample(Part):
    """Rejection of models that span less than min(1e-8, 5 % of the training values) on a new, repaired sample."""

    name: Literal["spans-sample-as-run"] = "spans-sample-as-run"

    def judge(self, model: Callable[[Array], Array], run: CMAES, values: Array) -> FitStatus:
        """Predict a new sample, repaired into the box; see ``Acceptance``."""
        narrow = min(1e-8, 0.05 * float(np.ptp(values)))
        with np.errstate(over="ignore", invalid="ignore"):
            repaired, _ = run.place(run.sample())
            span = float(np.ptp(model(repaired)))
        return FitStatus.TRAINED if span >= narrow else FitStatus.NARROW_PREDICTION  # nor where it is NaN


class _RaisedPredictions(GenerationControl):
    """Algorithm 1 with predictions raised so that none is below the best true value."""

    def _predict(self, population: Population, model: TrainedModel) -> Array:
        return no_better_than(population.best_value, super()._predict(population, model), RAISED_BY)


class GenerationsAsRun(Generations):
    """A constant g_m; predictions are raised so that none is below the best true value."""

    name: Literal["generations-as-run"] = "generations-as-run"  # type: ignore[assignment]  # as above

    def build(self, context: Context) -> Control:  # noqa: ARG002 one protocol
        """Return the control of one strategy."""
        return _RaisedPredictions(self.model_generations)


class AdaptiveGenerationsAsRun(AdaptiveGenerations):
    """Adaptive g_m with two thresholds of the smoothed error; the last model outlives failed trainings."""

    name: Literal["adaptive-generations-as-run"] = "adaptive-generations-as-run"  # type: ignore[assignment]  # as above
    error_floor: Annotated[float, Field(ge=0, lt=1, description="smoothed error up to which g_m is g_m^max")] = 0.1
    initial_error: Annotated[float, Field(ge=0, le=1, description="ε_s into which the first error is smoothed")] = 0.2

    @model_validator(mode="after")
    def _room_between_floor_and_threshold(self) -> "AdaptiveGenerationsAsRun":
        if self.error_floor >= self.error_threshold:
            raise ValueError(
                f"error_floor is {self.error_floor}, error_threshold {self.error_threshold}; "
                "allowed: error_floor < error_threshold"
            )
        return self

    def build(self, context: Context) -> Control:
        """Return the control of one strategy."""
        return AdaptiveControlAsRun(self, context, self.initial_error)

    def generations_at(self, smoothed: float) -> int:
        """Return g_m at a smoothed error ε_s."""
        clipped = min(max(smoothed, self.error_floor), self.error_threshold)
        truncated = (clipped - self.error_floor) / (self.error_threshold - self.error_floor)
        return round_half_up(TRANSFERS[self.transfer](1.0 - truncated) * self.max_model_generations)


class AdaptiveControlAsRun(_RaisedPredictions, AdaptiveControl):
    """Algorithms 1 to 3 of the published code: f_M is judged after the next successful training."""

    def _replace(self, trained: TrainedModel | None) -> TrainedModel | None:
        """Take the result of a training; a failed one changes nothing."""
        return None if trained is None else super()._replace(trained)
