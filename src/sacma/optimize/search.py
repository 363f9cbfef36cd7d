"""The strategy of a call, asked and told, whichever its method is."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np

from sacma.algorithms.registry import ALGORITHMS, BUILT_IN
from sacma.optimize.asked import AskedSearch, NoNewPoint, Request
from sacma.optimize.call import Call
from sacma.optimize.known_points import MOST_OF_A_SEARCH, KnownPoints, KnownValues, Passes
from sacma.optimize.noise import NoisySearch
from sacma.optimize.result import Status
from sacma.strategy.generation import Generation
from sacma.strategy.surrogate_cmaes import Sample, SurrogateStrategy
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread

FARTHEST = 1e150  # largest coordinate of a point that an algorithm can have evaluated: its square is finite


Sampled = SurrogateStrategy | KnownPoints
"""Strategies with a distribution to sample from, and models that learn."""


class Begun(NamedTuple):
    """An evaluation that has begun."""

    point: Array  # for f, shape (D,)
    sample: Sample  # the same as the strategy asked for it, in units of the scale


def strategy_of(call: Call, on_generation: Callable[[Generation], None]) -> Sampled | AskedSearch | NoisySearch:
    """Return the strategy of a call with a seed; its points are in units of the scale.

    Compiled code is loaded, or made, now: what goes wrong there loses no evaluations.
    """
    ALGORITHMS[call.method.algorithm].prepare(call.method.settings)
    search = _search_of(call, on_generation)
    if call.noisy:
        return NoisySearch(call, search) if call.limits.budget < math.inf else search
    return KnownPoints(call, search) if isinstance(search, SurrogateStrategy) else search


@contextmanager
def computing(*, models: bool) -> Iterator[None]:
    """Compute with one thread where there are ``models``; numbers may overflow, whatever ``numpy.seterr`` says."""
    with np.errstate(all="ignore"), one_thread() if models else nullcontext():
        yield


def end_of_search(call: Call, strategy: Sampled | AskedSearch | NoisySearch) -> Status:
    """Return the reason why a strategy stops."""
    if not isinstance(strategy, KnownPoints | AskedSearch) or not strategy.used_up:
        return Status.RESTARTS
    return Status.NO_NEW_POINT if call.combinations == math.inf else Status.SPACE_USED_UP


def beside(
    call: Call, strategy: Sampled | AskedSearch | NoisySearch, running: Mapping[int, Begun], number: int
) -> Begun | None:
    """Return a point for evaluation ``number``, beside others; None where each is known or running."""
    if not isinstance(strategy, KnownPoints):  # others have no distribution
        return None
    rng = np.random.default_rng(np.random.SeedSequence(call.seed, spawn_key=(2, number)))
    sample = strategy.beside(rng, (begun.sample for begun in running.values()))
    return None if sample is None else Begun(call.box.points([sample.seen])[0], sample)


def number_at(point: Array, running: Mapping[int, Begun]) -> int:
    """Return the number of the evaluation that is running at a point, 0 where there is none."""
    return next((number for number, begun in running.items() if np.array_equal(begun.point, point)), 0)


def _search_of(call: Call, on_generation: Callable[[Generation], None]) -> SurrogateStrategy | AskedSearch:
    if call.method.strategy is None:
        return AskedSearch(partial(_search, call), on_generation)
    starts, samples = _generators(call)
    archive = None
    if call.archive is not None:
        X, *outcomes = call.archive
        archive = call.box.scaled(X), np.column_stack(outcomes) if call.equalities else outcomes[0]
    return SurrogateStrategy(
        call.method.strategy,
        initial_point=initial_points(call, starts),
        box=call.box.scaled_bounds,
        rng=samples,
        on_generation=on_generation,
        archive=archive,
        grid=call.box.grid,
        noisy=call.noisy,
        equalities=call.equalities,
    )


def _generators(call: Call) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the generators of initial points and of all else."""
    starts, samples = (np.random.default_rng(seed) for seed in np.random.SeedSequence(call.seed).spawn(2))
    return starts, samples


