"""Journals of runs and saved optimizers: lines of JSON, a header and then one an evaluation.

The header has the call, its limits and versions. The line of an evaluation has its number, counted from 1 in the order
in which points were asked for (0: it was not); its place among the points that the search waited for; its point; and
its value, or why it failed. Lines stand in the order in which evaluations ended. Each ends with its checksum, and is on
the disk before anything follows from it.
"""

import contextlib
import errno
import fcntl
import json
import math
import os
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import Field, ValidationError

from sacma.errors import RunError
from sacma.files.atomic import sync_folder, write_atomically
from sacma.files.checksum import checksum
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import first_problem, open_regular, parse_json
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call, checked_limits
from sacma.optimize.evaluation import Evaluation, LogEntry, as_arrays
from sacma.optimize.header import FORMAT, Header, Strict, call_of, difference, header_of
from sacma.optimize.methods import class_name
from sacma.optimize.result import Result
from sacma.strategy.settings import StrategySettings
from sacma.types import Array

LARGEST_JOURNAL = 1 << 30  # bytes: some million evaluations
LARGEST_HEADER = 64 << 20  # bytes: the header holds known points

_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Beginning of every journal, half a header included: no other file is ever taken for one."""

_ENDING = len(b', "crc": "01234567"}\n')
_WRITABLE = "a file that can be written, in a folder that exists"
_AS_IT_WAS = "allowed: a journal of sacma as it was written, or a path without a file"

Count = Annotated[int, Field(ge=0, le=10**18)]
Kind = TypeVar("Kind", bound=Strict)


class _Line(Strict):
    """The line of an evaluation."""

    number: Count
    place: Count | Literal["beside", "known"]
    point: list[float]
    value: float | None = None
    failure: str = ""
    constraints: list[float] = []  # noqa: RUF012 pydantic copies it
    moved: bool = False
    late: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class JournalContent:
    """Content of a journal."""

    header: Header  # that it was begun with
    entries: Sequence[LogEntry]  # in the order in which they ended
    call: Call  # that the header is of; in place of a method whose class is the user's own, the default strategy

    def __repr__(self) -> str:
        return f"JournalContent({len(self.entries)} evaluations in {len(self.call.x0)}-D)"

    def call_with(self, method: StrategySettings | None, budget: int | None, path: object) -> Call:
        """Return the call, with settings of the class of ``method`` where that is the user's own.

        Args:
            method: settings of this class; None where the file needs none.
            budget: in place of that of the call; None: that, or the number of all evaluations where it is larger.
            path: of the file, for errors.
        """
        own = self.header.call.method.own_class
        if own != (None if method is None else class_name(type(method))):
            needed = f"settings of the class {shown(own)}, with which this file was written: no file brings a class"
            refuse("method", method, needed if own else "None, as the file names all that its method is made of")
        try:
            call = call_of(self.header, None if method is None else type(method))
        except ValueError as error:
            raise ValueError(f"path is {named(path)}, which {own} does not allow: {error}; {_AS_IT_WAS}") from None
        most = max(call.limits.budget, sum(entry.number > 0 for entry in self.entries))
        most = most if budget is None else checked_limits(budget=budget).budget
        return replace(call, limits=replace(call.limits, budget=most))

    @property
    def points(self) -> Array:
        """All points in the order of their numbers, shape (n, D)."""
        return self.known[0]

    @property
    def values(self) -> Array:
        """Their values, shape (n,), NaN where an evaluation failed."""
        return self.known[1]

    @property
    def params(self) -> list[dict[str, Any]]:
        """Parameters of all points, in a space of named ones; without, an empty list."""
        space = self.call.space
        return [] if space is None else [space.params(point) for point in self.points]

    @property
    def known(self) -> tuple[Array, ...]:
        """Points and values, with constraints also these, as ``known=`` of another call takes them."""
        ordered = sorted(self.entries, key=lambda entry: entry.number)
        arrays = as_arrays(ordered, len(self.call.x0), m := len(self.call.equalities))
        return arrays if m else arrays[:2]


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Return what the journal or the saved optimizer at ``path`` holds. It may be one that is being written to.

    Returns:
        An object with ``points``, shape (n, D); ``values``, shape (n,), NaN where an evaluation failed; ``known``,
        which another call takes as its argument of that name; and in a ``space`` ``params``, a list of n dicts.

    Raises:
        TypeError: ``path`` is none.
        ValueError: there is no journal, or it is damaged.
    """
    with (
        _file_at("path", path, "a journal that can be read") as where,
        os.fdopen(open_regular(where, most=LARGEST_JOURNAL), "rb") as file,
    ):
        content, _ = _parsed("path", where, file)
    if content is None:
        refuse("path", path, "a journal; this file has not even a first line")
    return content


