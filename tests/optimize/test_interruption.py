"""Ctrl-C, once and again, anywhere in a call."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import sacma
from sacma.optimize.evaluation import LogEntry
from sacma.optimize.journal import Journal
from sacma.types import Array
from tests.optimize.runs import bowl

if sys.platform == "win32":
    pytest.skip("signals and processes of POSIX", allow_module_level=True)

SACMA = str(Path(sacma.__file__).parent)
CALL: dict[str, Any] = {"x0": [0.5, 0.5], "sigma0": 0.3, "budget": 14, "seed": 1}
Tracer = Callable[[FrameType, str, Any], Any]


def after_lines(number: int) -> Tracer:
    """Press Ctrl-C after so many lines of sacma."""
    left = itertools.count(number, -1)

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(SACMA):
            return None
        if event == "line" and next(left) == 0:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return trace

    return trace


@pytest.fixture(name="press")
def _press() -> Iterator[Callable[[int, int], None]]:
    """Press Ctrl-C after so many lines, and again as many later as the second number says, if it is not 0."""
    before, tracer, again = signal.getsignal(signal.SIGINT), sys.gettrace(), [0]

    def handler(*_: object) -> None:
        if again[0]:
            frame, trace = sys._getframe(), after_lines(again.pop())
            again.append(0)
            sys.settrace(trace)
            while frame.f_back is not None:
                frame = frame.f_back
                frame.f_trace = trace
        raise KeyboardInterrupt

    def press(first: int, second: int) -> None:
        again[0] = second
        sys.settrace(after_lines(first))

    signal.signal(signal.SIGINT, handler)
    yield press
    sys.settrace(tracer)
    signal.signal(signal.SIGINT, before)


def of_the_process() -> Any:
    """Return states of the process that sacma changes while it computes."""
    pools = [each["num_threads"] for each in threadpool_info()]
    return list(warnings.filters), np.geterr(), np.random.get_state()[1].tolist(), threading.active_count(), pools  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize("method", ["cmaes", "cobyqa", "ada-kendall"])
@pytest.mark.parametrize("second", [0, 7])
def test_at_any_line(tmp_path: Path, press: Callable[[int, int], None], method: str, second: int) -> None:
    """The result has all that was evaluated, and so has the journal; the process is as before, and can go on."""
    done: list[Array] = []

    def f(x: Array) -> float:
        value = bowl(x)
        done.append(x)
        return value

    whole = sacma.minimize(f, method=method, **CALL)
    before, ends = of_the_process(), []
    for number, line in enumerate(itertools.chain(range(30 + second, 6000, 1009), [10**9])):
        done.clear()
        path = tmp_path / f"{number}"
        press(line, second)
        try:
            result = sacma.minimize(f, method=method, journal=path, **CALL)
        except KeyboardInterrupt:  # before the run has begun
            assert not done
            continue
        finally:
            sys.settrace(None)
        # Between f's return and the next line there is no telling whether it has ended.
        assert len(done) - 1 <= result.nfev == len(sacma.read_journal(path).values) <= len(done)
        assert of_the_process() == before
        ends.append(result.status)
        assert sacma.minimize(f, method=method, journal=path, **CALL).fun == whole.fun
    assert set(ends) == {sacma.Status.INTERRUPTED, sacma.Status.BUDGET}


SIMULATED = """
import subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import sacma

folder, kind = Path(sys.argv[1]), sys.argv[2]
WORKERS = {"none": lambda: None, "threads": lambda: ThreadPoolExecutor(3), "processes": lambda: 2}

def simulation(x):
    if len(list(folder.glob("begun.*"))) >= 6:
        (folder / "long").touch()
        subprocess.run(["sleep", "60"], check=True)
    (folder / f"begun.{x.tobytes().hex()}").touch()
    return float(x @ x)

if __name__ == "__main__":
    journal = folder / "journal"
    result = sacma.minimize(
        simulation, [0.4, 0.2], 0.3, seed=1, budget=30, method="cmaes", journal=journal, workers=WORKERS[kind]()
    )
    print(result.status.name, result.failures)
"""


@pytest.mark.parametrize("kind", ["none", "threads", "processes"])
def test_simulators_that_die_of_the_same_ctrl_c(tmp_path: Path, kind: str) -> None:
    """They are of the process group that it goes to: their deaths are no evaluations, in no result and no journal."""
    (tmp_path / "script.py").write_text(SIMULATED)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as run:
        until = time.monotonic() + 60.0
        while not (tmp_path / "long").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)
        os.killpg(run.pid, signal.SIGINT)
        said, _ = run.communicate(timeout=60)
    assert said == "INTERRUPTED 0\n"
    kept = sacma.read_journal(tmp_path / "journal").values
    assert len(kept) >= 6
    assert np.isfinite(kept).all()


@pytest.mark.usefixtures("interruptible")
def test_f_that_hangs() -> None:
    """It is interrupted at once, and so is a callback."""

    def hangs(x: Array) -> float:
        signal.raise_signal(signal.SIGINT)
        return bowl(x)

    assert sacma.minimize(hangs, **CALL).nfev == 0

    seen = []

    def waits(result: sacma.Result) -> None:
        seen.append(result.nfev)
        if result.nfev > 3:
            signal.raise_signal(signal.SIGINT)
            time.sleep(60)

    result = sacma.minimize(bowl, callback=waits, **CALL)
    assert (result.status, result.nfev) == (sacma.Status.INTERRUPTED, seen[-1])


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("method", ["sacma", "cmaes", "cobyqa"])
def test_with_the_last_evaluation(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it comes while that is recorded, the status says so, and a callback's end is called with the result."""
    ends: list[sacma.Result] = []

    class Callback:
        def __call__(self, _: sacma.Result) -> None:
            """Do nothing."""

        def at_end(self, result: sacma.Result) -> None:
            ends.append(result)

    record = Journal.record

    def interrupts(journal: Journal, entry: LogEntry) -> None:
        record(journal, entry)
        if entry.number == CALL["budget"]:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Journal, "record", interrupts)
    result = sacma.minimize(bowl, method=method, journal=tmp_path / "journal", callback=Callback(), **CALL)
    assert (result.nfev, result.status) == (14, sacma.Status.INTERRUPTED)
    assert len(ends) == 1
    assert ends[0] is result
