"""The problems of the literature have the values that are published, or that another way of computing them gives."""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.optimize import brentq, minimize
from scipy.signal import cont2discrete
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, ExpSineSquared, RationalQuadratic, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import PredefinedSplit, cross_val_predict

from benchmarks.real import tables
from benchmarks.real.catalogue import HALVES, PROBLEMS
from benchmarks.real.problem import Array, Problem
from benchmarks.real.problems import circuits, control, field_data, kernels, kinetics, structures

KNOWN = [problem for problem in PROBLEMS.values() if problem.known is not None]


def name_of(problem: Problem) -> str:
    return problem.name


def test_halves_are_of_equal_kinds() -> None:
    """Each kind has one problem in each, and there are 22 in all."""
    assert len(PROBLEMS) == 22
    for half in HALVES:
        kinds = Counter(problem.kind for problem in PROBLEMS.values() if problem.half == half)
        assert set(kinds) == {problem.kind for problem in PROBLEMS.values()}
        assert set(kinds.values()) == {1}


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


@pytest.mark.parametrize("problem", KNOWN, ids=name_of)
def test_no_corner_is_better_than_what_is_published(problem: Problem) -> None:
    """Nor are random points: no penalty is so low that a design which breaks all constraints is the best."""
    assert problem.known is not None
    rng = np.random.default_rng(2)
    corners = rng.integers(0, 2, (64, problem.dimension)).astype(float)
    ends = np.repeat([[0.0], [1.0]], problem.dimension, axis=1)
    lowest = min(problem.at(point) for point in (*ends, *corners, *rng.random((200, problem.dimension))))
    assert lowest > problem.known.value


def test_failures_are_infinite() -> None:
    """A controller with which the generator swings more and more has failed."""
    regulator = PROBLEMS["voltage regulator"]
    with pytest.raises(ArithmeticError, match="unstable"):
        regulator.objective(np.array([1.5, 1.0, 0.0]))
    assert regulator.at(np.array([1.0, 1.0, 0.0])) == math.inf


def test_points_are_kept_in_the_box() -> None:
    """A coordinate that rounding has put beyond a bound is on it."""
    beam = PROBLEMS["welded beam"]
    assert beam.at(np.full(4, 1 + 1e-12)) == beam.objective(beam.upper)


def test_voltage_regulator() -> None:
    """Overshoot, settling and rise time of the published gains, which were read off a coarser simulation."""
    overshoot, settling, rise = control.response_figures(np.array([0.6570, 0.5389, 0.2458]))
    assert overshoot == pytest.approx(0.0116, abs=1e-4)
    assert settling == pytest.approx(0.4025, rel=0.03)
    assert rise == pytest.approx(0.2767, rel=0.03)


def test_cart_pole() -> None:
    """Near the upright position the Riccati equation's gains are the best."""
    slopes = np.empty((4, 5))
    for n in range(5):
        step = np.zeros((4, 1)), np.zeros(1)
        if n < 4:
            step[0][n] = 1e-6
        else:
            step[1][0] = 1e-6
        slopes[:, n] = control.acceleration(*step)[:, 0] / 1e-6
    system = cont2discrete((slopes[:, :4], slopes[:, 4:], np.eye(4), np.zeros((4, 1))), control.STEP)
    weights, of_force = np.diag(control.STATE_WEIGHTS), np.array([[control.FORCE_WEIGHT]])
    cost_to_go = solve_discrete_are(system[0], system[1], weights, of_force)
    gains = -np.linalg.solve(of_force + system[1].T @ cost_to_go @ system[1], system[1].T @ cost_to_go @ system[0])[0]
    problem = PROBLEMS["cart-pole"]
    assert np.all((problem.lower < gains) & (gains < problem.upper))
    starts = 1e-3 * control.STARTS
    least = control.cart_pole(gains, starts)
    expected = control.STEP * np.mean([start @ (cost_to_go - weights) @ start for start in starts.T])
    assert least == pytest.approx(expected, rel=1e-3)
    for coordinate in range(4):
        for factor in (0.9, 1.1):
            other = gains.copy()
            other[coordinate] *= factor
            assert control.cart_pole(other, starts) > least


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


