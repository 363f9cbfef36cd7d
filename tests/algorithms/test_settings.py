"""Settings of somebody's algorithm are those that are read back from JSON, or refused before anything runs."""

import json
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator

import sacma
from sacma.algorithms.registry import ALGORITHMS
from sacma.algorithms.settings import MOST_CHARACTERS, SettingsError, canonical_json, validated
from sacma.config.study import load_study
from sacma.config.sweep import load_sweep
from sacma.errors import SacmaError


def model_of(function: Callable[..., None]) -> type[BaseModel]:
    return sacma.algorithm(function).settings


def stored(model: type[BaseModel], **given: object) -> str:
    return canonical_json(validated(model, given).model_dump())


def number(problem: Any, rng: Any, x: float = 2) -> None: ...


def either(problem: Any, rng: Any, x: int | float = 2) -> None: ...  # noqa: PYI041 what is given is kept


def unknown(problem: Any, rng: Any, x: float = math.nan) -> None: ...


def anything(problem: Any, rng: Any, x: Any) -> None: ...


def by_number(problem: Any, rng: Any, x: dict[int, float]) -> None: ...


def text(problem: Any, rng: Any, x: str) -> None: ...


def numbers(problem: Any, rng: Any, x: list[float]) -> None: ...


class Angle(BaseModel):
    """Settings that are converted."""

    degrees: float = 90.0

    @field_validator("degrees")
    @classmethod
    def _radians(cls, degrees: float) -> float:
        return math.radians(degrees)


class Failing(BaseModel):
    """Settings whose validator has a fault."""

    sigma: float = 1.0

    @field_validator("sigma")
    @classmethod
    def _fails(cls, sigma: float) -> float:
        return {1.0: sigma}[sigma]


def test_equal_values_have_one_form() -> None:
    """A float is one whether its default or a config says 2; where both kinds are allowed they stay what they are."""
    assert stored(model_of(number)) == stored(model_of(number), x=2) == '{"x":2.0}'
    assert stored(model_of(either), x=2) != stored(model_of(either), x=2.0)
    assert stored(model_of(unknown)) == stored(model_of(unknown), x=math.nan) == '{"x":NaN}'


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        (model_of(anything), date(2020, 1, 1), r"x: datetime.date\(2020, 1, 1\) cannot be stored; use bool"),
        (model_of(anything), float, "x: <class 'float'> cannot be stored"),
        (model_of(by_number), {1: 0.5}, r"x.1.\[key\]: stored as JSON it cannot be read back"),
        (model_of(text), "a\nb", r"x: it has a text that does not print: 'a\\nb'"),
        (model_of(numbers), [0.5] * MOST_CHARACTERS, "characters as JSON; at most"),
    ],
)
def test_what_no_file_can_hold_is_refused(model: type[BaseModel], given: object, said: str) -> None:
    """With the key and the value."""
    with pytest.raises(SettingsError, match=said):
        validated(model, {"x": given})


def test_defaults_that_no_file_gives() -> None:
    """They are refused like values, before anything runs."""

    def negative(problem: Any, rng: Any, step: Annotated[float, Field(gt=0)] = -1.0) -> None: ...

    def imaginary(problem: Any, rng: Any, step: complex = 1j) -> None: ...

    def pair(problem: Any, rng: Any, sizes: tuple[int, ...] = (1, 2)) -> None: ...

    with pytest.raises(ValidationError, match="greater than 0"):
        validated(model_of(negative), {})
    for function, said in ((imaginary, "step: 1j cannot be stored"), (pair, "sizes: .* valid tuple")):
        with pytest.raises(SettingsError, match=said):
            validated(model_of(function), {})


def test_validators_of_users() -> None:
    """One that converts its value would do so twice; one that fails by another error is named, with its line."""
    with pytest.raises(SettingsError, match=r"each validation changes these settings, .* convert them"):
        validated(Angle, {"degrees": 90.0})
    with pytest.raises(SettingsError, match=r"a validator of Failing fails by KeyError: 2.0; raise ValueError"):
        validated(Failing, {"sigma": 2.0})


def test_ours_are_taken_as_they_are() -> None:
    """Nothing is filled in that a config leaves out."""
    given = {"control": {"name": "generations", "model_generations": 5}, "model": {"name": "gaussian-process"}}
    settings = validated(ALGORITHMS["surrogate-cmaes"].settings, given)
    assert settings.model_dump(exclude_unset=True) == given


def test_configs_and_sweeps_say_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and the line of the settings."""
    algorithm = sacma.algorithm("texts")(text)
    monkeypatch.setitem(ALGORITHMS._own, "texts", algorithm)
    config = {"name": "own", "algorithm": "texts", "settings": {"x": "a\tb"}}
    path = tmp_path / "own.yaml"
    path.write_text(json.dumps(config))
    with pytest.raises(SacmaError, match=r"own.yaml:1: settings: x: it has a text"):
        load_study(path)
    of = {"name": "own", "algorithm": "texts"}
    path.write_text(yaml.safe_dump({"name": "sweep", "algorithms": [of], "grid": {"x": ["a", "b\t"]}}))
    with pytest.raises(SacmaError, match="x: it has a text"):
        load_sweep(path)
