"""The command line as tests give it: in this process, or where that matters in one of its own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Self
from unittest import mock

from matplotlib.figure import Figure

from sacma.__main__ import main
from sacma.algorithms.registry import ALGORITHMS
from sacma.analysis.figures import files
from sacma.analysis.figures.files import Written, write
from sacma.cli import console
from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.experiment import run
from sacma.experiment.trial import attempt
from sacma.experiment.workers import Result
from sacma.files.scratch import scratch

HOSTILE = Path(__file__).parent / "hostile"

# Environment variables that act as well when they are set after the start of a process.
SIMPLE = {
    "COLUMNS",
    "COMP_CWORD",
    "COMP_WORDS",
    "FORCE_COLOR",
    "NO_COLOR",
    "PYTHONIOENCODING",
    "SACMA_RESULTS",
    "TERM",
    "_SACMA_COMPLETE",
}

NEED_PROCESSES = {"--scheduler", "--trial-timeout"}  # arguments that need worker processes

SIGNALS = [signal.SIGINT, signal.SIGTERM]
if sys.platform != "win32":
    SIGNALS.append(signal.SIGALRM)

Completed = subprocess.CompletedProcess[str]


def sacma(*arguments: object, cwd: Path, width: int = 80, process: bool = False, **environ: object) -> Completed:
    """Run a command with hostile algorithms within reach, and return its exit code and what it printed.

    In this process, trials are run and figures are drawn one after the other.

    Args:
        arguments: of the command.
        cwd: current folder.
        width: of the terminal, in columns.
        process: whether the command is to have a process of its own, and worker processes. It has where an argument or
            a variable needs that.
        environ: environment variables.
    """
    given = [str(argument) for argument in arguments]
    if process or not environ.keys() <= SIMPLE or NEED_PROCESSES.intersection(given):
        return subprocess.run(
            [sys.executable, "-m", "sacma", *given],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=environment(**{"COLUMNS": width, **environ}),
            timeout=600,
        )
    return _run_here(given, cwd, environment(**{"COLUMNS": width, **environ}))


def successful(*arguments: object, cwd: Path, **how: Any) -> Completed:
    """Run a command that is to succeed, and return what it printed."""
    done = sacma(*arguments, cwd=cwd, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def refusal(*arguments: object, cwd: Path, **how: Any) -> str:
    """Run a command that is to be refused, and return its words."""
    done = sacma(*arguments, cwd=cwd, **how)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.splitlines()[-1].startswith("sacma: ")  # of one line; notes may come before
    return " ".join(done.stderr.split())


def reported(*arguments: object, cwd: Path, **how: Any) -> Completed:
    """Make a report with blank figures and without cocopp's pages, and return what was printed."""
    with blank_figures():
        return successful("postprocess", *arguments, "--no-pages", "--no-pdf", cwd=cwd, **how)


@contextlib.contextmanager
def blank_figures() -> Iterator[None]:
    """Let commands of this process draw nothing, which is most of the time that a report of few trials takes."""

    def blank(stem: Path, _make: object, pdf: bool) -> Written:  # noqa: FBT001
        return write(Figure(), stem, pdf=pdf)

    with mock.patch.object(files, "_make", blank):
        yield


COMMANDS = """
import json, sys
from pathlib import Path
from tests.commands import blank_figures, sacma

with blank_figures():
    done = [sacma(*command, cwd=Path.cwd()) for command in json.load(sys.stdin)]
print(json.dumps([[each.args, each.returncode, each.stdout, each.stderr] for each in done]))
"""


def commands_of(sources: Path, *commands: Sequence[str], cwd: Path) -> list[Completed]:
    """Run commands of other sources of sacma than these, in one process; figures are blank."""
    path = os.pathsep.join(map(str, (sources, HOSTILE.parents[1])))
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=cwd,
        env=environment(PYTHONPATH=path),
    )
    return [Completed(*each) for each in json.loads(done.stdout)]


