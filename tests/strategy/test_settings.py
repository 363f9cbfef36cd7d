"""Settings of the strategy: what belongs together, what is refused, what the parts need."""

from typing import Any

import pytest
from pydantic import ValidationError

from sacma.strategy.settings import StrategySettings
from sacma.surrogate.part import Part
from tests.strategy.runs import DOUBLY, GP, KENDALL, parts

FOREST = {"name": "random-forest"}


def test_by_default_it_is_cma_es() -> None:
    """No model, every point evaluated by f, IPOP restarts."""
    settings = StrategySettings()
    assert (settings.model, settings.control.name, settings.restarts.name) == (None, "none", "ipop")
    assert {part.name for part in settings.parts} == {"ranks-population", "none", "cma-es", "ipop", "recent"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"control": DOUBLY}, r"control doubly-trained needs a model; add model: \{name: gaussian-process\}"),
        ({"modell": GP}, "Extra inputs"),
        ({"model": {"name": "gaussian-proces"}, "control": DOUBLY}, "gaussian-process"),
        ({"model": {"name": "gaussian-process", "trees": 5}, "control": DOUBLY}, "Extra inputs"),
        ({"control": {"name": "generations", "model_generations": -1}, "model": GP}, "greater than or equal to 0"),
        ({"control": {"name": "generations", "model_generations": 1.5}, "model": GP}, "integer"),
        ({"restarts": {"name": "ipop", "population_factor": 0.5}}, "greater than or equal to 1"),
    ],
)
def test_what_has_no_effect_or_cannot_be_is_refused(content: dict[str, Any], message: str) -> None:
    """In words that name the parts."""
    with pytest.raises(ValidationError, match=message):
        StrategySettings.model_validate(content)


def test_parts_within_parts_are_found() -> None:
    """Each once, and what they need to be installed."""
    settings = parts(model=FOREST, control={**KENDALL, "error": {"name": "kullback-leibler"}})
    names = [part.name for part in settings.parts]  # type: ignore[attr-defined]
    assert {"random-forest", "adaptive-generations", "kullback-leibler", "recent"} <= set(names)
    assert len(names) == 8
    assert settings.needs == (("sklearn", "forest"),)
    assert parts(control=DOUBLY).needs == ()


def test_all_parts_are_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of parts, too."""
    prepared: list[str] = []
    settings = parts(model=FOREST, control={**DOUBLY, "criterion": {"name": "variance"}})
    monkeypatch.setattr("sacma.strategy.settings._prepared", set())  # as in a process that has loaded none
    monkeypatch.setattr(Part, "prepare", lambda part: prepared.append(part.name))
    for kind in {type(part) for part in settings.parts}:
        monkeypatch.setattr(kind, "prepare", Part.prepare)
    settings.prepare()
    assert {"random-forest", "doubly-trained", "variance", "constant"} <= set(prepared)
