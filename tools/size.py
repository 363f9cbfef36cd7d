"""Print the size of the project: lines of code, modules and words.

python tools/size.py

A line of code is neither blank nor of comments or docstrings alone. Words are those of the documentation's pages.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent


def lines_of_code(source: str) -> int:
    """Return the number of lines of code of a module."""
    documented: set[int] = set()
    texts: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                documented.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            texts.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = {n for n, line in enumerate(source.split("\n"), 1) if line.strip() and not line.lstrip().startswith("#")}
    return len((lines | texts) - documented)


def packages() -> dict[str, list[Path]]:
    """Return the modules of each package of the source, of its tests, and of each folder of scripts."""
    found: dict[str, list[Path]] = {}
    for top in ("src/sacma", "tests", "benchmarks", "reproduction", "tools", "examples"):
        for path in sorted((ROOT / top).rglob("*.py")):
            below = path.relative_to(ROOT / top).parts
            split = top in {"src/sacma", "tests"}
            found.setdefault(f"{top}/{below[0] if split and len(below) > 1 else ''}".rstrip("/"), []).append(path)
    return found


def main() -> None:
    """Print a line a package, and totals."""
    totals: dict[str, tuple[int, int]] = {}
    print(f"{'package':36}{'modules':>8}{'lines of code':>15}")
    for package, paths in packages().items():
        code = sum(lines_of_code(path.read_text()) for path in paths)
        print(f"{package:36}{len(paths):8}{code:15,}")
        top = "src" if package.startswith("src") else package.split("/")[0]
        modules, lines = totals.get(top, (0, 0))
        totals[top] = modules + len(paths), lines + code
    print()
    for top, (modules, code) in totals.items():
        print(f"{top:36}{modules:8}{code:15,}")
    pages = sorted((ROOT / "docs").rglob("*.md"))
    words = sum(len(page.read_text().split()) for page in pages)
    print(f"{'docs':36}{len(pages):8}{words:15,} words")


if __name__ == "__main__":
    main()
