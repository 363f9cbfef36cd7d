"""The problems of the literature have the values that are published, or that another way of computing them gives."""

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, ExpSineSquared, RationalQuadratic, WhiteKernel

from benchmarks.real import tables
from benchmarks.real.catalogue import HALVES, PROBLEMS
from benchmarks.real.problem import Problem
from benchmarks.real.problems import kernels

KNOWN = [problem for problem in PROBLEMS.values() if problem.known is not None]


def name_of(problem: Problem) -> str:
    return problem.name


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=name_of)
def test_each_problem(problem: Problem) -> None:
    """A box of 2 to 12 dimensions, with values within and at a published start, always the same."""
    assert 2 <= problem.dimension <= 12
    assert np.all(problem.lower < problem.upper)
    inside = np.linspace(0.3, 0.6, problem.dimension)
    value = problem.at(inside)
    assert math.isfinite(value)
    assert problem.at(inside) == value
    if problem.start is not None:
        start = np.array(problem.start)
        assert np.all((problem.lower <= start) & (start <= problem.upper))
        assert math.isfinite(problem.objective(start))
    assert problem.about
    assert problem.source


@pytest.mark.parametrize("problem", KNOWN, ids=name_of)
def test_published_solutions(problem: Problem) -> None:
    """Each lies in the box and has the value that is published with it, to its digits; points nearby have no less."""
    assert problem.known is not None
    point, value = np.array(problem.known.point), problem.known.value
    assert len(point) == problem.dimension
    assert np.all((problem.lower <= point) & (point <= problem.upper))
    assert problem.objective(point) == pytest.approx(value, rel=problem.known.rtol)
    rng = np.random.default_rng(1)
    for size in (1e-2, 1e-1):
        near = point + size * (problem.upper - problem.lower) * rng.uniform(-1, 1, (50, problem.dimension))
        lowest = min(problem.objective(each) for each in np.clip(near, problem.lower, problem.upper))
        if problem.kind != "identification, simulated data":  # of which the true parameters are known, no more
            assert lowest >= value - problem.known.rtol * abs(value)


def test_failures_are_infinite() -> None:
    """A controller with which the generator swings more and more has failed."""
    regulator = PROBLEMS["voltage regulator"]
    with pytest.raises(ArithmeticError, match="unstable"):
        regulator.objective(np.array([1.5, 1.0, 0.0]))
    assert regulator.at(np.array([1.0, 1.0, 0.0])) == math.inf


def test_mauna_loa() -> None:
    """Scikit-learn gives the same likelihood for the book's hyperparameters; and they are much better than most."""
    t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 = kernels.PUBLISHED
    kernel = (
        ConstantKernel(t1**2) * RBF(t2)
        + ConstantKernel(t3**2) * RBF(t4) * ExpSineSquared(t5, periodicity=1.0)
        + ConstantKernel(t6**2) * RationalQuadratic(length_scale=t7, alpha=t8)
        + ConstantKernel(t9**2) * RBF(t10)
        + WhiteKernel(t11**2)
    )
    years, ppm = kernels.mauna_loa_data()
    fitted = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(years[:, None], ppm)
    published = np.log10(kernels.PUBLISHED)
    value = kernels.mauna_loa(published)
    assert value == pytest.approx(-fitted.log_marginal_likelihood_value_, rel=1e-9)
    problem = PROBLEMS["Mauna Loa"]
    assert np.all((problem.lower < published) & (published < problem.upper))
    rng = np.random.default_rng(1)
    assert value < min(problem.at(rng.random(11)) for _ in range(20))


def test_the_page_lists_the_problems() -> None:
    """As the script prints them."""
    page = (Path(__file__).parents[2] / "benchmarks" / "real" / "README.md").read_text()
    for half in HALVES:
        assert "\n".join(tables.problem_lines(half)) in page