def initial_points(call: Call, rng: np.random.Generator) -> Callable[[], Array]:
    """Return a function that gives x₀, and then the initial points of restarts, in units of the scale."""
    first = [call.x0]

    def initial_point() -> Array:
        box = call.box
        return box.scaled(first.pop() if first else box.another_start(call.x0, call.sigma0, rng))

    return initial_point


def _search(call: Call, evaluate: Callable[[Request], float]) -> None:
    """Minimise with an algorithm that calls f itself.

    An error of SciPy or pycma, as of values that overflow, ends one run of the algorithm: the next begins. So do known
    points alone, until restarts lead to no other.
    """
    starts, samples = _generators(call)
    problem = _Problem(call, evaluate, initial_points(call, starts))
    algorithm, settings = ALGORITHMS[call.method.algorithm], call.method.settings
    while True:
        before = problem.calls
        try:
            algorithm.run(problem, settings, samples)
        except NoNewPoint:
            if not problem.restarts():
                raise
        except Exception:
            if algorithm not in BUILT_IN or problem.calls == before:
                raise
        else:
            return


class _Problem:
    """The problem of a call as an algorithm sees it: ``sacma.algorithms.base.Problem``, in units of the scale.

    It tells nothing of the limits of the call, which do not change what a run does until then.
    """

    evaluations_left = sys.maxsize
    target_hit = False

    def __init__(self, call: Call, evaluate: Callable[[Request], float], initial_point: Callable[[], Array]) -> None:
        self.dimension = len(call.x0)
        self.lower_bounds, self.upper_bounds = call.box.scaled_bounds
        self._reach = FARTHEST * np.minimum(1.0, 1.0 / call.box.scale)
        self._evaluate = evaluate
        self._initial_point = initial_point
        self._starts = 0
        self._changes = call.noisy  # f, from call to call
        self._rng = np.random.default_rng(np.random.SeedSequence(call.seed, spawn_key=(3,)))
        self._known = KnownValues(call)
        self._passes = Passes(MOST_OF_A_SEARCH)
        self.calls = 0  # of known values, too
        self.evaluations = 0

    def __call__(self, point: Array) -> float:
        """Return f(point), infinity where the evaluation fails; f is not called at a point whose value is known.

        After many of these in a row it is called at another combination of discrete parameters, or else raises
        NoNewPoint. Raises ValueError if ``point`` has the wrong shape, is not finite, or is too far away.
        """
        x = np.array(point, dtype=float)
        if x.shape != (self.dimension,) or not np.all(np.abs(x) <= self._reach):
            raise ValueError(f"evaluated at {point!r}; allowed: {self.dimension} numbers up to {FARTHEST:g}")
        self.calls += 1
        (key,) = self._known.keys([x])
        known = None if self._changes else self._known.get(key)
        if known is None:
            self._passes.renew(MOST_OF_A_SEARCH)
            return self._evaluated(x)
        if not self._passes.left or not self._known.missing:
            if (other := self._known.further(self._rng)) is None:
                raise NoNewPoint
            self._passes.halve()
            self._evaluated(other)
        self._passes.spend(1)
        return float(known)

    def _evaluated(self, x: Array) -> float:
        self.evaluations += 1
        value = self._evaluate(Request(x, restart=max(0, self._starts - 1)))
        self._known.add(self._known.keys([x])[0], value)
        return value

    def restarts(self) -> bool:
        """Return True if a restart may lead to a new point."""
        self._passes.halve()
        return self._passes.left > 0 and self._known.missing > 0

    def initial_point(self, half_width: float) -> Array:  # noqa: ARG002 the problem's
        """Return x₀ of the call, then points of restarts; ``half_width`` has no effect."""
        self._starts += 1
        return self._initial_point()

    def trace(self, generation: Generation) -> None:
        """Take no notice of the algorithm's own generations: each evaluation is one."""
