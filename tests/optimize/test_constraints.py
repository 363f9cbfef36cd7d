"""Constraints: SciPy's forms, what a run does with them, and how it is kept, continued, asked and told."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint
from scipy.sparse import csr_array

import sacma
from benchmarks.constraints import PROBLEMS
from sacma.optimize.constraints import constraints_of
from sacma.optimize.evaluation import evaluation_of
from sacma.strategy.lagrangian import violations
from sacma.types import Array
from tests.optimize.runs import rosenbrock

DISK = 0.04567480871950  # Rosenbrock's function in the disk of radius 1
BOUNDS = [(-2, 2)] * 2


def beyond(x: Array) -> float:
    return float(x @ x - 1.0)


def both(x: Array) -> tuple[float, list[float]]:
    return rosenbrock(x), [beyond(x)]


def in_disk(fun: Any = both, constraints: Any = 1, **arguments: Any) -> sacma.Result:
    return sacma.minimize(fun, constraints=constraints, **{"bounds": BOUNDS, "budget": 60, "seed": 1, **arguments})


def of_one(x: Array) -> float:
    return float(x[0] * x[1] + 0.5)


def of_two(x: Array, shift: float = 0.0) -> Array:
    return np.array([x[0] ** 2 - x[1] + shift, np.sin(x[2]) - 0.3])


FORMS: list[Any] = [
    NonlinearConstraint(of_one, -np.inf, 0.7),
    NonlinearConstraint(of_one, 0.1, 0.7),
    NonlinearConstraint(of_two, [-0.2, 0.1], [0.3, 0.1]),
    NonlinearConstraint(of_two, -np.inf, [0.3, np.inf]),
    NonlinearConstraint(of_two, [0.0], [0.5]),
    LinearConstraint([[1, 2, -1], [0, 1, 0], [0, 0, 3]], [-np.inf, 0.1, 0.2], [0.5, 0.1, 0.9]),
    LinearConstraint(csr_array(np.eye(3)), -0.5),
    {"type": "ineq", "fun": of_two, "args": (0.25,)},
    {"type": "eq", "fun": of_two, "args": 0.25, "jac": None},
]


def scipys(form: Any, x: Array) -> float:
    """Return the largest violation by SciPy's own evaluation of its forms."""
    if isinstance(form, dict):
        arguments = form.get("args", ())
        values = np.atleast_1d(form["fun"](x, *(arguments if isinstance(arguments, tuple) else (arguments,))))
        return float(np.max(np.abs(values) if form["type"] == "eq" else np.maximum(-values, 0.0)))
    if isinstance(form, LinearConstraint):
        below, above = form.residual(x)  # at least 0 where it is kept
        return float(max(0.0, np.max(-below), np.max(-above)))
    values = np.atleast_1d(form.fun(x))
    return float(max(0.0, np.max(form.lb - values), np.max(values - form.ub)))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
def test_forms_and_signs_are_scipys(form: Any) -> None:
    """The violation is that which SciPy's own objects have, for one form and for all of them together."""
    x0, rng = np.zeros(3), np.random.default_rng(1)
    alone, together = constraints_of(form, x0, None), constraints_of(FORMS, x0, None)
    for x in rng.uniform(-1, 1, size=(20, 3)):
        for constraints, expected in ((alone, scipys(form, x)), (together, max(scipys(each, x) for each in FORMS))):
            outcome = constraints.beside(rosenbrock)(x)
            evaluation = evaluation_of(outcome)
            assert len(evaluation.constraints) == len(constraints.equalities)
            found = violations(np.array([evaluation.constraints]), constraints.equalities, 0.0)[0]
            assert found == pytest.approx(expected, abs=1e-12)
            assert evaluation.value == rosenbrock(x)


def test_numbers_and_functions_are_the_same() -> None:
    """Whether f returns g or a constraint does; beside a function of SciPy's, too."""
    found = in_disk(target=DISK + 1e-6, budget=100)
    assert found.success
    assert found.fun == pytest.approx(DISK, abs=1e-6)
    assert found.constraint_violation == 0.0
    form = NonlinearConstraint(beyond, -np.inf, 0.0)
    again = in_disk(rosenbrock, form, target=DISK + 1e-6, budget=100)
    np.testing.assert_array_equal(found.history.points, again.history.points)
    np.testing.assert_array_equal(found.history.constraints, again.history.constraints)
    np.testing.assert_array_equal(found.history.constraints[:, 0], [beyond(x) for x in found.history.points])