def test_kernel_ridge() -> None:
    """Scikit-learn's own, on the same folds, has the same error."""
    x = np.append(np.linspace(-2, -0.5, 10), -1.0)
    data, progression = load_diabetes(return_X_y=True)
    scaled = (data - data.mean(0)) / data.std(0) * 10 ** x[:10]
    fold = np.arange(len(data)) % kernels.FOLDS
    model = KernelRidge(alpha=10 ** x[10], kernel="rbf", gamma=0.5)
    predicted = cross_val_predict(model, scaled, progression - progression.mean(), cv=PredefinedSplit(fold))
    expected = np.mean((predicted - progression + progression.mean()) ** 2)
    assert kernels.ridge(x) == pytest.approx(expected, rel=1e-9)


def test_hyperparameters() -> None:
    """Usual ones are much better than a constant; those at the ends of the boxes are no better than one."""
    _, progression = load_diabetes(return_X_y=True)
    trees, digits = PROBLEMS["boosted trees"], PROBLEMS["digits SVM"]
    assert trees.objective(np.array([-1, 40, 3, -1.5, 1.0])) < 0.6 * progression.var()
    assert trees.objective(trees.lower) == pytest.approx(progression.var(), rel=0.03)
    assert digits.objective(np.array([1, -1.5])) < 0.04
    assert digits.objective(digits.lower) > 0.8


def test_the_page_lists_the_problems() -> None:
    """As the script prints them."""
    page = (Path(__file__).parents[2] / "docs" / "real_problems.md").read_text()
    for half in HALVES:
        assert "\n".join(tables.problem_lines(half)) in page


@pytest.mark.parametrize(
    ("objective", "published", "within"),
    [
        (field_data.lotka_volterra, (0.545, 0.028, 0.803, 0.024, 33.956, 5.949), 0.1),
        (field_data.influenza, (1.66, 0.44, 1.0), 0.25),
    ],
)
def test_published_fits_are_near_the_best(
    objective: Callable[[Array], float], published: tuple[float, ...], within: float
) -> None:
    """Stan's posterior means, and the fit of J. D. Murray, Mathematical Biology: other criteria, nearly the same."""
    start = np.log10(published)
    found = minimize(objective, start, method="Nelder-Mead", options={"maxfev": 2000, "fatol": 1e-4})
    assert found.fun <= objective(start) <= (1 + within) * found.fun
    assert found.x[:2] == pytest.approx(start[:2], abs=0.05)


def test_gas_oil_has_its_closed_form() -> None:
    """The first of the two equations is solved by hand."""
    rates = np.array([11.847, 8.3451, 1.0011])
    oil = 1 / (1 + (rates[0] + rates[2]) * kinetics.GAS_OIL_TIMES)
    solved = kinetics.gas_oil_states(np.log10(rates))
    assert solved[:, 0] == pytest.approx(oil, rel=1e-6)


def test_ladder() -> None:
    """Chebyshev's filter, by the formulas of Matthaei, Young and Jones, has equal ripples and is the best."""
    order = 7

    def stopped(ripple: float) -> float:
        chebyshev = math.cosh(order * math.acosh(circuits.STOPPED[0]))
        return 10 * math.log10(1 + (10 ** (ripple / 10) - 1) * chebyshev**2)

    ripple = brentq(lambda r: r - circuits.WEIGHT * (circuits.WANTED - stopped(r)), 1e-3, 1.0)
    elements = chebyshev_elements(ripple, order)
    value = circuits.ladder(elements)
    assert value == pytest.approx(ripple, rel=1e-6)
    problem = PROBLEMS["LC ladder"]
    assert np.all((problem.lower < elements) & (elements < problem.upper))
    rng = np.random.default_rng(1)
    assert (
        min(circuits.ladder(elements + rng.normal(0, size, order)) for size in (1e-3, 1e-2) for _ in range(50)) > value
    )


def chebyshev_elements(ripple: float, order: int) -> Array:
    beta = math.log(1 / math.tanh(ripple * math.log(10) / 40))
    gamma = math.sinh(beta / (2 * order))
    k = np.arange(1, order + 1)
    a = np.sin((2 * k - 1) * np.pi / (2 * order))
    b = gamma**2 + np.sin(k * np.pi / order) ** 2
    elements = [2 * a[0] / gamma]
    for n in range(1, order):
        elements.append(4 * a[n - 1] * a[n] / (b[n - 1] * elements[-1]))
    return np.array(elements)


def test_truss_is_in_balance() -> None:
    """Forces of the bars and loads add up to nothing at each free node."""
    areas = np.linspace(1, 10, 10)
    forces = areas * structures.bar_stresses(structures.node_displacements(areas))
    assert structures.ELONGATIONS.T @ forces == pytest.approx(structures.LOADS, abs=1e-6)
