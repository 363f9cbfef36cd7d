"""Check that the wheel works in fresh environments.

python tools/compat.py python3.11 python3.13
python tools/compat.py --tiny python3.11      # one command of the installed sacma, and no environments

First the wheels of compiled dependencies are looked up in the package index, for macOS and Windows.
The oldest Python that is supported gets the oldest versions of all dependencies that pyproject.toml allows, the newest
of those given gets the newest versions. Each has a fresh environment below build/compat, the wheel of dist/, a small
study from config to pages in an empty folder, and the quick tests of the sdist. Fails if one of them does; an
interpreter that is not there is skipped, and a line says so.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from itertools import product
from pathlib import Path

from oldest_versions import oldest_versions, project
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
WORK = ROOT / "build" / "compat"

TOOLS = ("pytest", "pytest-xdist", "hypothesis", "scikit-learn")  # packages of the quick tests

SYSTEMS = ("win_amd64", "macosx_14_0_arm64", "macosx_14_0_x86_64")
VERSIONS = ("3.11", "3.12", "3.13", "3.14")  # where wheels of compiled packages are looked for

QUICK = (
    *("tests/strategy", "tests/surrogate", "tests/algorithms", "tests/analysis/statistics", "tests/analysis/figures"),
    "tests/analysis/sections",
    *(
        "tests/config/test_study.py",
        "tests/config/test_yaml_file.py",
        "tests/coco/test_ranges.py",
        "tests/config/test_sweep.py",
    ),
    *("tests/cli/test_tables.py", "tests/cli/test_progress.py", "tests/store/test_record.py"),
    *("tests/experiment/test_trial.py", "tests/coco/test_writer.py"),
)

SMOKE = (
    ("doctor",),
    ("init",),
    ("run", "configs/ada_kendall.yaml", *("--functions", "1", "--dimensions", "2", "--instances", "1-2")),
    ("postprocess",),
)


@dataclass(frozen=True)
class Combination:
    """Interpreter and the versions of its packages.

    Args:
        python: command or path of the interpreter.
        version: of it.
        oldest: whether it gets the oldest versions, or the newest.
    """

    python: str
    version: tuple[int, int]
    oldest: bool

    def __str__(self) -> str:
        return f"Python {'.'.join(map(str, self.version))}, {'oldest' if self.oldest else 'newest'} versions"


def version_of(python: str) -> tuple[int, int] | None:
    """Return major and minor version of an interpreter, or None if it cannot be run."""
    try:
        done = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    major, minor = done.stdout.split()
    return int(major), int(minor)


def combinations(pythons: Sequence[str]) -> list[Combination]:
    """Return the combinations to try, and print the skipped ones."""
    supported = SpecifierSet(project()["requires-python"])
    found = {}
    for python in pythons:
        version = version_of(python)
        if version is None:
            print(f"{python}: not there, skipped")
        elif "{}.{}".format(*version) not in supported:
            print(f"{python}: not supported ({supported}), skipped")
        else:
            found[version] = python
    chosen = []
    lowest = tuple(int(part) for part in next(iter(supported)).version.split("."))
    if lowest in found:
        chosen.append(Combination(found[lowest], lowest, oldest=True))
    else:
        print("the oldest versions: skipped, without Python {}.{}".format(*lowest))
    if found:
        chosen.append(Combination(found[max(found)], max(found), oldest=False))
    return chosen


def print_wheels() -> None:
    """Print the newest versions of compiled dependencies that have wheels, for each other system and Python."""
    compiled, waiting = set(), {project()["name"]}
    seen: set[str] = set()
    while waiting - seen:
        seen.add(name := min(waiting - seen))
        found = distribution(name)
        needed = map(Requirement, found.requires or ())
        waiting |= {each.name for each in needed if not each.marker or each.marker.evaluate({"extra": ""})}
        compiled |= {name} if "Root-Is-Purelib: false" in (found.read_text("WHEEL") or "") else set()
    bounds = {each.name: each for each in map(Requirement, project()["dependencies"])}
    asked = [str(bounds.get(name, name)) for name in sorted(compiled)]
    report = WORK / "wheels.json"
    only = [
        "--dry-run",
        "--quiet",
        "--no-deps",
        "--ignore-requires-python",
        "--ignore-installed",
        "--only-binary=:all:",
        "--report",
        str(report),
    ]
    for system, version in product(SYSTEMS, VERSIONS):
        of = ["--platform", system, "--python-version", version, "--target", str(WORK / "none")]
        command = [sys.executable, "-m", "pip", "install", *only, *of, *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        chosen = [each["metadata"] for each in json.loads(report.read_text())["install"]] if not done.returncode else []
        versions = ", ".join(f"{each['name']} {each['version']}" for each in chosen)
        print(f"{system}, Python {version}: {versions or done.stderr.splitlines()[-1]}", flush=True)


def attempt(combination: Combination, wheel: Path, tests: Path) -> bool:
    """Install, run and test in a fresh environment; print a failure with its output."""
    folder = WORK / ("oldest" if combination.oldest else "newest")
    empty = folder / "empty"
    empty.mkdir(parents=True)
    python = folder / "venv" / "bin" / "python"
    constraints = folder / "constraints.txt"
    pins = oldest_versions() if combination.oldest else {}
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in pins.items()))
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # Old versions warn of what newer ones of others, which they do not bound, will drop.
    warnings = ("-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning") if combination.oldest else ()
    pytest = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *warnings]
    steps = [
        ("environment", [combination.python, "-m", "venv", str(folder / "venv")], empty),
        ("install", [*pip, "-c", str(constraints), f"{wheel}[dask]", *TOOLS], empty),
        *((f"sacma {step[0]}", [str(python.parent / "sacma"), *step], empty) for step in SMOKE),
        ("quick tests", [*pytest, "-m", "not campaign and not torture", *QUICK], tests),
    ]
    print(combination)
    if not done(steps):
        return False
    if not (empty / "results" / "report" / "index.html").is_file():
        print("  FAILED: no report")
        return False
    return True


def done(steps: Sequence[tuple[str, list[str], Path]]) -> bool:
    """Run steps, each a name, a command and a folder, until one fails, and print the results."""
    for what, command, where in steps:
        start, cpu = time.monotonic(), cpu_seconds()
        ended = subprocess.run(command, cwd=where, env=surroundings(), capture_output=True, text=True, check=False)
        took = f"{time.monotonic() - start:.0f} s, CPU {cpu_seconds() - cpu:.0f} s"
        print(f"  {what}: {'ok' if ended.returncode == 0 else 'FAILED'}, {took}", flush=True)
        if ended.returncode:
            print(ended.stdout + ended.stderr)
            return False
    return True


def cpu_seconds() -> float:
    """Return the CPU time of all commands that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def surroundings() -> dict[str, str]:
    """Return the environment of commands, without this repository."""
    without = {"PYTHONPATH", "VIRTUAL_ENV", "SACMA_RESULTS"}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {key: value for key, value in os.environ.items() if key not in without} | threads


def main() -> None:
    """Try all combinations, and exit with 1 if one failed."""
    if "--tiny" in sys.argv:
        for combination in combinations([python for python in sys.argv[1:] if python != "--tiny"])[-1:]:
            print(combination)
            if not done([("sacma --version", [combination.python, "-m", "sacma", "--version"], ROOT / "src")]):
                sys.exit(f"failed: {combination}")
        return
    (wheel,) = (ROOT / "dist").glob("*.whl")
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    print_wheels()
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK / "sdist", filter="data")
    (tests,) = (WORK / "sdist").iterdir()
    chosen = combinations(sys.argv[1:])
    failed = [combination for combination in chosen if not attempt(combination, wheel, tests)]
    if failed or not chosen:
        sys.exit("; ".join(f"failed: {combination}" for combination in failed) or "nothing was tried")
    shutil.rmtree(WORK)


if __name__ == "__main__":
    main()
