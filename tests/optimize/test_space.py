"""Spaces of named parameters, and all that a call does in them."""

import itertools
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sacma
from sacma.optimize.parameters import Parameter
from sacma.optimize.space import space_as_json, space_of
from tests.optimize.runs import bits

SPACE = sacma.Space(
    rate=sacma.Real(1e-5, 1e-1, log=True),
    layers=sacma.Integer(1, 8),
    dropout=sacma.Real(0, 0.5),
    kind=sacma.Categorical("a", "b", None),
    deep=sacma.Categorical(True, False),
)
TYPES: dict[str, Any] = {"rate": float, "layers": int, "dropout": float, "kind": (str, type(None)), "deep": bool}

PARAMETERS: list[Parameter] = [
    sacma.Real(-3, 7),
    sacma.Real(-1.5e308, 1.5e308),
    sacma.Real(1e-300, 1e300, log=True),
    sacma.Real(0, 1, step=0.3),
    sacma.Real(-10.2, 10.2, step=0.1),
    sacma.Real(0.9529265953745719, 0.953, step=6.4e-12),
    sacma.Integer(0, 1),
    sacma.Integer(-(10**15), 10**15),
    sacma.Integer(3, 10, step=2),
    sacma.Integer(1, 1000, log=True),
    sacma.Categorical("a", "b"),
    sacma.Categorical([1, 1.0, True, None, "1"]),
]


def loss(params: dict[str, Any]) -> float:
    """Return the value of a function whose optimum is 0."""
    distance = (math.log10(params["rate"]) + 3) ** 2 + 4 * (params["dropout"] - 0.3) ** 2
    return float(distance + (params["layers"] - 6) ** 2 + 2 * (params["kind"] != "b") + (not params["deep"]))


def minimized(**arguments: Any) -> sacma.Result:
    return sacma.minimize(arguments.pop("fun", loss), space=SPACE, seed=1, **{"budget": 40, **arguments})


