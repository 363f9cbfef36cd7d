"""Terminals and logs: colour where it belongs, progress that fits, control characters nowhere else."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from sacma.cli.progress import Progress, Tally
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.cost import CostModel
from sacma.experiment.run import Attempt
from sacma.store.outcome import CPUSeconds, Outcome, TrialStatus
from sacma.store.record import FinishedTrial
from tests.commands import environment, refusal, reported, sacma, successful
from tests.conftest import CONFIGS

if sys.platform == "win32":
    pytest.skip("terminals of POSIX", allow_module_level=True)

SMALL = ("--functions", "1-4", "--dimensions", "2", "--instances", "1", "--budget", "20")

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_a_terminal(*arguments: object, cwd: Path, width: int = 80, **environ: str) -> str:
    """Run the command line in a terminal of its own, and return all that it sent there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
    unset = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
    known = {key: value for key, value in environment().items() if key not in unset}
    command = [sys.executable, "-m", "sacma", *map(str, arguments)]
    settings = {**known, "TERM": "xterm-256color", **environ}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=settings)
    os.close(theirs)
    sent = b""
    try:
        while part := os.read(ours, 65536):
            sent += part
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(ours)
    assert process.wait(60) == 0, sent.decode()
    return sent.decode()


def shown(sent: str) -> list[str]:
    """Return the lines that were seen one after the other, redrawn ones too."""
    return [CONTROL.sub("", line).replace("\r", "") for line in re.split(r"\r\x1b\[2K|\r\n", sent)]


def test_colour_in_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    """A terminal gets a coloured bar that fits its window; a dumb one and a pipe get plain lines."""
    run = ("run", CONFIGS / "cmaes.yaml", *SMALL, "--results")
    sent = in_a_terminal(*run, "a", cwd=tmp_path, width=60)
    assert COLOUR.search(sent)
    progress = [line for line in shown(sent) if re.search(r"\d/4 trials", line)]
    assert max(map(len, progress)) <= 60
    assert progress[-1].strip().startswith("4/4 trials")
    dumb = in_a_terminal(*run, "c", cwd=tmp_path, TERM="dumb")
    assert ESCAPE not in dumb
    assert "\r" not in dumb.replace("\r\n", "\n")
    assert "4/4 trials, " in dumb
    piped = sacma(*run, "d", cwd=tmp_path, TERM="xterm-256color")
    assert "4/4 trials, " in piped.stdout
    for text in (piped.stdout, piped.stderr):
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)


def test_logs_are_not_redrawn_though_colour_is_forced(tmp_path: Path) -> None:
    """FORCE_COLOR in a log, as continuous integration sets it: lines, nothing that moves the cursor."""
    run = ("run", CONFIGS / "cmaes.yaml", *SMALL)
    done = successful(*run, cwd=tmp_path, FORCE_COLOR="1")
    report = reported(cwd=tmp_path, FORCE_COLOR="1")
    for text in (done.stdout, report.stdout):
        assert not re.search(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\r", text)  # all but m, which colours
    assert "4/4 trials, " in done.stdout
    assert "figures …" in report.stdout


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_long_progress_in_any_window(study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Of a long study with hours left, counts and time left are always seen; a bar where there is room."""
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    specs = plan([study("ada_kendall")])
    tally = Tally(specs, CostModel())
    console = Console(width=width, force_terminal=True, color_system=None, legacy_windows=False)
    monkeypatch.setattr("sacma.cli.progress.redraws", lambda _: True)
    with console.capture() as capture, Progress(tally, console) as display:
        for number in range(1, 1001):
            clock[0] += 20.0
            outcome = Outcome(
                TrialStatus.BUDGET_USED, 5000, 1.0, (1,), (1.0,), 1, 0, 0, {}, CPUSeconds(0, 0, 0, 0, 20.0)
            )
            result = FinishedTrial(specs[number - 1], outcome, b"")
            display.show(Attempt(result, last=True))
    last = next(line for line in reversed(shown(capture.get())) if line)
    assert "1000/1800 trials, " in last
    assert re.search(r"\d+:\d\d:\d\d left", last)
    assert len(last) <= width
    assert ("━" in last) == (width >= 60)


def test_messages_are_one_line_in_a_narrow_pipe(tmp_path: Path) -> None:
    """What programs may read is not folded, whatever the width that the environment says."""
    run = ("run", CONFIGS / "cmaes.yaml", *SMALL, "--results", "a_rather_long_name_of_a_folder_of_results")
    done = sacma(*run, cwd=tmp_path, width=40)
    assert "next: sacma postprocess a_rather_long_name_of_a_folder_of_results" in done.stdout
    wrong = sacma("run", "nowhere.yaml", cwd=tmp_path, width=40)
    assert len(wrong.stderr.splitlines()) == 1


def test_streams_may_be_closed(tmp_path: Path) -> None:
    """Workers are started, and trials kept, with the standard streams closed."""
    closed = ">&- 2>&- <&-"
    trial = ("--functions", "1", "--dimensions", "2", "--instances", "1", "--budget", "5", "--jobs", "1")
    command = [sys.executable, "-m", "sacma", "run", str(CONFIGS / "cmaes.yaml"), *trial]
    done = subprocess.run(["/bin/sh", "-c", f'"$@" {closed}', "sh", *command], cwd=tmp_path, check=False, timeout=120)
    assert done.returncode == 0
    assert len(list((tmp_path / "results" / "records" / "CMA-ES").iterdir())) == 1


def test_no_columns_are_as_none_said(tmp_path: Path) -> None:
    """A terminal that says 0 columns still shows messages."""
    assert "nothing.yaml: no such config file" in refusal("run", "nothing.yaml", cwd=tmp_path, process=True, COLUMNS=0)


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """Is said in one line."""
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "sacma", "status"]
    script = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *command], cwd=gone, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "sacma: the current folder is gone; start sacma in another\n")


def test_a_reader_that_goes_away_is_told(tmp_path: Path) -> None:
    """A command whose output nobody reads any more ends with one line, not silently."""
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "sacma", "algorithms"]
    try:
        done = subprocess.run(
            command, stdout=written, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path, env=environment()
        )
    finally:
        os.close(written)
    assert (done.returncode, done.stderr) == (1, "sacma: whoever read the output has gone\n")
