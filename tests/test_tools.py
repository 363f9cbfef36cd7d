"""The tools that a release is made with."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from sacma.config.templates import FOLDERS

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


def test_interpreters(tmp_path: Path) -> None:
    """The oldest supported Python gets the oldest versions, the newest that is there the newest; others are named."""
    for minor in (10, 11, 12, 13):
        python = tmp_path / f"python3.{minor}"
        python.write_text(f"#!/bin/sh\necho 3 {minor}\n")
        python.chmod(0o755)

    def chosen(*minors: int) -> list[str]:
        names = [str(tmp_path / f"python3.{minor}") for minor in minors]
        return printed("-c", f"import compat; print(*compat.combinations({names}), sep='\\n')")

    assert chosen(11, 12, 13) == ["Python 3.11, oldest versions", "Python 3.13, newest versions"]
    assert chosen(11) == ["Python 3.11, oldest versions", "Python 3.11, newest versions"]
    assert chosen(12, 14) == [
        f"{tmp_path}/python3.14: not there, skipped",
        "the oldest versions: skipped, without Python 3.11",
        "Python 3.12, newest versions",
    ]
    assert chosen(10, 11)[0] == f"{tmp_path}/python3.10: not supported (>=3.11), skipped"


def test_the_wheel_holds_what_sacma_init_writes() -> None:
    """The folders that sacma looks for in its wheel are those that the wheel is built with."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["force-include"] == {name: f"sacma/config/template_files/{name}" for name in FOLDERS}
    assert set(FOLDERS) <= set(build["sdist"]["include"])


def test_pictures_are_in_the_present_style(tmp_path: Path) -> None:
    """The committed picture of a trial has its texts where the tool would write them today, whatever the trial."""
    script = """
import numpy as np, pandas as pd, sys, pathlib, pictures
n = np.arange(pictures.GENERATIONS)
errors = {"error": 0.3, "smoothed_error": 0.4, "model_generations": 2}
trial = pd.DataFrame({"evaluated_by": np.where(n % 3, "model", "true"), **errors}, index=n)
pictures.keep_both("generations", lambda width: pictures.generations(trial, width), pathlib.Path(sys.argv[1]))
"""
    printed("-c", script, tmp_path)
    for name in ("generations.svg", "generations_narrow.svg"):
        drawn, committed = ((folder / name).read_text() for folder in (tmp_path, ROOT / "docs" / "images"))
        places = [
            [float(number) for place in re.findall(r"translate\(([^)]*)\)", svg) for number in place.split()]
            for svg in (drawn, committed)
        ]
        assert len(places[0]) > 20
        assert places[0] == pytest.approx(places[1], abs=0.5)


def test_make_ci_is_what_a_change_must_pass() -> None:
    """The target has all that CI runs, and the page for contributors names it."""
    rules = (ROOT / "Makefile").read_text()
    (of_target,) = re.findall(r"^ci: (.*?) ##", rules, flags=re.MULTILINE)
    run = re.findall(r"^make (.*)$", (ROOT / ".ci" / "run").read_text(), flags=re.MULTILINE)
    assert sorted(of_target.split()) == sorted(" ".join(run).split())
    assert f"must pass `make ci`, which is `make {of_target}`" in (ROOT / "CONTRIBUTING.md").read_text()
