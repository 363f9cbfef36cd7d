"""Surrogate CMA-ES with generation-based evolution control (Algorithm 1), as an ask/tell object.

| symbol | here                              | meaning                                            |
| ------ | --------------------------------- | -------------------------------------------------- |
| 𝒜      | ``_archive``                      | all truly evaluated points                         |
| f_M    | ``_model``                        | the last model that was trained                    |
| g_m    | ``Decision.model_generations``    | generations for which f_M stands in for f          |
| y, ŷ   | ``values``, ``predicted``         | true and predicted values of a population          |

``ask`` returns a population for f to evaluate and ``tell`` takes the values. The model-evaluated generations that
follow a true-evaluated one happen inside ``tell``: the caller sees true evaluations only.
"""

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from sacma.strategy.cma_es import CMAES
from sacma.strategy.evolution_control import EvolutionControl, evolution_control
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.model_error import JudgedPopulation
from sacma.strategy.restarts import RestartedCMAES
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SurrogateSettings
from sacma.surrogate.archive import Archive
from sacma.surrogate.gaussian_process import (
    FitStatus,
    GaussianProcess,
    Hyperparameters,
    fit_gaussian_process,
)
from sacma.surrogate.training_set import select_training_set
from sacma.surrogate.whitening import Array, Whitening


@dataclass(frozen=True)
class Model:
    """A Gaussian process and the whitening of the generation it was trained in."""

    process: GaussianProcess
    whitening: Whitening

    def __call__(self, points: Array) -> Array:
        """Return the predictions ŷ at ``points``, shape (n, D)."""
        return self.process.predict(self.whitening(points))


@dataclass(frozen=True)
class Training:
    """The outcome of one training."""

    status: FitStatus
    model: Model | None = None
    size: int = 0


def _can_rank(predicted: Array) -> bool:
    """Whether predictions are finite and differ by more than floating-point resolution."""
    lowest, highest = float(predicted.min()), float(predicted.max())
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return False
    return highest - lowest > 4.0 * sys.float_info.epsilon * max(abs(lowest), abs(highest))


class _Mean(Enum):
    """A mean that f is to evaluate outside any generation."""

    FIRST = auto()
    LAST = auto()


