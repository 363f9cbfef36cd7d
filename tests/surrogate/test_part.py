"""Registries of kinds, the type of a field that holds one, and checks of the numbers that parts give."""

from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from sacma.strategy.criteria import CRITERIA
from sacma.strategy.doubly_trained import SHARES
from sacma.strategy.errors import ERRORS, Kendall
from sacma.strategy.settings import ACCEPTANCES, CONTROLS, MODELS, PROPOSALS, RESTARTS, SAMPLINGS, STARTS
from sacma.strategy.training import TrainingSetSettings
from sacma.surrogate.part import Kinds, Part, indices_of, numbers_of
from sacma.surrogate.training_set import SELECTIONS

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


ONE, USUAL = Kinds(Kendall), Kinds(*ERRORS.values(), usual="kendall")


class Fields(BaseModel):
    """Fields of all forms."""

    one: Annotated[Any, ONE] = Kendall()
    usual: Annotated[Any, USUAL] | None = None


def test_a_field_holds_a_kind_by_its_name() -> None:
    """Of one kind or several, or none; the name of the usual one may be left out; unknown keys are refused."""
    assert isinstance(Fields.model_validate({"one": {"name": "kendall"}}).one, Kendall)
    assert isinstance(Fields.model_validate({"usual": {}}).usual, Kendall)
    assert isinstance(Fields.model_validate({"usual": {"name": "kendall-as-run"}}).usual, ERRORS["kendall-as-run"])
    assert Fields.model_validate({"usual": None}).usual is None
    wrongs: list[Any] = [{"one": {}}, {"one": {"name": "tau"}}, {"usual": {"name": "kendall", "discount": 2.0}}]
    for wrong in wrongs:
        with pytest.raises(ValidationError):
            Fields.model_validate(wrong)


def test_parts_are_strict_and_frozen() -> None:
    """Numbers are not made of text, and nothing is changed."""
    part: Any = TrainingSetSettings(radius=3)
    assert part.radius == 3.0
    with pytest.raises(ValidationError):
        TrainingSetSettings(radius="3")  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        part.radius = 4.0


@pytest.mark.parametrize(
    ("given", "allowed"), [([1.0], "any"), ([[1.0, 2.0]], "any"), ([1.0, np.nan], "not NaN"), ([1.0, np.inf], "finite")]
)
def test_numbers_that_a_part_gives(given: list[Any], allowed: str) -> None:
    """Of the right shape, and those that are allowed: the message names the part."""
    np.testing.assert_array_equal(numbers_of(Kendall(), [[1.0, 2.0]], (-1, 2)), [[1.0, 2.0]])
    np.testing.assert_array_equal(numbers_of(Kendall(), [1.0, np.inf], (2,), allowed="not NaN"), [1.0, np.inf])
    with pytest.raises(ValueError, match=rf"Kendall gave numbers of shape .*; allowed: shape \(2,\), {allowed}"):
        numbers_of(Kendall(), given, (2,), allowed=allowed)


def test_indices_that_a_part_gives() -> None:
    """Each once, ascending; others than those of points are refused."""
    assert indices_of(Kendall(), [], 3).tolist() == []
    assert indices_of(Kendall(), [2, 0, 2], 3).tolist() == [0, 2]
    for wrong in ([3], [-1], [0.0], [[1]], [True]):
        with pytest.raises(ValueError, match=r"Kendall chose .*; allowed: indices from 0 to 2"):
            indices_of(Kendall(), wrong, 3)
