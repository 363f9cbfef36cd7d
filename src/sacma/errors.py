"""Errors that a user can mend, and failures of the machine in words."""

import errno
import os
import signal


class SacmaError(Exception):
    """An error of the input or the surroundings: one line with the cause and the remedy."""

    exit_code = 2


class RunError(SacmaError):
    """A failure while running, with input that was right."""

    exit_code = 1


# Resources that the machine lacks, by the text of an error or of one that it hides.
LACKS = {
    "failed to map segment": "memory",
    os.strerror(errno.ENOMEM): "memory",
    os.strerror(errno.EMFILE): "open files",
    "can't start new thread": "threads",
}


def of_the_machine(error: BaseException) -> str | None:
    """Return the failure of the machine behind an error; None for faults of a program.

    >>> of_the_machine(RuntimeError("can't start new thread"))
    'the machine gives no more threads: free some, or use fewer processes'
    """
    match error:
        case BrokenPipeError():
            return "whoever read the output has gone"
        case OSError():
            return f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}"
    before: BaseException | None = error
    while before is not None:
        what = next((what for said, what in LACKS.items() if said in str(before)), None)
        if isinstance(before, MemoryError) or what:
            return f"the machine gives no more {what or 'memory'}: free some, or use fewer processes"
        before = before.__cause__ or before.__context__
    return None


KILLED = 9  # the number of SIGKILL, which Windows does not name


def in_words(code: int) -> str:
    """Return how a process ended, by its exit code, which is below 0 for a signal.

    >>> in_words(3)
    'its process ended itself with exit code 3'
    >>> in_words(-9)
    'its process was ended by SIGKILL (out of memory?)'
    """
    if code >= 0:
        return f"its process ended itself with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"its process was ended by {name}{' (out of memory?)' if -code == KILLED else ''}"
