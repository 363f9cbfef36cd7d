"""Coordinates with equal bounds, and parameters with one value, are taken and stay what they are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from tests.optimize.runs import bowl

METHODS = ["sacma", "cmaes", "ada-kendall", "cobyqa", "l-bfgs-b", "random-search"]


@settings(deadline=None, max_examples=12, derandomize=True)
@given(
    fixed=st.lists(st.booleans(), min_size=2, max_size=5).filter(lambda fixed: not all(fixed)),
    method=st.sampled_from(METHODS),
    half=st.booleans(),
    scaled=st.booleans(),
)
def test_the_run_is_that_of_the_others_alone(fixed: list[bool], method: str, *, half: bool, scaled: bool) -> None:
    """The same points, to the bit, with the fixed coordinates beside them."""
    free = ~np.array(fixed)
    bounds = [(2.0, 2.0) if each else (-1.0, np.inf if half and method != "random-search" else 1.5) for each in fixed]
    x0, scale = np.where(fixed, 2.0, 0.5), np.linspace(1.0, 2.0, len(fixed)) if scaled else np.ones(len(fixed))
    settings: dict[str, Any] = {"method": method, "seed": 1, "budget": 25}
    found = sacma.minimize(lambda x: bowl(x[free]), x0, 0.4, bounds=bounds, scale=scale, **settings)
    few = [pair for pair, each in zip(bounds, fixed, strict=True) if not each]
    alone = sacma.minimize(bowl, x0[free], 0.4, bounds=few, scale=scale[free], **settings)
    assert np.array_equal(found.history.points[:, free], alone.history.points)
    assert np.all(found.history.points[:, ~free] == 2.0)
    assert found.x.shape == free.shape


def test_widths_of_others_are_the_steps() -> None:
    """Without σ₀ and x₀, too; and the budget is that of the coordinates that vary."""
    found = sacma.minimize(bowl, bounds=[(0.1, 0.1), (-1, 1)], seed=1, method="cmaes")
    alone = sacma.minimize(lambda x: bowl(np.array([0.1, x[0]])), bounds=[(-1, 1)], seed=1, method="cmaes")
    assert found.nfev == alone.nfev <= 250
    assert found.fun == alone.fun


def test_where_nothing_can_vary() -> None:
    """There is nothing to be found; bounds as pycma has them are recognized."""
    with pytest.raises(ValueError, match="here nothing can vary"):
        sacma.minimize(bowl, [1.0, 2.0, 3.0], 1.0, bounds=[(1, 1), (2, 2), (3, 3)])
    with pytest.raises(ValueError, match=r"Bounds\(lows, highs\); here nothing can vary"):
        sacma.minimize(bowl, bounds=[(0, 0), (1, 1)])
    with pytest.raises(TypeError, match=r"parameters is .*; allowed: a dict of parameters by their names"):
        sacma.Space([sacma.Real(0, 1)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="allowed: one or more that can vary"):
        sacma.Space(a=sacma.Integer(1, 1), b=sacma.Categorical("x"))


SINGLE = st.sampled_from(
    [sacma.Real(0.5, 0.5, log=True), sacma.Real(-1.0, -1.0, step=0.1), sacma.Integer(3, 3), sacma.Categorical([None])]
)


@settings(deadline=None, max_examples=8, derandomize=True)
@given(singles=st.lists(SINGLE, min_size=1, max_size=3), seed=st.integers(0, 9))
def test_parameters_with_one_value(tmp_path_factory: Any, singles: list[Any], seed: int) -> None:
    """They have no coordinates, and the function gets them all the same."""
    path = tmp_path_factory.mktemp("single") / "journal"
    others = {f"s{i}": each for i, each in enumerate(singles)}
    space = sacma.Space(**others, a=sacma.Real(0, 1), k=sacma.Integer(1, 3))
    seen: list[dict[str, Any]] = []

    def f(params: dict[str, Any]) -> float:
        seen.append(params)
        return float((params["a"] - 0.3) ** 2 + params["k"])

    found = sacma.minimize(f, space=space, budget=15, seed=seed, journal=path)
    assert space.dimension == 2
    (only,) = {tuple(repr(params[name]) for name in others) for params in seen}
    assert only == tuple(repr(each.choices[0] if isinstance(each, sacma.Categorical) else each.low) for each in singles)
    assert space.params(space.point(found.params)) == found.params
    assert sacma.read_journal(path).params == seen
    again = sacma.minimize(f, space=space, budget=20, seed=seed, journal=path, x0=seen[0])
    assert again.nfev == 20
