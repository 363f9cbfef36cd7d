"""Searches of functions whose values change from call to call: the last fifth of the budget measures the best points.

The lowest of many single values is too low, and its point is the luckiest, not the best. So candidates are chosen by a
model of all values, halved by means of further values, and the value that is said of the last one is a mean of values
that had no part in its choice, which is unbiased.
"""

import math
from collections.abc import Sequence

import numpy as np

from sacma.optimize.call import Call
from sacma.optimize.evaluation import LogEntry
from sacma.optimize.log import Best, founded
from sacma.optimize.search import Value
from sacma.process_wide import one_thread
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

SHARE = 5  # of the budget that evaluates points again: one part of so many
MOST_CANDIDATES = 10
EACH = 4  # fewest evaluations a candidate, of which half chooses
MOST_FITTED = 1000  # newest points that the model of all values is fitted to


def evaluations_again(budget: float) -> int:
    """Return the number of evaluations that a budget has for points that are evaluated again.

    >>> evaluations_again(250)
    50
    """
    return int(budget) // SHARE if budget < math.inf else 0


def candidates(points: Array, values: Array, most: int) -> list[int]:
    """Return the indices of at most so many distinct points that are likely to be the best.

    They have the lowest posterior means of a Gaussian process of all values; where it says nothing, the lowest means
    of values. With constraints those come first that keep them by such means of their own.

    Args:
        points: shape (n, D), where some may be the same.
        values: of f and of m constraints, shape (n, 1 + m), all finite.
        most: number of points.
    """
    _, first, which, counts = np.unique(points, axis=0, return_index=True, return_inverse=True, return_counts=True)
    by_age = np.argsort(first)[-MOST_FITTED:]
    ages = first[by_age]
    scores = []
    for column in values.T:
        means = np.asarray(np.bincount(which, weights=column / counts[which]), dtype=float)
        scores.append(_posterior_means(points[ages], means[by_age]))
    violation = np.max(scores[1:], axis=0, initial=0.0) if scores[1:] else np.zeros(len(ages))
    return list(map(int, ages[np.lexsort((scores[0], violation))[:most]]))


def _posterior_means(points: Array, means: Array) -> Array:
    """Return posterior means of a Gaussian process of distinct points; the values where it cannot be fitted."""
    from sacma.surrogate import gaussian_process  # noqa: PLC0415 loads Numba

    with np.errstate(all="ignore"):
        spread = np.std(points, axis=0)
        inputs = np.ascontiguousarray((points - np.mean(points, axis=0)) / np.where(spread > 0.0, spread, 1.0))
        if len(points) > 1 and np.all(np.isfinite(inputs)):
            start = gaussian_process.Hyperparameters(length=0.5, ratio=1e-2)
            process = gaussian_process.fit_gaussian_process(TrainingSet(inputs, means), start=start)
            if isinstance(process, gaussian_process.GaussianProcess):
                scores = process.predict(inputs)
                return scores if np.all(np.isfinite(scores)) else means
    return means


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


def _finite(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if np.all(np.isfinite(value))]


def _means(values: Sequence[Value], errors: float = 0.0) -> tuple[float, float]:
    """Return the violation by means of constraints, each with so many standard errors, and the mean of f."""
    f, *constraints = map(mean_and_error, np.array(values).reshape(len(values), -1).T.tolist())
    return max([0.0, *(mean + errors * (error or 0.0) for mean, error in constraints)]), f[0]


def _rank(values: Sequence[Value]) -> tuple[float, ...]:
    """Return the number of failures, and means, infinite without values: by these candidates are ordered."""
    finite = _finite(values)
    return len(values) - len(finite), *(_means(finite, 1.0) if finite else (math.inf, math.inf))