class _Stopwatch:
    """CPU seconds of this process since the last reading."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def lap(self) -> float:
        now = time.process_time()
        elapsed, self._last = now - self._last, now
        return elapsed


class SurrogateCMAES:
    """CMA-ES with restarts, in which a Gaussian process evaluates part of the generations.

    >>> from sacma.strategy.settings import AdaptiveSCMAESSettings
    >>> rng = np.random.default_rng(1)
    >>> es = SurrogateCMAES(
    ...     AdaptiveSCMAESSettings(model_error="kendall"),
    ...     initial_point=lambda: rng.uniform(-4, 4, size=3),
    ...     box=(np.full(3, -5.0), np.full(3, 5.0)),
    ...     rng=rng,
    ... )
    >>> while es.true_evaluations < 150:
    ...     population = es.ask()
    ...     es.tell([float(np.sum(x**2)) for x in population])
    >>> es.best_value < 1e-8
    True

    Args:
        settings: plain ``CMAESSettings`` for no surrogate at all; any ``SurrogateSettings`` otherwise.
        initial_point: draws the initial point of the next run, shape (D,).
        box: lower and upper bounds of the problem, each of shape (D,).
        rng: source of all samples.
        on_generation: called with each finished generation.
        archive: points that are evaluated already, shape (n, D), and their finite values, shape (n,). Models learn
            from them; they count neither as evaluations nor for ``best_value``.
    """

    def __init__(
        self,
        settings: CMAESSettings,
        *,
        initial_point: Callable[[], Array],
        box: tuple[Array, Array],
        rng: np.random.Generator,
        on_generation: Callable[[Generation], None] = lambda _: None,
        archive: tuple[Array, Array] | None = None,
    ) -> None:
        self._settings = settings if isinstance(settings, SurrogateSettings) else None
        self._rng = rng
        self._on_generation = on_generation
        self._runs = RestartedCMAES(settings, initial_point, box, rng)
        self._dimension = len(box[0])
        self._given = archive
        self._evaluates_means = settings.evaluate_means
        self._starts_afresh = settings.after_last_restart == "start_afresh"
        self._forget()
        self._mean: _Mean | None = _Mean.FIRST if settings.evaluate_means else None
        self._generation = 0
        self._ask_seconds = 0.0
        self._control_seconds = 0.0  # of stop conditions and restarts since the last generation
        self._best_value = np.inf
        self.true_evaluations = 0

    def _forget(self) -> None:
        """Begin without any memory of earlier runs; what was given at the start is still known."""
        self._control: EvolutionControl | None = (
            evolution_control(self._settings) if self._settings is not None else None
        )
        self._archive = Archive(self._dimension)
        if self._given is not None:
            self._archive.add(*self._given)
        self._model: Model | None = None
        self._warm: Hyperparameters | None = None  # ℓ in the objective's own units: whitening changes
        self._models_left = 0

    @property
    def stopped(self) -> bool:
        """Whether the last run has ended: only with ``after_last_restart: stop``."""
        return self._runs.ended

    @property
    def best_value(self) -> float:
        """The lowest true value so far; inf before the first."""
        return float(self._best_value)

    def ask(self) -> Sequence[Array]:
        """Return the next points for f to evaluate, arrays of shape (D,): a population (Algorithm 1, step 1).

        With ``evaluate_means``, the first point of a run alone before it, and its last mean alone after it.
        """
        if self._mean is not None:
            return [self._runs.run.mean]
        watch = _Stopwatch()
        proposed = self._runs.run.ask()
        self._ask_seconds = watch.lap()
        return proposed

    def tell(self, values: Sequence[float] | Array) -> None:
        """Take the true values of the asked points and run the model-evaluated generations that follow.

        Args:
            values: f of each asked point, in their order. Infinity ranks with the worst and is seen by no model:
                far outside of where it is meant to be evaluated, f may overflow.

        Raises:
            ValueError: there are not as many values as points, or one is NaN or minus infinity.
        """
        y = np.asarray(values, dtype=float)
        expected = 1 if self._mean is not None else self._runs.run.population_size
        if y.shape != (expected,) or not np.all(y > -np.inf):
            raise ValueError(f"values are {values!r}; allowed: {expected} numbers, one a point, finite or inf")
        if self._mean is None:
            self._models_left = self._true_generation(y)
        else:
            self._count(y)
            if self._mean == _Mean.LAST:
                self._next_run()
            else:
                self._mean = None
        self._run_until_f_is_needed()

    def end(self, values: Sequence[float] | Array) -> None:
        """Take the true values of the first of the asked points, where the run ends before the others.

        Nothing is trained or updated: the generation is archived and reported as far as it went.

        Args:
            values: f of the first asked points, in their order; may be empty.
        """
        y = np.asarray(values, dtype=float)
        if not len(y):
            return
        self._count(y)
        if self._mean is None:
            self._add(self._archived_points(), y)
            self._finish(EvaluatedBy.TRUTH, self._runs.run.sigma, strategy_seconds=self._ask_seconds)

    def _count(self, y: Array) -> None:
        self._best_value = min(self._best_value, float(np.min(y)))
        self.true_evaluations += len(y)

    def _add(self, points: Array, y: Array) -> Array:
        """Archive what is finite of ``y``, for the first of ``points``; return it with inf just above all known values.

        Not equal to the worst of them: it may be the only finite value of this population.
        """
        finite = np.isfinite(y)
        if finite.all():
            self._archive.add(points[: len(y)], y)
            return y
        self._archive.add(points[: len(y)][finite], y[finite])
        worst = np.max(self._archive.values) if len(self._archive) else 0.0
        with np.errstate(over="ignore"):
            above = min(np.nextafter(worst, np.inf), sys.float_info.max)
        return np.where(finite, y, above)

    def _archived_points(self) -> Array:
        """The asked population as the archive and the judgement of a model see it."""
        run = self._runs.run
        repaired = self._settings is not None and self._settings.trained_on == "repaired"
        return np.asarray(run.proposed) if repaired else run.sampled

    def _run_until_f_is_needed(self) -> None:
        """Run the model-evaluated generations that are due (Algorithm 1, step 9), and restart where pycma says so."""
        while self._mean is None and not self._runs.ended:
            watch = _Stopwatch()
            stopped = self._runs.run.stop()
            if stopped and self._evaluates_means:
                self._mean = _Mean.LAST
            elif stopped:
                self._next_run()
            self._control_seconds += watch.lap()
            if stopped:
                continue
            if self._models_left == 0:
                return
            self._models_left = self._models_left - 1 if self._model_generation() else 0

    def _next_run(self) -> None:
        """Restart: the archive and the smoothed error stay, the model goes, unless the settings say otherwise."""
        if self._runs.restart() and self._starts_afresh:
            self._forget()
        if self._settings is None or self._settings.survives_restart != "all":
            self._model = self._warm = None
            self._models_left = 0
        self._mean = _Mean.FIRST if self._evaluates_means and not self._runs.ended else None

    def _true_generation(self, y: Array) -> int:
        """Algorithm 1, steps 3 to 7: archive, train, decide. Return g_m, 0 without a model."""
        run, watch = self._runs.run, _Stopwatch()
        points, sigma = self._archived_points(), run.sigma
        self._count(y)
        y = self._add(points, y)

        predict_seconds, fit_seconds = 0.0, 0.0
        strategy_seconds = self._ask_seconds + watch.lap()
        training, decision = None, None
        if self._settings is not None and self._control is not None:
            earlier = self._model if self._control.judges else None
            training = self._train(self._settings, run)
            keeps = isinstance(self._settings, AdaptiveSCMAESSettings) and (
                self._settings.failed_training == "keeps_model"
            )
            if training.model is not None or not keeps:
                self._model = training.model
            fit_seconds = watch.lap()
            judged = None
            if earlier is not None and (training.model is not None or not keeps):
                judged = JudgedPopulation(run.sampled, y, earlier(points), run.state)
                predict_seconds = watch.lap()
            decision = self._control.decide(judged)
            strategy_seconds += watch.lap()

        run.tell(y)
        process = training.model.process if training and training.model else None
        g_m = decision.model_generations if decision and process else 0
        self._finish(
            EvaluatedBy.TRUTH,
            sigma,
            model_generations=g_m,
            error=decision.error if decision else np.nan,
            smoothed_error=decision.smoothed_error if decision else np.nan,
            training_set_size=training.size if training else 0,
            fit_status=training.status if training else "",
            likelihood_evaluations=process.likelihood_evaluations if process else 0,
            half_evaluations=process.half_evaluations if process else 0,
            jitters=process.jitters if process else 0,
            searched_from=process.searched_from if process else "",
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            strategy_seconds=strategy_seconds + watch.lap(),
        )
        return g_m

    def _model_generation(self) -> bool:
        """Algorithm 1, step 9. Return False, without an update, where the model cannot rank the population."""
        assert self._model is not None  # noqa: S101 no g_m without a model
        run, watch = self._runs.run, _Stopwatch()
        run.ask()
        strategy_seconds = watch.lap()
        predicted = self._model(run.sampled)
        # The stop conditions of the strategy must not see a value better than any real one.
        shift = self._archive.best_value - float(predicted.min())
        if shift > 0.0:
            with np.errstate(over="ignore", invalid="ignore"):
                predicted += shift
        if not _can_rank(predicted):
            return False
        predict_seconds = watch.lap()
        sigma = run.sigma
        run.tell(predicted)
        self._finish(
            EvaluatedBy.MODEL,
            sigma,
            predict_seconds=predict_seconds,
            strategy_seconds=strategy_seconds + watch.lap(),
        )
        return True

    def _train(self, s: SurrogateSettings, run: CMAES) -> Training:
        """Algorithm 1, steps 5 and 6."""
        D, whitening = self._dimension, run.whitening()
        training_set = select_training_set(
            self._archive,
            whitening,
            radius=s.training_radius,
            required=s.n_req_factor * D,
            largest=s.n_max_factor * D,
            selection=s.selection,
            rng=self._rng,
        )
        if training_set is None:
            return Training(FitStatus.TOO_FEW_POINTS)
        start = Hyperparameters(s.length_start, (s.noise_std_start / s.signal_std_start) ** 2)
        warm = self._warm.stretched(whitening.log_scale) if s.warm_start and self._warm is not None else None
        process = fit_gaussian_process(
            training_set,
            start=start,
            warm=warm,
            several_starts=s.likelihood_starts == "several",
            second_search_below=s.second_search_below,
        )
        if isinstance(process, FitStatus):
            return Training(process, size=len(training_set))
        model = Model(process, whitening)
        if s.rejected_model == "narrow":
            narrow = min(1e-8, 0.05 * float(np.ptp(training_set.values)))
            with np.errstate(over="ignore", invalid="ignore"):
                span = float(np.ptp(model(run.sample())))
            if not span >= narrow:  # nor where it is NaN
                return Training(FitStatus.NARROW_PREDICTION, size=len(training_set))
        elif not _can_rank(model(run.sampled)):
            return Training(FitStatus.CONSTANT_PREDICTION, size=len(training_set))
        self._warm = process.hyperparameters.stretched(-whitening.log_scale)
        return Training(FitStatus.TRAINED, model, len(training_set))

    def _finish(
        self, evaluated_by: EvaluatedBy, sigma: float, *, strategy_seconds: float, **details: float | str
    ) -> None:
        self._generation += 1
        strategy_seconds += self._control_seconds
        self._control_seconds = 0.0
        self._on_generation(
            Generation(
                generation=self._generation,
                restart=self._runs.restarts,
                evaluated_by=evaluated_by,
                population_size=self._runs.run.population_size,
                true_evaluations=self.true_evaluations,
                sigma=sigma,
                best_value=self.best_value,
                strategy_seconds=strategy_seconds,
                **details,  # type: ignore[arg-type]  # the names are checked by the dataclass itself
            )
        )
