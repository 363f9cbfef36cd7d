"""The models that a config can name, one class a kind: Gaussian processes, their competition, and a random forest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from sacma.surrogate.model import FitStatus, Fitted, Model, Posterior, ScoredFit
from sacma.surrogate.part import Context, Kinds, Part
from sacma.surrogate.training_set import TrainingSet, Whitening
from sacma.types import Array, Indices

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

    from sacma.surrogate.gaussian_process import Hyperparameters
    from sacma.surrogate.processes import Leveled

LARGEST_LOSS = 6.0  # limit of the loss by one value: a surprise of any size is a surprise
LENGTH_START, SIGNAL_STD_START = 0.5, 2.0  # ℓ and s_f at which the likelihood search starts


WarmEvaluations = Annotated[int, Field(ge=0, le=40, description="most evaluations from the last optimum")]


class WarmStarted:
    """Fits models by ``fit(training, warm)``, with the hyperparameters of the last fit that was kept, or None."""

    def __init__(self, fit: Callable[[TrainingSet, Any], Any]) -> None:
        self._fit = fit
        self._last: tuple[Any, Whitening] | None = None

    def fit(self, training: TrainingSet, whitening: Whitening) -> Any | FitStatus:
        """Fit by maximum likelihood."""
        if self._last is None:
            return self._fit(training, None)
        last, of = self._last
        return self._fit(training, last.stretched(whitening.log_stretch(of)))

    def keep(self, fitted: Any, whitening: Whitening) -> None:
        """Start the next search here."""
        self._last = fitted.hyperparameters, whitening

    def forget(self) -> None:
        """Start the next search anew."""
        self._last = None


class LikelihoodModel(Part):
    """A kind whose hyperparameters are of maximum likelihood, each search warm-started at the last optimum."""

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        return WarmStarted(self.fit)

    def fit(self, training: TrainingSet, warm: Any) -> Any | FitStatus:
        """Fit with a search from ``warm``, the last optimum, or from the usual starts where there is none."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Compile the code, or load it, by fitting and using a small model."""
        inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.5]])
        fitted = self.fit(TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0, 9.0])), None)
        if not isinstance(fitted, FitStatus):
            fitted.predict(inputs)
            fitted.posterior(inputs)
            fitted.value_and_gradient(inputs[0])


def usual_start(noise_std: float = 0.01) -> "Hyperparameters":
    """Return the study's start of a search.

    >>> usual_start() == usual_start(0.01), usual_start(0.02).ratio / usual_start().ratio
    (True, 4.0)
    """
    from sacma.surrogate.gaussian_process import Hyperparameters  # noqa: PLC0415 loads Numba

    return Hyperparameters(LENGTH_START, (noise_std / SIGNAL_STD_START) ** 2)


class GaussianProcessModel(LikelihoodModel):
    """Gaussian process with hyperparameters of maximum likelihood."""

    name: Literal["gaussian-process"] = "gaussian-process"
    noise_std_start: Annotated[float, Field(ge=1e-10, le=1e10, description="σ_n at the first start")] = 0.01
    warm_evaluations: WarmEvaluations = 40

    def fit(self, training: TrainingSet, warm: "Hyperparameters | None") -> Fitted | FitStatus:
        """Fit by maximum likelihood over ℓ and η."""
        from sacma.surrogate.gaussian_process import fit_gaussian_process  # noqa: PLC0415 loads Numba

        start, most = usual_start(self.noise_std_start), self.warm_evaluations
        return fit_gaussian_process(training, start=start, warm=warm, warm_evaluations=most)


class WarpedProcessModel(LikelihoodModel):
    """Gaussian process with values warped by a logarithm, as far as is most likely."""

    name: Literal["warped-process"] = "warped-process"
    warm_evaluations: WarmEvaluations = 40

    def fit(self, training: TrainingSet, warm: "Leveled | None") -> Fitted | FitStatus:
        """Fit by maximum likelihood over ℓ, η and the warp."""
        from sacma.surrogate.processes import fit_warped_process  # noqa: PLC0415 loads Numba

        return fit_warped_process(training, start=usual_start(), warm=warm, warm_evaluations=self.warm_evaluations)


class QuadraticProcessModel(LikelihoodModel):
    """Gaussian process with a random quadratic function in its covariance, weighted by maximum likelihood."""

    name: Literal["quadratic-process"] = "quadratic-process"
    warm_evaluations: WarmEvaluations = 40

    def fit(self, training: TrainingSet, warm: "Leveled | None") -> Fitted | FitStatus:
        """Fit by maximum likelihood over ℓ, η and the weight."""
        from sacma.surrogate.processes import fit_quadratic_process  # noqa: PLC0415 loads Numba

        return fit_quadratic_process(training, start=usual_start(), warm=warm, warm_evaluations=self.warm_evaluations)


MEMBERS = Kinds(GaussianProcessModel, WarpedProcessModel, QuadraticProcessModel, usual="gaussian-process")

Members = Annotated[
    tuple[Annotated[Any, MEMBERS], ...],
    BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given),
    Field(min_length=2, max_length=8, description="models that compete"),
]


class Competition(Part):
    """Several models, all trained for each population; the one that has foreseen the latest values best is used."""

    name: Literal["competition"] = "competition"
    members: Members = (
        GaussianProcessModel(warm_evaluations=5),
        WarpedProcessModel(warm_evaluations=5),
        QuadraticProcessModel(warm_evaluations=5),
    )
    update_rate: Annotated[float, Field(gt=0, le=1, description="weight of the newest value in a score")] = 0.3

    def build(self, context: Context) -> Model:
        """Return the models of one strategy."""
        return Competing([member.build(context) for member in self.members], self.update_rate)