def test_the_best_is_feasible() -> None:
    """The lowest value where all constraints are kept, and so is ``best``; a target is reached by no others."""

    def fun(x: Array) -> tuple[float, float]:
        return float(np.sum((x - 1.0) ** 2)), beyond(x)

    found = in_disk(fun)
    points, values, G = found.history.points, found.history.values, found.history.constraints
    kept = (G <= 0.0).all(axis=1)
    assert 5 < kept.sum() < 60
    assert values.min() < found.fun == values[kept].min()
    np.testing.assert_array_equal(found.x, points[kept][np.argmin(values[kept])])
    np.testing.assert_array_equal(found.history.best, np.minimum.accumulate(np.where(kept, values, np.inf)))
    assert found.history.generations[-1].best_value == found.fun
    low = in_disk(fun, target=values.min())
    assert low.nfev == 60
    assert not low.success


def test_where_nothing_is_feasible() -> None:
    """The point of the smallest violation is given, without success, and the message says so."""
    found = in_disk(lambda x: (rosenbrock(x), [x[0] + 3.0, -1.0]), 2, budget=40)
    assert not found.success
    assert found.constraint_violation == found.history.constraints.max(axis=1).min() < 1.5
    violation = f"{found.constraint_violation:g}"
    assert f"no point kept all constraints: that of the smallest violation, {violation}, is given" in found.message
    assert np.all(np.isinf(found.history.best))
    assert found.x[0] < -1.5


@pytest.mark.parametrize(("name", "factor", "gap"), [("g06", 40, 1e-5), ("pressure vessel", 80, 0.1)])
def test_known_optima(name: str, factor: int, gap: float) -> None:
    """Reached within a few evaluations a dimension, by feasible points."""
    problem = PROBLEMS[name]
    D, target = len(problem.bounds), problem.optimum + gap
    given: dict[str, Any] = {"bounds": [(0, 1)] * D, "budget": factor * D, "target": target, "seed": 2}
    found = sacma.minimize(problem.scaled, constraints=problem.constraints, **given)
    assert found.success
    assert np.all(np.array(problem.scaled(found.x)[1]) <= 0.0)


def test_equalities() -> None:
    """Kept up to their tolerance; without any point that keeps them the violation is their absolute value.

    In the quadrant there is one optimum; on the whole circle another, where half of the seeds end.
    """
    for seed in (1, 2):
        quadrant = {"bounds": [(0, 2)] * 2, "target": DISK + 1e-5, "seed": seed}
        found = in_disk(rosenbrock, {"type": "eq", "fun": beyond}, **quadrant)
        assert found.success
        assert abs(beyond(found.x)) <= 1e-6
    short = in_disk(rosenbrock, [{"type": "eq", "fun": lambda x: beyond(x) - 5.0}], budget=3)
    assert short.constraint_violation == np.abs(short.history.constraints).min()


@pytest.mark.parametrize("seed", range(2))
def test_integers_beside_an_active_constraint(seed: int) -> None:
    """The least a² + b² with a + b ≥ 3 and an integer a is 5, at (1, 2) and (2, 1): not where a could be 1.5."""
    space = sacma.Space(a=sacma.Integer(0, 5), b=sacma.Real(0, 5))

    def both(params: dict[str, float]) -> tuple[float, list[float]]:
        a, b = params["a"], params["b"]
        return a**2 + b**2, [3 - a - b]

    found = sacma.minimize(both, space=space, constraints=1, budget=40, seed=seed)
    assert 5.0 - 1e-9 <= found.fun < 5.0001


