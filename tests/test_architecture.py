"""The house and its rooms: which package may import which, and how large a module may become."""

import ast
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "src" / "sacma").rglob("*.py"))

MOST_LINES = 400
LONG = {"likelihood.py"}
"""One compiled function and its parts."""


def test_imports_keep_the_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of pyproject.toml: layers, no circles, nothing loose at the root, science without consoles and files."""
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_are_small(path: Path) -> None:
    """What grows longer is two things."""
    assert len(path.read_text().splitlines()) <= MOST_LINES or path.name in LONG


def test_public_classes_have_names_of_their_own() -> None:
    """No two public classes share a name."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
