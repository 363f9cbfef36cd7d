"""Former names: what an error says to write instead is something that can be written."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from sacma.algorithms.registry import ALGORITHMS, Registry
from sacma.config.former import FORMER_ALGORITHMS, FORMER_KEYS, former_keys
from sacma.config.nested import kinds_of, merged
from sacma.config.study import load_study
from sacma.errors import SacmaError
from sacma.strategy.settings import StrategySettings


def error_of(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(SacmaError) as caught:
        load_study(path)
    return str(caught.value)


@pytest.mark.parametrize("name", FORMER_ALGORITHMS)
def test_former_algorithms(tmp_path: Path, name: str) -> None:
    """A former name is refused with a text of which a config can be made."""
    path = tmp_path / "c.yaml"
    message = error_of(path, f"name: A\nalgorithm: {name}\n")
    instead = message.removeprefix(f"{path}:2: algorithm: {name} is now written as ")
    assert instead != message
    algorithm, _, parts = instead.partition(" with ")
    parts = "method: powell" if algorithm == "local-search" else parts  # which always had to be given
    lines = [f"  {part}\n" for part in re.split(r"(?<=\}), |(?<=\}) and ", parts) if part]
    path.write_text(f"name: A\nalgorithm: {algorithm}\nsettings:\n{''.join(lines)}")
    assert load_study(path).algorithm == algorithm


def holding(model: type[BaseModel], steps: list[str], value: Any) -> dict[str, Any] | None:
    """Return settings of ``model`` that have a value below keys, of kinds that have these keys; None where none has."""
    if steps[0] not in model.model_fields:
        return None
    info = model.model_fields[steps[0]]
    if len(steps) == 1:
        return {steps[0]: info.get_default() if value is None else value}
    for name, kind in kinds_of(info).items():
        inner = holding(kind, steps[1:], value)
        if inner is not None:
            return {steps[0]: {**({"name": name} if name else {}), **inner}}
    return None


def filled(key: str, value: Any) -> Any:
    """Return a value in which each … is something that is allowed there."""
    first = {"control.error": "kendall", "control.criterion": "variance", "training_set.selection": "nearest"}
    if isinstance(value, dict):
        return {inner: filled(key if inner == "name" else f"{key}.{inner}", v) for inner, v in value.items()}
    return {"…": first.get(key, 0.5)}.get(value, value)


@pytest.mark.parametrize("key", FORMER_KEYS)
def test_former_settings(tmp_path: Path, key: str) -> None:
    """A former setting is refused with the place that it has now, which exists and takes what is said."""
    path = tmp_path / "c.yaml"
    message = error_of(path, f"name: A\nalgorithm: surrogate-cmaes\nsettings: {{{key}: 1}}\n")
    instead = message.removeprefix(f"{path}:3: settings.{key}: is now written as ")
    assert instead == FORMER_KEYS[key]
    place, _, text = instead.partition(": ")
    value = filled(place, yaml.safe_load(text)) if text else None
    settings = holding(StrategySettings, place.split("."), value)
    assert settings is not None
    if "name" not in settings.get("control", {"name": ""}):
        settings = merged(settings, {"control.name": "generations"})
    usual = {"control": {"name": "generations"}} if settings.keys() & {"model", "training_set", "acceptance"} else {}
    if settings.get("control", {}).get("name", "").startswith("adaptive"):
        settings = merged(settings, {"control.error": settings["control"].get("error", {"name": "kendall"})})
    settings = {**usual, **({"model": {}} if usual or "control" in settings else {}), **settings}
    StrategySettings.model_validate(settings)


def test_other_algorithms_have_no_former_settings() -> None:
    """The keys that moved are those of one algorithm: others have settings of these names."""
    assert former_keys("bipop-cmaes") == former_keys("somebody-elses") == {}
    assert former_keys("surrogate-cmaes") == FORMER_KEYS


def test_a_former_name_can_be_given_again(tmp_path: Path) -> None:
    """A file of the user's may define an algorithm of a former name."""
    own = tmp_path / "own.py"
    own.write_text(
        "import sacma\n\n@sacma.algorithm\ndef cmaes(problem, rng, *, share: float = 1.0):\n    '''Mine.'''\n"
    )
    registry = Registry(dict(ALGORITHMS))
    registry.add_files([own])
    assert "cmaes" in registry
