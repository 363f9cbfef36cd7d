"""The entry point: answers Ctrl-C and SIGTERM before the slow imports begin."""

import sys
from typing import NoReturn

from sacma.cli.interruption import Interrupted, after_interruption, answer_signals, this_command, was_interrupted
from sacma.files.printable import printable


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    answer_signals()
    try:
        from sacma.cli.app import main as command_line  # noqa: PLC0415

        code = command_line()
    except BaseException as error:
        # Compiled libraries (pydantic's) answer an exception that passes through them with one of their own.
        if not was_interrupted():
            raise
        code = after_interruption()
        message = (isinstance(error, Interrupted) and str(error)) or "interrupted; to do it again"
        print(printable(f"sacma: {message}: {this_command()}"), file=sys.stderr)  # noqa: T201 the console may not be there yet
    sys.exit(code)


if __name__ == "__main__":
    main()
