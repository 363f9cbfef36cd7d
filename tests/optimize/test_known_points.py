"""Where f does not change from call to call, it is called once at a point."""

from collections import Counter
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from sacma.types import Array
from tests.optimize.simulated import Simulated, without_waiting

METHODS = ["sacma", "dts-cmaes", "cmaes", "lq-cma-es", "cobyqa"]


def slope(x: Array) -> float:
    """The best point of a box is a corner, onto which most points beyond are moved."""
    return float(np.sum(x))


def distinct(points: Array) -> int:
    return len({point.tobytes() for point in points})


@pytest.mark.parametrize("method", METHODS)
def test_a_point_of_the_archive_is_not_evaluated(method: str) -> None:
    """Nor x₀, where it is there."""
    X = [[0.0, 0.0], [0.5, 0.5]]
    result = sacma.minimize(slope, [0.5, 0.5], bounds=(0, 1), budget=30, method=method, seed=1, known=(X, [0.0, 1.0]))
    assert distinct(np.vstack([X, result.history.points])) == 32


def test_failures_are_tried_again() -> None:
    """They may not be the point's: a licence, a disk."""
    calls: dict[bytes, int] = {}

    def fails_at_first(x: Array) -> float | None:
        calls[x.tobytes()] = calls.get(x.tobytes(), 0) + 1
        return None if calls[x.tobytes()] == 1 and not x.any() else slope(x)

    result = sacma.minimize(fails_at_first, bounds=[(0, 1)] * 2, budget=40, method="cmaes", seed=1)
    assert calls[np.zeros(2).tobytes()] == 2
    assert max(calls.values()) == 2
    assert result.fun == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_point_that_fails_twice_is_not_tried_again(method: str) -> None:
    """The best corner fails always."""
    calls: dict[bytes, int] = {}

    def fails(x: Array) -> float | None:
        calls[x.tobytes()] = calls.get(x.tobytes(), 0) + 1
        return None if not x.any() else slope(x)

    result = sacma.minimize(fails, bounds=[(0, 1)] * 2, budget=60, method=method, seed=1, max_failures=None)
    assert max(calls.values()) <= 2
    assert result.nfev == sum(calls.values()) == 60


@pytest.mark.filterwarnings("ignore:sigma0")
@pytest.mark.parametrize("method", ["cobyla", "powell", "cobyqa"])
def test_an_error_of_scipy_at_known_points(method: str) -> None:
    """It ends one run of the method, as elsewhere: between the bounds there are hardly any numbers."""
    bounds = (1.0, 1.0 + 8 * np.finfo(float).eps)
    result = sacma.minimize(lambda x: float(x[0]), [1.0], 1e-80, bounds=bounds, budget=12, method=method, seed=1)
    assert distinct(result.history.points) == result.nfev <= 9
    assert result.status == sacma.Status.NO_NEW_POINT


CHOICES = st.sampled_from(
    [
        sacma.Integer(2, 5, log=True),
        sacma.Real(0.1, 0.5, step=0.2),
        sacma.Categorical(False, True),
        sacma.Categorical(*"abc"),
    ]
)


class Table:
    """A function of few combinations, some of which fail, that counts its calls."""

    def __init__(self, seed: int, failing: int) -> None:
        self._seed, self._failing = seed, failing
        self.calls: Counter[tuple[Any, ...]] = Counter()

    def fails(self, key: tuple[Any, ...]) -> bool:
        """Return True for a combination that fails always."""
        return self._failing > 0 and crc32(repr((key, self._seed, 1)).encode()) % self._failing == 0

    def __call__(self, params: dict[str, Any]) -> float | None:
        """Return the value of a combination."""
        key = tuple(params.values())
        self.calls[key] += 1
        return None if self.fails(key) else crc32(repr((key, self._seed)).encode()) / 2**32


@settings(deadline=None, max_examples=15, derandomize=True)
@given(
    parameters=st.lists(CHOICES, min_size=1, max_size=3),
    method=st.sampled_from(["sacma", "cmaes", "ada-kendall", "random-search"]),
    how=st.sampled_from(["minimize", "ask", "workers"]),
    failing=st.sampled_from([0, 0, 3]),
    share=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    budget=st.sampled_from([7, 1000]),
    seed=st.integers(0, 5),
)
def test_a_space_that_is_used_up(
    parameters: list[Any], *, method: str, how: str, failing: int, share: float, budget: int, seed: int
) -> None:
    """No combination is evaluated twice, but for those that failed, and the run ends with the last one."""
    space = sacma.Space({f"p{i}": parameter for i, parameter in enumerate(parameters)})
    coordinates = np.random.default_rng(seed).uniform(size=(1500, space.dimension))
    everything = {tuple(params.values()): params for params in map(space.params, coordinates)}
    table = Table(seed, failing)
    X = [params for key, params in everything.items() if not table.fails(key)]
    X = X[: round(share * len(X))]
    archive = (X, [table(params) for params in X]) if X else None
    given: dict[str, Any] = {"space": space, "known": archive, "budget": budget, "seed": seed, "max_failures": None}
    if how == "ask" and method != "random-search":
        es = sacma.Optimizer(method=method, **given)
        while not es.stop():
            points = es.ask()
            es.tell(points, [table(params) for params in points])
        result = es.result
        es.close()
    elif how == "workers" and method != "random-search":
        with without_waiting():
            result = sacma.minimize(table, method=method, workers=Simulated(3), **given)
    else:
        result = sacma.minimize(table, method=method, **given)
    assert all(calls == 1 or (table.fails(key) and calls == 2) for key, calls in table.calls.items())
    if result.nfev < budget:
        assert result.status == sacma.Status.SPACE_USED_UP
        assert result.success == any(not table.fails(key) for key in everything)
        assert result.message.startswith(f"all {len(everything)} combinations of the space are evaluated")
        assert table.calls.keys() == everything.keys()
