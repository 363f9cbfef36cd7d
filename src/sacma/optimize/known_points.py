"""Points that f has been evaluated at: where its values do not change, it is not called again.

Beyond bounds a search distribution has many points that are moved onto the same one within, such as a corner, and in a
space of integers most points share a cell. The optimum of a model, too, can be one that is known.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from sacma.optimize.call import Call
from sacma.strategy.surrogate_cmaes import Sample, SurrogateStrategy
from sacma.surrogate.whitening import Array

MOST_IN_A_ROW = 1000
"""Points of populations in a row whose values are known, before another point is evaluated instead."""

MOST_OF_A_SEARCH = 100
"""The same, of a search that calls f itself, before it is restarted."""

MOST_DRAWS = 100  # of a point, until one has no known value

Value = float | Array  # of f; with constraints a row


class KnownValues:
    """Finite values of f by point, those of the call's archive to begin with."""

    def __init__(self, call: Call) -> None:
        self._box, self._space, self._combinations = call.box, call.space, call.combinations
        self._values: dict[bytes, Value] = {}
        self._failed: set[bytes] = set()
        if call.archive is not None:
            X, *outcomes = call.archive
            rows = np.column_stack(outcomes) if call.equalities else outcomes[0]
            for key, value in zip(self.keys(call.box.scaled(X)), rows, strict=True):
                self.add(key, value)

    def keys(self, scaled: Sequence[Array] | Array) -> list[bytes]:
        """Return what tells the points from others at which f is evaluated for points in units of the scale."""
        return [point.tobytes() for point in self._box.points(list(scaled)) + 0.0] if len(scaled) else []  # −0 is 0

    def add(self, key: bytes, value: Value) -> None:
        """Keep a finite value, and a failure (inf) when it is the second at the point; NaN is no value.

        One failure may have other causes.
        """
        if np.any(np.isnan(value)):
            return
        if np.all(np.isfinite(value)) or (key in self._failed and key not in self._values):
            self._values[key] = value
        else:
            self._failed.add(key)

    @property
    def missing(self) -> float:
        """Number of combinations of discrete parameters that have no value; infinite where points are continuous."""
        return self._combinations - len(self._values)

    def further(self, rng: np.random.Generator, others: Collection[bytes] = ()) -> Array | None:
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

    def get(self, key: bytes) -> Value | None:
        """Return the value at a point, None where there is none."""
        return self._values.get(key)


class Passes:
    """How many points with known values are passed in a row.

    Half as many where it was in vain, so that little time is spent where all points are known.
    """

    def __init__(self, most: int) -> None:
        self.renew(most)

    def renew(self, most: int) -> None:
        """Begin again at a point without a value."""
        self.left = self._next = most

    def spend(self, points: int) -> None:
        """Pass points with known values."""
        self.left = max(0, self.left - points)

    def halve(self) -> None:
        """Begin again where it was in vain."""
        self.left = self._next = self._next // 2


