"""The entry point: answers Ctrl-C and SIGTERM from the first moment on, before the slow imports."""

import shlex
import signal
import sys
from typing import NoReturn

from sacma.files.printable import printable

EXIT_INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The shell's way: 128 and the number of the signal."""

SECONDS_TO_STOP = 5
"""How long after Ctrl-C the interruption is raised again, if it has not come through."""


class Interrupted(BaseException):
    """Ctrl-C, or a cluster whose time is up. Not KeyboardInterrupt, which typer would answer in words of its own."""


_received = signal.SIGINT


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGALRM, _interrupt)
    try:
        from sacma.cli.app import main as command_line  # noqa: PLC0415

        code = command_line()
    except Interrupted as interruption:
        signal.alarm(0)
        message = str(interruption) or "interrupted; to do it again"
        print(printable(f"sacma: {message}: {this_command()}"), file=sys.stderr)  # noqa: T201 the console may not be there yet
        code = EXIT_INTERRUPTED[_received]
    sys.exit(code)


def this_command() -> str:
    """Return the command as it was typed."""
    return shlex.join(["sacma", *sys.argv[1:]])


def _interrupt(number: int, _frame: object) -> NoReturn:
    global _received  # noqa: PLW0603 a signal handler has nowhere else to put it
    if number in EXIT_INTERRUPTED:
        _received = signal.Signals(number)
    for other in EXIT_INTERRUPTED:
        signal.signal(other, signal.SIG_IGN)  # a second Ctrl-C would only disturb the cleaning up
    signal.alarm(SECONDS_TO_STOP)  # an exception that is raised inside a callback of a library may be lost there
    raise Interrupted


if __name__ == "__main__":
    # Not the module that runs as a script: its Interrupted would be another class than the command line's.
    from sacma.__main__ import main as entry_point

    entry_point()
