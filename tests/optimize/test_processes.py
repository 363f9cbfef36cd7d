"""Evaluations in processes of the call: journals that go on, and processes that die."""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.types import Array
from tests.optimize.runs import sphere

if sys.platform == "win32":
    pytest.skip("signals and processes of POSIX", allow_module_level=True)

METHOD = "cmaes"  # asks for several points at a time
X0, SIGMA0 = [0.4, 0.2], 0.3


def lethal(x: Array) -> float:
    """Kill the process where x₁ > ½, and end it where x₂ is, too."""
    if x[0] > 0.5:
        os._exit(7) if x[1] > 0.2 else os.kill(os.getpid(), signal.SIGKILL)
    return sphere(x)


@pytest.mark.parametrize("asynchronous", [None, False])
def test_where_a_process_dies_its_evaluation_has_failed(tmp_path: Path, asynchronous: Any) -> None:
    """No other has, the journal knows how it died, and the same call does not evaluate it again."""
    path = tmp_path / "journal.jsonl"
    arguments: dict[str, Any] = {"seed": 1, "journal": path, "method": METHOD, "max_failures": None}
    result = sacma.minimize(lethal, X0, SIGMA0, budget=24, workers=2, asynchronous=asynchronous, **arguments)
    points, values = result.history.points, result.history.values
    np.testing.assert_array_equal(np.isnan(values), points[:, 0] > 0.5)
    died = {number: points[number - 1, 1] > 0.2 for number in result.history.failures}
    assert set(died.values()) == {True, False}
    for number, ended in died.items():
        how = "ended itself with exit code 7" if ended else "was ended by SIGKILL (out of memory?)"
        assert result.history.failures[number] == f"its process {how}"
    again = sacma.minimize(lethal, X0, SIGMA0, budget=24, **arguments)  # it would kill this process
    np.testing.assert_array_equal(again.history.values, values)


def leaves_a_thread(x: Array) -> float:
    """Leave a thread that goes on for a long time."""
    threading.Thread(target=time.sleep, args=(600,)).start()
    return sphere(x)


def leaves_a_process(x: Array) -> float:
    """Leave a process that goes on, and that Python waits for."""
    get_context("fork").Process(target=time.sleep, args=(600,)).start()
    return sphere(x)


def leaves_much_to_do(x: Array) -> float:
    """Leave something that takes long when the process ends."""
    atexit.register(time.sleep, 600)
    return sphere(x)


def dies_beside_a_child(x: Array) -> float:
    """End the process while a child of it has all that it had open."""
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
    os._exit(7)


def test_what_f_leaves_behind() -> None:
    """The result comes soon after the last evaluation, and what keeps a process from ending is killed."""
    arguments: dict[str, Any] = {"seed": 1, "budget": 3, "method": "cmaes", "max_failures": None}
    expected = sacma.minimize(sphere, X0, SIGMA0, **arguments).history.values
    began = time.monotonic()
    leave = [leaves_a_thread, leaves_a_process, leaves_much_to_do, dies_beside_a_child]
    with ThreadPoolExecutor(len(leave)) as pool:
        of_each = [
            pool.submit(sacma.minimize, f, X0, SIGMA0, workers=2, asynchronous=False, **arguments) for f in leave
        ]
    *results, died = [future.result() for future in of_each]
    assert time.monotonic() - began < 60.0
    for result in results:
        np.testing.assert_array_equal(result.history.values, expected)
    assert set(died.history.failures.values()) == {"its process ended itself with exit code 7"}


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """Though it is killed while they evaluate."""
    numbers = tmp_path / "numbers"
    code = f"""
import os, pathlib, time
import sacma

def slow(x):
    with open({str(numbers)!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    time.sleep(600)

if __name__ == "__main__":
    sacma.minimize(slow, [0.4, 0.2], 0.3, budget=20, workers=2, method={METHOD!r})
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    with subprocess.Popen([sys.executable, script]) as process:
        assert comes(lambda: numbers.exists() and len(numbers.read_text().split()) == 2)
        process.kill()
    assert comes(lambda: not any(Path(f"/proc/{number}").exists() for number in numbers.read_text().split()))


def comes(condition: Callable[[], bool]) -> bool:
    """Wait for a condition, up to a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", ["Ctrl-C", "timeout"])
def test_an_evaluation_that_is_ended_leaves_nothing(tmp_path: Path, how: str) -> None:
    """Neither its process nor a simulator that it has started."""
    noted = tmp_path / "numbers"

    def press() -> None:
        comes(lambda: noted.exists() and len(noted.read_text().split()) == 4)
        if how == "Ctrl-C":
            signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    given: dict[str, Any] = {"budget": 2, "evaluation_timeout": 3.0 if how == "timeout" else None, "method": "cmaes"}
    found = sacma.minimize(partial(hanging, noted), X0, SIGMA0, workers=2, **given)
    thread.join()
    assert (found.nfev, found.status.name) == ((2, "BUDGET") if how == "timeout" else (0, "INTERRUPTED"))
    assert comes(lambda: not any(Path(f"/proc/{number}").exists() for number in noted.read_text().split()))


