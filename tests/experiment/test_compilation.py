"""Machine code that is not there yet is made before the first trial, once, and somebody says so."""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from typer.testing import CliRunner

from sacma.cli.app import app
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment import compilation
from sacma.experiment.compilation import is_compiled, make_compiled_code
from sacma.files.checksum import checksum
from sacma.surrogate import likelihood
from sacma.surrogate.covariances import USUAL, title_of
from tests.conftest import CONFIGS

SOURCE = Path(likelihood.__file__).stat().st_mtime


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Numba would keep the likelihood, in a folder that is empty."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    return tmp_path / "surrogate_0" / f"likelihood.maximise-1.{tag}.nbi"


def write_code(index: Path, made_by: str) -> None:
    """Write an index of a version of Numba and a file of code, each with its checksum."""
    index.parent.mkdir(parents=True, exist_ok=True)
    for path in (index, index.with_suffix(".1.nbc")):
        content = b"\x80\x04" + made_by.encode() + b"\x94."
        path.write_bytes(content + checksum(content))


@pytest.mark.parametrize(
    ("made_by", "age", "expected"),
    [(version("numba"), 0.0, True), ("0.1", 0.0, False), (version("numba"), 10.0, False)],
)
def test_what_counts_as_compiled(index: Path, made_by: str, age: float, expected: bool) -> None:  # noqa: FBT001
    """An index of this version of Numba that is not older than the source."""
    assert not is_compiled()
    write_code(index, made_by)
    os.utime(index, (SOURCE - age, SOURCE - age))
    assert is_compiled() is expected
    for path in index.parent.iterdir():  # one that is cut is none
        write_code(index, made_by)
        os.truncate(path, path.stat().st_size - 1)
        assert not is_compiled()


def test_each_likelihood_is_looked_for(
    index: Path, study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the usual one is there, a study with a quadratic process still has its own compiled; then none."""
    started: list[object] = []

    def noted(_function: object, algorithms: list[tuple[str, str]]) -> AbstractContextManager[tuple[None, Any]]:
        started.append(algorithms)
        ended = mock.Mock()
        ended.recv.side_effect = EOFError
        return nullcontext((None, ended))

    monkeypatch.setattr(compilation, "child", noted)
    with_trend = index.with_name(index.name.replace("likelihood", title_of(USUAL, trend=True)))
    for path, starts in ((None, 2), (index, 1), (with_trend, 0)):
        if path is not None:
            write_code(path, version("numba"))
        started.clear()
        for name in ("gp1", "sacma"):
            make_compiled_code(plan([study(name)]), pytest.fail)
        assert len(started) == starts


def test_only_where_it_is_needed(index: Path, study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch) -> None:
    """CMA-ES needs no compiled code, and what is there is not made again: no process is started."""

    def refuse(*_arguments: object) -> None:
        pytest.fail("a process was started")

    monkeypatch.setattr("multiprocessing.get_context", refuse)
    make_compiled_code(plan([study("cmaes")]), pytest.fail)
    monkeypatch.setattr(compilation, "is_compiled", lambda **_: True)
    make_compiled_code(plan([study("gp1")]), pytest.fail)


def test_a_process_makes_it_and_may_find_that_it_is_there(
    study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found not to be missing after all is not announced."""
    monkeypatch.setattr(compilation, "is_compiled", lambda **_: False)
    said: list[str] = []
    make_compiled_code(plan([study("gp1", functions="1", dimensions="2", instances="1")]), said.append)
    assert set(said) <= {"compiling the surrogate (once per installation, about 10 s) …"}


@pytest.mark.parametrize(("progress", "shown"), [("lines", True), ("quiet", False), ("json", False)])
def test_who_is_told(tmp_path: Path, progress: str, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """A run says it on the standard error, before its first trial; not where it is asked to be quiet, or for JSON."""
    monkeypatch.setattr(compilation, "make_compiled_code", lambda _specs, say: say("compiling …"))
    small = ("--functions", "1", "--dimensions", "2", "--instances", "1", "--budget", "5", "--backend", "serial")
    arguments = ["run", str(CONFIGS / "gp1.yaml"), *small, "--results", str(tmp_path), "--progress", progress]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert ("compiling …" in done.stderr) is shown
    assert "compiling" not in done.stdout
