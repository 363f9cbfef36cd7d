"""Runs of a strategy on plain functions, and parts that remember what is asked of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import PrivateAttr

from sacma.strategy.cma_es import CMAES, CMAESSampling
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.restarts import Start
from sacma.strategy.settings import StrategySettings
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.model import FitStatus, Fitted, Model
from sacma.surrogate.models import GaussianProcessModel
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

Objective = Callable[[Array], float]

GP: Mapping[str, Any] = {"name": "gaussian-process"}
KENDALL: Mapping[str, Any] = {"name": "adaptive-generations", "error": {"name": "kendall"}}
DOUBLY: Mapping[str, Any] = {"name": "doubly-trained"}
ERRORS: Sequence[Mapping[str, Any]] = (
    KENDALL,
    {"name": "adaptive-generations", "error": {"name": "ranking-difference"}, "transfer": "T1"},
    {"name": "adaptive-generations", "error": {"name": "kullback-leibler"}, "error_threshold": 0.9, "update_rate": 0.5},
)


def sphere(x: Array) -> float:
    return float(np.sum((x - 1.0) ** 2))


def rastrigin(x: Array) -> float:
    return float(10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


def noisy_sphere(seed: int) -> Objective:
    """Return the sphere with noise of deviation 0.5."""
    rng = np.random.default_rng(seed)
    return lambda x: sphere(x) + 0.5 * float(rng.standard_normal())


def rosenbrock(x: Array) -> float:
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def generations(g_m: int) -> dict[str, Any]:
    """Return a control with a constant g_m."""
    return {"name": "generations", "model_generations": g_m}


def parts(**content: Any) -> StrategySettings:
    """Return settings from the content of a config; those with a control have a Gaussian process by default.

    Parts that exist in tests only are given as objects.
    """
    own = {key: value for key, value in content.items() if isinstance(value, Part)}
    named = {key: value for key, value in content.items() if key not in own}
    if "control" in content:
        named.setdefault("model", GP)
    return StrategySettings.model_validate(named).model_copy(update=own)


class Run:
    """A strategy with all that it asks and is told.

    Args:
        settings: its parts.
        D: dimension of its box, [-5, 5]^D.
        seed: of all that is random.
        more: further arguments of the strategy.
    """

    def __init__(self, settings: StrategySettings, D: int = 3, seed: int = 1, **more: Any) -> None:
        rng = np.random.default_rng(seed)
        self.generations: list[Generation] = []
        self.asked: list[Array] = []
        self.told: list[Array] = []
        arguments = {"initial_point": lambda: rng.uniform(-4, 4, D), **more}
        box = (np.full(D, -5.0), np.full(D, 5.0))
        self.es = SurrogateStrategy(settings, box=box, rng=rng, on_generation=self.generations.append, **arguments)

    def step(self, f: Objective) -> None:
        """Evaluate what is asked."""
        points = np.array(self.es.ask())
        values = np.array([f(x) for x in points])
        self.asked.append(points)
        self.told.append(values)
        self.es.tell(values)

    def until(self, evaluations: int, f: Objective = sphere) -> "Run":
        """Evaluate until there are so many evaluations, or the strategy has stopped."""
        while self.es.true_evaluations < evaluations and not self.es.stopped:
            self.step(f)
        return self

    @property
    def points(self) -> Array:
        """All evaluated points, shape (n, D)."""
        return np.vstack(self.asked)

    @property
    def values(self) -> Array:
        """Their values, shape (n,)."""
        return np.concatenate(self.told)

    @property
    def true(self) -> list[Generation]:
        """The generations in which f had a part."""
        return [g for g in self.generations if g.evaluated_by == EvaluatedBy.TRUTH]

    @property
    def pattern(self) -> str:
        """T for each of these, m for those of the model alone."""
        return "".join("T" if g.evaluated_by == EvaluatedBy.TRUTH else "m" for g in self.generations)

    @property
    def steps(self) -> list[int]:
        """Evaluations of each generation."""
        return [int(n) for n in np.diff([0, *(g.true_evaluations for g in self.generations)])]

    @property
    def bits(self) -> tuple[object, ...]:
        """All that the same seed must repeat."""
        columns = [
            {name: repr(value) for name, value in vars(g).items() if not name.endswith("_seconds")}
            for g in self.generations
        ]
        return [points.tobytes() for points in self.asked], [values.tobytes() for values in self.told], columns


class Watched(CMAESSampling):
    """CMA-ES that remembers what each run has sampled and was told, and that can be stopped."""

    name: Literal["watched"] = "watched"  # type: ignore[assignment]
    stop_at: int = -1  # the first run stops after so many updates
    _runs: list["WatchedCMAES"] = PrivateAttr(default_factory=list)

    def start(self, start: Start, initial_point: Array, context: Context) -> CMAES:
        """Begin a run, and remember it."""
        run = WatchedCMAES(initial_point, self.population(start, context), self.stepping(start), context)
        run.stop_at = self.stop_at if not self._runs else -1
        self._runs.append(run)
        return run

    @property
    def runs(self) -> Sequence["WatchedCMAES"]:
        """All runs so far."""
        return self._runs

    @property
    def told(self) -> Sequence[Array]:
        """What ranked each population of all runs."""
        return [values for run in self._runs for values in run.told]

    @property
    def populations(self) -> Sequence[Array]:
        """Each population that was told of."""
        return [population for run in self._runs for population in run.populations]


class WatchedCMAES(CMAES):
    """One of its runs."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.told: list[Array] = []
        self.populations: list[Array] = []
        self.whitenings: list[Whitening] = []
        self.injected: list[Array] = []
        self.stop_at = -1

    def tell(self, values: Array) -> None:
        """Remember the population and what ranks it."""
        self.told.append(np.array(values))
        self.populations.append(self.sampled.copy())
        self.whitenings.append(self.whitening())
        super().tell(values)

    def inject(self, points: Any) -> None:
        """Remember the points."""
        self.injected += [np.array(point) for point in points]
        super().inject(points)

    def stop(self) -> tuple[str, ...]:
        """Stop where the test wants it."""
        return ("so the test says",) if len(self.told) == self.stop_at else super().stop()


