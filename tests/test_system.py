"""Calls of the operating system, as Windows has them: its branches run here, with stand-ins for what Linux lacks."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sacma
from sacma.config.study import load_study
from sacma.system import lock, unlock
from sacma.types import Array
from tests.conftest import CONFIGS

ROOT = CONFIGS.parent

AS_ON_WINDOWS = """
import fcntl, os, random, struct, subprocess, sys, types
import concurrent.futures.process, logging, multiprocessing.connection, multiprocessing.resource_tracker, numpy

def locking(file, mode, count):  # of msvcrt: from the file's position on, and for one file object
    read_only = fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    kind = fcntl.F_UNLCK if mode == 0 else fcntl.F_RDLCK if read_only else fcntl.F_WRLCK
    asked = struct.pack("hhqqi", kind, os.SEEK_SET, os.lseek(file, 0, os.SEEK_CUR), count, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, asked)
    except BlockingIOError:
        raise PermissionError from None

class Popen(subprocess.Popen):
    def __init__(self, command, startupinfo=None, creationflags=0, **more):
        if startupinfo:
            assert not more.pop("close_fds")
            assert creationflags == subprocess.CREATE_NEW_PROCESS_GROUP
            more |= {"pass_fds": startupinfo.lpAttributeList["handle_list"], "process_group": 0}
        if command[0] == "taskkill":
            assert command[1:4] == ["/F", "/T", "/PID"]
            command = ["sh", "-c", f"kill -9 -{int(command[4])}"]
        super().__init__(command, **more)

subprocess.Popen, subprocess.STARTUPINFO = Popen, types.SimpleNamespace
subprocess.CREATE_NEW_PROCESS_GROUP = 512
multiprocessing.connection.PipeConnection = multiprocessing.connection.Connection
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_UNLCK=0, LK_NBLCK=2)
os.O_BINARY, os.O_NOINHERIT, os.set_handle_inheritable = 0, os.O_CLOEXEC, os.set_inheritable
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
POSIX = "O_NONBLOCK O_NOCTTY O_CLOEXEC O_NOFOLLOW O_DIRECTORY fork killpg geteuid pread pwrite register_at_fork"
sys.platform = "win32"
import sacma.system
sys.platform = "linux"  # for other libraries
import sacma.child
sacma.system.sys = sacma.child.sys = types.SimpleNamespace(**{**vars(sys), "platform": "win32"})
for name in POSIX.split():
    delattr(os, name)
"""

SPAWNED = """
if __name__ == "__main__":
    import multiprocessing, os, sys
    import cma, numba, numpy, pydantic, scipy.linalg, scipy.optimize, scipy.special, scipy.stats  # see the real system
    os.environ["PYTHONPATH"] = sys.path[0]  # processes that are started see what this one imports now
    sys.modules.pop("sitecustomize", None)
    import sitecustomize
    multiprocessing.set_start_method("spawn")
"""

RUN = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import sacma
from sacma.store.lock import holder, locked

def f(x):
    return float(((x - 0.3) ** 2).sum())

def breaks(x):
    if x[0] < 0.8:
        os._exit(7)
    if x[1] < 0.8:
        time.sleep(600)
    return f(x)

def run(budget, f=f, **more):
    given = {"sigma0": 0.5, "budget": budget, "seed": 1, "bounds": (-2, 2), **more}
    return sacma.minimize(f, [1.0, 1.0], **given)

if __name__ == "__main__":
    half, whole = run(10, journal="run.jsonl"), run(20, journal="run.jsonl")
    with locked(Path("results.lock"), "sacma run"):
        print(half.nfev, whole.nfev, whole.fun, holder(Path("results.lock")))
    print(holder(Path("results.lock")))
    serial = run(12, method="cmaes")
    with ProcessPoolExecutor(2) as executor:
        for workers in (2, executor):
            found = run(12, method="cmaes", workers=workers, asynchronous=False)
            print((found.history.values == serial.history.values).all())
    limits = {"evaluation_timeout": 1.5, "max_failures": None}
    broken = run(6, f=breaks, method="cmaes", workers=2, asynchronous=False, **limits)
    print(sorted(set(broken.history.failures.values())))
"""

