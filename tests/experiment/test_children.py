"""Inheritance of processes that we start: nothing from the current folder, and no more than they need."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sacma
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.algorithm_check import Watch, watched
from sacma.experiment.children import forget_start, safe_start
from sacma.store.store import Store
from tests.commands import environment

MODULES = ("joblib", "numpy", "signal", "pickle", "multiprocessing", "runpy", "distributed", "cocopp", "sacma", "re")
"""Some of what Python, joblib, dask and we import where a process starts."""

LAUNCHER = "from sacma.__main__ import main\n\nif __name__ == '__main__':\n    main()\n"
"""The command as it is installed: the folder of a script, not the current one, is first on its path."""


@pytest.fixture
def traps(tmp_path: Path, study: Callable[..., Study]) -> Path:
    """Make a results folder with a trial that is missing, and modules that say so when they are imported."""
    folder = tmp_path / "received"
    store = Store(folder)
    store.prepare()
    store.register(study("cmaes", functions="1", dimensions="2", instances="1", budget=10))
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / name)!r}, 'w').close()\nraise SystemExit(9)\n")
    return folder


def sprung(folder: Path) -> list[str]:
    """Return the modules of a folder that were imported."""
    return [name for name in MODULES if (folder.parent / name).exists()]


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_nothing_is_imported_from_the_current_folder(tmp_path: Path, traps: Path, backend: str) -> None:
    """Worker processes and their helpers take no module from a results folder that a study is continued in."""
    launcher = tmp_path / "bin" / "launcher.py"
    launcher.parent.mkdir()
    launcher.write_text(LAUNCHER)
    done = subprocess.run(
        [sys.executable, launcher, "run", "--results", ".", "--backend", backend, "--jobs", "1"],
        cwd=traps,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert sprung(traps) == []
    assert done.returncode == 0, done.stderr
    assert "all 1 trial" in done.stdout


def test_nor_where_a_contract_is_checked(
    traps: Path, study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of a watched trial neither."""
    monkeypatch.chdir(traps)
    (spec,) = plan([study("cmaes", functions="1", dimensions="2", instances="1", budget=10)])
    assert watched(Watch(spec)).error == ""
    assert sprung(traps) == []


def test_nor_by_any_interpreter_that_we_start() -> None:
    """Every command of ours that starts Python itself leaves the current folder off the path."""
    commands = []
    for path in Path(sacma.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            parts = [ast.unparse(part) for part in node.elts] if isinstance(node, ast.List | ast.Tuple) else []
            if "sys.executable" in parts:
                commands.append(parts)
    assert len(commands) == 3
    assert all(parts[:2] == ["sys.executable", "'-P'"] for parts in commands)


def test_the_environment_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as it was afterwards; a trial starts its own processes as the user would, and keeps what the user chose."""
    for chosen in ("", "1"):
        monkeypatch.setenv("PYTHONSAFEPATH", chosen)
        before = dict(os.environ)
        with safe_start():
            assert os.environ["PYTHONSAFEPATH"]
            assert "resource_tracker" in os.environ["PYTHONWARNINGS"]
            forget_start()
            assert os.environ.get("PYTHONSAFEPATH", "") == chosen
        assert dict(os.environ) == before
