"""The model of f that a search has trained, in the user's coordinates and units."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from sacma.optimize.arguments import number, real_array, refuse, within_box
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation
from sacma.strategy.training import TrainedModel
from sacma.surrogate.base import Fitted, Posterior
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.whitening import Array

MOST_DRAWN = 1500  # points at which functions are drawn from the posterior together
DRAWS = 64  # functions
FORESEEN = 30  # last evaluations of which it is kept how they were foreseen
ONE_DEVIATION = 0.6827  # share of values within a standard deviation


class Ahead(NamedTuple):
    """A model, and an evaluation that it had not learnt from."""

    trained: TrainedModel
    scaled: Array  # the point, in units of the scale, shape (d,)
    value: float


class Importance(NamedTuple):
    """Share of a model's variation that a parameter explains, by itself and together with others."""

    share: float  # of the sum over all parameters
    error: float  # standard error: by what the model does not know, and by sampling


class Surrogate:
    """The model of f that the search has trained last: a prediction with its uncertainty anywhere.

    It is local: trained on the evaluations near the present search distribution, up to 15 a dimension.

    >>> import sacma
    >>> optimizer = sacma.Optimizer([0.5, 0.5], 0.2, bounds=(0, 1), seed=1)
    >>> for _ in range(30):
    ...     X = optimizer.ask(1)
    ...     optimizer.tell(X, [(x[0] - 0.3) ** 2 + x[1] for x in X])
    >>> mean, deviation = optimizer.model.predict([[0.3, 0.2]])
    >>> bool(abs(mean[0] - 0.2) < 0.1)
    True
    """

    def __init__(self, call: Call, trained: TrainedModel, ahead: Sequence[Ahead] = ()) -> None:
        self._call = call
        self._trained = trained
        self._ahead = tuple(ahead)

    @property
    def points(self) -> Array:
        """The points that it was trained on, shape (n, D)."""
        return self._call.box.points(list(self._trained.points))

    @property
    def values(self) -> Array:
        """Values of f at them, shape (n,)."""
        return self._trained.outcomes if self._trained.outcomes.ndim == 1 else self._trained.outcomes[:, 0]

    @property
    def kind(self) -> str:
        """Name of its class: a process of the values or of warped ones, with a quadratic trend or without."""
        return type(_parts(self._trained)[0]).__name__

    def predict(self, X: Any) -> tuple[Array, Array]:
        """Return mean and standard deviation of a new evaluation at each point, each of shape (n,).

        For warped values the mean is the median, and the deviation half the width of the interval of 68 %, which is
        not symmetric: see ``interval``.

        Args:
            X: points, shape (n, D), or dicts in a space.

        Raises:
            TypeError, ValueError: these are no points.
        """
        return self._predicted(_parts(self._trained)[0], self._scaled(X))

    def interval(self, X: Any, share: float = 0.95) -> tuple[Array, Array]:
        """Return the limits between which a new evaluation at each point lies with a probability, shape (n,) each."""
        share = number("share", share, "a number between 0 and 1", least=0.0, most=1.0)
        return _interval(self._trained, _parts(self._trained)[0], self._scaled(X), share)

    def predict_constraints(self, X: Any) -> tuple[Array, Array]:
        """Return means and standard deviations of the m constraints at each point, each of shape (n, m)."""
        scaled = self._scaled(X)
        pairs = [self._predicted(part, scaled) for part in _parts(self._trained)[1:]]
        shape = (len(scaled), len(pairs))
        mean, deviation = (np.array([pair[k] for pair in pairs]).T.reshape(shape) for k in (0, 1))
        return mean, deviation

    def _predicted(self, part: Fitted, scaled: Array) -> tuple[Array, Array]:
        lower, upper = _interval(self._trained, part, scaled, ONE_DEVIATION)
        return np.asarray(part.predict(self._trained.whitening(scaled))), (upper - lower) / 2.0

    @cached_property
    def foreseen(self) -> list[tuple[float, float, float, float]]:
        """The last evaluations as they were foreseen by the model of then: mean, limits of 95 %, and the value."""
        found = []
        for each in self._ahead:
            part = _parts(each.trained)[0]
            lower, upper = _interval(each.trained, part, each.scaled[None], 0.95)
            mean = part.predict(each.trained.whitening(each.scaled[None]))
            found.append((float(mean[0]), float(lower[0]), float(upper[0]), each.value))
        return found

    def importance(self) -> dict[str, Importance]:
        """Return how much of the model's variation near the best points each parameter explains, largest first.

        Total effects (Jansen, *Analysis of variance designs for model output*, Computer Physics Communications 1999)
        of functions drawn from the posterior, over the ranges of the better half of the training points.
        """
        blocks = self._call.parameters
        near = np.argsort(self.values, kind="stable")[: max(2 * len(blocks) + 2, len(self.values) // 2)]
        Z, rng = self._trained.points[near], np.random.default_rng(0)
        n = max(20, min(128, MOST_DRAWN // (1 + len(blocks))))
        first, second = np.empty((n, Z.shape[1])), np.empty((n, Z.shape[1]))
        for place in blocks.values():
            for sample in (first, second):
                sample[:, place] = Z[rng.integers(len(Z), size=n)][:, place]
        designs = [first]
        for place in blocks.values():
            designs.append(first.copy())
            designs[-1][:, place] = second[:, place]
        values = self._drawn(np.concatenate(designs), rng).reshape(-1, len(designs), n)
        effects = (values[:, :1] - values[:, 1:]) ** 2 / 2.0  # shape (draws, parameters, n)
        means = effects.mean(axis=2)
        total = np.maximum(means.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        shares = means / total
        sampling = effects.std(axis=2) / math.sqrt(n) / total
        errors = np.sqrt(shares.std(axis=0) ** 2 + sampling.mean(axis=0) ** 2)
        found = {
            name: Importance(float(share), float(error))
            for name, share, error in zip(blocks, shares.mean(axis=0), errors, strict=True)
        }
        return dict(sorted(found.items(), key=lambda item: -item[1].share))

    def _drawn(self, scaled: Array, rng: np.random.Generator) -> Array:
        """Return functions drawn from the posterior, standardised, at points, shape (draws, n)."""
        inputs = self._trained.whitening(scaled)
        posterior = _parts(self._trained)[0].posterior(inputs)
        values, vectors = np.linalg.eigh(posterior.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return np.asarray(posterior.mean + rng.standard_normal((DRAWS, len(scaled))) @ root.T)

    def _scaled(self, X: Any) -> Array:
        """Return points in units of the scale, shape (n, d)."""
        call = self._call
        if call.space is not None and isinstance(X, Mapping):
            X = [X]
        if call.space is not None and isinstance(X, Sequence) and all(isinstance(each, Mapping) for each in X):
            X = call.space.points(X, "X")
        D = len(call.x0)
        points = real_array("X", X, f"points of {D} coordinates, one a row")
        if points.ndim != 2 or points.shape[1] != D:  # noqa: PLR2004 a matrix
            refuse("X", X, f"points of {D} coordinates, one a row")
        return call.box.scaled(within_box("X", points, call.box.lower, call.box.upper, call.box.scale))

    def __repr__(self) -> str:
        return f"<{self.kind} of {len(self._trained.points)} points>"


class Foresight:
    """Models as a search trains them, and how they foresaw the last evaluations."""

    def __init__(self) -> None:
        self._last: TrainedModel | None = None
        self._ahead: deque[Ahead] = deque(maxlen=FORESEEN)

    def note(self, trained: TrainedModel | None, scaled: Array, evaluation: Evaluation) -> None:
        """Keep a model, and the evaluation at a point that it is going to learn from."""
        if trained is not None:
            self._last = trained
            if not evaluation.failure:
                self._ahead.append(Ahead(trained, scaled, evaluation.value))

    def model(self, call: Call, newest: TrainedModel | None) -> Surrogate | None:
        """Return the newest model, or the last that was noted."""
        trained = newest or self._last
        return None if trained is None else Surrogate(call, trained, self._ahead)


def _parts(trained: TrainedModel) -> Sequence[Fitted]:
    """Return the models of f and of the constraints."""
    return trained.fitted.parts if isinstance(trained.fitted, CombinedFit) else (trained.fitted,)


WIDENING: Mapping[str, float] = {}
"""Factors of standard deviations, by the kind of model: with them 95 % of new evaluations are within two."""


def _interval(trained: TrainedModel, part: Fitted, scaled: Array, share: float) -> tuple[Array, Array]:
    """Return the limits of a new evaluation at points, in units of f."""
    posterior = part.posterior(trained.whitening(scaled), joint=False)
    factor = WIDENING.get(type(part).__name__, 1.0)
    deviation = factor * np.sqrt(np.maximum(posterior.variance + posterior.noise, 0.0))
    z = float(ndtri(0.5 + share / 2.0))
    return _in_units(posterior, posterior.mean - z * deviation), _in_units(posterior, posterior.mean + z * deviation)


def _in_units(posterior: Posterior, standardised: Array) -> Array:
    inverse = getattr(posterior.warp, "inverse", np.asarray)
    with np.errstate(over="ignore"):
        return np.asarray(inverse(posterior.center + posterior.scale * standardised))
