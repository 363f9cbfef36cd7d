"""Values and points in containers of any library."""

import array
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sacma
from sacma.types import Array
from tests.optimize.runs import bits, bowl, solve


class Tensor:
    """A container of another library; as one that records gradients, it does not become an array."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values, dtype=float)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self._values.shape

    def __array__(self, *_: Any, **__: Any) -> Array:
        """Refuse."""
        raise RuntimeError("detach it first")

    def __float__(self) -> float:
        """Return its only number."""
        return float(self._values.item())

    def __len__(self) -> int:
        return len(self._values)


CONTAINERS: list[Callable[[list[float]], Any]] = [
    deque,
    lambda y: np.array(y, dtype=object),
    lambda y: memoryview(array.array("d", y)),
    pd.DataFrame,
    Tensor,
    lambda y: [np.array([each]) for each in y],
]


@pytest.mark.parametrize("contained", CONTAINERS)
def test_a_container_of_one_number_is_a_number(contained: Callable[[list[float]], Any]) -> None:
    """Of f, and told; the run is the one without it."""
    given: dict[str, Any] = {"budget": 12, "seed": 1, "method": "cmaes"}
    plain = sacma.minimize(bowl, [0.0, 0.0], 0.5, **given)
    found = sacma.minimize(lambda x: contained([bowl(x)]), [0.0, 0.0], 0.5, **given)
    assert found.failures == 0
    told = solve(sacma.Optimizer([0.0, 0.0], 0.5, **given), lambda x: contained([bowl(x)]))
    assert bits(found) == bits(told) == bits(plain)


@pytest.mark.parametrize("contained", [np.array, pd.DataFrame, list, tuple])
def test_points_in_a_container(contained: Callable[[Any], Any]) -> None:
    """They are told a row each, whatever their number."""
    es = sacma.Optimizer([0.0, 0.0], 0.5, seed=1, method="cmaes")
    for _ in range(3):
        X = es.ask()
        values: Any = pd.Series([bowl(x) for x in X])
        es.tell(contained(X), values)
    assert es.result.nfev == 18
