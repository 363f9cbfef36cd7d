"""Shared by many tests: studies from the shipped configs and small BBOB problems."""

import math
import os
import shutil
import signal
import subprocess
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

# Before any import of numpy: workers of the tests share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import joblib
import pytest
import yaml

from sacma.algorithms.decorator import algorithm
from sacma.algorithms.registry import ALGORITHMS
from sacma.analysis.figures.style import STYLE
from sacma.coco.reader import Curve
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_study
from sacma.errors import SacmaError
from sacma.experiment.trial import prepare_all
from sacma.store.outcome import Outcome

if TYPE_CHECKING:
    from playwright.sync_api import Browser

collect_ignore = ["hostile"]  # a package of its own, that tests install by PYTHONPATH
# The same examples at each run; `make torture` looks for new ones.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.register_profile("new", deadline=None)
hypothesis.settings.load_profile("fixed")
ROOT = Path(__file__).parent
CONFIGS = ROOT.parent / "configs"
SHIPPED_FONTS = STYLE["pdf.fonttype"]
SIX = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


@pytest.fixture(autouse=True, scope="session")
def _whole_fonts() -> Iterator[None]:
    """Fonts in PDF that are not cut to what is used, which is two thirds of the time that figures take."""
    with mock.patch.dict(STYLE, {"pdf.fonttype": 3}):
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Compile the surrogate where that is not done yet, once for all workers and the processes that tests start.

    Ctrl-C is answered, also where a shell has started the tests in the background and they would ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        one_trial = {"functions": "1", "dimensions": "2", "instances": "1"}
        studies = [load_study(CONFIGS / f"{name}.yaml", one_trial) for name in ("gp1", "baselines/dts_cmaes", "sacma")]
        if getattr(config.option, "numprocesses", None):
            prepare_all(sorted({(spec.algorithm, spec.settings) for spec in plan(studies)}))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than cores: many tests wait for processes that they have started."""
    return int(joblib.cpu_count()) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one worker run all tests of a file, or folder, that makes something once for them; others go one by one.

    xdist's own groups have no effect with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 only where there are workers

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = config.rootpath / nodeid.partition("::")[0]
            of_folder = file.parent / "conftest.py"
            if file.parent != ROOT and of_folder.exists() and makes_something_once(of_folder):
                return str(of_folder)
            return str(file) if makes_something_once(file) else nodeid

    return Scheduling(config, log)


@cache
def makes_something_once(file: Path) -> bool:
    return any(f'scope="{scope}"' in file.read_text() for scope in ("module", "session"))


def hostile_config(folder: Path, misdeeds: Mapping[str, str], *, pause: float = 0.0, flag: str = "") -> Path:
    """Write a config of the hostile algorithm: 60 trials on f1 to f10, 2-D and 3-D, instances 1 to 3."""
    path = folder / "hostile.yaml"
    settings = {"misdeeds": dict(misdeeds), "pause": pause, "flag": flag}
    protocol = {"functions": "1-10", "dimensions": "2-3", "instances": "1-3", "budget": 10}
    path.write_text(
        yaml.safe_dump({"name": "Hostile", "algorithm": "hostile", "settings": settings, "protocol": protocol})
    )
    return path


def coco_files(root: Path) -> dict[str, bytes]:
    """Return the canonical COCO folders of a results folder, by path."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted((root / "coco").rglob("*")) if p.is_file()}


@pytest.fixture
def study() -> Callable[..., Study]:
    """Load a shipped config with another protocol: ``study("gp1", functions="1", dimensions="2")``."""

    def load(name: str, **protocol: object) -> Study:
        return load_study(CONFIGS / f"{name}.yaml", protocol)

    return load


def stand_in(
    monkeypatch: pytest.MonkeyPatch,
    minimize: Callable[..., None],
    suite: str = "bbob",
    place: tuple[int, int, int] = (1, 2, 1),
    budget: int = 20,
) -> TrialSpec:
    """Register an algorithm and return the spec of a trial that runs it."""
    monkeypatch.setitem(ALGORITHMS._own, "stand-in", algorithm("stand-in")(minimize))
    return TrialSpec("S", "stand-in", "{}", suite, *place, budget, 1e-8, 1, "25", "", "")


def one_line(call: Callable[..., object], *arguments: Any, error: Any = SacmaError, **named: Any) -> str:
    """Return the message of the error of a call: one printable line."""
    with pytest.raises(error) as caught:
        call(*arguments, **named)
    message = str(caught.value)
    assert message.isprintable(), message
    return message


def best_after(outcome: Outcome, evaluations: float) -> float:
    """Return the best Δf after that many evaluations; inf before the first."""
    position = bisect_right(outcome.improved_at, evaluations)
    return outcome.improved_to[position - 1] if position else math.inf


def best_of(curve: Curve, evaluations: float) -> float:
    """Return the best Δf of a curve after that many evaluations; inf before the first."""
    position = bisect_right(curve.at, evaluations)
    return float(curve.to[position - 1]) if position else math.inf


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Start Chromium, once for all pages."""
    from tools.chromium import chromium  # noqa: PLC0415 most tests have no page

    with chromium() as browser:
        yield browser


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 200 KiB, where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("mounting a small file system needs root; the same with a failing write is tested below")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S607
