"""A machine that fails: whatever it lacks, a command says so in one line, and what killed ones leave is removed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import environment, sacma, successful
from tests.conftest import CONFIGS

PROTOCOL = ("--functions", "1,8", "--dimensions", "2", "--instances", "1-3", "--budget", "5")
RUN = ("run", str(CONFIGS / "cmaes.yaml"), *PROTOCOL)
REPORT = ("postprocess", "results", "--no-pages", "--no-pdf", "--functions", "1")

# Begins a process of its own, in which something is done before a command.
BEFORE = """
import os, resource, signal, subprocess, sys
from pathlib import Path
from sacma.__main__ import main
from sacma.analysis.figures import files

def leave(mebibytes):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (mebibytes << 20), -1))

def twice():
    try:
        main()
    except SystemExit:
        leave(48)

def kill(*_, **__):
    os.killpg(0, signal.SIGKILL)

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

files.FIGURES_A_PROCESS = 1
"""

# Figures that take no time.
BLANK = """
from matplotlib.figure import Figure
files._make = lambda stem, _, pdf: files.write(Figure(), stem, pdf=pdf)
"""


def after(before: str, *command: str, cwd: Path, **more: object) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own where ``before`` was done before; ``more`` of the environment."""
    return subprocess.run(
        [sys.executable, "-c", f"{BEFORE}\n{before}\nmain()", *command],
        cwd=cwd,
        env=environment(**more),
        check=False,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with ``results`` of a small study."""
    folder = tmp_path_factory.mktemp("machine")
    successful(*RUN, "--results", "results", cwd=folder)
    return folder


@pytest.mark.parametrize("command", [REPORT, (*RUN, "--results", "another")])
def test_no_memory(folder: Path, command: tuple[str, ...]) -> None:
    """It is said in one line, wherever in a command there is none."""
    done = after("leave(8)", *command, cwd=folder)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert done.stderr.startswith("sacma: the machine gives no more memory")


def test_small_records_take_little_memory(folder: Path) -> None:
    """Less than the largest ones that may be read: 64 MiB."""
    done = after("twice()", "status", "results", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_few_open_files(folder: Path) -> None:
    """They are named, as what the machine lacks."""
    command = (*RUN, "--results", "few")
    done = after("resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))", *command, cwd=folder)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "open files" in done.stderr
    assert "Error" not in done.stderr


def test_no_thread(folder: Path) -> None:
    """A run does not wait for a worker process that joblib's threads cannot serve."""
    count = (
        "import threading\n"
        "name = next(n for n in ('_start_joinable_thread', '_start_new_thread') if hasattr(threading, n))\n"
        "started, start = [], getattr(threading, name)\n"
        "def few(*given, **named):\n    started.append(1)\n"
        '    if len(started) > 1: raise RuntimeError("can\'t start new thread")\n    return start(*given, **named)\n'
        "setattr(threading, name, few)"
    )
    done = after(count, *RUN, "--results", "no_threads", cwd=folder)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "go on with: sacma" in done.stderr.splitlines()[-1]


def test_a_figure_process_that_is_killed(folder: Path) -> None:
    """It is named, and how it ended."""
    done = after("files._make = die", *REPORT, "--jobs", "2", cwd=folder)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (
        1,
        ["sacma: a worker has gone: its process was ended by SIGKILL (out of memory?); use fewer processes"],
    )


def test_messages_that_nobody_reads(folder: Path) -> None:
    """A report is made without them."""
    done = after(f"read, sent = os.pipe(); os.close(read)\nos.dup2(sent, 2)\n{BLANK}", *REPORT, cwd=folder)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "open:    results/report/index.html"


def test_temporary_files_of_killed_commands(folder: Path, tmp_path: Path) -> None:
    """They are in a folder of the process, which the next command removes."""
    done = after(f"{BLANK}\nsubprocess.run = kill", "postprocess", "results", cwd=folder, TMPDIR=tmp_path)
    assert done.returncode == -9, done.stderr
    assert len(list(tmp_path.iterdir())) == 1
    assert sacma(*RUN, "--results", "anew", cwd=folder, TMPDIR=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []
