"""What the library stands on."""

import ast
from pathlib import Path

import sacma

SOURCE = Path(sacma.__file__).parent
ABOVE = ("experiment", "cli", "analysis", "algorithms", "config", "sweep")


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module} | {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }


def test_the_library_needs_no_harness_and_the_harness_no_library() -> None:
    """It stands on the strategy alone, and nothing but the package's own names points to it."""
    for path in SOURCE.rglob("*.py"):
        modules = imports(path)
        inside = path.is_relative_to(SOURCE / "optimize")
        if inside:
            assert not any(m.startswith(f"sacma.{above}") for m in modules for above in ABOVE), path
        elif path != SOURCE / "__init__.py":
            assert not any(m.startswith("sacma.optimize") for m in modules), path
