"""Random forest of regression trees (Breiman, 2001), grown by scikit-learn; needs the extra ``sacma[forest]``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from sacma.surrogate.base import FitStatus, Model, Posterior
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import TrainingSet
from sacma.surrogate.whitening import Whitening
from sacma.types import Array

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor


class RandomForestModel(Part):
    """Random forest of scikit-learn."""

    name: Literal["random-forest"] = "random-forest"
    trees: Annotated[int, Field(ge=1, le=10_000, description="trees of the forest")] = 100
    leaf_size: Annotated[int, Field(ge=1, le=1000, description="fewest training points in a leaf of a tree")] = 1

    needs: ClassVar[tuple[str, str] | None] = ("sklearn", "forest")

    def build(self, context: Context) -> Model:
        """Return the model of one strategy."""
        return Forests(self, context.rng)

    def prepare(self) -> None:
        """Load scikit-learn, by growing and using a small forest."""
        inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        forest = fit_random_forest(TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0])), trees=2, leaf_size=1, seed=0)
        if isinstance(forest, RandomForest):
            forest.predict(inputs)


class Forests:
    """Fits random forests, each from scratch and with a seed of its own from the trial's random numbers."""

    def __init__(self, settings: RandomForestModel, rng: np.random.Generator) -> None:
        self._settings = settings
        self._rng = rng

    def fit(self, training: TrainingSet, whitening: Whitening) -> "RandomForest | FitStatus":  # noqa: ARG002 one protocol
        """Grow the trees."""
        s = self._settings
        return fit_random_forest(training, trees=s.trees, leaf_size=s.leaf_size, seed=int(self._rng.integers(2**31)))

    def keep(self, fitted: "RandomForest", whitening: Whitening) -> None:
        """Remember nothing."""

    def forget(self) -> None:
        """Forget nothing."""


@dataclass(frozen=True)
class RandomForest:
    """A trained model; see ``fit_random_forest``."""

    forest: "RandomForestRegressor"  # of scikit-learn, grown on standardised values
    center: float  # mean of the training values
    scale: float  # their sample standard deviation

    def predict(self, inputs: Array) -> Array:
        """Return the mean over the trees at whitened ``inputs``, shape (n, D), in the objective's units."""
        with np.errstate(over="ignore"):
            return np.asarray(self.center + self.scale * self.forest.predict(inputs))

    def posterior(self, inputs: Array, *, joint: bool = True) -> Posterior:
        """Return mean and covariance over the trees at whitened ``inputs``, shape (n, D); no noise is known."""
        by_tree = np.array([tree.predict(inputs) for tree in self.forest.estimators_])
        covariance = np.atleast_2d(np.cov(by_tree, rowvar=False, ddof=0)) if joint else by_tree.var(axis=0)
        return Posterior(by_tree.mean(axis=0), covariance, noise=0.0, center=self.center, scale=self.scale)

    def search(self) -> Mapping[str, int | str]:
        """Return an empty mapping: there are no hyperparameters to search for."""
        return {}


def fit_random_forest(training: TrainingSet, *, trees: int, leaf_size: int, seed: int) -> RandomForest | FitStatus:
    """Grow a forest on bootstrap samples of n ≥ 2 points, or return the reason for having none.

    All variables are tried at each split; ``seed`` is that of their order and of the samples.
    """
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 an extra

    from sacma.surrogate.likelihood import standardise  # noqa: PLC0415 loads Numba

    targets, center, scale = standardise(training.values)
    if scale == 0.0:
        return FitStatus.CONSTANT_VALUES
    forest = RandomForestRegressor(trees, min_samples_leaf=leaf_size, random_state=seed, n_jobs=1)
    return RandomForest(forest.fit(training.inputs, targets), center, scale)
