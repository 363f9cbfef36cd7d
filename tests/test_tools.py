"""The tools that a release is made with."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import sacma
from sacma.config.templates import FOLDERS
from sacma.store.catalogue import FILE

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "tools"


def printed(*arguments: object) -> list[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=TOOLS).stdout.splitlines()


def test_oldest_versions() -> None:
    """One constraint for each dependency, of the oldest version that pyproject.toml allows and no older one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    declared = [Requirement(line) for lines in [project["dependencies"], *extras] for line in lines]
    bounds = {requirement.name: requirement.specifier for requirement in declared if requirement.name != "sacma"}
    constraints = dict(line.split("==") for line in printed(TOOLS / "oldest_versions.py"))
    assert constraints.keys() == bounds.keys()
    for name, version in constraints.items():
        assert Version(version) in bounds[name]
        assert Version(f"{version}.dev0") not in bounds[name]


def test_the_wheel_holds_templates_and_outcomes() -> None:
    """The folders that sacma looks for in its wheel are those that the wheel is built with, of 12 MB at most."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    included = build["wheel"]["force-include"]
    kept = {
        name: f"sacma/store/kept_files/{name.removeprefix('data/')}" for name in included if name.startswith("data/")
    }
    assert included == {name: f"sacma/config/template_files/{name}" for name in FOLDERS} | kept
    assert sum((ROOT / name / FILE).stat().st_size for name in kept) < 12e6
    assert set(FOLDERS) <= set(build["sdist"]["include"])


def test_the_workflow_runs_the_tests() -> None:
    """All of them on Linux and macOS; on Windows, where make may lack, folders that are there."""
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]
    last = {name: job["steps"][-1]["run"] for name, job in jobs.items()}
    assert last["posix"] == "make test"
    assert jobs["posix"]["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest"]
    paths = [word for word in last["windows"].split() if word.startswith("tests/")]
    assert len(paths) > 3
    assert all((ROOT / path).exists() for path in paths)


def test_the_version_is_one() -> None:
    """That of the package is to be cited, and either released or still to be."""
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == sacma.__version__
    (latest,) = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[:1]
    assert latest in {"Unreleased", sacma.__version__}


def test_make_ci_is_what_a_change_must_pass() -> None:
    """The target has all that CI runs, and the page for contributors names it."""
    rules = (ROOT / "Makefile").read_text()
    (of_target,) = re.findall(r"^ci: (.*?) ##", rules, flags=re.MULTILINE)
    run = re.findall(r"^make (.*)$", (ROOT / ".ci" / "run").read_text(), flags=re.MULTILINE)
    assert sorted(of_target.split()) == sorted(" ".join(run).split())
    assert f"must pass `make ci`, which is `make {of_target}`" in (ROOT / "CONTRIBUTING.md").read_text()
