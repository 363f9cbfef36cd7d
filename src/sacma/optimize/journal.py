"""Journals of runs and saved optimizers: lines of JSON, a header and then one an evaluation.

The header has the call, its limits and versions. The line of an evaluation has its number, counted from 1 in the order
in which points were asked for (0: it was not); its place among the points that the search waited for; its point; and
its value, or why it failed. A point of ``ask(n)``, which another process may tell, has a line before. Lines stand in
the order in which evaluations ended. Each ends with its checksum, and is on the disk before anything follows from it.
"""

import contextlib
import errno
import json
import math
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import Field, ValidationError

from sacma.errors import RunError
from sacma.files.atomic import write_atomically
from sacma.files.checksum import checksum
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import first_problem, open_regular, parse_json
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call
from sacma.optimize.evaluation import PENDING, Evaluation, LogEntry, as_arrays, pending_entries
from sacma.optimize.header import FORMAT, Header, Point, Strict, difference, dimension_of
from sacma.optimize.space import Space, space_of
from sacma.system import in_forked_children, lock, sync_folder
from sacma.types import Array

if TYPE_CHECKING:
    from sacma.optimize.result import Result

LARGEST_JOURNAL = 1 << 30  # bytes: some million evaluations
LARGEST_LINE = 64 << 20  # bytes: the header holds known points

# Beginning of every journal, half a header included: no other file is ever taken for one.
_BEGINNING = f'{{"format": "{FORMAT}"'.encode()

_ENDING = len(b', "crc": "01234567"}\n')
_WRITABLE = "a file that can be written, in a folder that exists"
_AS_IT_WAS = "allowed: a journal of sacma as it was written, or a path without a file"

Count = Annotated[int, Field(ge=0, le=10**18)]

Kind = TypeVar("Kind", bound=Strict)


class _Line(Strict):
    """The line of an evaluation, or of a pending point."""

    number: Count
    place: Count | Literal["beside", "known", "pending"]
    point: Point
    value: float | None = None
    failure: str = ""
    constraints: list[float] = Field(default_factory=list)
    moved: bool = False
    late: bool = False

    @classmethod
    def of(cls, entry: LogEntry) -> bytes:
        """Return the line of an evaluation; flags are written only where they are True."""
        _, failure, _, constraints = entry.evaluation
        content: dict[str, Any] = {"number": entry.number, "place": entry.place, "point": entry.point.tolist()}
        if entry.place != PENDING:
            content |= {"failure": failure} if failure else {"value": entry.evaluation.value}
        content |= {"constraints": constraints} if constraints else {}
        return to_line(content | {name: True for name in ("moved", "late") if getattr(entry, name)})

    def entry(self, dimension: int, constraints: int) -> LogEntry:
        """Return the evaluation, of a point of D coordinates and with m constraints."""
        failure = one_line(self.failure)
        has_value = self.value is not None
        sizes = dimension, constraints if has_value else 0
        one_of_them = has_value + bool(failure) + (self.place == PENDING) == 1
        if not one_of_them or (len(self.point), len(self.constraints)) != sizes:
            raise ValueError(f"it has not {dimension} coordinates, {sizes[1]} constraints, and a value or a failure")
        value = math.nan if self.value is None else self.value
        evaluation = Evaluation(value, failure, constraints=tuple(self.constraints))
        return LogEntry(self.number, np.array(self.point), evaluation, self.place, self.moved, self.late)


@dataclass(frozen=True, eq=False, repr=False)
class JournalContent:
    """Content of a journal."""

    header: Header  # that it was begun with
    entries: Sequence[LogEntry]  # in the order in which they ended
    pending: Mapping[int, Array]  # points that were handed out and not told, by number
    space: Space | None  # of named parameters

    def __repr__(self) -> str:
        return f"JournalContent({len(self.entries)} evaluations in {dimension_of(self.header, self.space)}-D)"

    @property
    def points(self) -> Array:
        """All points in the order of their numbers, shape (n, D)."""
        return self._arrays[0]

    @property
    def values(self) -> Array:
        """Their values, shape (n,), NaN where an evaluation failed."""
        return self._arrays[1]

    @property
    def params(self) -> list[dict[str, Any]]:
        """Parameters of all points, in a space of named ones; without, an empty list."""
        return [] if self.space is None else [self.space.params(point) for point in self.points]

    @property
    def known(self) -> tuple[Any, ...]:
        """Points and values, with constraints also these, as ``known=`` of another call takes them.

        In a space points are their parameters: coordinates would be others in a space that has changed.
        """
        points, *others = self._arrays
        return (points if self.space is None else self.params, *others)

    @property
    def _arrays(self) -> tuple[Array, ...]:
        ordered = sorted(self.entries, key=lambda entry: entry.number)
        arrays = as_arrays(ordered, dimension_of(self.header, self.space), m := len(self.header.call.constraints))
        return arrays if m else arrays[:2]


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Read a journal or a saved optimizer, also while another process writes to it.

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


