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

from collections.abc import Callable, Sequence

import numpy as np

from sacma.strategy.archived import ArchivedCMAES, Stopwatch
from sacma.strategy.evolution_control import EvolutionControl, evolution_control
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.learners import trainer_of
from sacma.strategy.model_error import JudgedPopulation
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SurrogateSettings
from sacma.strategy.training import Model, Regression, Trainer, can_rank, no_better_than
from sacma.surrogate.whitening import Array


class SurrogateCMAES(ArchivedCMAES):
    """CMA-ES with restarts, in which a surrogate evaluates part of the generations.

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
        archive: points that are evaluated already and their finite values; see ``ArchivedCMAES``.
        make_trainer: returns what trains the models, from settings and ``rng``.
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
        make_trainer: Callable[[SurrogateSettings, np.random.Generator], Trainer[Regression]] = trainer_of,
    ) -> None:
        super().__init__(
            settings, initial_point=initial_point, box=box, rng=rng, on_generation=on_generation, archive=archive
        )
        self._settings = settings if isinstance(settings, SurrogateSettings) else None
        self._rng = rng
        self._make_trainer = make_trainer
        self._begin()
        self._ask_seconds = 0.0

    def _begin(self) -> None:
        s = self._settings
        self._control: EvolutionControl | None = evolution_control(s) if s is not None else None
        self._trainer: Trainer[Regression] | None = self._make_trainer(s, self._rng) if s is not None else None
        self._model: Model[Regression] | None = None
        self._models_left = 0

    def _forget(self) -> None:
        super()._forget()
        self._begin()

    def _forget_run(self) -> None:
        """The archive and the smoothed error stay, the model goes, unless the settings say otherwise."""
        if self._settings is None or self._settings.survives_restart != "all":
            self._model = None
            self._models_left = 0
            if self._trainer is not None:
                self._trainer.forget()

    def _ask_points(self) -> Sequence[Array]:
        watch = Stopwatch()
        proposed = self._runs.run.ask()
        self._ask_seconds = watch.lap()
        return proposed

    def _asked_points(self) -> int:
        return self._runs.run.population_size

    def _tell_points(self, y: Array) -> None:
        self._models_left = self._true_generation(y)

    def _end_points(self, y: Array) -> None:
        self._add(self._archived_points(), y)
        self._finish(EvaluatedBy.TRUTH, self._runs.run.sigma, strategy_seconds=self._ask_seconds)

    def _run_without_f(self) -> bool:
        if self._models_left == 0:
            return False
        self._models_left = self._models_left - 1 if self._model_generation() else 0
        return True

    def _true_generation(self, y: Array) -> int:
        """Algorithm 1, steps 3 to 7: archive, train, decide. Return g_m, 0 without a model."""
        run, watch = self._runs.run, Stopwatch()
        points, sigma = self._archived_points(), run.sigma
        y = self._add(points, y)

        predict_seconds, fit_seconds = 0.0, 0.0
        strategy_seconds = self._ask_seconds + watch.lap()
        training, decision = None, None
        if self._trainer is not None and self._control is not None:
            earlier = self._model if self._control.judges else None
            training = self._trainer.train(self._archive, run)
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
        g_m = decision.model_generations if decision and training and training.model else 0
        self._finish(
            EvaluatedBy.TRUTH,
            sigma,
            model_generations=g_m,
            error=decision.error if decision else np.nan,
            smoothed_error=decision.smoothed_error if decision else np.nan,
            **(training.details() if training else {}),
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            strategy_seconds=strategy_seconds + watch.lap(),
        )
        return g_m

    def _model_generation(self) -> bool:
        """Algorithm 1, step 9. Return False, without an update, where the model cannot rank the population."""
        assert self._model is not None  # noqa: S101 no g_m without a model
        run, watch = self._runs.run, Stopwatch()
        run.ask()
        strategy_seconds = watch.lap()
        predicted = no_better_than(self._archive.best_value, self._model(run.sampled))
        if not can_rank(predicted):
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
