"""The entry point: answers Ctrl-C and SIGTERM before the slow imports begin."""

import os
import sys
from typing import NoReturn

from sacma.cli.interruption import Interrupted, after_interruption, answer_signals, this_command, was_interrupted
from sacma.errors import RunError, of_the_machine
from sacma.files.printable import printable


def main() -> NoReturn:
    """Run the command line and exit with its code; where the machine fails, in whatever way, with one line."""
    answer_signals()
    open_streams()
    try:
        from sacma.cli.app import main as command_line  # noqa: PLC0415

        code = command_line()
    except BaseException as error:
        # Compiled libraries (pydantic's) answer an exception that passes through them with one of their own.
        if was_interrupted():
            code = after_interruption()
            message = (isinstance(error, Interrupted) and str(error)) or "interrupted; to do it again"
            _say(f"{message}: {this_command()}")
        elif isinstance(error, Exception) and (said := of_the_machine(error)):
            code = RunError.exit_code
            _say(said)
        else:
            raise
    sys.exit(code)


def _say(message: str) -> None:
    try:
        print(printable(f"sacma: {message}"), file=sys.stderr)  # noqa: T201 the console may not be there yet
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def open_streams() -> None:
    """Open the null device in place of standard streams that are closed: libraries and workers take them as given."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this descriptor
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "r" if descriptor == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115


if __name__ == "__main__":
    main()
