"""A random forest of regression trees (Breiman, 2001), grown by scikit-learn; needs the extra ``sacma[forest]``."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from sacma.surrogate.gaussian_process import FitStatus
from sacma.surrogate.likelihood import standardise
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Array


@dataclass(frozen=True)
class RandomForest:
    """A trained model; see ``fit_random_forest``.

    Args:
        forest: of scikit-learn, grown on standardised values.
        center: mean of the training values.
        scale: their sample standard deviation.
    """

    forest: RandomForestRegressor
    center: float
    scale: float

    def predict(self, inputs: Array) -> Array:
        """Return the mean over the trees at whitened ``inputs``, shape (n, D), in the objective's units."""
        with np.errstate(over="ignore"):
            return np.asarray(self.center + self.scale * self.forest.predict(inputs))

    def search(self) -> Mapping[str, int | str]:
        """Nothing was searched for."""
        return {}


def fit_random_forest(training: TrainingSet, *, trees: int, leaf_size: int, seed: int) -> RandomForest | FitStatus:
    """Grow a forest on bootstrap samples of ``training``, all variables being tried at each split.

    Args:
        training: whitened inputs and objective values, n ≥ 2.
        trees: how many.
        leaf_size: fewest points in a leaf.
        seed: of the samples, and of the order in which the variables are tried.

    Returns:
        The model, or why there is none.
    """
    targets, center, scale = standardise(training.values)
    if scale == 0.0:
        return FitStatus.CONSTANT_VALUES
    forest = RandomForestRegressor(trees, min_samples_leaf=leaf_size, random_state=seed, n_jobs=1)
    return RandomForest(forest.fit(training.inputs, targets), center, scale)


def load_libraries() -> None:
    """Grow and use a small forest, so that loading libraries is not part of any trial's time."""
    inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    forest = fit_random_forest(TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0])), trees=2, leaf_size=1, seed=0)
    if isinstance(forest, RandomForest):
        forest.predict(inputs)
