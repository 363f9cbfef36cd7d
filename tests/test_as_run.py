"""The configs of the published code, and the page that explains them."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "as_run.md").read_text(encoding="utf-8")


def settings(folder: str) -> dict[str, dict[str, Any]]:
    return {
        path.name: yaml.safe_load(path.read_text(encoding="utf-8"))["settings"]
        for path in sorted((ROOT / "configs" / folder).glob("*.yaml"))
        if path.name != "cmaes.yaml"
    }


def test_every_setting_of_the_page_is_in_the_configs() -> None:
    """What the table names, some config of as_run/ sets to just that."""
    given = {(key, str(value).lower()) for values in settings("as_run").values() for key, value in values.items()}
    named = re.findall(r"`(\w+): ([\w.]+)`", PAGE)
    assert len(named) > 15
    for key, value in named:
        assert any(key == k and (value == v or float_equal(value, v)) for k, v in given), (key, value)


def float_equal(a: str, b: str) -> bool:
    try:
        return float(a) == float(b)
    except ValueError:
        return False


def test_every_difference_is_on_the_page() -> None:
    """What a config of as_run/ sets otherwise than its counterpart in the study is explained."""
    study = settings("")
    for name, values in settings("as_run").items():
        for key, value in values.items():
            assert study[name].get(key) == value or f"`{key}:" in PAGE, (name, key)
