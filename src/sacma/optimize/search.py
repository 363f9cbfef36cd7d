"""The search behind an optimizer: a strategy that is asked and told, and never asks for a point with a known value.

Beyond bounds a search distribution has many points that are moved onto the same one within, such as a corner, and in a
space of integers most points share a cell. The optimum of a model, too, can be one that is known.
"""

import itertools
import math
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sacma.algorithms.registry import ALGORITHMS
from sacma.optimize.call import Call
from sacma.optimize.evaluation import BESIDE
from sacma.strategy.population import Sample
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.types import Array

if TYPE_CHECKING:
    from sacma.strategy.generation import Generation

MOST_IN_A_ROW = 1000  # points of populations in a row whose values are known, before another point is evaluated instead
MOST_DRAWS = 100  # of a point, until one has no known value
Value = float | Array  # of f; with constraints a row; inf where an evaluation failed


class Request:
    """The points that the search waits for; none where it has ended.

    It closes as soon as there are as many values as it has points: of its own, or of others that the search takes in
    their place.
    """

    def __init__(self, points: Sequence[Array]) -> None:
        self.first: int | None = None  # number of its first point, once it has been asked for
        self.points = points  # for f, each of shape (D,)
        self.values: list[Value | None] = [None] * len(points)
        self.others: list[tuple[Sample, Value]] = []

    @property
    def open_places(self) -> list[int]:
        """The places of points without a value."""
        return [place for place, value in enumerate(self.values) if value is None]

    def place_of(self, number: int) -> int | str:
        """Return the place of the point with a number, BESIDE where none waits for its value."""
        place = -1 if self.first is None else number - self.first
        return place if place in self.open_places else BESIDE

    @property
    def filled(self) -> bool:
        """True where it closes."""
        return bool(self.values) and len(self.open_places) <= len(self.others)


class Memo:
    """Finite values of f by point, with the call's known points; empty for a noisy call."""

    def __init__(self, call: Call) -> None:
        self._box, self._space, self._combinations, self._noisy = call.box, call.space, call.combinations, call.noisy
        self._values: dict[Hashable, Value] = {}
        self._failed: set[Hashable] = set()
        if not self._noisy and (known := _known_of(call)) is not None:
            points, values = known
            self._values.update(zip(self.keys(points), values, strict=True))

    def keys(self, scaled: Sequence[Array] | Array) -> list[Hashable]:
        """Return a key for each point in units of the scale: points share it where f is evaluated at the same one."""
        if self._noisy or not len(scaled):
            return [object() for _ in scaled]  # equal to no other
        return [point.tobytes() for point in self._box.points(list(scaled)) + 0.0]  # −0 is 0

    def add(self, key: Hashable, value: Value) -> None:
        """Keep a finite value, and a failure (inf) when it is the second at the point; NaN is no value.

        One failure may have other causes.
        """
        worst = float(np.max(value))  # none is minus infinity
        if self._noisy or math.isnan(worst):
            return
        if math.isfinite(worst) or (key in self._failed and key not in self._values):
            self._values[key] = value
        else:
            self._failed.add(key)

    def get(self, key: Hashable) -> Value | None:
        """Return the value at a point, None where there is none."""
        return self._values.get(key)

    @property
    def missing(self) -> float:
        """Number of combinations of discrete parameters that have no value; infinite where points are continuous."""
        return self._combinations - len(self._values)

    def further(self, rng: np.random.Generator, others: Collection[Hashable] = ()) -> Array | None:
        """Return a combination without a value that is not among ``others``, shape (D,), None where there is none."""
        if self._space is None or self.missing == math.inf:
            return None
        count = int(self._combinations)
        first = min(int(rng.random() * count), count - 1)
        for i in range(min(count, len(self._values) + len(others) + 1)):
            point = self._space.combination((first + i) % count)
            if (key := self.keys([point])[0]) not in others and self.get(key) is None:
                return point
        return None


