"""Doubly trained surrogate CMA-ES (DTS-CMA-ES), as an ask/tell object.

Bajer, Pitra, Repický, Holeňa, *Gaussian Process Surrogate Models for the CMA Evolution Strategy*, Evolutionary
Computation 27(4), 2019. In each generation a model is trained on the archive and says of which points it is least
sure. These are evaluated with f, a second model is trained with them, and predicts the others.

| symbol | here              | meaning                                                        |
| ------ | ----------------- | -------------------------------------------------------------- |
| 𝒜      | ``_archive``      | all truly evaluated points                                     |
| α      | ``_control``      | share of a population that f evaluates                         |
| y      | ``_values``       | true values of a population, NaN where there is none yet       |
| ŷ      | ``_first``        | what the first model predicts of it                            |
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sacma.strategy.archived import ArchivedCMAES, Stopwatch
from sacma.strategy.cma_es import default_population_size
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.learners import GaussianProcessLearner
from sacma.strategy.settings import DTSSettings
from sacma.strategy.share_control import ShareControl, number_of, share_control
from sacma.strategy.training import Model, Trainer, Training, can_rank, no_better_than
from sacma.strategy.uncertainty import Predicted, worth_evaluating
from sacma.surrogate.gaussian_process import GaussianProcess
from sacma.surrogate.whitening import Array

Indices = NDArray[np.intp]


class _Effort:
    """What a generation has taken so far."""

    def __init__(self) -> None:
        self.fit = self.predict = self.strategy = 0.0
        self.trainings: list[Training[GaussianProcess]] = []

    def details(self) -> dict[str, int | str]:
        """Return what the trace says: of both trainings what they took, of the second how it ended."""
        if not self.trainings:
            return {}
        *_, last = found = [training.details() for training in self.trainings]
        totals = ("likelihood_evaluations", "half_evaluations", "jitters")
        summed = {name: sum(int(of[name]) for of in found if name in of) for name in totals}
        return last | {name: total for name, total in summed.items() if total}


class DoublyTrainedCMAES(ArchivedCMAES):
    """CMA-ES with restarts, in each generation of which f evaluates a few points and a Gaussian process the others.

    >>> rng = np.random.default_rng(1)
    >>> es = DoublyTrainedCMAES(
    ...     DTSSettings(),
    ...     initial_point=lambda: rng.uniform(-4, 4, size=3),
    ...     box=(np.full(3, -5.0), np.full(3, 5.0)),
    ...     rng=rng,
    ... )
    >>> while es.true_evaluations < 100:
    ...     points = es.ask()
    ...     es.tell([float(np.sum(x**2)) for x in points])
    >>> es.best_value < 1e-8
    True

    Args:
        settings: of the strategy.
        initial_point: draws the initial point of the next run, shape (D,).
        box: lower and upper bounds of the problem, each of shape (D,).
        rng: source of all samples.
        on_generation: called with each finished generation.
    """

    def __init__(
        self,
        settings: DTSSettings,
        *,
        initial_point: Callable[[], Array],
        box: tuple[Array, Array],
        rng: np.random.Generator,
        on_generation: Callable[[Generation], None] = lambda _: None,
    ) -> None:
        size = settings.population_size or default_population_size(len(box[0]), settings.population_multiple)
        sized = settings.model_copy(update={"population_size": size})
        super().__init__(sized, initial_point=initial_point, box=box, rng=rng, on_generation=on_generation)
        self._settings = settings
        self._rng = rng
        self._begin()
        self._values: Array = np.empty(0)
        self._asked: Indices = np.empty(0, dtype=np.intp)
        self._first: Array | None = None
        self._effort = _Effort()

    def _begin(self) -> None:
        self._control: ShareControl = share_control(self._settings, self._dimension)
        self._trainer = Trainer(self._settings, GaussianProcessLearner(self._settings), self._rng)

    def _forget(self) -> None:
        super()._forget()
        self._begin()

    def _forget_run(self) -> None:
        if self._settings.survives_restart != "all":
            self._trainer.forget()

    def _waits(self) -> bool:
        return len(self._asked) > 0 and not np.isnan(self._values).all()

    def _ask_points(self) -> Sequence[Array]:
        if not len(self._asked):
            self._sample()
        proposed = self._runs.run.proposed
        return [proposed[i] for i in self._asked]

    def _asked_points(self) -> int:
        return len(self._asked)

    def _sample(self) -> None:
        """Sample a population, train the first model and choose the points that f evaluates."""
        run, watch = self._runs.run, Stopwatch()
        self._effort = effort = _Effort()
        run.ask()
        effort.strategy = watch.lap()
        size = run.population_size
        number = number_of(self._control.share, size)
        self._values = np.full(size, np.nan)
        self._first = None
        self._asked = np.arange(size)
        if number == size and not self._control.judges:
            return
        training = self._train(watch)
        if training.model is None:
            return
        if self._control.judges:
            self._first = training.model(run.sampled)
        if number < size:
            self._asked = worth_evaluating(self._settings.criterion, self._predicted(training.model), number)
        effort.predict += watch.lap()

    def _predicted(self, model: Model[GaussianProcess]) -> Predicted:
        run, process = self._runs.run, model.fitted
        return Predicted(
            posterior=process.posterior(model.whitening(run.sampled)),
            best_value=(self._archive.best_value - process.center) / process.scale,
            parents=run.population_size // 2,
        )

    def _train(self, watch: Stopwatch) -> Training[GaussianProcess]:
        training = self._trainer.train(self._archive, self._runs.run)
        self._effort.trainings.append(training)
        self._effort.fit += watch.lap()
        return training

    def _take(self, y: Array) -> None:
        """Archive the values of the first of the asked points."""
        told = self._asked[: len(y)]
        self._values[told] = self._add(self._archived_points()[told], y)

    def _tell_points(self, y: Array) -> None:
        run, watch = self._runs.run, Stopwatch()
        self._take(y)
        self._asked = np.flatnonzero(np.isnan(self._values))
        values = self._completed(watch) if self._waits() else self._values
        if values is None:
            return  # f evaluates the others as well
        self._asked = self._asked[:0]
        error = math.nan
        if self._first is not None:
            error = self._control.judge(self._first, values)
        sigma = run.sigma
        run.tell(values)
        self._effort.strategy += watch.lap()
        self._report(sigma, error)

    def _completed(self, watch: Stopwatch) -> Array | None:
        """Return the population's values, true ones and predictions of the second model; None without that model."""
        training = self._train(watch)
        if training.model is None:
            return None
        values = self._values.copy()
        predicted = training.model(self._runs.run.sampled[self._asked])
        raised = self._settings.raises_predictions
        values[self._asked] = no_better_than(self._archive.best_value, predicted) if raised else predicted
        self._effort.predict += watch.lap()
        return values if can_rank(values) else None

    def _end_points(self, y: Array) -> None:
        self._take(y)
        self._report(self._runs.run.sigma, math.nan)

    def _report(self, sigma: float, error: float) -> None:
        effort = self._effort
        self._finish(
            EvaluatedBy.TRUTH,
            sigma,
            error=error,
            smoothed_error=self._control.smoothed_error,
            fit_seconds=effort.fit,
            predict_seconds=effort.predict,
            strategy_seconds=effort.strategy,
            **effort.details(),
        )
