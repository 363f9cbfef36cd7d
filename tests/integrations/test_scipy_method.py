"""The optimizer as a method of the real ``scipy.optimize.minimize``."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, minimize

import sacma


def bowl(x: np.ndarray, a: float = 1.0, b: float = 0.0) -> float:
    return float(np.sum((x - a) ** 2) + b)


BOX = [(-5, 5), (-5, 5)]
SEEDED = {"seed": 1, "maxfev": 60}


def run(fun: Callable[..., Any] = bowl, x0: Any = (0.0, 0.0), *, options: Any = SEEDED, **arguments: Any) -> Any:
    return minimize(fun, x0, method=sacma.scipy_method, options=options, **arguments)


def test_the_result_is_scipys() -> None:
    """With its fields; it is that of ``sacma.minimize``."""
    found = run(bounds=BOX)
    assert isinstance(found, OptimizeResult)
    assert (found.nfev, found.success, found.status) == (60, False, sacma.Status.BUDGET)
    assert found.message == "the budget of 60 evaluations is used up"
    assert found.fun == bowl(found.x)
    assert found.fun < 1e-3
    same = sacma.minimize(bowl, [0, 0], bounds=BOX, budget=60, seed=1)
    assert np.array_equal(found.history.points, same.history.points)


@pytest.mark.parametrize(("args", "value"), [((2.0, 7.0), 7.0), (2.0, 0.0), ((), 0.0)])
def test_args(args: Any, value: float) -> None:
    """They follow x; a single one needs no tuple."""
    found = run(args=args, bounds=BOX, options={"maxfev": 120, "seed": 1})
    assert found.fun == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    "bounds", [BOX, Bounds(-5, 5), Bounds([-5, -5], [5, 5]), [(-5, None), (None, 5)], None], ids=repr
)
def test_bounds(bounds: Any) -> None:
    """Pairs and ``Bounds``, with open sides, or none: then σ₀ is 1."""
    found = run(bounds=bounds, options={"seed": 1, "f_target": 1e-4})
    assert found.success
    assert found.status == sacma.Status.TARGET
    sigma0 = 1.0 if bounds is None or bounds == [(-5, None), (None, 5)] else None
    same = sacma.minimize(bowl, [0, 0], sigma0, bounds=bounds, seed=1, target=1e-4)
    assert np.array_equal(found.history.points, same.history.points)


def test_callback_with_a_result() -> None:
    """A parameter ``intermediate_result`` is the result so far."""
    seen: list[OptimizeResult] = []
    run(bounds=BOX, callback=lambda intermediate_result: seen.append(intermediate_result))  # noqa: PLW0108 its name counts
    assert len(seen) > 3
    assert all(isinstance(one, OptimizeResult) for one in seen)
    assert seen[-1].fun <= seen[0].fun


def test_callback_with_x() -> None:
    """Any other parameter is the best x so far; what it returns means nothing."""
    seen: list[np.ndarray] = []

    def note(xk: np.ndarray) -> bool:
        seen.append(xk)
        return True

    found = run(bounds=BOX, callback=note)
    assert found.nfev == 60
    assert np.array_equal(seen[-1], found.x)


def test_callback_that_ends_the_run() -> None:
    """By StopIteration, as everywhere in SciPy."""

    def stop(intermediate_result: OptimizeResult) -> None:
        if intermediate_result.fun < 1:
            raise StopIteration

    found = run(bounds=BOX, callback=stop, options={"seed": 1})
    assert found.status == sacma.Status.CALLBACK
    assert found.nfev < 60


def test_options() -> None:
    """Those of ``sacma.minimize``, with SciPy's names where it has some; others are refused."""
    options = {"seed": 1, "maxfev": 30, "sigma0": 0.5, "method": "cmaes", "population_size": 10, "scale": 2.0}
    found = run(options=options)
    same = sacma.minimize(bowl, [0, 0], 0.5, method="cmaes", population_size=10, scale=2.0, budget=30, seed=1)
    assert np.array_equal(found.history.points, same.history.points)
    with pytest.raises(TypeError, match="xatol is no argument here; the nearest is tolerance"):
        minimize(bowl, [0, 0], method=sacma.scipy_method, tol=1e-3, options={**SEEDED, "xatol": 1})


def test_constraints() -> None:
    """SciPy's forms, without a warning; the best point keeps them."""
    below = LinearConstraint([[1, 1]], -np.inf, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run(bounds=BOX, constraints=below)
    assert found.x.sum() <= 1.0
    assert found.constraint_violation == 0.0
    again = run(bounds=BOX, constraints=[{"type": "ineq", "fun": lambda x, most: most - x[0] - x[1], "args": (1,)}])
    np.testing.assert_allclose(again.fun, found.fun, atol=1e-4)


def test_disp(capsys: pytest.CaptureFixture[str]) -> None:
    """The message is printed where it is asked for, as by SciPy."""
    run(bounds=BOX)
    assert capsys.readouterr().out == ""
    run(bounds=BOX, options={**SEEDED, "disp": True})
    assert capsys.readouterr().out.startswith("the budget of 60 evaluations is used up\n  best value ")