class MemoizedStrategy:
    """A strategy that is asked for points without a known value only, each once, in units of the scale.

    After many known points in a row another point is asked for instead, and is an evaluation beside the strategy's own:
    of its distribution, of the space, or the start of a restart.

    Args:
        call: with a seed, and known points.
        is_late: True where known points are passed no longer.

    Attributes:
        strategy: for all but its points, which may be fewer here.
        generations: that are finished.
        used_up: True where the search has ended since it finds no point without a value.
    """

    def __init__(self, call: Call, is_late: Callable[[], bool]) -> None:
        self._call = call
        self.generations: list[Generation] = []
        ALGORITHMS[call.method.algorithm].prepare(call.method.settings)  # errors of compiling lose no evaluations now
        assert call.method.strategy is not None  # noqa: S101 the callers have looked
        self.strategy = SurrogateStrategy(
            call.method.strategy,
            initial_point=initial_points(call, generator(call, 0)),
            box=call.box.scaled_bounds,
            rng=generator(call, 1),
            on_generation=self.generations.append,
            archive=_known_of(call),
            grid=call.box.grid,
            noisy=call.noisy,
            equalities=call.equalities,
            most_restarts=call.limits.restarts,
        )
        self._is_late = is_late
        self._known = Memo(call)
        self._rng = generator(call, 3)
        self._begin_row()
        self.used_up = False
        self._open()

    def _begin_row(self) -> None:
        self._passed = 0  # points with known values
        self._most = min(MOST_IN_A_ROW, self._known.missing)  # no more than there are others

    def _open(self) -> None:
        """Ask the strategy, and tell it known values, until there is a point without a value, or it stops."""
        self._instead: Sample | None = None
        while True:
            self._samples = list(self.strategy.asked)
            self._keys = self._known.keys([sample.seen for sample in self._samples])
            places: dict[Hashable, list[int]] = {}  # by point, in the order of the points
            for i, key in enumerate(self._keys):
                places.setdefault(key, []).append(i)
            self._places = [of for key, of in places.items() if self._known.get(key) is None]
            if self._places:
                self._begin_row()
            elif self._samples and (self._passed >= self._most or not self._known.missing):
                self._passed, self._most = 0, self._most // 2  # little time is spent where all points are known
                self._instead = self._new(self._rng)
                self.used_up = self._instead is None
            elif self._samples:
                self.strategy.tell(self._told([]), known=len(self._samples))
                self._passed += len(self._samples)
                if not self._is_late():
                    continue
                self._samples, self._keys = [], []
            return

    def _new(self, rng: np.random.Generator, others: Collection[Hashable] = ()) -> Sample | None:
        """Return a point without a value that is not among ``others``; None where none is found.

        It is of the distribution, or else any combination of discrete parameters, or the start of a restart.
        """

        def drawn() -> Iterator[Sample]:
            for _ in range(MOST_DRAWS):
                yield self.strategy.further(rng)
            if (point := self._known.further(rng, others)) is not None:
                yield Sample(point, point)
            box, call = self._call.box, self._call
            for _ in range(MOST_DRAWS):
                z = box.scaled(box.another_start(call.x0, call.sigma0, rng))
                yield Sample(z, z)

        for sample in drawn() if self._known.missing else ():
            (key,) = self._known.keys([sample.seen])
            if key not in others and self._known.get(key) is None:
                return sample
        return None

    def _told(self, values: Sequence[Value]) -> Array:
        """Return the values of all points of the strategy, from the values of the asked ones in their order."""
        told: list[Value] = [np.nan if (known := self._known.get(key)) is None else known for key in self._keys]
        for places, value in zip(self._places, values, strict=True):
            for place in places:
                told[place] = value
        return np.array(told)

    @property
    def asked(self) -> list[Sample]:
        """The points for f to evaluate, as the strategy has them; none, too, where it is late."""
        if self._instead is not None:
            return [self._instead]
        return [self._samples[places[0]] for places in self._places]

    def tell(self, values: Sequence[Value] | Array) -> None:
        """Take the values of the asked points, in their order."""
        told = list(values)
        if self._instead is not None:
            self.take(self._instead, told.pop())
        for places, value in zip(self._places, told, strict=True):
            self._known.add(self._keys[places[0]], value)
        self.strategy.tell(self._told(told), known=len(self._samples) - len(self._places))
        self._open()

    def further(self, rng: np.random.Generator, running: Sequence[Array] = ()) -> Sample | None:
        """Draw a point that is neither known nor asked for nor ``running``, None where none is; all stays as it is."""
        taken = self._known.keys([*(sample.seen for sample in self.asked), *running])
        return self._new(rng, {*self._keys, *taken})

    def take(self, sample: Sample, value: Value) -> bool:
        """Take the value of another point; return True if it stands for an asked one, see ``replace``.

        One instead of the strategy's points completes no population.
        """
        self._known.add(self._known.keys([sample.seen])[0], value)
        if self._instead is None:
            return self.strategy.take(sample, value) or self.strategy.may_miss
        self.strategy.observe(sample, value)
        return False

    def replace(self, place: int, sample: Sample) -> bool:
        """Put a taken point in the place of an asked one, and of all that are the same; False: NaN is to be told."""
        replaced = [self.strategy.replace(each, sample) for each in self._places[place]]
        if replaced[0]:
            self._rename(place, sample)
        return replaced[0]

    def move(self, place: int, sample: Sample) -> None:
        """Put the point at which f has been evaluated in the place of an asked one, and of all that are the same."""
        if self._instead is not None:
            self._instead = sample
            return
        for each in self._places[place]:
            self.strategy.move(each, sample)
        self._rename(place, sample)

    def _rename(self, place: int, sample: Sample) -> None:
        (key,) = self._known.keys([sample.seen])
        for each in self._places[place]:
            self._samples[each], self._keys[each] = sample, key

    def learn(self, points: Array, values: Array) -> None:
        """Let models learn from points evaluated beside those asked for, shape (n, D)."""
        for key, value in zip(self._known.keys(points), values, strict=True):
            self._known.add(key, value)
        self.strategy.learn(points, values)


def _known_of(call: Call) -> tuple[Array, Array] | None:
    """Return the known points in units of the scale, and their values, with constraints rows."""
    if call.known is None:
        return None
    X, *outcomes = call.known
    return call.box.scaled(X), np.column_stack(outcomes) if call.equalities else outcomes[0]


def generator(call: Call, *stream: int) -> np.random.Generator:
    """Return the generator of initial points, 0, of the search, 1, or of points beside, 2, or instead of its own, 3."""
    return np.random.default_rng(np.random.SeedSequence(call.seed, spawn_key=stream))


def initial_points(call: Call, rng: np.random.Generator) -> Callable[[], Array]:
    """Return a function that gives x₀, and then the initial points of restarts, in units of the scale.

    Restarts take the choices of categorical parameters in turn.
    """
    choices = [] if call.space is None else call.space.choices
    orders = [rng.permutation(axes.count) for _, axes in choices]
    begun = itertools.count()

    def initial_point() -> Array:
        if not (turn := next(begun)):
            return call.box.scaled(call.x0)
        start = call.box.another_start(call.x0, call.sigma0, rng)
        for (place, axes), order in zip(choices, orders, strict=True):
            start[place] = axes.at(order[turn % len(order)])
        return call.box.scaled(start)

    return initial_point
