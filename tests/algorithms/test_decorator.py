"""Algorithms made of functions: their settings come from type hints, and what cannot be one is refused."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import Field, ValidationError

import sacma
from sacma.errors import SacmaError
from tests.conftest import one_line


def of_settings(
    problem: Any,
    rng: np.random.Generator,
    step: Annotated[float, Field(gt=0)],
    kind: Literal["a", "b"] = "a",
    *,
    counts: list[int] = [1, 2],  # noqa: B006 what a config gives
    limit: int | None = None,
) -> None:
    """Does nothing.

    At length.
    """
    problem.append((step, kind, counts, limit))


def test_settings_are_validated_by_hints() -> None:
    """Types are strict, ranges count, unknown keys are refused, and defaults fill in."""
    model = sacma.algorithm(of_settings).settings
    assert model.model_validate({"step": 1}).model_dump() == {"step": 1.0, "kind": "a", "counts": [1, 2], "limit": None}
    for wrong in ({}, {"step": 0.0}, {"step": "1"}, {"step": 1.0, "kind": "c"}, {"step": 1.0, "other": 1}):
        with pytest.raises(ValidationError):
            model.model_validate(wrong)


def test_the_harness_calls_the_function() -> None:
    """With the problem and the settings, by name; name and summary are the function's."""
    algorithm = sacma.algorithm(of_settings)
    calls: list[Any] = []
    algorithm.run(calls, algorithm.settings.model_validate({"step": 2.0}), np.random.default_rng(1))  # type: ignore[arg-type]
    assert calls == [(2.0, "a", [1, 2], None)]
    assert (algorithm.name, algorithm.summary) == ("of-settings", "Does nothing")
    assert sacma.algorithm("other")(of_settings).name == "other"


def no_hint(problem: Any, rng: Any, step=1.0) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    pass


def any_number(problem: Any, rng: Any, **settings: float) -> None:
    pass


def not_a_problem(rng: Any) -> None:
    pass


def no_setting_at_all(problem: Any, rng: Any, step: np.ndarray[Any, Any] = np.zeros(1)) -> None:  # noqa: B008
    pass


def taken(problem: Any, rng: Any, copy: bool = True) -> None:  # noqa: FBT001, FBT002
    pass


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_hint, "parameter step of no_hint has no type hint"),
        (any_number, "parameter settings of any_number takes any number of arguments"),
        (not_a_problem, "write it as not_a_problem(problem, rng)"),
        (no_setting_at_all, "a type hint of no_setting_at_all cannot be validated"),
        (taken, "parameter copy of taken cannot name a setting"),
    ],
)
def test_what_cannot_be_an_algorithm(function: Callable[..., None], message: str) -> None:
    """One line says which parameter, and what to do."""
    assert message in one_line(sacma.algorithm, function)


@pytest.mark.parametrize("name", ["", "My ES", "-es", "x" * 65])
def test_names_are_those_of_a_config(name: str) -> None:
    """They stand in YAML files and on the command line."""
    with pytest.raises(SacmaError, match="cannot name an algorithm"):
        sacma.algorithm(name)(of_settings)
