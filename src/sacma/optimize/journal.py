"""Journals of runs: a line an evaluation, on the disk before anything follows from it."""

import contextlib
import errno
import fcntl
import json
import os
import re
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sacma.errors import RunError
from sacma.files.atomic import sync_folder, write_atomically
from sacma.files.printable import shown
from sacma.files.untrusted import open_regular
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call
from sacma.optimize.evaluation import LogEntry
from sacma.optimize.header import as_json
from sacma.optimize.result import Result
from sacma.optimize.saved import LARGEST_JOURNAL, JournalContent, checked_path, header_line, line_of, parsed


class JournalError(OSError):
    """A journal to which no more can be written: the disk is full, or the file is no longer there.

    ``result`` is the ``Result`` up to then. In ``minimize`` it has the evaluation that could not be written; in ask
    and tell that one was not taken, and can be told again.
    """

    result: Result | None = None


class Journal:
    """A journal that is open for one run, made where there is none; other processes are kept out of it.

    A call without a seed gets that of the journal. One that is another call's, damaged, in use, or cannot be written is
    a ValueError.
    """

    def __init__(self, path: str | os.PathLike[str], call: Call, *, retry_failed: bool = False) -> None:
        self.path = checked_path("journal", path)
        self._file, self._size, self._process = -1, 0, os.getpid()
        self.call = call.seeded()
        header = header_line(self.call)  # before there is a file
        try:
            self._place = self.path.absolute()  # f may change the folder
            new = not os.path.lexists(self._place)
            self._file = open_regular(self._place, os.O_RDWR | os.O_CREAT | os.O_APPEND, most=LARGEST_JOURNAL)
            self._identity = _identity_of(self._file)
        except OSError as error:
            refuse("journal", path, f"a file that can be written, in a folder that exists: {error.strerror}")
        _open.add(self)
        self._lock(path)
        try:
            with open(self._file, "rb", closefd=False) as file:
                content, self._size = parsed(self.path, file, "journal")
            entries = [] if content is None else content.entries
            self.entries = [each for each in entries if not (retry_failed and each.evaluation.failure)]
            if content is not None:
                self.call = call.seeded(content.call.seed)
                _same_call(self.path, content, self.call)
            os.ftruncate(self._file, self._size)  # what was half written when a run was killed
            if content is None:
                self._write(header)
                with contextlib.suppress(OSError):  # some file systems know no such thing
                    sync_folder(self._place.parent)
        except BaseException as error:
            with contextlib.suppress(OSError):
                if new and not os.fstat(self._file).st_size and self._identity == _identity_of(self._place):
                    self._place.unlink()
            self.close()
            if isinstance(error, OSError):
                refuse("journal", path, f"a file that can be written: {error.strerror}")
            raise
        self._begun = self._size

    def _lock(self, path: object) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            refuse("journal", path, "one that no other run is writing to; an optimizer lets go of its own by close()")
        except OSError:
            pass  # a file system without locks

    def record(self, entry: LogEntry) -> None:
        """Append an evaluation; it is on the disk when this returns, or a JournalError says why not."""
        line = line_of(entry)
        self._check(line)
        try:
            self._write(line)
        except OSError as error:
            kept = "it keeps what it has, and the same call goes on from there"
            self._fail(error.errno, f"to which no more can be written: {error.strerror}; {kept}")

    def rewrite(self, entries: Sequence[LogEntry]) -> None:
        """Write these evaluations in the place of all."""
        write_atomically(self._place, b"".join([header_line(self.call), *map(line_of, entries)]))
        old, self._file = self._file, os.open(self._place, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        os.close(old)
        self._lock(self.path)
        self._identity, self._size = _identity_of(self._file), os.fstat(self._file).st_size
        self._begun = self._size

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Return True if this is the file at a path."""
        return self._file >= 0 and _identity_of(checked_path("path", path)) == self._identity

    def withdraw(self) -> None:
        """Take back what was recorded since it was opened."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, self._begun)
            self._size = self._begun
            os.fsync(self._file)

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
            self._size += len(line)
        except BaseException:
            os.ftruncate(self._file, self._size)  # no line may follow on half a line
            raise

    def _check(self, line: bytes) -> None:
        """See to it that a line which is appended will be found where the journal is said to be."""
        if self._file < 0 or os.getpid() != self._process:
            other = f"is open in process {self._process} alone, from which this one was forked"
            self._fail(errno.EBADF, "which " + ("was closed" if os.getpid() == self._process else other))
        if _identity_of(self._file) != self._identity:
            self._fail(errno.EBADF, "whose descriptor something else has closed")
        if os.fstat(self._file).st_size != self._size:
            self._fail(errno.EIO, "which something else has written to or cut")
        if self._size + len(line) > LARGEST_JOURNAL:
            self._fail(errno.EFBIG, f"which has grown to the {LARGEST_JOURNAL >> 20} MiB that are read of one")
        there = _identity_of(self._place)
        if there != self._identity:
            what = "was removed or moved away" if there is None else "was replaced by another file"
            saved = self._save_again(line)
            where = "" if saved is None else f"; all of it is now in {named(saved)}, from where the same call goes on"
            self._fail(errno.ENOENT, f"which {what} during the run{where}")

    def _save_again(self, line: bytes) -> Path | None:
        """Write a journal that is no longer at its path again, and one more line: there, or beside what is there."""
        content = os.pread(self._file, self._size, 0)
        for place in (self._place, self._place.with_name(f"{self._place.name}.saved")):
            if len(content) == self._size and not os.path.lexists(place):
                with contextlib.suppress(RunError):
                    write_atomically(place, content + line)
                    return place
        return None

    def _fail(self, number: int | None, what: str) -> NoReturn:
        raise JournalError(
            number,
            f"journal is {named(self.path)}, {what}; what was found is in the error's result, and in ask and tell "
            "es.save(path) writes it",
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            if _identity_of(self._file) == self._identity:  # else it is somebody else's by now
                os.close(self._file)
            self._file = -1

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a journal that is open cannot be copied or pickled: it is one run's")


_open = weakref.WeakSet[Journal]()
"""Journals of this process. A process that is forked from it, as workers are, keeps none of their files open."""


def _leave_to_the_parent() -> None:
    for journal in _open:
        journal.close()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def _identity_of(file: Path | int) -> tuple[int, int] | None:
    """Return what tells a file from all others; None where there is none."""
    try:
        status = os.stat(file)  # noqa: PTH116 at each evaluation
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _same_call(path: Path, content: JournalContent, call: Call) -> None:
    """Refuse the journal of another call, by the argument that differs."""
    there, here = content.header["call"], json.loads(json.dumps(as_json(call)))
    differs = _difference("", _named(there), _named(here))
    if differs is not None:
        what, one, other = differs
        raise ValueError(
            f"journal is {named(path)}, of a call with another {what}: {shown(one)} there, {shown(other)} here; "
            "allowed: the same call, or another path; what is known can be handed over as "
            "known=sacma.read_journal(path).known"
        )


def _named(call: dict[str, Any]) -> dict[str, Any]:
    """Return a header's call with its space first, by the names of parameters: bounds follow from it."""
    parameters = [dict(parameter) for parameter in call["space"] or []]
    return {"space": {parameter.pop("name"): parameter for parameter in parameters}} | {
        key: value for key, value in call.items() if key != "space"
    }


_NAMES = {"lower": "bounds", "upper": "bounds", "algorithm": "method", "settings": "method", "own_class": "method"}
"""Arguments of keys of a header's call."""


def _difference(key: str, there: Any, here: Any) -> tuple[str, Any, Any] | None:
    """Return the argument of the first value that differs, and both values; None where none does."""
    if json.dumps(there) == json.dumps(here):  # where 1 is not True
        return None
    if key == "space" and list(there) != list(here):
        return key, list(there), list(here)
    if isinstance(there, dict) and isinstance(here, dict) and there.get("name") != here.get("name"):
        return _difference(f"{key}.name", there.get("name"), here.get("name"))
    if isinstance(there, dict) and isinstance(here, dict) and there.keys() == here.keys():
        found = (_difference(f"{key}.{name}".removeprefix("."), there[name], here[name]) for name in here)
        return next(filter(None, found))
    if key in {"lower", "upper"} and len(there) == len(here):
        found = (_difference(f"{key}[{i}]", *pair) for i, pair in enumerate(zip(there, here, strict=True)))
        return next(filter(None, found))
    return _argument(key, there, here)


def _argument(key: str, there: Any, here: Any) -> tuple[str, Any, Any]:
    """Return the argument that a key of a header's call is of, and both values for people."""
    first, rest = re.match(r"([a-z0-9_]+)(.*)", key).groups()  # type: ignore[union-attr]  # of a header
    if key == "own_class":
        there, here = (f"settings of {name or 'sacma'}" for name in (there, here))
    elif first == "settings":
        return f"{'population_size' if key.endswith('population_size') else 'method'}, in {key}", there, here
    elif first == "space":
        _, name, what = key.split(".", 2)
        return f"space, in {shown(name)}, {what}", there, here
    return _NAMES.get(first, first) + rest, there, here
