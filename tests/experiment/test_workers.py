"""Worker processes: nothing is imported from the current folder, and a trial's time is its own."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sacma
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment import workers as workers_module
from sacma.experiment.workers import LocalWorkers, results
from sacma.store.record import FinishedTrial
from sacma.store.store import Store
from tests.commands import environment

# Some of what Python, joblib, dask and we import where a process starts.
MODULES = ("joblib", "numpy", "signal", "pickle", "multiprocessing", "runpy", "distributed", "cocopp", "sacma", "re")

# The command as it is installed: the folder of a script, not the current one, is first on its path.
LAUNCHER = "from sacma.__main__ import main\n\nif __name__ == '__main__':\n    main()\n"


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


def test_nothing_is_imported_from_the_current_folder(tmp_path: Path, traps: Path) -> None:
    """Worker processes take no module from a results folder that a study is continued in."""
    launcher = tmp_path / "bin" / "launcher.py"
    launcher.parent.mkdir()
    launcher.write_text(LAUNCHER)
    done = subprocess.run(
        [sys.executable, launcher, "run", "--results", ".", "--jobs", "1"],
        cwd=traps,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert sprung(traps) == []
    assert done.returncode == 0, done.stderr
    assert "all 1 trial" in done.stdout


def test_nor_by_any_interpreter_that_we_start() -> None:
    """Every command of ours that starts Python itself leaves the current folder off the path."""
    commands = []
    for path in Path(sacma.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            parts = [ast.unparse(part) for part in node.elts] if isinstance(node, ast.List | ast.Tuple) else []
            if "sys.executable" in parts:
                commands.append(parts)
    assert len(commands) == 2
    assert all(parts[:2] == ["sys.executable", "'-P'"] for parts in commands)


def test_the_time_of_a_trial_is_its_own(
    tmp_path: Path, study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that takes longer to start than a trial may take ends no trial."""
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(6)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with LocalWorkers(1, trial_timeout=5.5) as workers:
        (result,) = results(plan([study("cmaes", functions="1", dimensions="2", instances="1", budget=5)]), workers)
    assert isinstance(result, FinishedTrial)


def test_a_call_that_is_late_leaves_no_complaint() -> None:
    """Python 3.13 prints each buffer that ends before the view of it; older ones do so with -X dev."""
    late = (
        "import time; from sacma.child import DeathError, Pool\n"
        "try: list(Pool(1, {}, seconds=0.1).each(time.sleep, [(60,)]))\n"
        "except DeathError as error: print(error.late)"
    )
    done = subprocess.run([sys.executable, "-X", "dev", "-c", late], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_what_takes_long_to_prepare_is_said(study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch) -> None:
    """The surrogate is compiled before the first trial, where a study has one."""
    monkeypatch.setattr(workers_module, "SECONDS_TO_LOAD", 0.0)
    small = {"functions": "1", "dimensions": "2", "instances": "1"}
    with LocalWorkers(1) as workers:
        assert list(workers.prepare(plan([study("cmaes", **small)]))) == []
        said = list(workers.prepare(plan([study("gp1", **small)])))
    assert said == ["compiling the surrogate (once per installation, about 10 s) …"]