def read_state(path: str | os.PathLike[str]) -> tuple[Call, JournalContent]:
    """Return the call and the content of a journal; errors as of ``read_journal``."""
    content = read_journal(path)
    try:
        return content.header.restored(), content
    except (TypeError, ValueError) as error:
        raise ValueError(f"path is {named(path)}, of which line 1 is no call: {error}; {_AS_IT_WAS}") from None


def write_state(path: str | os.PathLike[str], call: Call, entries: Sequence[LogEntry]) -> None:
    """Write call, evaluations and pending points, all or nothing, in the form of a journal."""
    content = _written(call, entries)
    with _file_at("path", path, _WRITABLE) as where:
        where.parent.stat()
        if where.exists():
            with os.fdopen(open_regular(where, most=LARGEST_JOURNAL), "rb") as file:
                _lock(file.fileno(), shared=True)
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
    header = to_line(Header.of(call).model_dump())
    if len(header) > LARGEST_LINE:
        given = f"{len(header) >> 20} MiB large, as it is written"
        refuse("known", given, f"at most {LARGEST_LINE >> 20} MiB, to be written to a journal")
    return b"".join([header, *map(_Line.of, entries)])


def to_line(content: dict[str, Any]) -> bytes:
    """Return a line with its checksum."""
    return _sealed(json.dumps(content).encode())


def _sealed(text: bytes) -> bytes:
    return text[:-1] + b', "crc": "%b"}\n' % checksum(text)


def _in_line(kind: type[Kind], line: bytes) -> Kind:
    """Return the content of a line; a ValueError where it is none."""
    text = line[:-_ENDING] + b"}"
    if _sealed(text) != line:
        raise ValueError("its checksum is not that of its content")
    try:
        return kind.model_validate(parse_json(text))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None


def _parsed(name: str, path: Path, file: BufferedReader) -> tuple[JournalContent | None, int]:
    """Return the complete lines of a journal, None without a header, and their number of bytes.

    The last line may be cut, and is left out then. Other damage is a ValueError with ``name``, the argument, and its
    ``path``.
    """
    content: JournalContent | None = None
    entries: list[LogEntry] = []
    pending: dict[int, Array] = {}
    numbers, size = set[int](), 0
    line, count = file.readline(LARGEST_LINE), 1
    try:
        if not line.startswith(_BEGINNING[: len(line)]):
            raise ValueError("no journal begins with it")  # noqa: TRY301 it is said where
        while line.endswith(b"\n"):
            if content is None:
                header = _in_line(Header, line)
                space = None if header.call.space is None else space_of(header.call.space)
                content = JournalContent(header, entries, pending, space)
                sizes = dimension_of(header, space), len(header.call.constraints)
            else:
                entry = _in_line(_Line, line).entry(*sizes)
                if entry.number in numbers:
                    raise ValueError(f"its number is {entry.number}, as that of a line before")  # noqa: TRY301 idem
                if entry.place == PENDING:
                    pending[entry.number] = entry.point
                else:
                    numbers |= {entry.number} - {0}
                    pending.pop(entry.number, None)
                    entries.append(entry)
            size += len(line)
            line, count = file.readline(LARGEST_LINE), count + 1
        if file.peek(1):
            raise ValueError("it is too long")  # noqa: TRY301 idem
    except (TypeError, ValueError) as error:
        where = f"line {count} is {shown(line[:80])}"
        raise ValueError(f"{name} is {named(path)}, of which {where}: {error}; {_AS_IT_WAS}") from None
    return content, size