class Scripted(Part):
    """A model whose trainings end as a script says, and succeed ever after; else the Gaussian process.

    ``changed`` changes its predictions: called with them and with the number of calls before.
    """

    name: Literal["scripted"] = "scripted"
    script: tuple[FitStatus, ...] = ()
    changed: Callable[[Array, int], Array] = lambda predicted, _: predicted
    settings: GaussianProcessModel = GaussianProcessModel()
    _built: list["ScriptedModel"] = PrivateAttr(default_factory=list)

    def build(self, context: Context) -> Model:
        """Build the Gaussian process, and remember it."""
        self._built.append(ScriptedModel(self, self.settings.build(context)))
        return self._built[-1]

    @property
    def built(self) -> Sequence["ScriptedModel"]:
        """The models of all strategies so far, one for each start without memory."""
        return self._built


class ScriptedModel:
    """What one strategy does with it: training sets, and what was kept and forgotten."""

    def __init__(self, part: Scripted, model: Model) -> None:
        self._part = part
        self._model = model
        self.sets: list[TrainingSet] = []
        self.fitted: list[ScriptedFit] = []
        self.kept: list[Fitted] = []
        self.events = ""
        self.predictions = 0

    def fit(self, training: TrainingSet, whitening: Whitening) -> "ScriptedFit | FitStatus":
        """End as the script says."""
        scripted = dict(enumerate(self._part.script)).get(len(self.sets), FitStatus.TRAINED)
        self.sets.append(training)
        self.events += "f"
        if scripted != FitStatus.TRAINED:
            return scripted
        fitted = self._model.fit(training, whitening)
        if isinstance(fitted, FitStatus):
            return fitted
        self.fitted.append(ScriptedFit(self, self._part.changed, fitted))
        return self.fitted[-1]

    def keep(self, fitted: "ScriptedFit", whitening: Whitening) -> None:
        """Remember the fit."""
        self.kept.append(fitted)
        self.events += "k"
        self._model.keep(fitted.fitted, whitening)

    def forget(self) -> None:
        """Remember that it was forgotten."""
        self.events += "x"
        self._model.forget()


class ScriptedFit:
    """A fit of the Gaussian process with changed predictions."""

    def __init__(self, model: ScriptedModel, changed: Callable[[Array, int], Array], fitted: Fitted) -> None:
        self._model = model
        self._changed = changed
        self.fitted = fitted

    def predict(self, inputs: Array) -> Array:
        """Return changed predictions."""
        self._model.predictions += 1
        return self._changed(self.fitted.predict(inputs), self._model.predictions - 1)

    def posterior(self, inputs: Array, *, joint: bool = True) -> Any:
        """Return the posterior as it is."""
        return self.fitted.posterior(inputs, joint=joint)

    def search(self) -> Mapping[str, int | str]:
        """Return what the search took."""
        return self.fitted.search()
