"""The configs of the published code, and the page that explains them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sacma.config.study import load_study
from sacma.strategy.errors import ERRORS
from sacma.strategy.settings import ACCEPTANCES, CONTROLS, MODELS, RESTARTS, SAMPLINGS

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "reproduction" / "as_run.md").read_text(encoding="utf-8")
NAMES = sorted(path.name for path in (ROOT / "configs" / "as_run").glob("*.yaml"))
KINDS = [name for kinds in (ACCEPTANCES, CONTROLS, ERRORS, MODELS, RESTARTS, SAMPLINGS) for name in kinds]


def flat(content: Mapping[str, Any], *keys: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested mappings, each with its keys joined by dots."""
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from flat(value, *keys, key)
        else:
            yield ".".join((*keys, key)), value


def settings(folder: str, name: str) -> dict[str, Any]:
    return dict(flat(load_study(ROOT / "configs" / folder / name).settings.model_dump()))


def test_every_setting_of_the_page_is_in_the_configs() -> None:
    """What the table names, some config of as_run/ sets to just that."""
    given = [item for name in NAMES for item in settings("as_run", name).items()]
    named = [item for code in re.findall(r"`([\w.]+: [^`]+)`", PAGE) for item in flat(yaml.safe_load(code))]
    assert len(named) > 12
    for key, value in named:
        assert any(f".{path}".endswith(f".{key}") and found == value for path, found in given), (key, value)


@pytest.mark.parametrize("name", NAMES)
def test_every_difference_is_on_the_page(name: str) -> None:
    """What a config of as_run/ sets otherwise than its counterpart in the study is explained, kinds and values."""
    study = settings("", name)
    written = yaml.safe_load((ROOT / "configs" / "as_run" / name).read_text(encoding="utf-8"))["settings"]
    for path, value in flat(written):
        if study.get(path, value) != value:
            key = path.rpartition(".")[2]
            assert f"{{name: {value}}}" in PAGE if key == "name" else re.search(rf"\b{key}: ", PAGE), (path, value)


@pytest.mark.parametrize("kind", [name for name in KINDS if name.endswith("-as-run")])
def test_every_part_of_the_published_code_is_used(kind: str) -> None:
    """By a config; the study uses none."""
    assert any(kind in settings("as_run", name).values() for name in NAMES)
    assert not any(kind in settings("", name).values() for name in NAMES)
