"""The end of a process: how it ended, in words, and together with its parent."""

import os
import re
import signal
import threading
import time
from contextlib import suppress

BETWEEN_LOOKS = 1.0  # seconds, of a worker process, at whether its parent is alive


def death_in(message: str) -> int | None:
    """Return the exit code of a process, where a message of joblib says it.

    >>> death_in("The exit codes of the workers are {SIGKILL(-9)}")
    -9
    """
    code = re.search(r"\{\w+\((-?\d+)\)\}", message)
    return code and int(code[1])


def death_of(process: int) -> int | None:
    """Return the exit code of a child of this process; None while it runs, or where something has waited for it.

    joblib does not see a death while a child of the dead process holds its pipe.
    """
    with suppress(ChildProcessError):
        found = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
    return None


def in_words(code: int | None) -> str:
    """Return how its process ended, as failures tell it, by the exit code, which is below 0 for a signal.

    >>> in_words(3)
    'its process ended itself with exit code 3'
    >>> in_words(-9)
    'its process was ended by SIGKILL (out of memory?)'
    """
    if code is None:
        return "its process died"
    if code >= 0:
        return f"its process ended itself with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"its process was ended by {name}{' (out of memory?)' if -code == signal.SIGKILL else ''}"


def end_with(parent: int) -> None:
    """End this process as soon as its parent has ended, by whatever: nobody would take what it computes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