def test_in_a_space() -> None:
    """Constraints get the dict of parameters, one of their own; models see the cells of integers."""

    def cost(params: dict[str, Any]) -> float:
        value = (params["x"] - 1.0) ** 2 + (params["n"] - 7) ** 2
        params.clear()
        return float(value)

    space = sacma.Space(x=sacma.Real(-3, 3), n=sacma.Integer(1, 9))
    most = NonlinearConstraint(lambda params: params["x"] + params["n"], -np.inf, 6.0)
    found = sacma.minimize(cost, space=space, constraints=most, budget=80, seed=1)
    assert found.constraint_violation == 0.0
    assert found.params["n"] in {5, 6}
    assert found.fun < 2.01
    with pytest.raises(ValueError, match="in a space, whose functions get the dict"):
        sacma.minimize(cost, space=space, constraints=LinearConstraint([1, 1], -1, 1))


@pytest.mark.parametrize(
    ("returned", "failure"),
    [
        ((1.0, [math.nan]), "constraints are [nan]; allowed: 1 finite numbers"),
        ((1.0, [0.0, 0.0]), "constraints are"),
        ((1.0, None), "constraints are None"),
        ((math.nan, [0.0]), "f is nan"),
        ((1.0,), "allowed: a pair"),
    ],
)
def test_what_is_no_outcome_has_failed(returned: Any, failure: str) -> None:
    """As what is no value of f has: it counts and is seen by no model."""
    found = in_disk(lambda x: both(x) if x[0] > 0.1 else returned, budget=30)
    assert 0 < found.failures < 30
    assert all(failure in reason for reason in found.history.failures.values())
    failed = [number - 1 for number in found.history.failures]
    assert np.isnan(found.history.values[failed]).all()
    assert np.isnan(found.history.constraints[failed]).all()
    assert np.isfinite(found.fun)


def test_a_constraint_that_raises_has_failed() -> None:
    """As f does; a mistake in it is raised."""

    def broken(x: Array) -> float:
        if x[0] < 0.1:
            raise RuntimeError("no mesh")
        return beyond(x)

    def missing(_: Array) -> float:
        raise KeyError("g")

    found = in_disk(rosenbrock, NonlinearConstraint(broken, [-np.inf], [0.0]), budget=30)
    assert set(found.history.failures.values()) == {"RuntimeError: no mesh"}
    with pytest.raises(KeyError):
        in_disk(rosenbrock, NonlinearConstraint(missing, [-np.inf], [0.0]))


ARGUMENTS: list[tuple[Any, dict[str, Any], str]] = [
    (-1, {}, "constraints is -1; allowed: None, or the number m of constraints, an integer from 0 to 1000"),
    ("ineq", {}, "constraints is 'ineq'; allowed: None, a number m"),
    ([beyond], {}, r"constraints\[0\] is <function"),
    ({"type": "le", "fun": beyond}, {}, r"constraints\[0\]\['type'\] is 'le'; allowed: 'ineq', where fun"),
    ({"type": "eq"}, {}, r"constraints\[0\]\['fun'\] is None; allowed: a function"),
    (NonlinearConstraint(beyond, 1, 0), {}, r"constraints\[0\]'s lb and ub is .*; allowed: numbers lb ≤ ub"),
    (NonlinearConstraint(beyond, [0, 0], [1, 1, 1]), {}, "lb and ub"),
    (NonlinearConstraint(beyond, 0, 1, keep_feasible=True), {}, "keep_feasible is True; allowed: False"),
    (NonlinearConstraint(lambda x: "a", 0, 1), {}, "there it raised TypeError: what "),
    (LinearConstraint([1, 2, 3], 0, 1), {}, r"A is .*; allowed: a matrix of finite numbers with a column a coordinate"),
    (NonlinearConstraint(lambda x: np.zeros(600), -1, 1), {}, "allowed: at most 1000"),
    (1, {"method": "cobyqa"}, "constraints is 1; allowed: None with a method that calls f itself; methods"),
    (1, {"known": ([[0.0, 0.0]], [1.0])}, r"known is .*; allowed: a triple \(X, y, G\)"),
    (1, {"known": ([[0.0, 0.0]], [1.0], [[1.0, 2.0]])}, r"known is 'of shapes \(1, 2\) and \(1,\) and \(1, 2\)'"),
]


@pytest.mark.parametrize(("constraints", "arguments", "message"), ARGUMENTS)
def test_wrong_arguments_are_named(constraints: Any, arguments: dict[str, Any], message: str) -> None:
    """In one line, before anything is evaluated."""
    with pytest.raises((TypeError, ValueError), match=message) as raised:
        in_disk(lambda _: pytest.fail("evaluated"), constraints, **arguments)
    assert "\n" not in str(raised.value)


