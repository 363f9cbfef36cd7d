"""The model of f that a search has trained, in the user's coordinates and units."""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from sacma.optimize.arguments import number
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation
from sacma.process_wide import one_thread
from sacma.strategy.training import TrainedModel
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.model import FitStatus, Fitted, Refitted
from sacma.surrogate.training_set import TrainingSet
from sacma.types import Array

MOST_DRAWN = 1500  # points at which functions are drawn from the posterior together
DRAWS = 64  # functions
FORESEEN = 30  # last evaluations of which it is kept how they were foreseen
NARROW = 0.05  # of σ₀: the spread of points below which a model is too local to tell what matters
ONE_DEVIATION = 0.6827  # share of values within a standard deviation


SAME = 1e-6  # distance, in standard deviations of the search, of points that are the same but for rounding

# Factor of standard deviations, since without it 87 to 91 % of new evaluations on bbob were within two, not 95 %: a
# search goes where a model is too hopeful.
WIDENING = 1.6


class Ahead(NamedTuple):
    """A model, and an evaluation that it had not learnt from."""

    trained: TrainedModel
    scaled: Array  # the point, in units of the scale, shape (d,)
    value: float


class Foreseen(NamedTuple):
    """An evaluation, and its mean and limits of 95 % by the model of then, which had not learnt from it."""

    mean: float
    lower: float
    upper: float
    value: float


class BestPoint(NamedTuple):
    """The best point, which a model shown to people has learnt from, whatever the search selects."""

    scaled: Array  # in units of the scale, shape (d,)
    outcomes: Array  # f and the m constraints, shape (1 + m,)


class Importance(NamedTuple):
    """Share of a model's variation that a parameter explains, by itself and together with others."""

    share: float  # of the sum over all parameters
    error: float  # standard error: by what the model does not know, and by sampling


