"""TuRBO-1: Bayesian optimization in a trust region, by the algorithm of BoTorch's tutorial.

D. Eriksson, M. Pearce, J. Gardner, R. Turner and M. Poloczek, Scalable global optimization via local Bayesian
optimization, NeurIPS 2019.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.generation.sampling import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.stats import qmc

from .problem import Array

LENGTH, LEAST_LENGTH, MOST_LENGTH = 0.8, 0.5**7, 1.6
SUCCESSES = 10  # in a row, that double the length: the tutorial's; the paper has 3


def turbo(objective: Callable[[Array], float], start: Array, seed: int) -> None:
    """Minimise on the unit cube for ever; the first of 2 D initial points is the given one."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    sobol = qmc.Sobol(len(start), rng=seed)
    points = sobol.random(2 * len(start))
    points[0] = start
    while True:
        _search(objective, points, seed)
        points = sobol.random(2 * len(start))


def _search(objective: Callable[[Array], float], points: Array, seed: int) -> None:
    """Search from initial points, shape (n, D), until the region is too small."""
    values = np.array([objective(point) for point in points])
    length, successes, failures = LENGTH, 0, 0
    while length >= LEAST_LENGTH:
        new = _next_point(points, values, length, seed + len(points))
        value = objective(new)
        if value < values.min() - 1e-3 * abs(values.min()):
            successes, failures = successes + 1, 0
        else:
            successes, failures = 0, failures + 1
        if successes == SUCCESSES:
            length, successes = min(2 * length, MOST_LENGTH), 0
        elif failures == max(4, points.shape[1]):
            length, failures = length / 2, 0
        points, values = np.vstack([points, new]), np.append(values, value)


def _next_point(points: Array, values: Array, length: float, seed: int) -> Array:
    """Return the candidate in the region around the best point with the least value of a posterior sample."""
    X = torch.tensor(points, dtype=torch.float64)
    Y = torch.tensor((values.mean() - values) / (values.std() or 1.0), dtype=torch.float64).unsqueeze(-1)
    model, weights = _fitted(X, Y)
    best = X[Y.argmax()]
    lower = torch.clamp(best - weights * length / 2, 0, 1)
    upper = torch.clamp(best + weights * length / 2, 0, 1)
    dimension = X.shape[-1]
    candidates = min(5000, max(2000, 200 * dimension))
    spread = torch.as_tensor(qmc.Sobol(dimension, rng=seed).random(candidates), dtype=torch.float64)
    moved = torch.rand(candidates, dimension, dtype=torch.float64) <= min(20 / dimension, 1)
    unmoved = torch.where(~moved.any(dim=1))[0]
    moved[unmoved, torch.randint(0, dimension, (len(unmoved),))] = True
    tried = torch.where(moved, lower + (upper - lower) * spread, best)
    with torch.no_grad():
        chosen = MaxPosteriorSampling(model=model, replacement=False)(tried, num_samples=1)
    return np.asarray(chosen.numpy()[0], dtype=float)


def _fitted(X: torch.Tensor, Y: torch.Tensor) -> tuple[Any, torch.Tensor]:
    """Return a Gaussian process with a Matérn kernel, and the relative sides of the region."""
    kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=X.shape[-1], lengthscale_constraint=Interval(0.005, 4.0)))
    likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
    model = SingleTaskGP(X, Y, covar_module=kernel, likelihood=likelihood, outcome_transform=None)
    with suppress(ModelFittingError):  # else the model as it is
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    model.eval()
    lengths = kernel.base_kernel.lengthscale.squeeze(0).detach()
    weights = lengths / lengths.mean()
    return model, weights / torch.prod(weights.pow(1.0 / len(weights)))
