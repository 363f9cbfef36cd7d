"""An algorithm from another package, that searches at random and, on chosen problems, does its worst."""

import ctypes
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

import cocoex
import numpy as np
from pydantic import BaseModel, ConfigDict

import sacma
from sacma.errors import KILLED


class HostileSettings(BaseModel):
    """What it does where, like ``{"f1-d2-i1": "kill"}``; a file that ends misdeeds; a pause at each evaluation."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    misdeeds: dict[str, str] = {}
    pause: float = 0.0
    flag: str = ""


@sacma.algorithm("hostile")
def HOSTILE(problem: Any, rng: np.random.Generator, settings: HostileSettings) -> None:
    """Does its worst."""
    coco = problem._problem
    misdeed = settings.misdeeds.get(f"f{coco.id_function}-d{coco.dimension}-i{coco.id_instance}")
    problem(rng.uniform(-5, 5, problem.dimension))
    if misdeed and not (settings.flag and Path(settings.flag).exists()):
        if settings.flag:
            Path(settings.flag).touch()
        _DEEDS[misdeed]()  # type: ignore[no-untyped-call]
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))
        time.sleep(settings.pause)


def _raise() -> None:
    raise ZeroDivisionError("by design")


def _loop() -> None:
    while True:
        time.sleep(0.01)


def _second_observer() -> None:
    observer = cocoex.Observer("bbob", "result_folder: two")
    suite = cocoex.Suite("bbob", "", "dimensions: 2 function_indices: 1")
    for problem in (suite[0], suite[1]):
        problem.observe_with(observer)
        problem(np.zeros(2))


def _fork_and_die() -> None:
    if sys.platform != "win32" and os.fork() == 0:
        time.sleep(60)
    os.kill(os.getpid(), KILLED)


def _speak_badly() -> None:
    raise ValueError("bad \udcff [bold] \x1b[31m name" + "x" * 100_000)


def _die_later() -> None:
    threading.Timer(0.4, os.kill, (os.getpid(), KILLED)).start()


def _alter() -> None:
    frame = sys._getframe().f_back
    while frame:
        spec = frame.f_locals.get("spec")
        if spec is not None and hasattr(spec, "instance"):
            object.__setattr__(spec, "instance", 2)
        frame = frame.f_back


def _remove_records() -> None:
    """Once, by the first trial that finds another one's record."""
    records, removed = Path("results/records"), Path("removed")
    if not removed.exists() and list(records.rglob("*.record")):
        removed.touch()
        shutil.rmtree(records)


_DEEDS = {
    "alter": _alter,
    "remove": _remove_records,
    "fork": _fork_and_die,
    "later": _die_later,
    "print": lambda: sys.stdout.write("noise\n" * 1000 + sys.stdin.read()),
    "surrogate": _speak_badly,
    "kill": lambda: os.kill(os.getpid(), KILLED),
    "raise": _raise,
    "loop": _loop,
    "coco": _second_observer,
    "exit": lambda: sys.exit(3),
    "memory": lambda: np.ones(1 << 55),
    "segfault": lambda: ctypes.string_at(0),
}
