"""CMA-ES with restarts and a surrogate, composed of parts, as an ask/tell object.

``ask`` returns points for f, ``tell`` takes their values; generations that need none happen inside ``tell``.
"""

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from sacma.strategy.cma_es import CMAES
from sacma.strategy.control import Control
from sacma.strategy.generation import Generation, Observer
from sacma.strategy.lagrangian import Lagrangian
from sacma.strategy.population import FARTHEST, Outcomes, Population, Requests, Sample, longest_step
from sacma.strategy.proposals import Proposer
from sacma.strategy.restarts import Keeps, LastRun, Start
from sacma.strategy.searches import Searches
from sacma.strategy.settings import StrategySettings
from sacma.strategy.training import TrainedModel, Trainer
from sacma.surrogate.archive import Archive, Standing, finite_rows, missing_rows
from sacma.surrogate.combined import CombinedFit, CombinedModel
from sacma.surrogate.model import Model
from sacma.surrogate.part import Context, Grid, complete, numbers_of
from sacma.types import Array

MOST_WITHOUT = 10_000  # generations in a row without an evaluation of f; sacma's own controls have a thousand
MOST_DRAWN = 100  # samples, of which the best by the model is evaluated beside others


class SurrogateStrategy:
    """The strategy: sampling, restarts, model, training set, evolution control and proposals.

    >>> control = {"name": "adaptive-generations", "error": {"name": "kendall"}}
    >>> settings = StrategySettings.model_validate({"model": {"name": "gaussian-process"}, "control": control})
    >>> rng = np.random.default_rng(1)
    >>> box = (np.full(3, -5.0), np.full(3, 5.0))
    >>> es = SurrogateStrategy(settings, initial_point=lambda: rng.uniform(-4, 4, size=3), box=box, rng=rng)
    >>> while es.true_evaluations < 150:
    ...     es.tell([float(np.sum(x**2)) for x in es.ask()])
    >>> es.best_value < 1e-8
    True

    Args:
        settings: the parts.
        initial_point: draws the initial point of the next run, shape (D,).
        box: lower and upper bounds of the problem, each of shape (D,).
        rng: source of all samples.
        on_generation: called with each finished generation.
        archive: points that are evaluated already, shape (n, D), and their finite values, shape (n,). Models learn
            from them; they count neither as evaluations nor for ``best_value``.
        grid: cells of points in which f is the same, as where it takes integers.
        noisy: f differs from evaluation to evaluation: models learn the mean of the values of a point.
        equalities: of m constraints, True for those h = 0, False for g ≤ 0. Where there are any, values are outcomes
            wherever they are told or given, f and the constraints in a row: of shape (n, 1 + m) instead of (n,).
        most_restarts: after which the search ends.
    """

    _control: Control
    _proposer: Proposer

    def __init__(
        self,
        settings: StrategySettings,
        *,
        initial_point: Callable[[], Array],
        box: tuple[Array, Array],
        rng: np.random.Generator,
        on_generation: Callable[[Generation], None] = lambda _: None,
        archive: tuple[Array, Array] | None = None,
        grid: Grid | None = None,
        noisy: bool = False,
        equalities: Sequence[bool] = (),
        most_restarts: float = math.inf,
    ) -> None:
        self._settings, self._most_restarts, self._ends_run = settings, most_restarts, False
        self._initial_point = initial_point
        self._context = Context(len(box[0]), box, rng, grid, noisy)
        self._observer = Observer(on_generation)
        self._given = archive
        self._constraints = len(equalities)
        self._merit = Lagrangian(self._context.dimension, equalities) if equalities else None
        self._searches = Searches(
            settings,
            self._context,
            initial_point=initial_point,
            evaluated=self._known_or_evaluated,
            spent=lambda: self.true_evaluations,
            constrained=self._constraints > 0,
        )
        self._best: Standing = (np.inf, np.inf)
        self.true_evaluations = 0
        self.runs = 0  # that have begun
        self._population: Population | None = None  # to be evaluated with f
        self._model: TrainedModel | None = None  # the last, since a restart
        self._further: Array | None = None  # points besides a population, as the archive keeps them, shape (n, D)
        self._misses_from: int | None = None  # true evaluations; None: each of the asked points needs a value
        self._late_proposals: set[bytes] = set()  # points, as the archive keeps them
        self._evaluated, self._idle = 0, 0  # true evaluations, and generations since the last of them
        self._steps = self._optimize()
        self._asked: Sequence[Array] | None = next(self._steps, None)

    def _optimize(self) -> Requests:
        """Run CMA-ES with evolution control (Algorithm 1), one run after another."""
        restarts = self._settings.restarts
        start = next(starts := restarts.starts(self._context), None)
        while start is not None and self.runs <= self._most_restarts:
            before = self.true_evaluations
            run = self._begin(start)
            if self.runs == 1:
                self._sampling = run = yield from self._searches.before(run, start, self._archive)
            if restarts.evaluates_means:
                yield [run.mean]
            if restarts.evaluates_initial_points and (mean := run.whitening().mean) not in self._archive:
                yield from self._evaluate_further(run, mean[None], beside=run.population_size)
            proposed = self._archive.points[:0]  # evaluated with f, and in the next population
            while not run.stop() and not self._ends_run:
                self._sampling = run = yield from self._searches.elsewhere(run, self._archive)
                run.ask()  # step 1: sampling
                self._population = Population(run, self._archive, self._trainer, self._observer)
                self._population.recall(proposed)
                values = yield from self._ranking_values(self._population)  # steps 2 to 11: f, the model, or both
                if values is not None:
                    run.tell(values)  # CMA-ES's own update
                    self._report(self._population)
                    self._model = self._population.model or self._model
                    proposed = yield from self._evaluate_proposals(run, self._population.model)
                    self._update_merit(run)
                    run.scale_tolerances(self._settings.sampling.sigma0, self._archive)
            self._population = None
            value_at_mean = self._archive.values_of((yield [run.mean]))[0] if restarts.evaluates_means else np.inf
            last = LastRun(self.true_evaluations - before, run.initial_point, run.mean, value_at_mean, run.recent_best)
            try:
                start = starts.send(last)
            except StopIteration:
                return

    def _ranking_values(self, population: Population) -> Generator[Sequence[Array], Array, Array | None]:
        """Return the values by which the control ranks a population, shape (λ,); None where it discards it."""
        values = yield from self._control.evaluate(population)
        self._idle = self._idle + 1 if self.true_evaluations == self._evaluated else 0
        self._evaluated = self.true_evaluations
        if self._idle > MOST_WITHOUT:
            raise ValueError(f"{type(self._control).__name__}: {MOST_WITHOUT} generations without an evaluation of f")
        return None if values is None else numbers_of(self._control, values, (population.size,), allowed="not NaN")

    def _begin(self, start: Start) -> CMAES:
        """Begin a run, with the memory of earlier ones that its start keeps."""
        s = self._settings
        if start.keeps is Keeps.NOTHING or not self.runs:
            self._archive = Archive(self._context.dimension, self._merit, averages=self._context.noisy)
            if self._given is not None:
                self._archive.add(*self._given)
            self._control = complete(s.control.build(self._context), Control)
            self._proposer = complete(s.proposals.build(self._context), Proposer)
            self._trainer: Trainer | None = None
            if s.model is not None:
                self._trainer = Trainer(s.training_set, self._built(s.model), s.acceptance, self._context.rng)
        elif start.keeps is Keeps.ARCHIVE_AND_ERROR:
            self._control.forget_run()
            if self._trainer is not None:
                self._trainer.forget()
        self.runs += 1
        self._model, self._ends_run = None, False
        x0 = self._initial_point() if start.initial_point is None else start.initial_point
        run: CMAES = s.sampling.start(start, x0, self._context)
        self._sampling = run
        return run

    def _built(self, settings: Any) -> Model:
        """Return a model of f, with constraints one of each beside it."""
        parts = [complete(settings.build(self._context), Model) for _ in range(1 + self._constraints)]
        return parts[0] if self._merit is None else CombinedModel(parts, self._merit)

    def _update_merit(self, run: CMAES) -> None:
        """Adapt the merit after a generation by the latest evaluations and where the distribution is."""
        if self._merit is None or not len(self._archive):
            return
        latest = slice(-run.population_size, None)
        recent = self._archive.outcomes[latest]
        if self._model is not None and isinstance(self._model.fitted, CombinedFit):
            centre = self._model.fitted.outcomes(self._model.whitening(run.whitening().mean[None]))[0]
        else:
            centre = recent[np.argmin(self._archive.values[latest])]
        if self._merit.update(recent, centre):
            self._archive.measure()

    def _evaluate_proposals(self, run: CMAES, model: TrainedModel | None) -> Outcomes:
        """Evaluate the points that the last model proposes, if any; they join the next population.

        Return those that have a value, as the archive keeps them, shape (n, D).
        """
        if model is None or not len(given := self._proposer.propose(model, self._archive)):
            return self._archive.points[:0]
        points = numbers_of(self._proposer, given, (-1, self._context.dimension))
        best_before = self._archive.standing
        outcomes = yield from self._evaluate_further(run, points, beside=0)
        late, proposals = missing_rows(outcomes), run.place(points)[1]
        self._late_proposals.update(point.tobytes() for point in proposals[late])
        if not late.all():
            standings = self._archive.standings_of(outcomes[~late])
            self._proposer.learn(standings, best_before)
            best = sorted(range(len(standings)), key=standings.__getitem__)[: run.population_size]
            run.inject(points[~late][sorted(best)])
        return proposals[~late & finite_rows(outcomes)]

    def _known_or_evaluated(self, run: CMAES, points: Array, beside: int) -> Outcomes:
        """Return the values of ``points`` of the distribution, shape (n, D); those that are not known are evaluated.

        Points are moved to where f has been evaluated.
        """
        learned = run.place(points)[1]
        values = np.array([self._archive.value_at(x) if x in self._archive else np.nan for x in learned])
        if (new := np.isnan(values)).any():
            asked = points[new]
            values[new] = self._archive.values_of((yield from self._evaluate_further(run, asked, beside)))
            points[new] = asked
        return values

    def _evaluate_further(self, run: CMAES, points: Array, beside: int) -> Outcomes:
        """Evaluate ``points`` of the distribution, shape (n, D), besides a population; return the values.

        NaN for those that have none after so many evaluations ``beside`` them. Points are moved to
        where f has been evaluated.
        """
        self._population, self._misses_from = None, self.true_evaluations + beside
        seen, learned = run.place(points)
        self._further = learned
        self._observer.spent("strategy_seconds")
        values = yield list(seen)
        self._further = self._misses_from = None
        if (moved := (learned != points).any(axis=1)).any():
            points[moved] = learned[moved]
        finite, late = finite_rows(values), missing_rows(values)
        self._archive.add(learned[finite], values[finite])
        self._archive.add_failed(learned[~finite & ~late])
        return values

    def _report(self, population: Population) -> None:
        state = {"population_size": population.size, "best_value": self.best_value, **population.sampled_with}
        self._observer.finish(restart=self.runs - 1, true_evaluations=self.true_evaluations, **state)

    @property
    def stopped(self) -> bool:
        """True after the last run, which only ``after_last_restart: stop`` has."""
        return self._asked is None

    @property
    def best_value(self) -> float:
        """The lowest true value so far, where all constraints are kept; inf before the first."""
        violation, value = self._best
        return value if violation == 0.0 else math.inf

    def ask(self) -> Sequence[Array]:
        """Return the next points for f to evaluate, arrays of shape (D,); the same until ``tell`` is called."""
        return self._asked or []

    def tell(self, values: Sequence[float] | Array, *, known: int = 0) -> None:
        """Take the true values of the asked points, in their order, and run the generations that need no value of f.

        So many as are ``known`` from before have cost no evaluation. Infinity ranks behind all others and is seen by no
        model: far outside of its region of interest f may overflow. NaN is the value of a point that has
        none yet, for ``take``, where the asked points ``may_miss``. As many values as points, none of them minus
        infinity, no other NaN: else a ValueError. With constraints, an outcome is a row of such values.
        """
        y, expected = np.asarray(values, dtype=float), len(self.ask())
        shape = (expected, 1 + self._constraints) if self._constraints else (expected,)
        late = np.isnan(y) & self.may_miss
        if y.shape != shape or not ((y > -np.inf) | late).all():
            raise ValueError(f"values are {values!r}; allowed: {expected} numbers, one a point, finite or inf")
        self._count(y[~missing_rows(y)])
        self.true_evaluations -= known
        self._observer.resume()
        try:
            self._asked = self._steps.send(y)
        except StopIteration:
            self._asked = None

    @property
    def asked(self) -> Sequence[Sample]:
        """The points of ``ask``, as f is to see them and as the archive keeps them."""
        seen = self.ask()
        learned = seen if self._further is None else self._further
        learned = learned if self._population is None else self._population.asked
        return [Sample(np.asarray(x), np.array(kept)) for x, kept in zip(seen, learned, strict=True)]

    def further(self, rng: np.random.Generator) -> Sample:
        """Draw a further point of the distribution, of many the best by the model; the strategy stays as it is."""
        model = self.model
        whitened = rng.standard_normal((1 if model is None else MOST_DRAWN, self._context.dimension))
        seen, learned = self._sampling.place(self._sampling.whitening().inverse(whitened))
        with np.errstate(all="ignore"):
            best = 0 if model is None else int(np.argmin(np.nan_to_num(model(learned), nan=np.inf)))
        return Sample(np.array(seen[best]), np.array(learned[best]))

    @property
    def model(self) -> TrainedModel | None:
        """The model that was trained last since a restart."""
        return (self._population and self._population.model) or self._model

    @property
    def may_miss(self) -> bool:
        """True while the asked points can be told NaN, each when another point has been evaluated instead.

        So are proposals, and points before a population when many others have been evaluated beside them.
        """
        return self._misses_from is not None and self.true_evaluations >= self._misses_from

    def take(self, sample: Sample, value: float | Array) -> bool:
        """Take the value of a point that was asked for earlier, or beside others.

        Return True if the point can be one of the open population, by ``replace``; else models have learned from it.
        """
        if (key := sample.learned.tobytes()) in self._late_proposals:
            self._late_proposals.remove(key)
            self._proposer.learn(self._archive.standings_of(np.array([value])), self._archive.standing)
        if self._population is not None and self.is_near(sample.learned):
            return True
        self.observe(sample, value)
        return False

    def observe(self, sample: Sample, value: float | Array) -> None:
        """Let models learn from an evaluation beside all that were asked for."""
        self._count(np.array([value]))
        if np.isfinite(value).all():
            self.learn(sample.learned[None], np.array([value]))
        else:
            self._archive.add_failed(sample.learned[None])

    def is_near(self, point: Array) -> bool:
        """Return True for a point, as the archive keeps it, that the search distribution can have sampled."""
        with np.errstate(over="ignore", invalid="ignore"):
            length = self._sampling.whitening().distances(point[None])[0]
        return bool(length <= FARTHEST * longest_step(self._context.dimension))

    def replace(self, place: int, sample: Sample) -> bool:
        """Put a point in the place of one that ``ask`` returned, with its number there, for its value to be told.

        Return False if that one is not of a population: none takes its place, and NaN is to be told.
        """
        if self._population is None:
            return False
        self._population.replace(place, sample.seen, sample.learned)
        return True

    def move(self, place: int, sample: Sample) -> None:
        """Put a point in the place of one that ``ask`` returned, where f has been evaluated instead."""
        if not self.replace(place, sample) and self._further is not None:
            self._further[place] = sample.learned

    def end_run(self) -> None:
        """End the present run with its population: another begins."""
        self._ends_run = True

    def learn(self, points: Array, values: Array) -> None:
        """Let models learn from points evaluated beside those asked for, shape (n, D); values are finite."""
        self._archive.add(points, values)

    def end(self, values: Sequence[float] | Array) -> None:
        """Take the true values of the first of the asked points, where the search ends before the others.

        Nothing is trained or updated: the generation is archived and reported as far as it went.
        """
        y = np.asarray(values, dtype=float)
        self._count(y)
        self._steps.close()
        if self._population is not None and (len(y) or self._population.begun):
            self._population.take(y)
            self._report(self._population)
            self._population = None

    def _count(self, y: Array) -> None:
        self._best = min([self._best, *self._archive.standings_of(y[finite_rows(y)])])
        self.true_evaluations += len(y)
