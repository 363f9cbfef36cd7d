"""Settings of parts within parts: where an error in them is, and how to mend it."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sacma.config.nested import all_kinds, flattened, merged, value_at
from sacma.config.study import load_study
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.doubly_trained import ConstantShare
from sacma.strategy.restarts import IPOP
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.models import GaussianProcessModel
from sacma.surrogate.training_set import Recent
from tests.conftest import CONFIGS, one_line

HEAD = "name: A\nalgorithm: surrogate-cmaes\nsettings:\n"
MODEL = "  model: {name: gaussian-process}\n"
ADAPTIVE = MODEL + "  control:\n    name: adaptive-generations\n    error: {name: kendall}\n"
SHARED = MODEL + "  control:\n    name: doubly-trained\n"


def written(tmp_path: Path, settings: str) -> Path:
    path = tmp_path / "c.yaml"
    path.write_text(HEAD + settings)
    return path


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        # A part of a kind that does not exist.
        ("  model: {name: gausian-process}\n", "4: settings.model: 'gausian-process' is not known; known:"),
        (SHARED + "    share: {name: x}\n", "7: settings.control.share: 'x' is not known; known: 'constant',"),
        ("  model: {name: [a]}\n", "4: settings.model: \"['a']\" is not known"),
        # No name, where there is no usual kind.
        (MODEL + "  control:\n    model_generations: 3\n", "5: settings.control: its name is missing; write it like"),
        # Something else in the place of a mapping.
        ("  model: random-forest\n", "4: settings.model: 'random-forest' is not allowed: write it like {name:"),
        (ADAPTIVE + "  training_set: 64\n", "8: settings.training_set: 64 is not allowed: should be a mapping of"),
        # A section with nothing but comments in it.
        (ADAPTIVE + "  training_set:\n    # radius: 8\n", "8: settings.training_set: there is nothing in it; leave"),
        # Unknown keys, at each depth.
        (ADAPTIVE + "    update_rat: 0.3\n", "8: settings.control.update_rat: unknown key; the nearest valid key is"),
        ("  sampling.sigma0: 2\n", "4: settings.sampling.sigma0: unknown key; write it like sampling: {sigma0: …}"),
        # Values out of range, or of a wrong type, deep inside.
        (SHARED + "    share:\n      name: constant\n      value: 1.5\n", "9: settings.control.share.value: 1.5 is"),
        (
            ADAPTIVE + "    transfer: T3\n    update_rate: 0\n    eror: 3\n",
            "10: settings.control.eror: unknown key; the nearest valid key is error (and 2 more errors)",
        ),
        # What a part needs, and what several settings say together.
        (ADAPTIVE.replace("    error: {name: kendall}\n", ""), "5: settings.control.error: is missing"),
        (
            "  sampling:\n    population_size: 8\n    population_multiple: 2\n",
            "4: settings.sampling: population_multiple has no effect beside population_size; leave one of them out",
        ),
        ("  control: {name: generations}\n", "3: settings: control generations needs a model; add model: {name:"),
        (MODEL + "  control: {name: none}\n", "3: settings: model has no effect with control: {name: none}; leave it"),
        *(
            (f"  {key}: {value}\n", f"3: settings: {key} has no effect with control: {{name: none}}; leave it out, or")
            for key, value in (
                ("training_set", "{radius: 8}"),
                ("acceptance", "{name: spans-sample-as-run}"),
                ("proposals", "{name: model-optimum}"),
            )
        ),
    ],
)
def test_errors_have_the_line_and_the_key(tmp_path: Path, settings: str, expected: str) -> None:
    """An error at any depth names its line and its key as the file has it, and how to mend it."""
    path = written(tmp_path, settings)
    assert one_line(load_study, path).startswith(f"{path}:{expected}")


def test_usual_kinds_need_no_name(tmp_path: Path) -> None:
    """Where a part has a usual kind, its settings alone are enough."""
    settings = load_study(written(tmp_path, "  sampling: {active: true}\n  restarts: {max_restarts: 2}\n")).settings
    assert settings == StrategySettings(sampling=CMAESSampling(active=True), restarts=IPOP(max_restarts=2))
    controlled = "    share: {value: 0.5}\n    criterion: {}\n  training_set: {selection: {}}\n"
    settings = load_study(written(tmp_path, SHARED.replace("name: gaussian-process", "") + controlled)).settings
    assert settings.model == GaussianProcessModel()
    assert settings.control.share == ConstantShare(value=0.5)
    assert settings.control.criterion.name == "ranking-difference"
    assert settings.training_set.selection == Recent()
    assert load_study(written(tmp_path, "  model:\n")).settings == StrategySettings()


def test_settings_of_other_algorithms(tmp_path: Path) -> None:
    """Settings of algorithms without parts are refused with those that there are, or by saying that there are none."""
    for algorithm, expected in (
        ("random-search", "settings.training_radius: unknown key; there are no settings"),
        ("local-search", "settings.training_radius: unknown key; the nearest valid key is initial_range (of method, "),
        ("bipop-cmaes", "settings.training_radius: unknown key; the nearest valid key is initial_range (of sigma0, "),
    ):
        path = written(tmp_path, "  training_radius: 8\n")
        path.write_text(path.read_text().replace("surrogate-cmaes", algorithm))
        assert expected in one_line(load_study, path)


def test_dotted_keys() -> None:
    """Values are set and found at dotted keys, and the given settings stay what they are."""
    settings = {"a": {"b": 1, "c": 2}, "d": None}
    assert merged(settings, {"a.b": 3, "d.e.f": 4, "g": {"h": 5}}) == {
        "a": {"b": 3, "c": 2},
        "d": {"e": {"f": 4}},
        "g": {"h": 5},
    }
    assert settings == {"a": {"b": 1, "c": 2}, "d": None}
    assert value_at(settings, "a.c") == 2
    for key in ("a.x", "d.e", "a.b.c", "x"):
        with pytest.raises(KeyError):
            value_at(settings, key)


def test_flat_settings() -> None:
    """Each setting by its dotted key, and each part by the name of its kind."""
    settings = load_study(CONFIGS / "ada_kendall.yaml").settings
    flat = flattened(settings.model_dump())
    assert (flat["model"], flat["control"], flat["control.error"]) == (
        "gaussian-process",
        "adaptive-generations",
        "kendall",
    )
    assert (flat["training_set.radius"], flat["training_set.selection"], flat["sampling.bounds"]) == (
        64,
        "recent",
        "none",
    )
    assert not {"training_set", "model.name", "control.error.name"} & flat.keys()
    assert flattened(StrategySettings().model_dump())["model"] is None
    assert flattened({"misdeeds": {}, "list": [1]}) == {"misdeeds": {}, "list": [1]}


KINDS = [pytest.param(kind, id=f"{key}.{name}") for key, name, kind in all_kinds(StrategySettings)]


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_are_what_a_file_of_them_gives_back(kind: type[BaseModel]) -> None:
    """To the letter, 5.0 for a float and not 5: settings read again are those of the same trials."""
    values: dict[str, Any] = {"error": {"name": "kendall"}, "value": 0.5}
    part = kind(**{field: values[field] for field, info in kind.model_fields.items() if info.is_required()})
    written = part.model_dump_json()
    assert kind.model_validate_json(written).model_dump_json() == written
