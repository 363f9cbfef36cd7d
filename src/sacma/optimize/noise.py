"""Searches of functions whose values change from call to call: the last fifth of the budget measures the best points.

The lowest of many single values is too low, and its point is the luckiest, not the best. So candidates are chosen by a
model of all values, halved by means of further values, and the value that is said of the last one is a mean of values
that had no part in its choice, which is unbiased.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sacma.optimize.asked import AskedSearch
from sacma.optimize.call import Call
from sacma.strategy.surrogate_cmaes import Sample, SurrogateStrategy
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array
from sacma.threads import one_thread

SHARE = 5  # of the budget that evaluates points again: one part of so many
MOST_CANDIDATES = 10
EACH = 4  # fewest evaluations a candidate, of which half chooses
MOST_FITTED = 1000  # newest points that the model of all values is fitted to


class Recommended(NamedTuple):
    """A point that is recommended, and what is known of it."""

    point: Array  # shape (D,)
    value: float  # inf where there is none
    error: float | None = None  # standard error of the value, where it is a mean
    what: str = ""  # what the value is, for people


def evaluations_again(budget: int) -> int:
    """Return the number of evaluations that a budget has for points that are evaluated again.

    >>> evaluations_again(250)
    50
    """
    return budget // SHARE


class NoisySearch:
    """A search, and then further evaluations of its best points, with the interface of a strategy.

    Args:
        call: a noisy one, with a budget; where it has an archive, the points of that are candidates, too.
        search: asked and told first, in units of the scale. It is not told its last population, from which nothing
            follows any more.
    """

    def __init__(self, call: Call, search: SurrogateStrategy | AskedSearch) -> None:
        budget = int(call.limits.budget)
        self._box, self._again = call.box, evaluations_again(budget)
        self._left = budget - self._again  # evaluations of the search
        self._search = search
        self._points: list[Array] = []  # in units of the scale, each of shape (D,)
        self._values: list[float] = []  # inf where an evaluation failed
        self._start = call.box.scaled(call.x0)
        if call.archive is not None:
            self._points += list(call.box.scaled(call.archive[0]))
            self._values += call.archive[1].tolist()
        self._candidates: list[Array] = []
        self._halving: Halving | None = None

    @property
    def asked(self) -> Sequence[Sample]:
        """The points for f to evaluate before anything follows: of the search, or those of a round of candidates."""
        if self._halving is None and self._left and not self._search.stopped:
            return list(self._search.asked)[: self._left]
        return [Sample(z, z) for z in (self._candidates[i] for i in self._begun().asked)]

    @property
    def stopped(self) -> bool:
        """True when the last candidate has been evaluated as often as it is to be."""
        return self._halving is not None and not self._halving.left

    def tell(self, values: Sequence[float] | Array) -> None:
        """Take the values of the asked points, infinity where an evaluation failed."""
        told = np.asarray(values, dtype=float).tolist()
        if self._halving is not None:
            self._halving.tell(told)
            return
        self._points += [sample.seen for sample in self.asked]
        self._values += told
        self._left -= len(told)
        if self._left:
            self._search.tell(told)
        if not self._left or self._search.stopped:
            self._begun()

    def recommended(self, told: Sequence[float], best: Recommended) -> Recommended:
        """Return the candidate with the lowest mean; ``best``, of the lowest value, where no candidate has a value.

        Args:
            told: values of the first of the asked points, NaN where one is not evaluated yet.
            best: of single values.
        """
        found = None if self._halving is None else self._halving.best(told)
        if found is None:
            single = "fun is the lowest of single values, which is too low where f is noisy"
            return best._replace(what=single if math.isfinite(best.value) else "")
        candidate, values, chosen = found
        times = f"{len(values)} evaluation{'s' * (len(values) != 1)}"
        how = f"of {times} of x after it was chosen" if chosen else f"of {times} of x, which also chose it"
        point = self._box.points([self._candidates[candidate]])[0]
        return Recommended(point, *mean_and_error(values), f"fun is the mean {how}")

    def close(self) -> None:
        """End the thread of a search that has one."""
        if isinstance(self._search, AskedSearch):
            self._search.close()

    def _begun(self) -> "Halving":
        """Return the halving of the candidates, which begins at the end of the search."""
        if self._halving is None:
            self.close()
            most = max(1, min(MOST_CANDIDATES, self._again // EACH))
            if self._points:
                with one_thread():
                    chosen = candidates(self._box.points(self._points), np.array(self._values), most)
                self._candidates = [self._points[i] for i in chosen]
            self._candidates = self._candidates or [self._start]
            self._halving = Halving(len(self._candidates), self._again)
        return self._halving


def candidates(points: Array, values: Array, most: int) -> list[int]:
    """Return the indices of at most so many distinct points that are likely to be the best.

    They have the lowest posterior means of a Gaussian process of all values; where it says nothing, the lowest means
    of values.

    Args:
        points: shape (n, D), where some may be the same.
        values: shape (n,), not finite where an evaluation failed.
        most: number of points.
    """
    finite = np.flatnonzero(np.isfinite(values))
    if not len(finite):
        return []
    _, first, which = np.unique(points[finite], axis=0, return_index=True, return_inverse=True)
    counts = np.bincount(which.ravel())
    means = np.asarray(np.bincount(which.ravel(), weights=values[finite] / counts[which.ravel()]), dtype=float)
    by_age = np.argsort(first)[-MOST_FITTED:]
    ages = finite[first[by_age]]
    scores = _posterior_means(points[ages], means[by_age])
    return [int(i) for i in ages[np.argsort(scores, kind="stable")[:most]]]


def _posterior_means(points: Array, means: Array) -> Array:
    """Return what a Gaussian process makes of the values of distinct points; as they are where it cannot be fitted."""
    from sacma.surrogate.gaussian_process import (  # noqa: PLC0415 loads Numba
        GaussianProcess,
        Hyperparameters,
        fit_gaussian_process,
    )

    with np.errstate(all="ignore"):
        spread = np.std(points, axis=0)
        inputs = (points - np.mean(points, axis=0)) / np.where(spread > 0.0, spread, 1.0)
        if len(points) < 2 or not np.all(np.isfinite(inputs)):  # noqa: PLR2004 a model of one point
            return means
        training = TrainingSet(np.ascontiguousarray(inputs), means)
        process = fit_gaussian_process(training, start=Hyperparameters(length=0.5, ratio=1e-2))
        if not isinstance(process, GaussianProcess):
            return means
        scores = process.predict(training.inputs)
    return scores if np.all(np.isfinite(scores)) else means


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean of values and its standard error, None of a single one.

    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    n = len(values)
    with np.errstate(all="ignore"):
        given = np.array(values)
        mean = float(np.sum(given / n))  # the sum of large values would overflow
        return mean, float(np.std(given, ddof=1)) / math.sqrt(n) if n > 1 else None


class Halving:
    """Rounds of evaluations, of which each leaves the better half of the candidates, until one has half of them all.

    Karnin, Koren and Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*, ICML 2013, with the evaluations of
    the last candidate kept back. A candidate with fewer failed evaluations is better than one with more, whatever
    their means.

    >>> halving = Halving(2, 8)
    >>> halving.asked
    [0, 1, 0, 1]
    >>> halving.tell([1.0, 0.0, 3.0, 1.0])
    >>> halving.asked
    [1, 1, 1, 1]

    Args:
        count: number of candidates.
        evaluations: of all of them together.
    """

    def __init__(self, count: int, evaluations: int) -> None:
        self.left = evaluations
        self._kept = evaluations - evaluations // 2  # for the last candidate
        self._alive = list(range(count))
        self._told: list[tuple[int, float]] = []  # candidate and value, infinity where an evaluation failed
        self._chosen_by = 0  # values that chose the last candidate

    @property
    def asked(self) -> list[int]:
        """The candidates to be evaluated next, each as often as it stands here."""
        if (count := len(self._alive)) == 1:
            return self._alive * self.left
        rounds = (count - 1).bit_length()  # ⌈log₂ count⌉
        each = max(1, (self.left - self._kept) // (rounds * count))
        return (self._alive * each)[: self.left]

    def tell(self, values: Sequence[float]) -> None:
        """Take the values of those asked for, in their order."""
        self._told += zip(self.asked, values, strict=True)
        self.left -= len(values)
        if (count := len(self._alive)) > 1:
            self._alive = sorted(self._alive, key=self._rank)[: (count + 1) // 2]
            self._chosen_by = len(self._told)

    def best(self, values: Sequence[float]) -> tuple[int, list[float], bool] | None:
        """Return the best candidate, its values, and True if they had no part in its choice; None without any value.

        Args:
            values: of the first of those asked for, NaN where one is not evaluated yet.
        """
        told = self._told + [each for each in zip(self.asked, values, strict=False) if not math.isnan(each[1])]
        valued = {candidate for candidate, value in told if math.isfinite(value)}
        alive = [candidate for candidate in self._alive if candidate in valued]
        if not alive:
            return None
        best = min(alive, key=lambda candidate: self._rank(candidate, told))
        finite = [value for candidate, value in told if candidate == best and math.isfinite(value)]
        since = told[self._chosen_by :] if len(self._alive) == 1 else []
        unbiased = [value for _, value in since if math.isfinite(value)]
        if len(unbiased) > 1 or (unbiased and len(unbiased) == len(finite)):
            return best, unbiased, True
        return best, finite, False

    def _rank(self, candidate: int, told: Sequence[tuple[int, float]] | None = None) -> tuple[int, float]:
        """Return the number of failures and the mean; inf without values."""
        values = [value for other, value in (self._told if told is None else told) if other == candidate]
        finite = [value for value in values if math.isfinite(value)]
        return len(values) - len(finite), mean_and_error(finite)[0] if finite else math.inf
