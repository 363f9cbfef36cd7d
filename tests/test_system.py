"""Calls of the operating system, as Windows has them: its branches run here, with stand-ins for what Linux lacks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sacma.system import lock, unlock

AS_ON_WINDOWS = """
import fcntl, os, struct, sys, types
import cma, numba, numpy, pydantic, scipy.linalg, scipy.optimize, scipy.special, scipy.stats  # see the real system
import concurrent.futures.process, multiprocessing.connection, subprocess

def locking(file, mode, count):  # of msvcrt: from the file's position on, and for one file object
    read_only = fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    kind = fcntl.F_UNLCK if mode == 0 else fcntl.F_RDLCK if read_only else fcntl.F_WRLCK
    asked = struct.pack("hhqqi", kind, os.SEEK_SET, os.lseek(file, 0, os.SEEK_CUR), count, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, asked)
    except BlockingIOError:
        raise PermissionError from None

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_UNLCK=0, LK_NBLCK=2)
os.O_BINARY, os.O_NOINHERIT = 0, os.O_CLOEXEC
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
POSIX = "O_NONBLOCK O_NOCTTY O_CLOEXEC O_NOFOLLOW O_DIRECTORY fork killpg geteuid pread pwrite register_at_fork"
sys.platform = "win32"
import sacma.system
sys.platform = "linux"  # for other libraries
sacma.system.sys = types.SimpleNamespace(platform="win32")
for name in POSIX.split():
    delattr(os, name)
"""

RUN = """
import sacma
from sacma.store.lock import holder, locked
from pathlib import Path

def f(x):
    return float(((x - 0.3) ** 2).sum())

def run(budget):
    return sacma.minimize(f, [1.0, 1.0], sigma0=0.5, budget=budget, seed=1, journal="run.jsonl", bounds=(-2, 2))

half, whole = run(20), run(40)
with locked(Path("results.lock"), "sacma run"):
    print(half.nfev, whole.nfev, whole.fun, holder(Path("results.lock")))
print(holder(Path("results.lock")))
"""


def test_the_optimizer_and_locks_of_folders_need_nothing_of_posix(tmp_path: Path) -> None:
    """A run is resumed from its journal with the same points; a folder says who holds it."""
    said = []
    for name, program in (("windows", AS_ON_WINDOWS + RUN), ("here", RUN)):
        (folder := tmp_path / name).mkdir()
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said.append(re.fullmatch(r"(20 40 \S+) process .+ \(sacma run\)\nNone\n", done.stdout))
    assert said[0]
    assert said[1]
    assert said[0][1] == said[1][1]


def test_a_lock_is_of_one_file_object(tmp_path: Path) -> None:
    """Another is refused until it is given back; two shared ones go together."""
    path = tmp_path / "lock"
    first, second = (os.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2))
    lock(first)
    with pytest.raises(BlockingIOError):
        lock(second)
    unlock(first)
    lock(second, shared=True)
    lock(first, shared=True)
    for file in (first, second):
        os.close(file)
