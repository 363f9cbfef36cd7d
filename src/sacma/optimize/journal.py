"""Journals of runs: a line an evaluation, on the disk before anything follows from it."""

import contextlib
import errno
import fcntl
import json
import os
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from sacma.errors import RunError
from sacma.files.atomic import sync_folder, write_atomically
from sacma.files.printable import shown
from sacma.files.untrusted import open_regular
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluated
from sacma.optimize.evaluation_lines import evaluation_line
from sacma.optimize.result import Result
from sacma.optimize.run import Run
from sacma.optimize.saved import (
    LARGEST_JOURNAL,
    JournalContent,
    as_json,
    checked_path,
    header_line,
    parsed,
)
from sacma.optimize.space import Space


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

    def __init__(self, path: str | os.PathLike[str], call: Call) -> None:
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
            self.known = {} if content is None else content.evaluations
            self.source = named(self.path) if content is None else content.source(self.path)
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

    def record(self, number: int, evaluated: Evaluated) -> None:
        """Append an evaluation; it is on the disk when this returns, or a JournalError says why not."""
        line = evaluation_line(number, evaluated)
        self._check(line)
        try:
            self._write(line)
        except OSError as error:
            kept = "it keeps what it has, and the same call goes on from there"
            self._fail(error.errno, f"to which no more can be written: {error.strerror}; {kept}")

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Return True if this is the file at a path."""
        return _identity_of(checked_path("path", path)) == self._identity

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


def run_of(call: Call, journal: Journal | None, on_generation: Callable[[Run], None] | None = None) -> Run:
    """Return a run of ``call``, which goes on from its journal, where it has one, and is recorded there."""
    if journal is None:
        return Run(call.seeded(), on_generation=on_generation)
    known, source = journal.known, journal.source
    return Run(journal.call, known=known, source=source, on_record=journal.record, on_generation=on_generation)


def _same_call(path: Path, content: JournalContent, call: Call) -> None:
    """Refuse the journal of another call, by the argument that differs."""
    there, here = content.header["call"], json.loads(json.dumps(as_json(call)))
    if json.dumps(there) == json.dumps(here):  # where 1 is not True
        return
    what, one, other = (
        _difference_of_spaces(content.call.space, call.space)
        or _difference_of_bounds(there, here)
        or _difference_of_noise(there["noisy"], here["noisy"])
        or _difference_of_classes(there["own_class"], here["own_class"])
        or _difference("", there, here)
    )
    if what == "algorithm":
        what = "method"
    elif what.startswith("settings"):
        what = f"{'population_size' if what.endswith('population_size') else 'method'}, in {what}"
    raise ValueError(
        f"journal is {named(path)}, of a call with another {what}: {shown(one)} there, {shown(other)} here; "
        "allowed: the same call, or another path; what is known can be handed over as "
        "archive=sacma.read_journal(path).archive"
    )


Difference = tuple[str, Any, Any]  # what differs, and both values


def _difference_of_spaces(there: Space | None, here: Space | None) -> Difference | None:
    if there is None and here is None:
        return None
    one, other = ({} if space is None else space.parameters for space in (there, here))
    for name in (*one, *other):
        if repr(one.get(name)) != repr(other.get(name)):  # of choices, True is not 1
            return f"space, in {shown(name)}", one.get(name), other.get(name)
    for first, second in zip(one, other, strict=True):
        if first != second:
            return "order of the parameters of the space", f"{first} first", f"{second} first"
    return None


def _difference_of_bounds(there: Mapping[str, Any], here: Mapping[str, Any]) -> Difference | None:
    sides = (zip(call["lower"], call["upper"], strict=True) for call in (there, here))
    for i, (one, other) in enumerate(zip(*sides, strict=False)):
        if one != other:
            return f"bounds[{i}]", one, other
    return None


def _difference_of_noise(there: Mapping[str, int] | None, here: Mapping[str, int] | None) -> Difference | None:
    if there == here:
        return None
    if there is None or here is None:
        return "noisy", there is not None, here is not None
    return "budget, which must stay with noisy=True", there["budget"], here["budget"]


def _difference_of_classes(there: str | None, here: str | None) -> Difference | None:
    if there == here:
        return None
    one, other = (f"settings of {'sacma' if name is None else name}" for name in (there, here))
    return "method", one, other


def _difference(key: str, there: Any, here: Any) -> Difference:
    """Return the dotted key of the first value that differs, and both values, of two that differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        differ = [name for name in ("name", *here) if name in here and name in there and there[name] != here[name]]
        if differ and ("name" in differ or there.keys() == here.keys()):
            return _difference(f"{key}.{differ[0]}".removeprefix("."), there[differ[0]], here[differ[0]])
    return key, there, here