def hanging(noted: Path, _: Array) -> float:
    """Note this process and one that it starts, and wait for that."""
    with subprocess.Popen(["sleep", "600"]) as simulator:  # noqa: S607
        with noted.open("a") as file:
            file.write(f"{os.getpid()} {simulator.pid}\n")
        simulator.wait()
    return 0.0


class KilledWorker(Exception):  # noqa: N818 dask's name
    """What dask raises where all workers died that evaluated a point."""


class Dying(Executor):
    """Two workers, as of dask, that die where x₁ > 0.6."""

    max_workers = 2

    def submit(self, fn: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Evaluate a point."""
        future: Future[Any] = Future()
        if given[1][0] > 0.6:
            future.set_exception(KilledWorker())
        else:
            future.set_result(fn(*given, **named))
        return future


@pytest.mark.parametrize("asynchronous", [True, False])
def test_where_workers_of_dask_die_their_evaluation_has_failed(*, asynchronous: bool) -> None:
    """As often as dask allows: no other has, and the run goes on."""
    arguments: dict[str, Any] = {"budget": 12, "seed": 1, "method": METHOD, "max_failures": None}
    found = sacma.minimize(sphere, X0, SIGMA0, workers=Dying(), asynchronous=asynchronous, **arguments).history
    np.testing.assert_array_equal(np.isnan(found.values), found.points[:, 0] > 0.6)
    assert set(found.failures.values()) == {"the workers that evaluated it died"}


@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_pool_of_ones_own_that_breaks(tmp_path: Path, *, asynchronous: bool) -> None:
    """An error with what was found; the journal has it, and the same call goes on."""
    path = tmp_path / "journal.jsonl"
    arguments: dict[str, Any] = {"seed": 1, "budget": 24, "journal": path, "method": METHOD}
    archive = ([[0.3, 0.2]], [0.13])
    own: dict[str, Any] = {"known": archive, "asynchronous": asynchronous}
    with ProcessPoolExecutor(2) as executor, pytest.raises(sacma.WorkersError, match="take no more points") as found:
        sacma.minimize(lethal, X0, SIGMA0, workers=executor, **own, **arguments)
    assert isinstance(found.value, BrokenExecutor)
    assert found.value.result.fun <= 0.13
    assert found.value.result.nfev == len(sacma.read_journal(path).values) < 24
    goes_on = sacma.minimize(lethal, X0, SIGMA0, known=archive, workers=2, **arguments)
    assert goes_on.nfev == 24


@pytest.mark.parametrize("kind", ["processes", "executor"])
def test_a_function_that_cannot_be_sent(kind: str) -> None:
    """One line that names it, the reason and the way out."""
    lock = threading.Lock()

    def locked(x: Array) -> float:
        with lock:
            return sphere(x)

    with ProcessPoolExecutor(1) as executor:
        workers: Any = {"processes": 2, "executor": executor}[kind]
        with pytest.raises(sacma.WorkersError, match=r"take no more points; .*pickle") as raised:
            sacma.minimize(locked, X0, SIGMA0, budget=24, workers=workers, method=METHOD)
    assert "Traceback" not in str(raised.value)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_sys_exit_in_a_worker_is_a_failed_evaluation(kind: str) -> None:
    """And not the end of the program that waits for it."""
    with ThreadPoolExecutor(2) as executor:
        workers: Any = {"processes": 2, "threads": executor}[kind]
        given: dict[str, Any] = {"budget": 12, "seed": 1, "method": METHOD, "max_failures": None}
        found = sacma.minimize(ends, X0, SIGMA0, workers=workers, **given).history
    np.testing.assert_array_equal(np.isnan(found.values), found.points[:, 0] > 0.5)
    assert set(found.failures.values()) == {"SystemExit: bad input"}


def ends(x: Array) -> float:
    """End the program where x₁ > ½."""
    if x[0] > 0.5:
        sys.exit("bad input")
    return sphere(x)


def test_what_processes_cannot_read_is_no_failed_evaluation() -> None:
    """A function whose module they do not find would fail everywhere."""
    with pytest.raises(sacma.WorkersError, match=r"cannot read or do a task: ValueError"):
        sacma.minimize(Unreadable(), X0, SIGMA0, budget=24, workers=2, method=METHOD)


class Unreadable:
    """A function that cannot be read where it is sent to."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("none",)

    def __call__(self, x: Array) -> float:
        """Return a value where it has not been sent."""
        return sphere(x)
