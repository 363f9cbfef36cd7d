"""Mutation testing of strategy, surrogate and statistics: plant small faults, and see that their tests notice.

python tools/mutants.py [NUMBER]     # a sample of so many mutants, 200 unless given

Needs cosmic-ray, whose operators make the mutants. Each is tested in a copy of the tree by the tests of its module:
its doctests, files named after it, those of its package that import it, and, where it declares settings, the test that
the reference page has their defaults and bounds. Mutants that survive are printed as diffs.

Not mutated are decorators, signs of signatures (of which most mutants are no Python), and bodies of ``prepare``:
what is computed there is thrown away.
"""

import argparse
import difflib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from parso.tree import NodeOrLeaf

ROOT = Path(__file__).parent.parent
PACKAGES = ("strategy", "surrogate", "analysis/statistics", "analysis/statistics.py")
# Operators that are errors on floats, or change annotations, compilation or variables at random.
WITHOUT = ("Bit", "Shift", "Invert", "RemoveDecorator", "VariableInserter", "VariableReplacer")

COPIED = ("src", "tests", "tools", "docs", "data", "benchmarks", "configs", "examples", "pyproject.toml")
COMPILED = re.compile(r"^from sacma\.surrogate\.compiled import|^(@|def )(compiled|inlined|njit)", re.MULTILINE)
REFERENCE = "tests/docs/test_site.py::test_reference_follows_the_code"
SLOWEST = 600.0  # seconds, after which tests count as failed, as those of an endless loop


class Mutant(NamedTuple):
    """Operator at a place in a module."""

    module: Path  # from the root
    operator: str
    occurrence: int

    def code(self) -> str | None:
        """Return the mutated module."""
        operator = get_operator(self.operator)()
        mutated: str | None = mutate_code((ROOT / self.module).read_text(), operator, self.occurrence)
        return mutated

    def diff(self) -> str:
        """Return the difference from the module."""
        lines = ((ROOT / self.module).read_text().splitlines(), (self.code() or "").splitlines())
        return "\n".join(difflib.unified_diff(*lines, str(self.module), self.operator, n=1, lineterm=""))


def mutants() -> list[Mutant]:
    """Return all mutants of the packages."""
    names = [name for name in operator_names() if not any(part in name for part in WITHOUT)]
    found = []
    for path in (path for package in PACKAGES for path in modules(ROOT / "src" / "sacma" / package)):
        nodes = list(ast_nodes(get_ast(path.read_text())))
        for name in names:
            positions = get_operator(name)().mutation_positions
            at = (node for node in nodes for _ in positions(node))
            found += [Mutant(path.relative_to(ROOT), name, n) for n, node in enumerate(at) if matters(node)]
    return found


def matters(node: NodeOrLeaf) -> bool:
    """Return False for decorators, signs of signatures, and bodies of ``prepare``."""
    if node.type == "operator" and node.parent is not None and node.parent.type in {"param", "parameters"}:
        return False
    within: NodeOrLeaf | None = node
    while within is not None:
        if within.type == "decorator" or (within.type == "funcdef" and within.name.value == "prepare"):  # type: ignore[attr-defined]
            return False
        within = within.parent
    return True


def modules(path: Path) -> list[Path]:
    """Return a module, or the modules of a package."""
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def tests_of(module: Path) -> list[str]:
    """Return the tests of a module, from the root: doctests, of files named after it or importing it, or its folder."""
    below, name = module.relative_to("src/sacma"), ".".join(module.with_suffix("").parts[1:])
    files = sorted((ROOT / "tests" / below.parts[0]).rglob("test_*.py"))
    named = [file for file in files if file.stem == f"test_{module.stem}"]
    imports = re.compile(rf"\b{re.escape(name.removesuffix('.__init__'))}\b")
    importing = [file for file in files if file not in named and imports.search(file.read_text())]
    found = named + importing or sorted((ROOT / "tests" / below.parent).rglob("test_*.py"))
    declares = [REFERENCE] if "Field(" in (ROOT / module).read_text() else []
    return [str(module), *(str(file.relative_to(ROOT)) for file in found), *declares]


def passes(folder: Path, tests: Iterable[str], *options: str, seconds: float | None = SLOWEST) -> bool:
    """Return whether tests pass in a copy of the tree, within so many seconds."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-m", "not torture and not campaign"]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.Popen(
        [*command, *options, *tests],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return run.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return False
    finally:
        run.wait()


def survives(mutant: Mutant, folder: Path) -> bool:
    """Return whether the tests of a mutant's module pass in a copy of the tree."""
    module, code = mutant.module, mutant.code() or ""
    (folder / module).write_text(code)
    if COMPILED.search(code):  # Numba does not see that another file has changed
        for kept in (folder / "src").rglob("*.nb[ci]"):
            kept.unlink()
    try:
        return passes(folder, tests_of(module))
    finally:
        shutil.copy2(ROOT / module, folder / module)


def main() -> None:
    """Test a sample of mutants; print those that survive, and the share that is killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    there = mutants()
    sample = random.Random(given.seed).sample(there, min(given.number, len(there)))
    print(f"{len(sample)} of {len(there)} mutants", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        copies: SimpleQueue[Path] = SimpleQueue()
        for n in range(given.jobs):
            for name in COPIED:
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
                (Path(temporary) / str(n)).mkdir(exist_ok=True)
                copy(ROOT / name, Path(temporary) / str(n) / name)
            copies.put(Path(temporary) / str(n))
        tests = {test for mutant in sample for test in tests_of(mutant.module)}
        if not passes(Path(temporary) / "0", sorted(tests), f"-n{given.jobs}", seconds=None):
            sys.exit("tests fail without any mutant: run make test")

        def killed(mutant: Mutant) -> bool:
            folder = copies.get()
            survived = survives(mutant, folder)
            copies.put(folder)
            if survived:
                print(f"{mutant.diff()}\nsurvives {' '.join(tests_of(mutant.module))}\n", flush=True)
            return not survived

        with ThreadPoolExecutor(given.jobs) as pool:
            number = sum(pool.map(killed, sample))
    print(f"{number} of {len(sample)} killed: {100 * number / len(sample):.0f} %")


if __name__ == "__main__":
    main()