class JournalError(OSError):
    """A journal to which no more can be written: the disk is full, or the file is no longer there.

    ``result`` is the ``Result`` up to then. In ``minimize`` it has the evaluation that could not be written; in ask
    and tell that one was not taken, and can be told again.
    """

    result: "Result | None" = None


class Journal:
    """A journal that is open for one run, made where there is none; other processes are kept out of it.

    A call without a seed gets that of the journal. One that is another call's, damaged, in use, or cannot be written is
    a ValueError.
    """

    def __init__(self, path: str | os.PathLike[str], call: Call, *, retry_failed: bool = False) -> None:
        self._file, self._size = -1, 0
        self.call = call.seeded()
        self.entries: Sequence[LogEntry] = []  # of earlier runs
        self.pending: Mapping[int, Array] = {}  # idem
        header = _written(self.call)  # before there is a file
        with _file_at("journal", path, _WRITABLE) as given, contextlib.ExitStack() as undone:
            undone.callback(self.close)
            self.path = given.absolute()  # f may change the folder
            self._open(os.O_CREAT)
            with open(self._file, "rb", closefd=False) as file:
                content, self._size = _parsed("journal", self.path, file)
            if content is not None:
                self.call = call.seeded(content.header.call.seed)
                self.entries, self.pending = content.entries, content.pending
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
        self._status = os.fstat(self._file)
        # Not __del__: a Ctrl-C that comes while a journal that was closed is collected would be lost.
        self._dropped = weakref.finalize(self, _let_go, self._file, self._status)
        _journals.add(self)
        _lock(self._file)

    def _check_same(self, header: Header) -> None:
        """Refuse the journal of another call, by the argument that differs."""
        there, here = header.call.model_dump(), Header.of(self.call).call.model_dump()
        if json.dumps(there) != json.dumps(here):
            raise ValueError(
                f"journal is {named(self.path)}, of another call: {difference(there, here)}; allowed: the same call, "
                "or another path; what is known can be handed over as known=sacma.read_journal(path).known"
            )

    def record(self, entry: LogEntry) -> None:
        """Append an evaluation; it is on the disk when this returns, or a JournalError says why not."""
        line = _Line.of(entry)
        try:
            self._check(len(line))
            self._write(line)
        except OSError as error:
            raise JournalError(
                error.errno,
                f"journal is {named(self.path)}, to which no more can be written: {error.strerror}; what was found is "
                "in the error's result, and in ask and tell optimizer.save(path) writes it",
            ) from None

    def rewrite(self, entries: Sequence[LogEntry]) -> None:
        """Write these evaluations in the place of all."""
        content = _written(self.call, [*entries, *pending_entries(self.pending)])
        write_atomically(self.path, content)
        self.close()
        self._open()
        self.entries, self._size = list(entries), len(content)

    def withdraw(self) -> None:
        """Remove all evaluations recorded since it was opened."""
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

    def _check(self, length: int) -> None:
        """See to it that a line of a length which is appended will be found where the journal is said to be."""
        if self._file < 0:
            raise OSError(errno.EBADF, "it is not open any more in this process")
        if self._size + length > LARGEST_JOURNAL:
            raise OSError(errno.EFBIG, f"it has grown to the {LARGEST_JOURNAL >> 20} MiB that are read of one")
        here, there = os.fstat(self._file), self.path.stat()
        same = os.path.samestat(here, there) and os.path.samestat(here, self._status)
        if not same or here.st_size != self._size:
            raise OSError(errno.ENOENT, "it was replaced, changed or closed by something else")

    def close(self) -> None:
        """Let go of the file."""
        file, self._file = self._file, -1
        if file >= 0:
            self._dropped.detach()
            _let_go(file, self._status)


def _let_go(file: int, status: os.stat_result) -> None:
    """Close a file, unless its number is somebody else's by now."""
    with contextlib.suppress(OSError):
        if os.path.samestat(os.fstat(file), status):
            os.close(file)


# Journals of this process. A process that is forked from it, as workers are, keeps none of their files open.
_journals = weakref.WeakSet[Journal]()


def _leave_to_the_parent() -> None:
    for journal in _journals:
        journal.close()


in_forked_children(_leave_to_the_parent)


def _lock(file: int, *, shared: bool = False) -> None:
    """Lock a file, unless its file system knows no locks; a BlockingIOError where another run has it."""
    try:
        lock(file, shared=shared)
    except BlockingIOError:
        raise
    except OSError:
        pass
