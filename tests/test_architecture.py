"""The house and its rooms: which package may import which, and how large a module may become."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "src" / "sacma").rglob("*.py"))

MOST_LINES = 400
LONG = {"likelihood.py"}  # one compiled function and its parts


# Runs in a process of its own, as import-linter disables all loggers that there are.
LINT = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(sys.argv[1], no_cache=True))"


def test_imports_keep_the_contracts() -> None:
    """Those of pyproject.toml: layers, no circles, nothing loose at the root, science without consoles and files."""
    command = [sys.executable, "-c", LINT, str(ROOT / "pyproject.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


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
