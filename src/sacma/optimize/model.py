"""The model of f that a search has trained, in the user's coordinates and units."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from sacma.optimize.arguments import number, real_array
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation
from sacma.strategy.training import TrainedModel
from sacma.surrogate.base import Fitted, Posterior
from sacma.surrogate.combined import CombinedFit
from sacma.surrogate.whitening import Array

MOST_DRAWN = 1500  # points at which functions are drawn from the posterior together
DRAWS = 64  # functions
FORESEEN = 30  # last evaluations of which it is kept how they were foreseen
NARROW = 0.05  # of σ₀: the spread of points below which a model is too local to tell what matters
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
    >>> mean, deviation = optimizer.model.predict([[0.3, 0.0]])
    >>> bool(abs(mean[0]) < 0.1)
    True
    """

    def __init__(
        self, call: Call, trained: TrainedModel, ahead: Sequence[Ahead] = (), wide: TrainedModel | None = None
    ) -> None:
        self._call = call
        self._trained = trained
        self._ahead = tuple(ahead)
        self._wide = trained if wide is None else wide

    @property
    def wider(self) -> "Surrogate":
        """The last model of points that were spread over at least a twentieth of σ₀: importance is that of it.

        When a search has converged, its model knows the last decimals alone.
        """
        return Surrogate(self._call, self._wide, self._ahead)

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

    def residuals(self, X: Any, values: Any) -> Array:
        """Return how many standard deviations values at points are from what is predicted, shape (n,).

        For warped values they are those of the warped ones.

        Args:
            X: points, shape (n, D), or dicts in a space.
            values: of f at them, shape (n,).
        """
        posterior = _parts(self._trained)[0].posterior(self._trained.whitening(self._scaled(X)), joint=False)
        deviation = np.sqrt(np.maximum(posterior.variance + posterior.noise, 0.0))
        found = (
            posterior.standardised(real_array("values", values, "a number for each point", missing=True))
            - posterior.mean
        )
        return np.asarray(found / np.maximum(WIDENING * deviation, np.finfo(float).tiny))

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

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: how evaluations were foreseen, without the models that foresaw them."""
        return {**vars(self), "foreseen": self.foreseen, "_ahead": ()}

    def importance(self) -> dict[str, Importance]:
        """Return how much of the model's variation near the best point each parameter explains, largest first.

        Total effects (Jansen, *Analysis of variance designs for model output*, Computer Physics Communications 1999) of
        the prediction in a box around the best of its points, as wide in each coordinate as they are spread
        in most, in units of the scale; errors are by functions drawn from the posterior. Integers and choices are those
        of all points. The model is the ``wider`` one.
        """
        if self._wide is not self._trained:
            return self.wider.importance()
        blocks, rng = self._call.parameters, np.random.default_rng(0)
        n = max(20, min(128, MOST_DRAWN // (1 + len(blocks))))
        first, second = self._around_best(n, rng), self._around_best(n, rng)
        designs = [first]
        for place in blocks.values():
            designs.append(first.copy())
            designs[-1][:, place] = second[:, place]
        mean, drawn = self._drawn(np.concatenate(designs), rng)
        shares, sampling = _total_effects(mean.reshape(1, len(designs), n))
        others, _ = _total_effects(drawn.reshape(-1, len(designs), n))
        errors = np.sqrt(others.std(axis=0) ** 2 + sampling[0] ** 2)
        found = {
            name: Importance(float(share), float(error))
            for name, share, error in zip(blocks, shares[0], errors, strict=True)
        }
        return dict(sorted(found.items(), key=lambda item: -item[1].share))

    def _around_best(self, n: int, rng: np.random.Generator) -> Array:
        """Return points of the box in which importance is measured, in units of the scale, shape (n, d)."""
        known = self._trained.points
        best = known[np.argmin(self.values)]
        lower, upper = self._call.box.scaled_bounds
        sample = np.clip(best + _spread(self._call, known) * rng.uniform(-2.0, 2.0, (n, known.shape[1])), lower, upper)
        space = self._call.space
        for name, place in self._call.parameters.items() if space is not None else ():
            if space is not None and space.is_discrete(name):
                sample[:, place] = known[rng.integers(len(known), size=n)][:, place]
        return np.asarray(sample)

    def _drawn(self, scaled: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return predictions at points, shape (n,), and functions drawn from the posterior, (s, n), standardised."""
        posterior = _parts(self._trained)[0].posterior(self._trained.whitening(scaled))
        values, vectors = np.linalg.eigh(posterior.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return posterior.mean, posterior.mean + rng.standard_normal((DRAWS, len(scaled))) @ root.T

    def _scaled(self, X: Any) -> Array:
        """Return points in units of the scale, shape (n, d)."""
        call = self._call
        if call.space is not None and isinstance(X, Mapping):
            X = [X]
        if call.space is not None and isinstance(X, Sequence) and all(isinstance(each, Mapping) for each in X):
            X = call.space.points(X, "X")
        return call.box.scaled(call.box.rows("X", X))

    def __repr__(self) -> str:
        return f"<{self.kind} of {len(self._trained.points)} points>"


def _spread(call: Call, points: Array) -> float:
    """Return the median of the standard deviations of continuous coordinates that vary; 0 where none does."""
    discrete = [place for name, place in call.parameters.items() if call.space and call.space.is_discrete(name)]
    deviations = np.std(points, axis=0)
    for place in discrete if sum(place.stop - place.start for place in discrete) < len(deviations) else ():
        deviations[place] = 0.0
    return float(np.median(deviations[deviations > 0.0])) if np.any(deviations > 0.0) else 0.0


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
        if trained is not None:
            if trained is not self._last and (
                self._wide is None or _spread(call, trained.points) >= NARROW * call.sigma0
            ):
                self._wide = trained
            self._last = trained
            if not evaluation.failure:
                self._ahead.append(Ahead(trained, scaled, evaluation.value))

    def model(self, call: Call, newest: TrainedModel | None) -> Surrogate | None:
        """Return the newest model, or the last that was noted."""
        trained = newest or self._last
        return None if trained is None else Surrogate(call, trained, self._ahead, self._wide)


def _parts(trained: TrainedModel) -> Sequence[Fitted]:
    """Return the models of f and of the constraints."""
    return trained.fitted.parts if isinstance(trained.fitted, CombinedFit) else (trained.fitted,)


WIDENING = 1.6
"""Factor of standard deviations, since without it 87 to 91 % of new evaluations on bbob were within two, not 95 %.

A search goes where a model is too hopeful (benchmarks/intervals.py).
"""


def _interval(trained: TrainedModel, part: Fitted, scaled: Array, share: float) -> tuple[Array, Array]:
    """Return the limits of a new evaluation at points, in units of f."""
    posterior = part.posterior(trained.whitening(scaled), joint=False)
    deviation = WIDENING * np.sqrt(np.maximum(posterior.variance + posterior.noise, 0.0))
    z = float(ndtri(0.5 + share / 2.0))
    return _in_units(posterior, posterior.mean - z * deviation), _in_units(posterior, posterior.mean + z * deviation)


def _in_units(posterior: Posterior, standardised: Array) -> Array:
    inverse = getattr(posterior.warp, "inverse", np.asarray)
    with np.errstate(over="ignore"):
        return np.asarray(inverse(posterior.center + posterior.scale * standardised))
