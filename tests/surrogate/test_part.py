"""Registries of kinds, and the type of a field that holds one."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from sacma.strategy.control import CONTROLS
from sacma.strategy.criteria import CRITERIA
from sacma.strategy.errors import ERRORS
from sacma.strategy.parts import ACCEPTANCES, RESTARTS, SAMPLINGS
from sacma.strategy.proposals import PROPOSALS
from sacma.strategy.shares import SHARES
from sacma.strategy.starts import STARTS
from sacma.surrogate.models import MODELS
from sacma.surrogate.part import Part, kinds, one_of
from sacma.surrogate.selections import SELECTIONS

REGISTRIES = [
    ACCEPTANCES, CONTROLS, CRITERIA, ERRORS, MODELS, PROPOSALS, RESTARTS, SAMPLINGS, SELECTIONS, SHARES, STARTS,
]  # fmt: skip


@pytest.mark.parametrize("registry", REGISTRIES)
def test_kinds_are_known_by_their_names(registry: dict[str, type[Part]]) -> None:
    """In lower case with hyphens; each with a docstring, and a description of each of its settings."""
    for name, kind in registry.items():
        assert kind.model_fields["name"].default == name == name.lower()
        assert "_" not in name
        assert kind.__doc__
        assert all(field.description for key, field in kind.model_fields.items() if key != "name")


@pytest.mark.parametrize("locations", [["sacma.strategy.errors.kendall:Kendall"], list("ab")])
def test_one_kind_and_several_are_told_apart_by_name(locations: list[str]) -> None:
    """Unknown names and unknown keys are refused, in both."""
    registry = (
        kinds(*locations)
        if len(locations) == 1
        else kinds("sacma.strategy.errors.kendall:Kendall", "sacma.strategy.errors.as_run:KullbackLeiblerAsRun")
    )

    class Settings(BaseModel):
        error: Annotated[one_of(registry), Field()]  # type: ignore[valid-type]

    def load(**error: Any) -> Any:
        return Settings.model_validate({"error": error}).error

    assert isinstance(load(name="kendall"), ERRORS["kendall"])
    for wrong in ({"name": "tau"}, {"name": "kendall", "discount": 2.0}):
        with pytest.raises(ValidationError):
            load(**wrong)


def test_parts_are_strict_and_frozen() -> None:
    """Numbers are not made of text, and nothing is changed."""
    kind: Any = ERRORS["kullback-leibler-as-run"]
    part = kind(discount=3)
    assert part.discount == 3.0
    with pytest.raises(ValidationError):
        kind(discount="3")
    with pytest.raises(ValidationError):
        part.discount = 4.0


def test_a_location_that_does_not_exist_is_an_error() -> None:
    """Of the registry's author, at import."""
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        kinds("sacma.strategy.errors.kendall:Nothing")
