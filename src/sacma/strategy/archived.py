"""What all strategies with restarts share: points asked of f, their count, the archive, and the trace.

``ask`` returns points for f to evaluate and ``tell`` takes the values. What happens between the two is a matter of the
strategy, which says so by the methods that are abstract here.
"""

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum, auto

import numpy as np

from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.restarts import RestartedCMAES
from sacma.strategy.settings import CMAESSettings, SurrogateSettings
from sacma.surrogate.archive import Archive
from sacma.surrogate.whitening import Array


class _Mean(Enum):
    """A mean that f is to evaluate outside any generation."""

    FIRST = auto()
    LAST = auto()


class Stopwatch:
    """CPU seconds of this process since the last reading."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def lap(self) -> float:
        """Return the seconds since the last call, or since the beginning."""
        now = time.process_time()
        elapsed, self._last = now - self._last, now
        return elapsed


class ArchivedCMAES(ABC):
    """CMA-ES with restarts that keeps what f has told.

    Args:
        settings: of the strategy.
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
        self._on_generation = on_generation
        self._runs = RestartedCMAES(settings, initial_point, box, rng)
        self._dimension = len(box[0])
        self._evaluates_means = settings.evaluate_means
        self._starts_afresh = settings.after_last_restart == "start_afresh"
        self._repaired = isinstance(settings, SurrogateSettings) and settings.trained_on == "repaired"
        self._given = archive
        self._archive = self._first_archive()
        self._mean: _Mean | None = _Mean.FIRST if settings.evaluate_means else None
        self._generation = 0
        self._control_seconds = 0.0  # of stop conditions and restarts since the last generation
        self._best_value = np.inf
        self.true_evaluations = 0

    @property
    def stopped(self) -> bool:
        """Whether the last run has ended: only with ``after_last_restart: stop``."""
        return self._runs.ended

    @property
    def best_value(self) -> float:
        """The lowest true value so far; inf before the first."""
        return float(self._best_value)

    def ask(self) -> Sequence[Array]:
        """Return the next points for f to evaluate, arrays of shape (D,): of a population (Algorithm 1, step 1).

        With ``evaluate_means``, the first point of a run alone before it, and its last mean alone after it.
        """
        return self._ask_points() if self._mean is None else [self._runs.run.mean]

    def tell(self, values: Sequence[float] | Array) -> None:
        """Take the true values of the asked points and run what follows without f.

        Args:
            values: f of each asked point, in their order. Infinity ranks with the worst and is seen by no model:
                far outside of where it is meant to be evaluated, f may overflow.

        Raises:
            ValueError: there are not as many values as points, or one is NaN or minus infinity.
        """
        y = np.asarray(values, dtype=float)
        expected = 1 if self._mean is not None else self._asked_points()
        if y.shape != (expected,) or not np.all(y > -np.inf):
            raise ValueError(f"values are {values!r}; allowed: {expected} numbers, one a point, finite or inf")
        self._count(y)
        if self._mean is None:
            self._tell_points(y)
        elif self._mean == _Mean.LAST:
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
        if not len(y) and not self._waits():
            return
        self._count(y)
        if self._mean is None:
            self._end_points(y)

    @abstractmethod
    def _ask_points(self) -> Sequence[Array]:
        """Return the next points of a population."""

    @abstractmethod
    def _asked_points(self) -> int:
        """Return how many these were."""

    @abstractmethod
    def _tell_points(self, y: Array) -> None:
        """Take their values."""

    @abstractmethod
    def _end_points(self, y: Array) -> None:
        """Take the values of the first of them: no more will follow."""

    def _waits(self) -> bool:
        """Whether f has evaluated a part of a population, and is to evaluate more of it."""
        return False

    def _run_without_f(self) -> bool:
        """Run a generation, if one is due that f has no part in; return whether one may follow."""
        return False

    def _forget(self) -> None:
        """Begin without any memory of earlier runs; what was given at the start is still known."""
        self._archive = self._first_archive()

    def _first_archive(self) -> Archive:
        archive = Archive(self._dimension)
        if self._given is not None:
            archive.add(*self._given)
        return archive

    def _forget_run(self) -> None:  # noqa: B027 nothing to forget
        """Begin a run without what is not to survive a restart."""

    def _count(self, y: Array) -> None:
        self._best_value = min(self._best_value, float(np.min(y, initial=np.inf)))
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
        """The population as the archive and the judgement of a model see it."""
        run = self._runs.run
        return np.asarray(run.proposed) if self._repaired else run.sampled

    def _run_until_f_is_needed(self) -> None:
        """Run the generations that are due without f (Algorithm 1, step 9), and restart where pycma says so."""
        while self._mean is None and not self._runs.ended and not self._waits():
            watch = Stopwatch()
            stopped = self._runs.run.stop()
            if stopped and self._evaluates_means:
                self._mean = _Mean.LAST
            elif stopped:
                self._next_run()
            self._control_seconds += watch.lap()
            if not stopped and not self._run_without_f():
                return

    def _next_run(self) -> None:
        """Restart: what survives is a matter of the settings."""
        if self._runs.restart() and self._starts_afresh:
            self._forget()
        self._forget_run()
        self._mean = _Mean.FIRST if self._evaluates_means and not self._runs.ended else None

    def _finish(
        self, evaluated_by: EvaluatedBy, sigma: float, *, strategy_seconds: float, **details: float | str
    ) -> None:
        """Report a generation."""
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