class Competing:
    """Trains models, scores their predictions of new values, and uses the one with the best score.

    The others are trained at the first training for a population only, and keep that fit while its distribution is the
    same: their later fits would rarely be used.

    The score of a model is its log density of the new values, relative to that of the best for each value
    (prequential: Dawid, *Present Position and Potential Developments*, JRSS A 1984), exponentially smoothed.
    """

    def __init__(self, members: Sequence[Model], update_rate: float) -> None:
        self._members = members
        self._update_rate = update_rate
        self._scores = np.zeros(len(members))
        self._fits: list[Any] = []
        self._whitening: Whitening | None = None
        self._seen = 0  # position in the archive after the newest point that the models have seen

    def fit(self, training: TrainingSet, whitening: Whitening) -> ScoredFit | FitStatus:
        """Return the fit of the model with the best earlier predictions, of those that have a fit."""
        self._score(training, whitening)
        if self._whitening is None or not whitening.same_as(self._whitening):
            self._fits = [member.fit(training, whitening) for member in self._members]
        else:
            self._fit_leader(training, whitening)
        self._whitening = whitening
        self._seen = int(training.indices[-1]) + 1 if len(training.indices) else self._seen
        for k in self._ranking():
            if not isinstance(self._fits[k], FitStatus):
                return self._fits[k]  # type: ignore[no-any-return]
        return self._fits[0]  # type: ignore[no-any-return]

    def _ranking(self) -> Indices:
        """Return the indices of the models, that with the best score first."""
        return np.argsort(-self._scores, kind="stable")

    def _fit_leader(self, training: TrainingSet, whitening: Whitening) -> None:
        """Fit the best model, or the next where that has no fit."""
        for k in self._ranking():
            self._fits[k] = self._members[k].fit(training, whitening)
            if not isinstance(self._fits[k], FitStatus):
                return

    def _score(self, training: TrainingSet, whitening: Whitening) -> None:
        new = np.flatnonzero(training.indices >= self._seen)
        if self._whitening is None or not len(new) or any(isinstance(fit, FitStatus) for fit in self._fits):
            return
        points, values = self._whitening(whitening.inverse(training.inputs[new])), training.values[new]
        with np.errstate(all="ignore"):
            foreseen = np.array([fit.log_densities(points, values) for fit in self._fits])
        if not np.isfinite(foreseen).all():
            foreseen = np.nan_to_num(foreseen, nan=-np.finfo(float).max)
        losses = np.minimum(foreseen.max(axis=0) - foreseen, LARGEST_LOSS)
        for loss in losses.T:
            self._scores += self._update_rate * (-loss - self._scores)

    def keep(self, fitted: ScoredFit, whitening: Whitening) -> None:  # noqa: ARG002 all are kept
        """Remember all fits."""
        for member, fit in zip(self._members, self._fits, strict=True):
            if not isinstance(fit, FitStatus):
                member.keep(fit, whitening)

    def forget(self) -> None:
        """Begin a run without earlier fits; the scores stay."""
        for member in self._members:
            member.forget()
        self._fits, self._whitening = [], None


class LocalQuadraticModel(Part):
    """Quadratic regression around each query, weighted by distance in the metric of C (Kern et al., 2006)."""

    name: Literal["local-quadratic"] = "local-quadratic"

    def build(self, context: Context) -> Model:  # noqa: ARG002 one protocol
        """Return the model of one strategy."""
        from sacma.surrogate.local_quadratic import LocalRegression  # noqa: PLC0415 where it is used

        return LocalRegression()


class RandomForestModel(Part):
    """Random forest of regression trees (Breiman, 2001) of scikit-learn."""

    name: Literal["random-forest"] = "random-forest"
    trees: Annotated[int, Field(ge=1, le=10_000, description="trees of the forest")] = 100
    needs: ClassVar[tuple[str, str] | None] = ("sklearn", "forest")

    def build(self, context: Context) -> Model:
        """Return the model of one strategy."""
        return Forests(self, context.rng)

    def prepare(self) -> None:
        """Load scikit-learn, by growing and using a small forest."""
        inputs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        forest = fit_random_forest(TrainingSet(inputs, np.array([0.0, 1.0, 2.0, 4.0])), trees=2, seed=0)
        if isinstance(forest, RandomForest):
            forest.predict(inputs)


class Forests:
    """Fits random forests, each from scratch and with a seed of its own from the trial's random numbers."""

    def __init__(self, settings: RandomForestModel, rng: np.random.Generator) -> None:
        self._settings = settings
        self._rng = rng

    def fit(self, training: TrainingSet, whitening: Whitening) -> "RandomForest | FitStatus":  # noqa: ARG002 one protocol
        """Grow the trees."""
        return fit_random_forest(training, trees=self._settings.trees, seed=int(self._rng.integers(2**31)))

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

    def again(self, training: TrainingSet) -> "RandomForest | FitStatus":
        """Return a forest of as many trees of other points; see ``Refitted``."""
        return fit_random_forest(training, trees=len(self.forest.estimators_), seed=0)

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
        """Return no cost: there are no hyperparameters to search for."""
        return {}


def fit_random_forest(training: TrainingSet, *, trees: int, seed: int) -> RandomForest | FitStatus:
    """Grow a forest on bootstrap samples of n ≥ 2 points, or return the reason for having none.

    All variables are tried at each split; ``seed`` is that of their order and of the samples.
    """
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 an extra

    from sacma.surrogate.gaussian_process import standardise  # noqa: PLC0415 loads Numba

    targets, center, scale = standardise(training.values)
    if scale == 0.0:
        return FitStatus.CONSTANT_VALUES
    forest = RandomForestRegressor(trees, random_state=seed, n_jobs=1)
    return RandomForest(forest.fit(training.inputs, targets), center, scale)