def write_state(path: str | os.PathLike[str], call: Call, entries: Sequence[LogEntry]) -> None:
    """Write call and evaluations, all or nothing, in the form of a journal."""
    content = _written(call, entries)
    with _file_at("path", path, _WRITABLE) as where:
        where.parent.stat()
        if where.exists():
            with os.fdopen(open_regular(where, most=LARGEST_JOURNAL), "rb") as file:
                _lock(file.fileno(), fcntl.LOCK_SH)
        write_atomically(where, content)


@contextlib.contextmanager
def _file_at(name: str, path: object, allowed: str) -> Iterator[Path]:
    """Yield the path of a file, which is refused where something cannot be done with it."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        refuse(name, path, "the path of a file", of_type=not isinstance(path, str))
    try:
        yield Path(path)
    except BlockingIOError:
        refuse(name, path, "one that no other run is writing to; an optimizer lets go of its own by close()")
    except (OSError, RunError) as error:
        refuse(name, path, f"{allowed}: {getattr(error, 'strerror', error)}")


def _written(call: Call, entries: Sequence[LogEntry] = ()) -> bytes:
    """Return the lines of a journal; refuse a call, or known points, that are too large for one."""
    header = to_line(header_of(call).model_dump())
    if len(header) > LARGEST_HEADER:
        given = f"{len(header) >> 20} MiB large, as it is written"
        refuse("known", given, f"at most {LARGEST_HEADER >> 20} MiB, to be written to a journal")
    return b"".join([header, *map(_line_of, entries)])


def _line_of(entry: LogEntry) -> bytes:
    evaluation = entry.evaluation
    content: dict[str, Any] = {"number": entry.number, "place": entry.place, "point": entry.point.tolist()}
    content |= {"failure": evaluation.failure} if evaluation.failure else {"value": evaluation.value}
    if evaluation.constraints:
        content["constraints"] = list(evaluation.constraints)
    return to_line(content | {name: True for name in ("moved", "late") if getattr(entry, name)})


def to_line(content: dict[str, Any]) -> bytes:
    """Return a line with its checksum."""
    return _sealed(json.dumps(content).encode())


def _sealed(text: bytes) -> bytes:
    return text[:-1] + b', "crc": "%b"}\n' % checksum(text)


def _is_whole(line: bytes) -> bool:
    return _sealed(line[:-_ENDING] + b"}") == line


def _in_line(kind: type[Kind], line: bytes) -> Kind:
    """Return the content of a line; a ValueError where it is none."""
    if not _is_whole(line):
        raise ValueError("its checksum is not that of its content")
    try:
        return kind.model_validate(parse_json(line[:-_ENDING] + b"}"))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None


def _parsed(name: str, path: Path, file: BufferedReader) -> tuple[JournalContent | None, int]:
    """Return what is whole of a journal, None without a header, and the number of bytes that it takes.

    What no run writes is a ValueError, with ``name``, the argument, and its ``path``. A last line that was not written
    to its end is left out, and so is one of another checksum: some file systems lose the order of writes.
    """
    entries: list[LogEntry] = []
    numbers: set[int] = set()
    size, line = 0, file.readline(LARGEST_HEADER)
    try:
        if not line.startswith(_BEGINNING[: len(line)]):
            raise ValueError("no journal begins with it")  # noqa: TRY301 it is said where
        if not line.endswith(b"\n") and len(line) < LARGEST_HEADER:
            return None, 0
        header = _in_line(Header, line)
        call = call_of(header)
        most = 32 * (len(call.x0) + len(call.equalities)) + 32_768  # a float takes 26 bytes, a failure's character 12
        size = len(line)
        while line := file.readline(most):
            if len(line) < most and not (line.endswith(b"\n") and (_is_whole(line) or file.peek(1))):
                break
            entries.append(_entry_of(_in_line(_Line, line), call, numbers))
            size += len(line)
    except (TypeError, ValueError) as error:
        where = f"line {1 + len(entries) + (size > 0)} is {shown(line[:80])}"
        raise ValueError(f"{name} is {named(path)}, of which {where}: {error}; {_AS_IT_WAS}") from None
    return JournalContent(header, entries, call), size


def _entry_of(line: _Line, call: Call, numbers: set[int]) -> LogEntry:
    """Return the evaluation of a line; ``numbers`` are those of the lines before."""
    failure = one_line(line.failure)
    D, m = len(call.x0), 0 if failure else len(call.equalities)
    if line.number in numbers:
        raise ValueError(f"its number is {line.number}, as that of a line before")
    if (line.value is None) != bool(failure) or len(line.point) != D or len(line.constraints) != m:
        raise ValueError(f"it has not {D} coordinates, {m} constraints, and a value or a failure")
    numbers |= {line.number} - {0}
    value = math.nan if line.value is None else line.value
    evaluation = Evaluation(value, failure, constraints=tuple(line.constraints))
    return LogEntry(line.number, np.array(line.point, dtype=float), evaluation, line.place, line.moved, line.late)


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
        self.call = call.seeded()
        header = _written(self.call)  # before there is a file
        self.entries: Sequence[LogEntry] = []  # of earlier runs
        self._later: list[LogEntry] = []
        self._file, self._size = -1, 0
        self._identity: tuple[int, int] | None = None
        with _file_at("journal", path, _WRITABLE) as given, contextlib.ExitStack() as undone:
            undone.callback(self.close)
            self.path = given.absolute()  # f may change the folder
            self._open(os.O_CREAT)
            with open(self._file, "rb", closefd=False) as file:
                content, self._size = _parsed("journal", self.path, file)
            if content is not None:
                self.call, self.entries = call.seeded(content.call.seed), content.entries
                self._check_same(content.header)
            os.ftruncate(self._file, self._size)  # what was half written when a run was killed
            if content is None:
                self._write(header)
                with contextlib.suppress(OSError):  # some file systems know no such thing
                    sync_folder(self.path.parent)
            elif retry_failed:
                self.rewrite([each for each in self.entries if not each.evaluation.failure])
            undone.pop_all()

    def _open(self, flags: int = 0) -> None:
        """Open the file, which is this run's until it is closed."""
        self._file = open_regular(self.path, os.O_RDWR | os.O_APPEND | flags, most=LARGEST_JOURNAL)
        self._identity = _identity_of(self._file)
        _journals.add(self)
        _lock(self._file, fcntl.LOCK_EX)

    def _check_same(self, header: Header) -> None:
        """Refuse the journal of another call, by the argument that differs."""
        if found := difference(header, header_of(self.call)):
            raise ValueError(
                f"journal is {named(self.path)}, of another call: {found}; allowed: the same call, or another path; "
                "what is known can be handed over as known=sacma.read_journal(path).known"
            )

    def record(self, entry: LogEntry) -> None:
        """Append an evaluation; it is on the disk when this returns, or a JournalError says why not."""
        line = _line_of(entry)
        try:
            self._check(entry, len(line))
            self._write(line)
        except OSError as error:
            raise JournalError(
                error.errno,
                f"journal is {named(self.path)}, to which no more can be written: {error.strerror}; what was found is "
                "in the error's result, and in ask and tell optimizer.save(path) writes it",
            ) from None
        self._later.append(entry.unraised())

    def rewrite(self, entries: Sequence[LogEntry]) -> None:
        """Write these evaluations in the place of all."""
        content = _written(self.call, entries)
        write_atomically(self.path, content)
        self.close()
        self._open()
        self.entries, self._later, self._size = list(entries), [], len(content)

    def withdraw(self) -> None:
        """Take back what was recorded since it was opened."""
        with contextlib.suppress(OSError, RunError):
            self.rewrite(self.entries)

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

    def _check(self, entry: LogEntry, length: int) -> None:
        """See to it that a line which is appended will be found where the journal is said to be."""
        if self._file < 0:
            raise OSError(errno.EBADF, "it is not open any more in this process")
        if self._size + length > LARGEST_JOURNAL:
            raise OSError(errno.EFBIG, f"it has grown to the {LARGEST_JOURNAL >> 20} MiB that are read of one")
        there = _identity_of(self.path)
        if there == self._identity == _identity_of(self._file) and os.fstat(self._file).st_size == self._size:
            return
        what = "removed or moved away" if there is None else "replaced, changed or closed by something else"
        content = _written(self.call, [*self.entries, *self._later, entry])
        for place in (self.path, self.path.with_name(f"{self.path.name}.saved")):
            if not os.path.lexists(place):
                with contextlib.suppress(RunError):
                    write_atomically(place, content)
                    what += f"; all of it is now in {named(place)}, from where the same call goes on"
                    break
        raise OSError(errno.ENOENT, f"it was {what}")

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0 and _identity_of(self._file) == self._identity:  # else it is somebody else's by now
            os.close(self._file)
        self._file = -1


_journals = weakref.WeakSet[Journal]()
"""Journals of this process. A process that is forked from it, as workers are, keeps none of their files open."""


def _leave_to_the_parent() -> None:
    for journal in _journals:
        journal.close()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def _identity_of(file: Path | int) -> tuple[int, int] | None:
    """Return what tells a file from all others; None where there is none."""
    try:
        status = os.stat(file)  # noqa: PTH116 at each evaluation
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _lock(file: int, how: int) -> None:
    """Lock a file, unless its file system knows no locks; a BlockingIOError where another run has it."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass
