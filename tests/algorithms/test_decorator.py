"""Algorithms made of functions: their settings come from type hints, and what cannot be one is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field, ValidationError

import sacma
from sacma.errors import SacmaError


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


def wrong_default(problem: Any, rng: Any, step: Annotated[float, Field(gt=0)] = -1.0) -> None:
    pass


def no_config_holds_it(problem: Any, rng: Any, step: complex = 1j) -> None:
    pass


def no_setting_at_all(problem: Any, rng: Any, step: np.ndarray[Any, Any] = np.zeros(1)) -> None:  # noqa: B008
    pass


def given_as_a_tuple(problem: Any, rng: Any, box: Annotated[tuple[float, float], Field(description="box")]) -> None:
    pass


def given_as_paths(problem: Any, rng: Any, where: list[Path]) -> None:
    pass


def given_as_one_of_them(
    problem: Any, rng: Any, step: float | tuple[float, ...], kind: Literal["a"], sizes: list[int | None]
) -> None:
    pass


def taken(problem: Any, rng: Any, copy: bool = True) -> None:  # noqa: FBT001, FBT002
    pass


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_hint, "parameter step of no_hint has no type hint"),
        (any_number, "parameter settings of any_number takes any number of arguments"),
        (not_a_problem, "write it as not_a_problem(problem, rng)"),
        (
            wrong_default,
            "parameter step of wrong_default is -1.0, which is not allowed: should be greater than 0",
        ),
        (no_config_holds_it, "which no config can hold"),
        (no_setting_at_all, "a type hint of parameter step of no_setting_at_all cannot be validated"),
        (given_as_a_tuple, "parameter box of given_as_a_tuple is a tuple, of which no config has a value; use bool,"),
        (given_as_paths, "parameter where of given_as_paths is a Path, of which no config has a value; use"),
        (taken, "parameter copy of taken cannot name a setting"),
    ],
)
def test_what_cannot_be_an_algorithm(function: Callable[..., None], message: str) -> None:
    """One line says which parameter, and what to do."""
    with pytest.raises(SacmaError) as error:
        sacma.algorithm(function)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_choice_of_types_needs_one_that_a_file_has() -> None:
    """And literals and lists have no type that is missing there."""
    made = sacma.algorithm(given_as_one_of_them)
    assert made.settings.model_validate({"step": 1.0, "kind": "a", "sizes": [1, None]})


@pytest.mark.parametrize("name", ["", "My ES", "-es", "x" * 65])
def test_names_are_those_of_a_config(name: str) -> None:
    """They stand in YAML files and on the command line."""
    with pytest.raises(SacmaError, match="cannot name an algorithm"):
        sacma.algorithm(name)(of_settings)


class OfPaths(BaseModel):
    """Settings that JSON cannot hold."""

    where: Path = Path("x")


class OfTuples(BaseModel, strict=True, frozen=True):
    """Settings that JSON gives back as lists, beside one without a default."""

    step: float
    sizes: tuple[int, ...] = (1, 2)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OfPaths, r"the default of setting where of with_model is PosixPath\('x'\), which no config can hold; use"),
        (
            OfTuples,
            r"the default of setting sizes of with_model is \(1, 2\), which is not allowed: should be a valid tuple",
        ),
    ],
)
def test_models_whose_defaults_no_config_gives(model: type[BaseModel], message: str) -> None:
    """They are refused where the algorithm is declared, not in each of its trials."""

    def with_model(problem: Any, rng: Any, settings: BaseModel) -> None:
        pass

    with_model.__annotations__["settings"] = model
    with pytest.raises(SacmaError, match=message):
        sacma.algorithm(with_model)
