"""The size of the project: each package keeps within its bounds."""

import tomllib
from collections import Counter
from pathlib import Path

from tools.size import lines_of_code, packages

ROOT = Path(__file__).parent.parent
BOUNDS = tomllib.loads((Path(__file__).parent / "size.toml").read_text())


def test_packages_keep_within_their_bounds() -> None:
    """Lines of code, modules and words of docs are at most those of tests/size.toml, which names all packages."""
    lines, modules = Counter[str](), Counter[str]()
    for package, paths in packages().items():
        folder = package if package in BOUNDS["lines"] else package.partition("/")[0]
        lines[folder] += sum(lines_of_code(path.read_text()) for path in paths)
        modules[package.partition("/")[0]] += len(paths)
    words = {"docs": sum(len(page.read_text().split()) for page in (ROOT / "docs").rglob("*.md"))}
    assert lines.keys() == BOUNDS["lines"].keys()
    found = {"lines": lines, "modules": modules, "words": words}
    larger = [
        f"{found[kind][name]} {kind} in {name}, {bound} allowed"
        for kind, bounds in BOUNDS.items()
        for name, bound in bounds.items()
        if found[kind][name] > bound
    ]
    assert larger == [], "shorten, or raise the bound in tests/size.toml"
