"""Ctrl-C and SIGTERM: answered from the start of the program on, with the command to resume."""

import shlex
import signal
import sys
from typing import NoReturn

EXIT_INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143}  # the shell's way: 128 and the number of the signal
SECONDS_TO_STOP = 5  # after Ctrl-C, until the interruption is raised again, if it has not come through


class Interrupted(BaseException):
    """Ctrl-C, or the end of a job's time; no KeyboardInterrupt, which typer would answer itself."""


_received: signal.Signals | None = None


def answer_signals() -> None:
    """Raise ``Interrupted`` at Ctrl-C and SIGTERM from now on."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _interrupt)


def was_interrupted() -> bool:
    """Return whether Ctrl-C or SIGTERM came: then it has ended the program, whatever was raised."""
    return _received is not None


def after_interruption() -> int:
    """Let no interruption be raised again; return the exit code."""
    _interrupt_again_after(0)
    return EXIT_INTERRUPTED[_received or signal.SIGINT]


def this_command(*more: str) -> str:
    """Return the command as it was typed, with ``more`` options."""
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    return shlex.join(["sacma", *given[:end], *more, *given[end:]])


def _interrupt_again_after(seconds: int) -> None:
    if sys.platform != "win32":
        signal.alarm(seconds)


def _interrupt(number: int, _frame: object) -> NoReturn:
    global _received  # noqa: PLW0603 a signal handler has nowhere else to put it
    if number in EXIT_INTERRUPTED:
        _received = signal.Signals(number)
    for other in EXIT_INTERRUPTED:
        signal.signal(other, signal.SIG_IGN)  # a second Ctrl-C would only disturb the cleaning up
    # An exception that is raised inside a callback of a library may be lost there.
    _interrupt_again_after(SECONDS_TO_STOP)
    raise Interrupted