class Halving:
    """Rounds of evaluations, of which each leaves the better half of the candidates, until one has half of them all.

    Karnin, Koren and Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*, ICML 2013, with the evaluations of
    the last candidate kept back. A candidate with fewer failed evaluations is better than one with more, whatever
    their means, and one that keeps the constraints by means and standard errors is better than one that does not.

    >>> halving = Halving([np.zeros(1), np.ones(1)], 8)
    >>> halving.asked
    [0, 1, 0, 1]
    >>> halving.tell([1.0, 0.0, 3.0, 1.0])
    >>> halving.asked
    [1, 1, 1, 1]

    Args:
        candidates: points, each of shape (D,).
        evaluations: of all of them together.
    """

    def __init__(self, candidates: Sequence[Array], evaluations: int) -> None:
        self.left = evaluations
        self._kept = evaluations - evaluations // 2  # for the last candidate
        self.candidates = candidates
        self._values: list[list[Value]] = [[] for _ in candidates]  # infinity where an evaluation failed
        self._alive = list(range(len(candidates)))
        self._chosen_by = 0  # values of the last candidate that chose it
        self.asked = self._round()  # the candidates to be evaluated next, each as often as it stands here

    def _round(self) -> list[int]:
        if (count := len(self._alive)) == 1:
            return self._alive * self.left
        rounds = (count - 1).bit_length()  # ⌈log₂ count⌉
        each = max(1, (self.left - self._kept) // (rounds * count))
        return (self._alive * each)[: self.left]

    @property
    def points(self) -> list[Array]:
        """The points to be evaluated next."""
        return [self.candidates[i] for i in self.asked]

    def tell(self, values: Sequence[Value]) -> None:
        """Take the values of those asked for, in their order."""
        for candidate, value in zip(self.asked, values, strict=True):
            self._values[candidate].append(value)
        self.left -= len(values)
        if (count := len(self._alive)) > 1:
            self._alive = sorted(self._alive, key=lambda i: _rank(self._values[i]))[: (count + 1) // 2]
            self._chosen_by = len(self._values[self._alive[0]])
        self.asked = self._round()

    def take(self, point: Array, value: Value) -> None:
        """Take another value, of a point that may be a candidate."""
        for candidate, values in zip(self.candidates, self._values, strict=True):
            if np.array_equal(candidate, point):
                values.append(value)
        self.left -= 1

    def best(self, told: Sequence[Value | None]) -> tuple[int, list[Value], bool] | None:
        """Return the best candidate, its values, and True if they had no part in its choice; None without any value.

        Args:
            told: values of the first of those asked for, None where one is not evaluated yet.
        """
        values = [list(each) for each in self._values]
        for candidate, value in zip(self.asked, told, strict=False):
            if value is not None:
                values[candidate].append(value)
        valued = [i for i in self._alive if _finite(values[i])]
        if not valued:
            return None
        best = min(valued, key=lambda i: _rank(values[i]))
        finite = _finite(values[best])
        unbiased = _finite(values[best][self._chosen_by :]) if len(self._alive) == 1 else []
        chosen = len(unbiased) > 1 or len(unbiased) == len(finite)
        return best, unbiased if chosen else finite, chosen


def rounds_of(call: Call, entries: Sequence[LogEntry], evaluations: int) -> Halving:
    """Return the rounds that measure the best points of a search and of the known ones; x₀ where none has a value.

    Args:
        call: of the search.
        entries: evaluations by it.
        evaluations: of the rounds.
    """
    points = [call.x0]
    if (known := founded(call, sorted(entries, key=lambda entry: entry.number)).known) is not None:
        X, *outcomes = known
        most = max(1, min(MOST_CANDIDATES, evaluations // EACH))
        with one_thread():
            points = list(X[candidates(X, np.column_stack(outcomes), most)])
    return Halving(points, evaluations)


def recommended(rounds: Halving | None, told: Sequence[Value | None], best: Best) -> Best:
    """Return the candidate with the lowest mean; ``best``, of the lowest value, where no candidate has a value.

    Args:
        rounds: of the end of a run, None before them.
        told: values of the points that they ask for, None where one is not evaluated yet.
        best: of single values.
    """
    if rounds is None or (found := rounds.best(told)) is None:
        single = "fun is the lowest of single values, which is too low where f is noisy"
        return best._replace(meaning=single if math.isfinite(best.value) else "")
    candidate, values, chosen = found
    times = f"{len(values)} evaluation{'s' * (len(values) != 1)}"
    how = f"of {times} of x after it was chosen" if chosen else f"of {times} of x, which also chose it"
    violation, _ = _means(values)
    of_f, *of_constraints = np.array(values).reshape(len(values), -1).T.tolist()
    mean, error = mean_and_error(of_f)
    means = tuple(mean_and_error(each)[0] for each in of_constraints)
    return Best(violation, mean, best.number, rounds.candidates[candidate], error, f"fun is the mean {how}", means)
