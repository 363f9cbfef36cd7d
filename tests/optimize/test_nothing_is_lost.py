"""Evaluations are kept, whatever ends the call, and wrong values are refused before any is taken."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.types import Array
from tests.optimize.runs import bowl

CALL: dict[str, Any] = {"bounds": [(0, 1)] * 2, "seed": 1}


def asking(path: Path | None = None, **more: Any) -> sacma.Optimizer:
    return sacma.Optimizer(method="cmaes", journal=path, **CALL, **more)


@pytest.mark.parametrize(
    "values",
    [
        dict(enumerate([1.0] * 6)),
        {1.0, 2.0, 3.0, 4.0, 5.0, 6.0},
        ["1.0"] * 6,
        "123456",
        [[1.0, 2.0]] * 6,
        iter([1.0] * 6),
        np.array(1.0),
    ],
)
def test_values_that_are_none(values: Any) -> None:
    """Keys of a dict, the order of a set, texts of a file."""
    es = asking()
    X = es.ask()
    with pytest.raises(TypeError, match=r"^values(\[\d\])? is .*; allowed: a (list or an array|number, or None)"):
        es.tell(X, values)
    assert es.result.nfev == 0
    es.tell(X, np.array([bowl(x) for x in X]))
    assert es.result.nfev == 6


def test_a_mistake_beside_values(tmp_path: Path) -> None:
    """Three early errors alike do not throw away what another worker has evaluated."""
    path, count, lock = tmp_path / "journal", 0, threading.Lock()

    def f(x: Array) -> float:
        nonlocal count
        with lock:
            count += 1
            number = count
        if number in {2, 3, 4}:
            raise KeyError(number)
        time.sleep(0.3)
        return bowl(x)

    with ThreadPoolExecutor(4) as executor, pytest.raises(KeyError) as error:
        sacma.minimize(f, budget=20, journal=path, workers=executor, asynchronous=False, method="cmaes", **CALL)
    values = sacma.read_journal(path).values
    assert np.isfinite(values).any()
    assert error.value.result.nfev == len(values)  # type: ignore[attr-defined]


def test_the_error_of_a_callback_has_the_result() -> None:
    """A note says so."""

    def fails(result: sacma.Result) -> None:
        raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback") as error:
        sacma.minimize(bowl, budget=20, callback=fails, **CALL)
    assert error.value.result.nfev == 5  # type: ignore[attr-defined]
    assert error.value.__notes__ == ["what 5 evaluations have found is in this exception's attribute result"]


def test_a_choice_is_not_a_number(tmp_path: Path) -> None:
    """In Python 1 is True: the journal of the one is not that of the other; an order that differs is named."""
    path = tmp_path / "journal"

    def f(params: Any) -> float:
        return float(params["c"] is True)

    sacma.minimize(f, space=sacma.Space(c=sacma.Categorical(1, True, "x")), budget=3, seed=1, journal=path)
    with pytest.raises(ValueError, match=r"of another call: space.c.choices = .1, True, .* there, .True, 1, .* here"):
        sacma.minimize(f, space=sacma.Space(c=sacma.Categorical(True, 1, "x")), budget=3, seed=1, journal=path)
    one, two = sacma.Real(0, 1), sacma.Real(0, 2)
    path = tmp_path / "another"
    sacma.minimize(lambda p: p["a"], space=sacma.Space(a=one, b=two), budget=3, seed=1, journal=path)
    with pytest.raises(ValueError, match=r"another call: space = .'a', 'b'. there, .'b', 'a'. here"):
        sacma.minimize(lambda p: p["a"], space=sacma.Space(b=two, a=one), budget=3, seed=1, journal=path)