def test_an_archive_has_them() -> None:
    """Failed evaluations of it are left out, and the best of it counts by the same rules."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(40, 2))
    y, G = np.array([rosenbrock(x) for x in X]), np.array([[beyond(x)] for x in X])
    y[3], G[4] = np.nan, np.nan
    found = in_disk(known=(X, y, G), budget=1)
    kept = (G[:, 0] <= 0) & np.isfinite(y)
    assert found.fun <= y[kept].min()
    assert found.model is not None
    outside = in_disk(lambda x: (0.0, [1.0]), known=([[0.0, 0.0]], [5.0], [[0.25]]), budget=2)
    assert (outside.fun, outside.constraint_violation) == (5.0, 0.25)
    assert "nothing better than the known points" in outside.message


def asked(es: sacma.Optimizer, fun: Callable[[Array], tuple[float, Any]] = both) -> sacma.Result:
    """Ask and tell to the end, points in any order."""
    while not es.stop():
        X = es.ask()[::-1]
        values, constraints = zip(*(fun(x) for x in X), strict=True)
        es.tell(X, values, constraints)
    return es.result


@pytest.mark.parametrize("method", ["sacma", "ada-kendall"])
def test_ask_and_tell_is_the_same_run(tmp_path: Path, method: str) -> None:
    """Also when it is saved and loaded on the way."""
    found = in_disk(method=method)
    es = sacma.Optimizer(bounds=BOUNDS, constraints=1, budget=25, seed=1, method=method)
    asked(es)
    es.save(tmp_path / "state")
    loaded = sacma.Optimizer.load(tmp_path / "state", budget=60)
    again = asked(loaded)
    np.testing.assert_array_equal(found.history.points, again.history.points)
    np.testing.assert_array_equal(found.history.constraints, again.history.constraints)
    assert again.fun == found.fun


def test_what_is_told_is_checked() -> None:
    """As many constraints as points, and none where there are none; missing ones are failed evaluations."""
    es = sacma.Optimizer(bounds=BOUNDS, constraints=2, seed=1)
    X = es.ask()
    with pytest.raises(ValueError, match="constraints is None; allowed: 2 numbers for each of the points, 1"):
        es.tell(X, [1.0])
    with pytest.raises(ValueError, match="constraints is"):
        es.tell(X, [1.0], [])
    for row in (-1.0, ["a", "b"], [1.0, 2.0, 3.0]):
        with pytest.raises(TypeError, match=r"constraints\[0\] is .*; allowed: 2 numbers, or None"):
            es.tell(X, [1.0], [row])
    es.tell(X, [1.0], [None])
    assert es.result.failures == 1
    with pytest.raises(TypeError, match="constraints is"):
        sacma.Optimizer(bounds=BOUNDS, constraints=[beyond])  # type: ignore[arg-type]
    plain = sacma.Optimizer(bounds=BOUNDS, seed=1)
    with pytest.raises(ValueError, match="none were announced"):
        plain.tell(plain.ask(), [1.0] * 5, [[1.0]] * 5)


def test_a_constraint_of_another_length_is_a_mistake() -> None:
    """It costs three evaluations, and no more."""
    form = NonlinearConstraint(lambda x: x @ x, [0, 0], [1, 1])
    with pytest.raises(TypeError, match=r"numbers of constraints\[0\] is 1; allowed: 2, as many as of lb and ub"):
        in_disk(rosenbrock, form)
    with pytest.raises(TypeError, match=r"constraints are -1.0; allowed: 2 finite numbers"):
        in_disk(lambda _: (1.0, -1.0), 2)


def test_processes() -> None:
    """Function and constraints are sent to other processes together."""
    form = NonlinearConstraint(lambda x: x @ x - 1.0, -np.inf, 0.0)  # it is sent without this module
    found = in_disk(rosenbrock, form, workers=2, budget=20, method="cmaes")
    assert found.nfev == 20
    assert found.failures == 0
    np.testing.assert_array_equal(found.history.constraints[:, 0], [beyond(x) for x in found.history.points])