class KnownPoints:
    """A strategy that asks for points without a known value only, each once; it has the strategy's interface.

    Populations that are known are told by ``proceed``. After many of them in a row another point is asked for instead,
    and is an evaluation beside the strategy's own: of its distribution, of the space, or the start of a restart.

    Args:
        call: with the archive.
        strategy: that is asked and told, in units of the scale.
    """

    def __init__(self, call: Call, strategy: SurrogateStrategy) -> None:
        self._call = call
        self._strategy = strategy
        self._known = KnownValues(call)
        self._rng = np.random.default_rng(np.random.SeedSequence(call.seed, spawn_key=(3,)))
        self._passes = Passes(self._most)
        self.used_up = False  # True where no new point can be asked for
        self._open()

    @property
    def _most(self) -> int:
        """Most known points in a row: no more than there are others."""
        return int(min(MOST_IN_A_ROW, self._known.missing))

    def _open(self) -> None:
        """Find the points without a value of those that the strategy asks for, or one instead of them."""
        self._samples = list(self._strategy.asked)
        self._keys = self._known.keys([sample.seen for sample in self._samples])
        places: dict[bytes, list[int]] = {}  # by point, in the order of the points
        for i, key in enumerate(self._keys):
            places.setdefault(key, []).append(i)
        self._places = [of for key, of in places.items() if self._known.get(key) is None]
        self._instead: Sample | None = None
        if self._places:
            self._passes.renew(self._most)
        elif self._samples and (not self._passes.left or not self._known.missing):
            self._passes.halve()
            self._instead = self._another()
            self.used_up = self._instead is None

    def _another(self) -> Sample | None:
        """Return a point without a value, or None where none is found."""
        if not self._known.missing:
            return None
        if (sample := self._drawn(self._rng, ())) is not None:
            return sample
        box, call = self._call.box, self._call
        for _ in range(MOST_DRAWS):
            z = box.scaled(box.another_start(call.x0, call.sigma0, self._rng))
            if self._known.get(self._known.keys([z])[0]) is None:
                return Sample(z, z)
        return None

    def _drawn(self, rng: np.random.Generator, others: Collection[bytes]) -> Sample | None:
        """Return a point without a value that is not among ``others``: of the distribution, or any combination."""
        for _ in range(MOST_DRAWS):
            sample = self._strategy.further(rng)
            (key,) = self._known.keys([sample.seen])
            if key not in others and self._known.get(key) is None:
                return sample
        point = self._known.further(rng, others)
        return None if point is None else Sample(point, point)

    def _told(self, values: Sequence[Value]) -> Array:
        """Return the values of all points of the strategy, of those that are asked for in their order."""
        told: list[Value] = [np.nan if (known := self._known.get(key)) is None else known for key in self._keys]
        for places, value in zip(self._places, values, strict=True):
            for place in places:
                told[place] = value
        return np.array(told)

    @property
    def asked(self) -> Sequence[Sample]:
        """The points for f to evaluate, as the strategy has them; none where ``proceed`` is to be called."""
        if self._instead is not None:
            return [self._instead]
        return [self._samples[places[0]] for places in self._places]

    @property
    def passing(self) -> bool:
        """True where all that the strategy asks for is known, for ``proceed``."""
        return not (self._places or self._instead or self.stopped)

    @property
    def stopped(self) -> bool:
        """True when the strategy has stopped, or no new point can be asked for."""
        return self._strategy.stopped or self.used_up

    @property
    def may_miss(self) -> bool:
        """True while the asked points can be told NaN; see ``SurrogateStrategy``."""
        return self._instead is None and self._strategy.may_miss

    def proceed(self, is_late: Callable[[], bool]) -> None:
        """Tell the strategy populations that are known: one, and more as long as it is not late."""
        while self.passing:
            self._strategy.tell(self._told([]), known=len(self._samples))
            self._passes.spend(len(self._samples))
            self._open()
            if is_late():
                return

    def tell(self, values: Sequence[Value] | Array) -> None:
        """Take the values of the asked points, in their order."""
        told = list(values)
        if self._instead is not None:
            self.take(self._instead, told.pop())
        for places, value in zip(self._places, told, strict=True):
            self._known.add(self._keys[places[0]], value)
        self._strategy.tell(self._told(told), known=len(self._samples) - len(self._places))
        self._open()

    def further(self, rng: np.random.Generator) -> Sample:
        """Draw a further point, if one can be drawn that is neither known nor asked for; see ``SurrogateStrategy``."""
        return self.beside(rng, ()) or self._strategy.further(rng)

    def beside(self, rng: np.random.Generator, running: Iterable[Sample]) -> Sample | None:
        """Draw a further point that is neither known nor asked for nor ``running``, None where there is none."""
        taken = self._known.keys([sample.seen for sample in (*self.asked, *running)])
        return self._drawn(rng, {*self._keys, *taken})

    def take(self, sample: Sample, value: Value) -> bool:
        """Take the value of a point that was asked for earlier, or beside others; see ``SurrogateStrategy``."""
        self._known.add(self._known.keys([sample.seen])[0], value)
        beside = self._instead is not None  # whose value completes no population
        return self._strategy.take(sample._replace(run=0) if beside else sample, value)

    def replace(self, place: int, sample: Sample) -> bool:
        """Put a point in the place of one that was asked for, and of all that are the same."""
        places = self._places[place]
        replaced = [self._strategy.replace(each, sample) for each in places]
        if replaced[0]:
            (key,) = self._known.keys([sample.seen])
            for each in places:
                self._samples[each], self._keys[each] = sample, key
        return replaced[0]

    def learn(self, points: Array, values: Array) -> None:
        """Let models learn from points evaluated beside those asked for, shape (n, D)."""
        for key, value in zip(self._known.keys(points), values, strict=True):
            self._known.add(key, value)
        self._strategy.learn(points, values)