def printed_by(code: str, *arguments: object, cwd: Path | None = None, **environ: object) -> str:
    """Run Python code in a process of its own, and return what it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, cwd=cwd, env=environment(**environ)
    ).stdout


def environment(**more: object) -> dict[str, str]:
    """Return the environment of commands."""
    path = os.pathsep.join(filter(None, [str(HOSTILE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **{key: str(value) for key, value in more.items()}}


class NoWorkers:
    """Stands in for worker processes: trials are run in this one."""

    jobs, ahead = 1, 1

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def prepare(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """Leave it to the trials."""
        return iter(())

    def begin(self, spec: TrialSpec) -> Future[Result]:
        """Run a trial; it gets a copy of its specification, as a process does."""
        future: Future[Result] = Future()
        with scratch(in_memory=True) as folder, contextlib.chdir(Path.cwd()):  # an algorithm may leave it
            future.set_result(attempt(replace(spec), scratch=folder))
        return future


@contextlib.contextmanager
def no_workers() -> Iterator[None]:
    """Run trials in this process that would run in workers."""
    with mock.patch.object(run, "LocalWorkers", NoWorkers):
        yield


def run_here(root: Path, *studies: Study) -> list[run.Attempt]:
    """Run the trials of studies in this process, each once, and return the attempts."""
    with no_workers():
        events = list(run.run_trials(run.RunRequest.of_studies(studies, root), retries=0))
    return [event for event in events if isinstance(event, run.Attempt)]


def _run_here(arguments: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Completed:
    with (
        mock.patch.dict(os.environ, environ),
        mock.patch.object(sys, "argv", ["sacma", *arguments]),
        no_workers(),
        mock.patch("joblib.cpu_count", return_value=1),  # workers of joblib would keep the folder they were started in
        contextlib.chdir(cwd),
        _own_modules(),
        _own_signals(),
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        with (
            _redirected("stdout", out, environ, "strict"),
            _redirected("stderr", err, environ, "backslashreplace"),
            _own_consoles(),
            _own_warnings(),
        ):
            code = _exit_code()
        return Completed(["sacma", *arguments], code, _text(out), _text(err))


def _exit_code() -> int:
    """Run the command line as Python runs a script."""
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except Exception:  # noqa: BLE001 the border of a process
        traceback.print_exc()
        return 1


@contextlib.contextmanager
def _redirected(name: str, file: IO[bytes], environ: Mapping[str, str], errors: str) -> Iterator[None]:
    """Send a standard stream, Python's and that of the process, to a file."""
    number = {"stdout": 1, "stderr": 2}[name]
    before = os.dup(number)
    os.dup2(file.fileno(), number)
    encoding = environ.get("PYTHONIOENCODING", "utf-8")
    try:
        with (
            open(number, "w", encoding=encoding, errors=errors, closefd=False) as stream,
            mock.patch.object(sys, name, stream),
        ):
            yield
    finally:
        os.dup2(before, number)
        os.close(before)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


@contextlib.contextmanager
def _own_modules() -> Iterator[None]:
    """Let a command find hostile algorithms, and forget what it imports from elsewhere than this process would."""
    path, modules = tuple(filter(None, sys.path)), set(sys.modules)
    with mock.patch.object(sys, "path", [str(HOSTILE), *path]), mock.patch.dict(vars(ALGORITHMS), _from_files={}):
        vars(ALGORITHMS).pop("_added", None)
        try:
            yield
        finally:
            for name in set(sys.modules) - modules:
                file = getattr(sys.modules[name], "__file__", None)
                if file is not None and not file.startswith((*path, str(HOSTILE))):
                    del sys.modules[name]


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _own_consoles() -> Iterator[None]:
    """Let the consoles look at the environment and at the streams, as they do when a process begins."""
    with contextlib.ExitStack() as stack:
        for each in (console.out, console.err):
            options = {name: getattr(each, f"_{name}") for name in ("highlight", "markup", "emoji")}
            fresh = type(each)(stderr=each.stderr, soft_wrap=each.soft_wrap, **options)
            stack.enter_context(mock.patch.dict(vars(each), vars(fresh), clear=True))
        yield


@contextlib.contextmanager
def _own_warnings() -> Iterator[None]:
    """Print warnings as Python does by default; pytest makes errors of them."""

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for ignored in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", ignored)
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
        with mock.patch.object(warnings, "showwarning", show):
            yield
