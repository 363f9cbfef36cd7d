"""Calls of the operating system that are others on Windows.

Conditions name ``sys.platform``: the type checker then sees the branch of the platform that it is asked about.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

# Flags of ``os.open``: processes do not inherit a file; we neither wait for the writer of a pipe nor follow links.
if sys.platform == "win32":
    import msvcrt
    import subprocess

    OPENED = os.O_BINARY | os.O_NOINHERIT
    NO_LINK = 0
    CONNECTION = "PipeConnection"
    LOCKED = 2**30  # the byte that is locked, beyond the content, which others may read

    def _locking(file: int, how: int) -> None:
        os.lseek(file, LOCKED, os.SEEK_SET)  # whoever reads or writes names the place
        msvcrt.locking(file, how, 1)

else:
    import fcntl

    OPENED = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    NO_LINK = os.O_NOFOLLOW
    CONNECTION = "Connection"


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock a file until it is closed or its process ends; on Windows a shared lock is exclusive, too.

    Raises:
        BlockingIOError: another process has it, and is not waited for.
        OSError: the file system knows no locks.
    """
    if sys.platform == "win32":
        while True:
            try:
                _locking(file, msvcrt.LK_NBLCK)
            except PermissionError:
                if not wait:
                    raise BlockingIOError from None
                time.sleep(0.1)
            else:
                return
    else:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def unlock(file: int) -> None:
    """Give a lock back before the file is closed: a child that was forked meanwhile has it, too."""
    if sys.platform == "win32":
        _locking(file, msvcrt.LK_UNLCK)
    else:
        fcntl.flock(file, fcntl.LOCK_UN)


def in_forked_children(call: Callable[[], object]) -> None:
    """Call a function in each process that is forked from this one; Windows forks none."""
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=call)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Sync a folder to the disk, so that new names in it are not lost; Windows does so itself."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_mine(status: os.stat_result) -> bool:
    """Return whether a file belongs to this process's user; on Windows the temporary folder is the user's own."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def is_alive(process: int) -> bool:
    """Return whether a process with this number runs; on Windows True, since signal 0 would interrupt it."""
    if sys.platform != "win32":
        with contextlib.suppress(PermissionError):  # it is another user's
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return False
    return True


def kill_group(process: int) -> None:
    """End a process that leads a group, with all that it has started; OSError where there is none."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 its own program, a number of ours
    else:
        os.killpg(process, signal.SIGKILL)


def end_own_group() -> None:
    """End this process, which leads a group, with all that it has started."""
    if sys.platform == "win32":
        kill_group(os.getpid())
    else:
        os.killpg(0, signal.SIGKILL)


def given_to_a_group(handle: int) -> dict[str, Any]:
    """Return the options of ``subprocess.Popen`` for a process that leads a group and gets a pipe's handle."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)  # noqa: FBT003 as Python has it
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})
        return {"startupinfo": startup, "close_fds": False, "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"pass_fds": [handle], "process_group": 0}


def keep_from_children(handle: int) -> None:
    """Let no process that this one starts have a pipe's handle."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, False)  # noqa: FBT003 as Python has it
    else:
        os.set_inheritable(handle, False)  # noqa: FBT003


def is_parent(process: int, connection: Connection) -> bool:
    """Return whether this process's parent, at the other end of a pipe, still runs."""
    if sys.platform != "win32":
        return os.getppid() == process
    try:  # the number of a parent stays when it has ended
        connection.poll()
    except OSError:
        return False
    return True
