"""The end of a process: how it ended, in words, and together with its parent."""

import os
import re
import signal
import threading
import time
from contextlib import suppress

BETWEEN_LOOKS = 1.0  # seconds, of a worker process, at whether its parent is alive

Death = tuple[str, int]  # "exit" and its code, or "signal" and its number


def death_in(message: str) -> Death | None:
    """Return how a process ended, where a message of joblib says it.

    >>> death_in("The exit codes of the workers are {SIGKILL(-9)}")
    ('signal', 9)
    """
    code = re.search(r"\{(\w+)\((-?\d+)\)\}", message)
    return code and ("exit" if code[1] == "EXIT" else "signal", abs(int(code[2])))


def death_of(process: int) -> Death | None:
    """Return how a child of this process ended; None while it runs, or where something has waited for it.

    joblib does not see a death while a child of the dead process holds its pipe.
    """
    with suppress(ChildProcessError):
        found = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return "exit" if found.si_code == os.CLD_EXITED else "signal", found.si_status
    return None


def in_words(death: Death | None) -> str:
    """Return how its process ended, as failures tell it.

    >>> in_words(("exit", 3))
    'its process ended itself with exit code 3'
    >>> in_words(("signal", 9))
    'its process was ended by SIGKILL (out of memory?)'
    """
    match death:
        case "exit", code:
            return f"its process ended itself with exit code {code}"
        case "signal", number:
            name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            return f"its process was ended by {name}{' (out of memory?)' if number == signal.SIGKILL else ''}"
        case _:
            return "its process died"


def end_with(parent: int) -> None:
    """End this process as soon as its parent has ended, by whatever: nobody would take what it computes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
