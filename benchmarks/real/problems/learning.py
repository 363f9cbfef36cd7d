"""Hyperparameters of scikit-learn's models by cross-validation on data that it ships; folds and seeds are fixed."""

from functools import cache

import numpy as np
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from ..problem import Array, Problem

FOLDS = 3


@cache
def _diabetes() -> tuple[Array, Array]:
    return load_diabetes(return_X_y=True)  # type: ignore[no-any-return]


def boosted_trees(x: Array) -> float:
    """Return the mean squared error by cross-validation.

    x is log₁₀ of the learning rate, trees, depth, log₁₀ of a leaf's least share of the data, and the share of the data
    that a tree sees. Whole numbers are rounded.
    """
    data, progression = _diabetes()
    model = GradientBoostingRegressor(
        learning_rate=10 ** x[0],
        n_estimators=round(x[1]),
        max_depth=round(x[2]),
        min_samples_leaf=10 ** x[3],
        subsample=x[4],
        max_features=0.5,
        random_state=0,
    )
    with config_context(skip_parameter_validation=True):  # a third of the time
        errors = [
            (model.fit(data[train], progression[train]).predict(data[test]) - progression[test]) ** 2
            for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(data)
        ]
    return float(np.concatenate(errors).mean())


@cache
def _digits() -> tuple[Array, Array]:
    data, digits = load_digits(return_X_y=True)
    return data[::3] / 16, digits[::3]


def support_vectors(x: Array) -> float:
    """Return the share of digits that are taken for another; x is log₁₀ of C and γ of the Gaussian kernel."""
    data, digits = _digits()
    model = SVC(C=10 ** x[0], gamma=10 ** x[1])
    wrong = [
        np.sum(model.fit(data[train], digits[train]).predict(data[test]) != digits[test])
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(data, digits)
    ]
    return float(np.sum(wrong) / len(digits))


SCIKIT_LEARN = "data of scikit-learn (Pedregosa et al., JMLR 12 (2011) 2825–2830)"

PROBLEMS = (
    Problem(
        name="boosted trees",
        kind="hyperparameters",
        half="development",
        objective=boosted_trees,
        box=((-3, 0), (5, 40), (1, 6), (-2.5, -0.5), (0.3, 1)),
        about="gradient boosting of the diabetes data: rate, trees, depth, leaf, subsample; mean squared error",
        source=f"B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, Annals of Statistics 32 (2004) 407–499; "
        f"{SCIKIT_LEARN}",
    ),
    Problem(
        name="digits SVM",
        kind="hyperparameters",
        half="judged",
        objective=support_vectors,
        box=((-3, 5), (-6, 2)),
        about="C and γ of a support vector machine for a third of the digits, over eight decades; share of errors",
        source=f"C.-W. Hsu, C.-C. Chang and C.-J. Lin, A practical guide to support vector classification (2003); "
        f"{SCIKIT_LEARN}",
    ),
)
