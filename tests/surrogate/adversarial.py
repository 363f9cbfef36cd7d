"""Training sets such as an optimizer may leave behind at its worst, and what becomes of them."""

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from sacma.surrogate.gaussian_process import Hyperparameters, fit_gaussian_process
from sacma.surrogate.model import FitStatus
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array

START = Hyperparameters(length=0.5, ratio=2.5e-5)

Maker = Callable[[Array, np.random.Generator], Array]


def _near_duplicates(X: Array, rng: np.random.Generator) -> Array:
    pairs = len(X) // 2
    X[pairs : 2 * pairs] = X[:pairs] + 10.0 ** rng.uniform(-14, -6) * rng.standard_normal((pairs, X.shape[1]))
    return X


def _whitened(X: Array, rng: np.random.Generator) -> Array:
    """By a distribution of condition number 1e14 that is not theirs."""
    D = X.shape[1]
    rotation, _ = np.linalg.qr(rng.standard_normal((D, D)))
    axes = 10.0 ** np.linspace(-7, 7, D) if D > 1 else np.ones(1)
    return Whitening(X[0], rotation * axes)(X)


POINTS: Mapping[str, Maker] = {
    "normal": lambda X, _: X,
    "near-duplicates": _near_duplicates,
    "collinear": lambda X, rng: X[:, :1] * rng.standard_normal(X.shape[1]),
    "badly scaled": lambda X, rng: X * 10.0 ** rng.uniform(-7, 7, X.shape[1]),
    "whitening of condition 1e14": _whitened,
    "all but one the same": lambda X, rng: np.vstack([X[:1], np.repeat(X[1:2], len(X) - 1, axis=0)]),
    "far away": lambda X, rng: X + np.power(10.0, rng.uniform(3, 15)),
}


def _outlier(y: Array, rng: np.random.Generator) -> Array:
    y[rng.integers(len(y))] = 10.0 ** rng.uniform(10, 300)
    return y


VALUES: Mapping[str, Maker] = {
    "smooth": lambda y, _: y,
    "20 decades": lambda y, rng: 10.0 ** rng.uniform(-10, 10, len(y)) * rng.choice([-1.0, 1.0], len(y)),
    "constant": lambda y, rng: np.full(len(y), rng.standard_normal()),
    "constant but one": lambda y, rng: np.where(np.arange(len(y)) == 0, 1.0, 0.0),
    "one outlier": _outlier,
    "noise on an offset": lambda y, rng: 1e9 + rng.standard_normal(len(y)) * 1e-6,
    "rounding only": lambda y, rng: np.asarray(1.0 + 2.0**-52 * rng.integers(0, 20, len(y)), dtype=np.float64),
    "two levels": lambda y, rng: rng.choice([0.0, 1.0], len(y)),
    "huge": lambda y, rng: y / np.max(np.abs(y)) * 10.0 ** rng.uniform(150, 308),
    "tiny": lambda y, rng: y * 1e-300,
}


def adversarial(rng: np.random.Generator) -> tuple[str, str, TrainingSet]:
    """Draw a kind of points, a kind of values, and a training set of them."""
    D = int(rng.integers(1, 13))
    n = 3 * D if rng.integers(3) == 0 else int(rng.integers(max(2, 3 * D), 15 * D + 1))
    of_points, of_values = rng.choice(list(POINTS)), rng.choice(list(VALUES))
    X = rng.standard_normal((n, D)) * 10.0 ** rng.uniform(-3, 3)
    y = np.asarray(np.sum(X**2, axis=1))
    return of_points, of_values, TrainingSet(POINTS[of_points](X, rng), VALUES[of_values](y, rng))


def outcome(training: TrainingSet, rng: np.random.Generator) -> str:
    """Fit, predict, and return the status; "not finite" where a prediction is not, or a variance negative."""
    warm = None if rng.integers(2) else Hyperparameters(10.0 ** rng.uniform(-3, 6), 10.0 ** rng.uniform(-20, 3))
    model = fit_gaussian_process(training, start=START, warm=warm)
    if isinstance(model, FitStatus):
        return model.value
    scale = 1e-3 * np.std(training.inputs)
    points = np.vstack(
        [training.inputs, training.inputs[:3] + scale * rng.standard_normal((3, training.inputs.shape[1]))]
    )
    variance = model.posterior(points, joint=False).variance
    finite = (
        np.all(np.isfinite(model.predict(points)))
        and np.all(np.isfinite(variance))
        and np.all(variance >= -1e-6 * model.signal)
    )
    return "trained" if finite and np.isfinite(model.log_likelihood) else "not finite"


def outcomes(count: int, seed: int) -> Counter[tuple[str, str, str]]:
    """Return how often each kind of points and of values ended how."""
    rng = np.random.default_rng(seed)
    counts = Counter[tuple[str, str, str]]()
    for _ in range(count):
        of_points, of_values, training = adversarial(rng)
        counts[of_points, of_values, outcome(training, rng)] += 1
    return counts
