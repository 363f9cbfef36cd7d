"""Many hyperparameters of kernels: a likelihood, and an error of cross-validation."""

from functools import cache

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes
from statsmodels.datasets import co2

from ..problem import Array, Problem

FOLDS = 5


@cache
def mauna_loa_data() -> tuple[Array, Array]:
    """Return years and ppm of CO₂ less its mean: every second month of statsmodels' weekly data."""
    monthly = co2.load_pandas().data["co2"].resample("MS").mean().dropna()[::2]
    years = monthly.index.year + (monthly.index.month - 0.5) / 12
    return np.asarray(years, dtype=float), np.asarray(monthly - monthly.mean(), dtype=float)


def mauna_loa(x: Array) -> float:
    """Return the negative log marginal likelihood; x is log₁₀ of θ₁ … θ₁₁."""
    t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 = (10**x).tolist()
    years, ppm = mauna_loa_data()
    lags = np.abs(years[:, None] - years)
    squares = lags**2
    covariance = (
        t1**2 * np.exp(-squares / (2 * t2**2))
        + t3**2 * np.exp(-squares / (2 * t4**2) - 2 * np.sin(np.pi * lags) ** 2 / t5**2)
        + t6**2 * (1 + squares / (2 * t8 * t7**2)) ** -t8
        + t9**2 * np.exp(-squares / (2 * t10**2))
        + t11**2 * np.eye(len(years))
    )
    factor = cho_factor(covariance, lower=True)
    fit = ppm @ cho_solve(factor, ppm)
    return float(0.5 * fit + np.sum(np.log(np.diag(factor[0]))) + 0.5 * len(ppm) * np.log(2 * np.pi))


@cache
def _diabetes() -> tuple[Array, Array]:
    data, progression = load_diabetes(return_X_y=True)
    return (data - data.mean(0)) / data.std(0), progression - progression.mean()


def ridge(x: Array) -> float:
    """Return the mean squared error by cross-validation; x is log₁₀ of ten inverse lengths and of the ridge."""
    data, progression = _diabetes()
    scaled = data * 10 ** x[:10]
    kernel = np.exp(-0.5 * cdist(scaled, scaled, "sqeuclidean"))
    fold = np.arange(len(data)) % FOLDS
    errors = []
    for test in range(FOLDS):
        out, rest = fold == test, fold != test
        factor = cho_factor(kernel[np.ix_(rest, rest)] + 10 ** x[10] * np.eye(int(rest.sum())), lower=True)
        predicted = kernel[np.ix_(out, rest)] @ cho_solve(factor, progression[rest])
        errors.append((predicted - progression[out]) ** 2)
    return float(np.concatenate(errors).mean())


# θ of the book, from monthly means until 2003.
PUBLISHED = (66.0, 67.0, 2.4, 90.0, 1.3, 0.66, 1.2, 0.78, 0.18, 1.6 / 12, 0.19)

PROBLEMS = (
    Problem(
        name="Mauna Loa",
        kind="kernels with many hyperparameters",
        half="development",
        objective=mauna_loa,
        box=(
            *((1, 3), (1, 3), (-1, 1.5), (1, 3), (-1, 1), (-1.5, 1), (-1, 1), (-1.5, 1.5)),
            *((-2, 0.5), (-1.5, 0.5), (-2, 0.5)),
        ),
        about="eleven hyperparameters of a Gaussian process of CO₂ on Mauna Loa 1958–2001; negative log likelihood",
        source="C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning (2006), section 5.4.3; "
        "data: C. D. Keeling and T. P. Whorf (2004), as in statsmodels",
    ),
    Problem(
        name="diabetes kernel",
        kind="kernels with many hyperparameters",
        half="judged",
        objective=ridge,
        box=(*((-3, 0.5),) * 10, (-4, 2)),
        about="kernel ridge regression of the diabetes data: a length of each variable, and the ridge; "
        "mean squared error by cross-validation",
        source="B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, Annals of Statistics 32 (2004) 407–499; "
        "data of scikit-learn",
    ),
)