BENCH = """
if __name__ == "__main__":
    import faulthandler, signal, types
    import cocoex, jinja2, matplotlib.pyplot, pandas, pyarrow, rich.console, typer
    for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "alarm"):
        delattr(signal, name)
    import sacma.cli.interruption, sacma.system
    sacma.cli.interruption.sys = sacma.system.sys
    from sacma.__main__ import main
    main()
"""

SAID = r"""10 20 (\S+) process .+ \(sacma run\)
None
True
True
\['it took longer than 1.5 s', 'its process ended itself with exit code 7'\]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are simulated on Linux")
def test_the_optimizer_and_its_processes_need_nothing_of_posix(tmp_path: Path) -> None:
    """A run is resumed with the same points, folders say who holds them, and workers may die or hang.

    Processes are spawned, as on macOS and Windows; a ``sitecustomize`` makes each see another system.
    """
    for name, system in (("macos", ""), ("windows", AS_ON_WINDOWS)):
        (folder := tmp_path / name).mkdir()
        (folder / "run.py").write_text(SPAWNED + RUN)
        (folder / "sitecustomize.py").write_text(system)
        done = subprocess.run([sys.executable, "run.py"], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found = re.fullmatch(SAID, done.stdout)
        assert found, done.stdout
        assert float(found[1]) == sacma.minimize(bowl, [1.0, 1.0], 0.5, bounds=(-2, 2), budget=20, seed=1).fun


@pytest.mark.torture
def test_the_bench_needs_nothing_of_posix(tmp_path: Path) -> None:
    """Trials in worker processes, and their report."""
    (tmp_path / "run.py").write_text(SPAWNED + BENCH)
    (tmp_path / "sitecustomize.py").write_text(AS_ON_WINDOWS)
    protocol = ("--functions", "1", "--dimensions", "2", "--instances", "1-2", "--budget", "20", "--jobs", "2")
    for command in (["run", str(CONFIGS / "ada_kendall.yaml"), *protocol], ["postprocess", "--no-pages", "--no-pdf"]):
        done = subprocess.run([sys.executable, "run.py", *command], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "results" / "report" / "index.html").exists()


def bowl(x: Array) -> float:
    """Return the function of the runs."""
    return float(((x - 0.3) ** 2).sum())


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


def test_files_of_the_project_can_have_their_names_everywhere() -> None:
    """No character or name that Windows reserves, and no two that differ in case only."""
    folders = ("benchmarks", "configs", "data", "docs", "examples", "reproduction", "research", "src", "tests", "tools")
    paths = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*")]
    for path in paths:
        assert not any(
            re.search(r'[<>:"|?*\\]|[ .]$|^(con|nul|aux|prn|com\d|lpt\d)(\.|$)', part, re.IGNORECASE)
            for part in path.parts
        )
    assert len({str(path).lower() for path in paths}) == len(paths)


def test_text_is_read_and_written_as_utf_8_everywhere() -> None:
    """Windows has another encoding of its own, and other ends of lines for text that is written."""
    opens = {"open": ("rb", "wb", "ab"), "read_text": (), "write_text": ()}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                modes = {a.value for a in node.args if isinstance(a, ast.Constant)}
                given = {keyword.arg for keyword in node.keywords}
                if name in opens and ast.unparse(node.func) not in {"os.open", "self._open", "tarfile.open"}:
                    assert modes & set(opens[name]) or "encoding" in given, f"{path}:{node.lineno}"


def test_a_config_as_windows_saves_it(tmp_path: Path) -> None:
    """With its ends of lines, and the mark of UTF-8 that some editors put first."""
    here = CONFIGS / "ada_kendall.yaml"
    (path := tmp_path / "config.yaml").write_bytes(b"\xef\xbb\xbf" + here.read_bytes().replace(b"\n", b"\r\n"))
    assert load_study(path) == load_study(here)