@pytest.mark.parametrize("parameter", PARAMETERS, ids=str)
@given(u=st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_all_coordinates_have_a_value_of_the_parameter(parameter: Parameter, u: list[float]) -> None:
    """It leads back to coordinates of the same value, and so does the centre of the cell."""
    space = sacma.Space(a=parameter)
    point = np.array(u[: space.dimension])
    params = space.params(point)
    again = space.params(space.point(params))
    centred = space.params(space.centred(point))
    if isinstance(parameter, sacma.Real):
        assert type(params["a"]) is float
        assert parameter.low <= params["a"] <= parameter.high
        width = parameter.step or 0.0
        tolerance = 1e-9 * max(abs(parameter.low), abs(parameter.high)) + 1.01 * width
        assert math.isclose(again["a"], params["a"], rel_tol=1e-9, abs_tol=1e-9 * max(1.0, abs(params["a"])))
        assert abs(centred["a"] - params["a"]) <= tolerance
        return
    if isinstance(parameter, sacma.Integer):
        assert type(params["a"]) is int
        assert (params["a"] - parameter.low) % parameter.step == 0
        if parameter.high == 10**15:
            return  # cells as narrow as floats
    else:
        assert any(params["a"] is choice for choice in parameter.choices)
    assert space.key(again) == space.key(centred) == space.key(params)


def test_each_value_has_an_equal_share() -> None:
    """Of integers and steps; of integers with ``log`` from ½ below to ½ above, in the logarithm."""
    space = sacma.Space(a=sacma.Integer(0, 3), b=sacma.Real(0, 1, step=0.25), c=sacma.Integer(1, 4, log=True))
    drawn = [space.params(np.full(3, u)) for u in (np.arange(10_000) + 0.5) / 10_000]
    assert {sum(p["a"] == k for p in drawn) for k in range(4)} == {2500}
    assert {sum(p["b"] == k / 4 for p in drawn) for k in range(5)} == {2000}
    for k in range(1, 5):
        expected = 10_000 * math.log((k + 0.5) / (k - 0.5)) / math.log(9)
        assert sum(p["c"] == k for p in drawn) == pytest.approx(expected, abs=2)


def test_cells_have_widths_and_distributions_end_at_their_centres() -> None:
    """No width where each coordinate has a value of its own; the narrow cells of a logarithm are narrow."""
    space = sacma.Space(a=sacma.Integer(0, 3), b=sacma.Real(0, 1), c=sacma.Integer(1, 4, log=True))
    lower, upper = space.bounds
    np.testing.assert_allclose(lower, [0.125, 0, math.log(2) / math.log(9)])
    np.testing.assert_allclose(upper, [0.875, 1, math.log(8) / math.log(9)])
    np.testing.assert_allclose(space.widths(lower), [0.25, 0, math.log(3) / math.log(9)])
    np.testing.assert_allclose(space.widths(upper), [0.25, 0, math.log(9 / 7) / math.log(9)])
    choices = sacma.Space(k=sacma.Categorical("a", "b", "c"))
    np.testing.assert_array_equal(choices.centred(np.array([[0.2, 0.9, 0.8], [-5, -6, -7]])), [[0, 1, 0], [1, 0, 0]])


def test_a_space_is_a_value() -> None:
    """It can be compared, printed, sent elsewhere, and written as JSON."""
    assert SPACE == pickle.loads(pickle.dumps(SPACE)) == space_of(json.loads(json.dumps(space_as_json(SPACE))))  # noqa: S301
    assert hash(SPACE) == hash(space_of(space_as_json(SPACE)))
    assert sacma.Space(a=PARAMETERS[0]) != sacma.Space(b=PARAMETERS[0])
    assert sacma.Categorical(1, 2) != sacma.Categorical(1.0, 2.0)
    assert sacma.Categorical(*np.array([1, 2])) == sacma.Categorical(list(np.array([1, 2]))) == sacma.Categorical(1, 2)
    assert list(SPACE) == list(SPACE.parameters) == list(TYPES)
    assert SPACE.dimension == 7
    assert SPACE.key({**SPACE.params([0.5] * 7), "kind": "c"}) is None
    assert eval(repr(SPACE), dict(vars(sacma), **{name: getattr(sacma, name) for name in sacma.__all__})) == SPACE  # noqa: S307
    assert sacma.Integer(3, 10, step=2).high == 9
    assert sacma.Real(0, 1, step=0.3).high == pytest.approx(0.9)


def test_a_function_gets_a_dict_of_python_values() -> None:
    """Of all names, and nothing outside; the result has the best of them."""
    seen: list[dict[str, Any]] = []

    def fun(params: dict[str, Any]) -> float:
        seen.append(params)
        return loss(params)

    result = minimized(fun=fun)
    assert len(seen) == result.nfev == 40
    for params in seen:
        assert list(params) == list(TYPES)
        for name, kind in TYPES.items():
            assert isinstance(params[name], kind)
        assert 1e-5 <= params["rate"] <= 1e-1
        assert 1 <= params["layers"] <= 8
    assert result.params == min(seen, key=loss) == SPACE.params(result.x)
    assert result.fun == loss(result.params)
    assert result.history.params == seen


def test_optima_are_found() -> None:
    """Integers, choices and booleans too."""
    for seed in range(2):
        result = sacma.minimize(loss, space=SPACE, budget=250, target=1e-2, seed=seed)
        assert result.success
        assert [result.params[name] for name in ("layers", "kind", "deep")] == [6, "b", True]


def test_an_archive_may_be_of_dicts() -> None:
    """Or of coordinates, as in a result; models learn from them, and the best counts."""
    known = minimized()
    dicts, y = known.history.params, known.history.values
    by_dicts = minimized(known=(dicts, y), budget=20, x0=known.params)
    by_points = minimized(known=(known.history.points, y), budget=20, x0=known.params)
    assert by_dicts.fun <= known.fun
    assert by_dicts.nfev == by_points.nfev == 20
    only = sacma.minimize(lambda _: 9.0, space=SPACE, known=([dicts[0]], [-1.0]), budget=3, seed=1)
    assert only.fun == -1.0
    assert SPACE.key(only.params) is not None
    assert only.params["layers"] == dicts[0]["layers"]


def test_a_journal_is_continued(tmp_path: Path) -> None:
    """Its lines have coordinates, its header the space; reading it gives the parameters; it is of no other space."""
    whole = minimized()
    minimized(journal=tmp_path / "j", budget=23)
    calls = itertools.count()
    continued = minimized(journal=tmp_path / "j", fun=lambda params: (next(calls), loss(params))[1])
    assert bits(continued) == bits(whole)
    assert (continued.params, next(calls)) == (whole.params, 17)
    content = sacma.read_journal(tmp_path / "j")
    assert content.params == whole.history.params
    assert content.space == SPACE
    assert minimized(known=content.known, budget=5).fun <= whole.fun
    other = sacma.Space({**SPACE.parameters, "layers": sacma.Integer(1, 9)})
    with pytest.raises(ValueError, match=r"journal is .*, of another call: space.layers.high"):
        sacma.minimize(loss, space=other, seed=1, journal=tmp_path / "j")


def test_a_journal_is_known_in_a_wider_space(tmp_path: Path) -> None:
    """Its points are parameters: coordinates would be others there."""
    given: dict[str, Any] = {"budget": 12, "seed": 1}
    sacma.minimize(
        lambda p: (p["a"] - 3.0) ** 2, space=sacma.Space(a=sacma.Real(0, 4)), journal=tmp_path / "j", **given
    )
    known = sacma.read_journal(tmp_path / "j").known
    wider = sacma.Space(a=sacma.Real(0, 40))
    result = sacma.minimize(lambda p: 0.5 + (p["a"] - 3.0) ** 2, space=wider, known=known, **given)
    best = int(np.argmin(known[1]))
    assert (result.params["a"], result.fun) == (pytest.approx(known[0][best]["a"]), known[1][best])


def test_ask_and_tell(tmp_path: Path) -> None:
    """Dicts both ways, one by one and in any order, saved and loaded: the same run."""
    es = sacma.Optimizer(space=SPACE, seed=1, budget=20)
    while not es.stop():
        for params in reversed(es.ask()):
            es.tell([json.loads(json.dumps(params))], [loss(params)])
        es.save(tmp_path / "saved")
        es = sacma.Optimizer.load(tmp_path / "saved")
    assert bits(es.result) == bits(minimized(budget=20))


@pytest.mark.parametrize("method", ["cobyqa", "lq-cma-es"])
def test_methods_that_stand_still_on_plateaus_take_reals_alone(method: str) -> None:
    """At the call; uniform samples may be of anything."""
    with pytest.raises(ValueError, match=r"method is .*; allowed: with integers, steps and choices, a method that"):
        minimized(method=method)
    real = sacma.Space(a=sacma.Real(0, 9), b=sacma.Real(1e-3, 1, log=True))
    found = sacma.minimize(lambda p: (p["a"] - 2) ** 2 + math.log(p["b"] * 10) ** 2, space=real, method=method, seed=1)
    assert found.fun < 1e-4
    assert minimized(method="random-search").nfev == 40


REAL, INTEGER, CATEGORICAL = sacma.Real, sacma.Integer, sacma.Categorical
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: REAL(2, 1), "high is 1; allowed: a number of at least low"),
    (lambda: REAL(1, math.nan), "high is nan"),
    (lambda: REAL("0", 1), "low is '0'"),  # type: ignore[arg-type]
    (lambda: REAL(0, 1, log=True), "low is 0; allowed: a number above 0"),
    (lambda: REAL(1, 2, log=True, step=0.5), "step is 0.5; allowed: None with log"),
    (lambda: REAL(1e6, 1e6 + 1e-3, step=2e-10), "step is 2e-10; allowed: None, or a number from 9.31323e-10"),
    (lambda: INTEGER(0.5, 2), "low is 0.5"),  # type: ignore[arg-type]
    (lambda: INTEGER(2, 1), "high is 1; allowed: a number of at least low, 2"),
    (lambda: INTEGER(10**15 - 1, 10**15, log=True), "low is 999999999999999; allowed: an integer from -1e+12 to 1e+12"),
    (CATEGORICAL, "choices is ()"),
    (lambda: CATEGORICAL("a", "a"), "choices is ('a', 'a')"),
    (lambda: CATEGORICAL("a", (1, 2)), "choices is ('a', (1, 2)); allowed: 1 to 100"),
    (lambda: CATEGORICAL("a", "\ud800"), "choices is ('a', '\\ud800')"),
    (sacma.Space, "parameters is {}"),
    (lambda: sacma.Space(a=(0, 1)), "parameter 'a' is (0, 1); allowed: a sacma.Real"),  # type: ignore[arg-type]
    (lambda: sacma.Space({"\x1b": 3}), "parameter '\\x1b' is 3"),  # type: ignore[dict-item]
    (lambda: sacma.minimize(loss, space={"a": REAL(0, 1)}), "space is {'a'"),  # type: ignore[arg-type]
    (lambda: minimized(bounds=(0, 1)), "bounds is (0, 1); allowed: None beside a space"),
    (lambda: minimized(x0={"layer": 3}), "a key of x0 is 'layer'; allowed: 'rate', 'layers'"),
    (lambda: SPACE.params([0.5]), "point is [0.5]; allowed: 7 coordinates from 0 to 1"),
    (lambda: SPACE.point({"rate": 1e-3}), "params is {'rate': 0.001}; allowed: a value of each parameter"),
    (lambda: sacma.Space({f"n{i}": REAL(0, 1) for i in range(999)}).point({"x": 1}), "params is {'x': 1}"),
    (lambda: minimized(x0={"layers": 9}), "x0['layers'] is 9; allowed: a value of Integer(low=1, high=8"),
    (lambda: minimized(x0={"kind": "c"}), "x0['kind'] is 'c'"),
    (lambda: minimized(x0={"rate": math.nan}), "x0['rate'] is nan"),
    (lambda: minimized(x0=[0.5]), "x0 is [0.5]; allowed: None, values by the names of parameters, or 7 coordinates"),
    (lambda: minimized(known=([{"rate": 1e-3}], [1.0])), "known[0][0] is {'rate': 0.001}; allowed: a value of each"),
    (lambda: minimized(known=(5, [1.0])), "known[0] is 5; allowed: points of 7 coordinates"),
    (lambda: sacma.minimize(loss, [2.0], space=sacma.Space(a=REAL(1, 3))), "x0[0] is 2.0; allowed: coordinates of the"),
    (lambda: sacma.minimize(loss, {"rate": 1e-3}, 1.0), "x0 is {'rate': 0.001}"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_arguments_are_named(wrong: Callable[[], object], message: str) -> None:
    """In one line, with what was given and what is allowed."""
    with pytest.raises((ValueError, TypeError)) as raised:
        wrong()
    text = str(raised.value)
    assert text.startswith(message)
    assert "; allowed: " in text
    assert text.isprintable()
    assert len(text) < 500


def test_coordinates_at_the_ends_of_cells() -> None:
    """Points of [0, 1]^D are points of the space, as ``params`` takes them; others are refused."""
    space = sacma.Space(a=sacma.Integer(0, 5), b=sacma.Real(0, 1))
    given: dict[str, Any] = {"space": space, "budget": 5, "seed": 1}
    result = sacma.minimize(lambda p: float(p["a"]), [0.99, 0.5], known=([[0.01, 0.5]], [0.0]), **given)
    assert (result.params["a"], result.fun) == (0, 0.0)
    with pytest.raises(ValueError, match=r"^known\[0\]\[0\]\[0\] is 1.01; allowed: coordinates of the space"):
        sacma.minimize(lambda p: float(p["a"]), known=([[1.01, 0.5]], [0.0]), **given)
    with pytest.raises(ValueError, match=r"^x0\[0\] is 1.01; allowed"):
        sacma.minimize(lambda p: float(p["a"]), [1.01, 0.5], **given)