class Surrogate:
    """The model of f that the search has trained last: a prediction with its uncertainty anywhere.

    It is local: trained on the evaluations near the present search distribution, up to 15 a dimension, and on the best
    point.

    >>> import sacma
    >>> optimizer = sacma.Optimizer([0.5, 0.5], 0.2, bounds=(0, 1), seed=1)
    >>> for _ in range(30):
    ...     X = optimizer.ask(1)
    ...     optimizer.tell(X, [(x[0] - 0.3) ** 2 + x[1] for x in X])
    >>> mean, deviation = optimizer.model.predict([[0.3, 0.0]])
    >>> bool(abs(mean[0]) < 0.1)
    True
    """

    def __init__(
        self, call: Call, trained: TrainedModel, ahead: Iterable[Ahead], wide: TrainedModel, best: BestPoint | None
    ) -> None:
        self._call, self._searched_with, self._best = call, trained, best
        self._ahead, self._wide = tuple(ahead), wide

    @cached_property
    def _trained(self) -> TrainedModel:
        """The model of the search where that has learnt from the best point, else one fitted with it."""
        return self._searched_with if self._best is None else _with_best(self._searched_with, self._best)

    @cached_property
    def wider(self) -> "Surrogate":
        """The last model of points spread over at least a twentieth of σ₀, on which importance is measured.

        When a search has converged, its model knows the last decimals alone.
        """
        return Surrogate(self._call, self._wide, self._ahead, self._wide, self._best)

    @property
    def points(self) -> Array:
        """The points that it was trained on, shape (n, D)."""
        return self._call.box.points(list(self._trained.points))

    @property
    def values(self) -> Array:
        """Values of f at them, shape (n,)."""
        return self._trained.outcomes if self._trained.outcomes.ndim == 1 else self._trained.outcomes[:, 0]

    def predict(self, X: Any) -> tuple[Array, Array]:
        """Return mean and standard deviation of a new evaluation at each point, each of shape (n,).

        For warped values the mean is the median, and the deviation half the width of the interval of 68 %, which is
        not symmetric: see ``interval``.

        Args:
            X: points, shape (n, D), or dicts in a space.

        Raises:
            TypeError, ValueError: these are no points.
        """
        mean, lower, upper = _foretold(self._trained, 0, self._scaled(X), ONE_DEVIATION)
        return mean, (upper - lower) / 2.0

    def interval(self, X: Any, share: float = 0.95) -> tuple[Array, Array]:
        """Return the limits between which a new evaluation at each point lies with a probability, shape (n,) each."""
        share = number("share", share, "a number between 0 and 1", least=0.0, most=1.0)
        _, lower, upper = _foretold(self._trained, 0, self._scaled(X), share)
        return lower, upper

    def predict_constraints(self, X: Any) -> tuple[Array, Array]:
        """Return means and standard deviations of the m constraints at each point, each of shape (n, m)."""
        scaled, m = self._scaled(X), len(_parts(self._trained)) - 1
        found = [_foretold(self._trained, 1 + i, scaled, ONE_DEVIATION) for i in range(m)]
        mean, lower, upper = np.array(found).reshape(m, 3, len(scaled)).transpose(1, 2, 0)
        return mean, (upper - lower) / 2.0

    @cached_property
    def foreseen(self) -> list[Foreseen]:
        """The last evaluations as they were foreseen by the model of then: mean, lower and upper limit, and value."""
        found = []
        for trained, scaled, value in self._ahead:
            mean, lower, upper = _foretold(trained, 0, scaled[None], 0.95)
            found.append(Foreseen(float(mean[0]), float(lower[0]), float(upper[0]), value))
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy: the foreseen evaluations, without the models that foresaw them."""
        return {**vars(self), "foreseen": self.foreseen, "_ahead": ()}

    def importance(self) -> dict[str, Importance]:
        """Return how much of the model's variation near the best point each parameter explains, largest first.

        Total effects (Jansen, *Analysis of variance designs for model output*, Computer Physics Communications 1999) of
        the prediction in a box around the best of its points, as wide in each coordinate as they are spread
        in most, in units of the scale; errors are by functions drawn from the posterior. Integers and choices are those
        of all points. The model is the ``wider`` one.
        """
        if self._wide is not self._searched_with:
            return self.wider.importance()
        blocks, rng = self._call.parameters, np.random.default_rng(0)
        n = max(20, min(128, MOST_DRAWN // (1 + len(blocks))))
        first, second = self._around_best(n, rng), self._around_best(n, rng)
        designs = [first]
        for place in blocks.values():
            designs.append(first.copy())
            designs[-1][:, place] = second[:, place]
        posterior = _parts(self._trained)[0].posterior(self._trained.whitening(np.concatenate(designs)))
        values, vectors = np.linalg.eigh(posterior.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = posterior.mean + rng.standard_normal((DRAWS, len(root))) @ root.T
        shares, sampling = _total_effects(posterior.mean.reshape(1, -1, n))
        others, _ = _total_effects(drawn.reshape(DRAWS, -1, n))
        errors = np.sqrt(others.std(axis=0) ** 2 + sampling[0] ** 2)
        found = {name: Importance(*map(float, of)) for name, *of in zip(blocks, shares[0], errors, strict=True)}
        return dict(sorted(found.items(), key=lambda item: -item[1].share))

    def _around_best(self, n: int, rng: np.random.Generator) -> Array:
        """Return points of the box in which importance is measured, in units of the scale, shape (n, d)."""
        known = self._trained.points
        steps = _spread(self._call, known) * rng.uniform(-2.0, 2.0, (n, known.shape[1]))
        sample = np.clip(known[np.argmin(self.values)] + steps, *self._call.box.scaled_bounds)
        for place in _discrete(self._call):
            sample[:, place] = known[rng.integers(len(known), size=n)][:, place]
        return np.asarray(sample)

    def _scaled(self, X: Any) -> Array:
        """Return points in units of the scale, shape (n, d)."""
        return self._call.box.scaled(self._call.coordinates("X", [X] if isinstance(X, Mapping) else X))

    def __repr__(self) -> str:
        return f"<{type(_parts(self._trained)[0]).__name__} of {len(self._trained.points)} points>"


def _spread(call: Call, points: Array) -> float:
    """Return the median of the standard deviations of continuous coordinates that vary, or else of others, or 0."""
    deviations = np.std(points, axis=0)
    continuous = deviations.copy()
    for place in _discrete(call):
        continuous[place] = 0.0
    vary = continuous if np.any(continuous > 0.0) else deviations
    return float(np.median(vary[vary > 0.0])) if np.any(vary > 0.0) else 0.0


def _discrete(call: Call) -> list[slice]:
    """Return the coordinates of integers, steps and choices."""
    return [place for name, place in call.parameters.items() if call.space and call.space.is_discrete(name)]


def _total_effects(values: Array) -> tuple[Array, Array]:
    """Return shares of total effects and their errors by sampling, shape (s, p), of values of shape (s, 1 + p, n)."""
    effects = (values[:, :1] - values[:, 1:]) ** 2 / 2.0
    means = effects.mean(axis=2)
    total = np.maximum(means.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return means / total, effects.std(axis=2) / math.sqrt(values.shape[2]) / total


class Foresight:
    """Models as a search trains them, and how they foresaw the last evaluations."""

    def __init__(self) -> None:
        self._last: TrainedModel | None = None
        self._wide: TrainedModel | None = None
        self._ahead: deque[Ahead] = deque(maxlen=FORESEEN)

    def note(self, trained: TrainedModel | None, scaled: Array, evaluation: Evaluation, call: Call) -> None:
        """Keep a model, and the evaluation at a point that it is going to learn from."""
        if trained is None:
            return
        if self._wide is None or _spread(call, trained.points) >= NARROW * call.sigma0:
            self._wide = trained
        self._last = trained
        if not evaluation.failure:
            self._ahead.append(Ahead(trained, scaled, evaluation.value))

    def model(self, call: Call, newest: TrainedModel | None, best: BestPoint | None) -> Surrogate | None:
        """Return the newest model, or the last that was noted, which is to know the best point."""
        trained = newest or self._last
        return None if trained is None else Surrogate(call, trained, self._ahead, self._wide or trained, best)


def _with_best(trained: TrainedModel, best: BestPoint) -> TrainedModel:
    """Return a model that has learnt from the best point, too; the same where it has, or cannot be fitted again."""
    inputs, whitening = trained.whitening(trained.points), trained.whitening
    new = whitening(best.scaled[None])
    if not len(inputs) or np.any(np.max(np.abs(inputs - new), axis=1) <= SAME):
        return trained
    points = np.vstack([trained.points, best.scaled])
    outcomes = np.concatenate([trained.outcomes, best.outcomes[None] if trained.outcomes.ndim > 1 else best.outcomes])
    columns, parts = outcomes.reshape(len(points), -1).T, []
    for part, column in zip(_parts(trained), columns, strict=True):
        if not isinstance(part, Refitted):
            return trained
        with np.errstate(all="ignore"), one_thread():
            found = part.again(TrainingSet(np.vstack([inputs, new]), np.ascontiguousarray(column)))
        if isinstance(found, FitStatus):
            return trained
        parts.append(found)
    fitted = replace(trained.fitted, parts=parts) if isinstance(trained.fitted, CombinedFit) else parts[0]
    return TrainedModel(fitted, whitening, points, outcomes)


def _parts(trained: TrainedModel) -> Sequence[Fitted]:
    """Return the models of f and of the constraints."""
    return trained.fitted.parts if isinstance(trained.fitted, CombinedFit) else (trained.fitted,)


def _foretold(trained: TrainedModel, part: int, scaled: Array, share: float) -> tuple[Array, Array, Array]:
    """Return the mean of new evaluations at points, and their limits, of f (0) or a constraint, in its units."""
    fitted, inputs = _parts(trained)[part], trained.whitening(scaled)
    posterior = fitted.posterior(inputs, joint=False)
    deviation = WIDENING * np.sqrt(np.maximum(posterior.variance + posterior.noise, 0.0))
    inverse, z = getattr(posterior.warp, "inverse", np.asarray), float(ndtri(0.5 + share / 2.0))
    with np.errstate(over="ignore"):
        lower, upper = (
            np.asarray(inverse(posterior.center + posterior.scale * (posterior.mean + side * deviation)))
            for side in (-z, z)
        )
    return np.asarray(fitted.predict(inputs)), lower, upper
