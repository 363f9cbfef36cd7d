"""Journals and saved optimizers: lines of JSON, a header and then one an evaluation.

The header has the call, its limits and versions. The line of an evaluation has its number, counted from 1 in the order
in which points were asked for (0: it was not); its place among the points that the search waited for; its point; and
its value, or why it failed. Lines stand in the order in which evaluations ended. Each ends with its checksum.
"""

import fcntl
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import Field, ValidationError

from sacma.errors import RunError
from sacma.files.atomic import write_atomically
from sacma.files.checksum import checksum
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import first_problem, open_regular, parse_json
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call, check_size, checked_limits
from sacma.optimize.evaluation import Evaluation, LogEntry, as_arrays
from sacma.optimize.header import FORMAT, CallContent, Header, Strict, Vector, call_of, header_of, method_in, versions
from sacma.optimize.methods import class_name
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array

LARGEST_JOURNAL = 1 << 30  # bytes: some million evaluations
LARGEST_HEADER = 64 << 20  # bytes: the header holds known points
LARGEST_NUMBER = 10**18  # of an evaluation
LONGEST_VERSIONS = 300  # characters in messages


_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Beginning of every journal, half a header included: no other file is ever taken for one."""

_AS_IT_WAS = "allowed: a journal of sacma as it was written, or a path without a file"

_CHECKED = re.compile(rb', "crc": "([0-9a-f]{8})"\}\n\Z')


class _Line(Strict):
    number: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
    point: Vector
    value: float | None = None
    constraints: list[float] = []  # noqa: RUF012 pydantic copies it
    failure: Annotated[str, Field(min_length=1)] | None = None
    place: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)] | Literal["beside", "known"]
    moved: bool = False
    late: bool = False


Kind = TypeVar("Kind", bound=Strict)


class _TornError(ValueError):
    """A line without the checksum of its content."""


@dataclass(frozen=True, eq=False, repr=False)
class JournalContent:
    """Content of a journal."""

    header: Mapping[str, Any]  # call, limits and versions that it was written with
    entries: Sequence[LogEntry]  # in the order in which they ended
    call: Call  # that the header is of; in place of a method whose class is the user's own, the default strategy

    def __repr__(self) -> str:
        return f"JournalContent({len(self.entries)} evaluations in {len(self.call.x0)}-D)"

    @property
    def own_class(self) -> str | None:
        """Name of the user's own class that the settings of the method are of; None: they are of an installed one."""
        name: str | None = self.header["call"]["own_class"]
        return name

    def call_with(self, method: object, budget: int | None, path: object) -> Call:
        """Return the call, with settings of the class of ``method`` where that is the user's own.

        Args:
            method: settings of this class, or None.
            budget: in place of that of the call; None: that, or the number of all evaluations where it is larger.
            path: of the file, for errors.

        Raises:
            TypeError, ValueError: ``method`` is not of this class, or None is needed or missing.
        """
        call = self.call
        evaluations = sum(entry.number > 0 for entry in self.entries)
        limits = replace(call.limits, budget=max(call.limits.budget, evaluations))
        if budget is not None:
            limits = replace(limits, budget=checked_limits(budget=budget).budget)
        call = replace(call, limits=limits)
        if self.own_class is None:
            if method is not None:
                refuse("method", method, "None, as the file names all that its method is made of")
            return call
        if not isinstance(method, StrategySettings) or class_name(type(method)) != self.own_class:
            needed = f"settings of the class {shown(self.own_class)}, with which this file was written"
            refuse("method", method, f"{needed}: no file brings a class")
        try:
            chosen = method_in(
                CallContent.model_validate(self.header["call"]), call.sigma0, call.box.bounded, type(method)
            )
        except ValueError as error:
            raise ValueError(
                f"path is {named(path)}, with settings that {self.own_class} does not allow: {error}; {_AS_IT_WAS}"
            ) from None
        call = replace(call, method=chosen)
        check_size(call)
        return call

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

    @property
    def other_versions(self) -> str:
        """The packages that had another version when it was begun, for people; empty where none had."""
        here = versions()
        changed = {name: was for name, was in self.header["versions"].items() if here.get(name) != was}
        text = ", ".join(f"{name} {was}, here {here.get(name, 'none')}" for name, was in changed.items())
        return one_line(text, LONGEST_VERSIONS)


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Return what the journal or the saved optimizer at ``path`` holds. It may be one that is being written to.

    Returns:
        An object with ``points``, shape (n, D); ``values``, shape (n,), NaN where an evaluation failed; ``known``,
        which another call takes as its argument of that name; and in a ``space`` ``params``, a list of n dicts.

    Raises:
        TypeError: ``path`` is none.
        ValueError: there is no journal, or it is damaged.
    """
    where = checked_path("path", path)
    try:
        with os.fdopen(open_regular(where, most=LARGEST_JOURNAL), "rb") as file:
            content, _ = parsed(where, file, "path")
    except OSError as error:
        refuse("path", path, f"a journal that can be read: {error.strerror}")
    if content is None:
        refuse("path", path, "a journal; this file has not even a first line")
    return content


def write_state(path: str | os.PathLike[str], call: Call, entries: Sequence[LogEntry]) -> None:
    """Write call and evaluations, all or nothing, in the form of a journal."""
    where = checked_path("path", path)
    try:
        fits = where.parent.is_dir() and (where.is_file() or not where.exists())
    except OSError:
        fits = False
    if not fits:
        refuse("path", path, "a file that can be written, in a folder that exists")
    if _is_in_use(where):
        refuse("path", path, "another file: this one is the journal of a run that is going on")
    try:
        write_atomically(where, b"".join([header_line(call), *map(line_of, entries)]))
    except RunError as error:
        refuse("path", path, f"a file that can be written: {error}")


def _is_in_use(path: Path) -> bool:
    """Return True if a run has the journal at ``path`` open."""
    try:
        with os.fdopen(open_regular(path, most=LARGEST_JOURNAL), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # no file, or a file system without locks
    return False


def checked_path(name: str, path: object) -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | os.PathLike):
        refuse(name, path, "the path of a file", of_type=True)
    if not str(path) or "\0" in str(path):
        refuse(name, path, "the path of a file")
    return Path(path)


def header_line(call: Call) -> bytes:
    """Return the first line of a journal; refuse a call, or known points, that are too large for one."""
    header = to_line(header_of(call))
    if len(header) > LARGEST_HEADER:
        given = f"{len(header) >> 20} MiB large, as it is written"
        refuse("known", given, f"at most {LARGEST_HEADER >> 20} MiB, to be written to a journal")
    return header


def line_of(entry: LogEntry) -> bytes:
    """Return the line of an evaluation."""
    evaluation = entry.evaluation
    content: dict[str, Any] = {"number": entry.number, "place": entry.place, "point": entry.point.tolist()}
    content |= {"failure": evaluation.failure} if evaluation.failure else {"value": evaluation.value}
    if evaluation.constraints:
        content["constraints"] = list(evaluation.constraints)
    content |= {name: True for name in ("moved", "late") if getattr(entry, name)}
    return to_line(content)


def to_line(content: Mapping[str, Any]) -> bytes:
    """Return a line with its checksum."""
    text = json.dumps(content).encode()
    return text[:-1] + b', "crc": "%b"}\n' % checksum(text)


def _in_line(kind: type[Kind], line: bytes, most: int) -> Kind:
    """Return the content of a line of at most so many bytes; a ValueError where it is none."""
    if len(line) > most:
        raise ValueError(f"it is longer than {most} bytes")
    ending = _CHECKED.search(line)
    if ending is None or checksum(text := line[: ending.start()] + b"}") != ending[1]:
        raise _TornError("its checksum is not that of its content")
    try:
        return kind.model_validate(parse_json(text))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None


def parsed(path: Path, file: IO[bytes], name: str) -> tuple[JournalContent | None, int]:
    """Return what is whole of a journal, None without a header, and the number of bytes that it takes.

    What no run writes is a ValueError, with ``name``, the argument, and its ``path``.
    """
    which = f"{name} is {named(path)}"
    beginning = file.read(40)
    if beginning[: len(_BEGINNING)] != _BEGINNING[: len(beginning)]:
        raise ValueError(f"{which}, which begins with {shown(beginning)}; {_AS_IT_WAS}")
    file.seek(0)
    first = file.readline(LARGEST_HEADER + 1)
    if not first.endswith(b"\n") and len(first) <= LARGEST_HEADER:
        return None, 0
    try:
        header = _in_line(Header, first, LARGEST_HEADER)
        call = call_of(header)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{which}, with a header that is damaged (line 1): {error}; {_AS_IT_WAS}") from None
    entries: list[LogEntry] = []
    numbers: set[int] = set()
    most = 32 * (len(call.x0) + len(call.equalities)) + 32_768  # a float takes 26 bytes, a character of a failure 12
    size, line = len(first), file.readline(most + 1)
    while line.endswith(b"\n") or len(line) > most:
        following = file.readline(most + 1)
        try:
            entry = _entry_of(_in_line(_Line, line, most), call, numbers)
        except ValueError as error:
            torn = isinstance(error, _TornError)
            if torn and not following.endswith(b"\n") and len(following) <= most:
                break  # the last line was not written to its end, on a file system that loses the order of writes
            where = f"line {len(entries) + 2} is {shown(line[:80])}"
            raise ValueError(f"{which}, of which {where}: {error}; {_AS_IT_WAS}") from None
        entries.append(entry)
        size += len(line)
        line = following
    return JournalContent(header.model_dump(), entries, call), size


def _entry_of(line: _Line, call: Call, numbers: set[int]) -> LogEntry:
    """Return the evaluation of a line; ``numbers`` are those of the lines before."""
    if line.number in numbers:
        raise ValueError(f"its number is {line.number}, as that of a line before")
    if line.number:
        numbers.add(line.number)
    if len(line.point) != len(call.x0):
        raise ValueError(f"its point has {len(line.point)} coordinates, not {len(call.x0)}")
    if (line.value is None) == (line.failure is None):
        raise ValueError("it has not one of value and failure")
    if len(line.constraints) != (0 if line.value is None else len(call.equalities)):
        raise ValueError(f"it has {len(line.constraints)} constraints, not {len(call.equalities)}")
    evaluation = Evaluation(math.nan, one_line(line.failure or "") or "failed")
    if line.value is not None:
        evaluation = Evaluation(line.value, constraints=tuple(line.constraints))
    return LogEntry(line.number, np.array(line.point, dtype=float), evaluation, line.place, line.moved, line.late)
