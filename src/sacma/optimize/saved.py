"""Journals and saved optimizers: JSON lines, a header and then one an evaluation, and no more.

A line has a number, counted from 1 in the order in which the run asks for points; the point; and the value, or why the
evaluation failed. Lines stand in the order in which evaluations ended, which differs where several run at a time.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from sacma.errors import RunError
from sacma.files.atomic import write_atomically
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import open_regular, parse_json
from sacma.optimize.arguments import named, refuse
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Evaluation, Known, as_arrays
from sacma.optimize.header import FORMAT, call_of, header_of, other_versions, real, to_line
from sacma.surrogate.whitening import Array

LARGEST_JOURNAL = 1 << 30  # bytes: some million evaluations
LARGEST_HEADER = 64 << 20  # bytes: the header holds the archive
LARGEST_NUMBER = 10**18  # largest number of an evaluation

_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Beginning of every journal, half a header included: no other file is ever taken for one."""

_AS_IT_WAS = "allowed: a journal of sacma as it was written, or a path without a file"


@dataclass(frozen=True, eq=False)
class JournalContent:
    """Content of a journal."""

    header: Mapping[str, Any]  # call, limits and versions that it was written with
    evaluations: Known  # by number: point and evaluation
    call: Call  # that the header is of

    @property
    def points(self) -> Array:
        """All points in the order of their numbers, shape (n, D)."""
        return self.archive[0]

    @property
    def values(self) -> Array:
        """Their values, shape (n,), NaN where an evaluation failed."""
        return self.archive[1]

    @property
    def archive(self) -> tuple[Array, Array]:
        """Points and values, as ``archive=`` of another call takes them."""
        return as_arrays(self.evaluations, len(self.call.x0))

    @property
    def other_versions(self) -> str:
        """The packages that had another version when it was begun, for people; empty where none had."""
        return other_versions(self.header)

    def source(self, path: object) -> str:
        """Return ``path`` as errors name it: with the versions that it was written with, where they differ."""
        return named(path) + (f", written with {self.other_versions}" if self.other_versions else "")


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Return what the journal or the saved optimizer at ``path`` holds. It may be one that is being written to.

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


def write_state(path: str | os.PathLike[str], call: Call, evaluations: Known) -> None:
    """Write call and evaluations, all or nothing, in the form of a journal."""
    where = checked_path("path", path)
    try:
        fits = where.parent.is_dir() and (where.is_file() or not where.exists())
    except OSError:
        fits = False
    if not fits:
        refuse("path", path, "a file that can be written, in a folder that exists")
    lines = [header_line(call), *(evaluation_line(number, *line) for number, line in evaluations.items())]
    try:
        write_atomically(where, b"".join(lines))
    except RunError as error:
        refuse("path", path, f"a file that can be written: {error}")


def checked_path(name: str, path: object) -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | os.PathLike):
        refuse(name, path, "the path of a file", of_type=True)
    if not str(path) or "\0" in str(path):
        refuse(name, path, "the path of a file")
    return Path(path)


def header_line(call: Call) -> bytes:
    """Return the first line of a journal; refuse an archive that is too large for one."""
    header = to_line(header_of(call))
    if len(header) > LARGEST_HEADER:
        given = f"{len(header) >> 20} MiB large, as it is written"
        refuse("archive", given, f"at most {LARGEST_HEADER >> 20} MiB, to be written to a journal")
    return header


def evaluation_line(number: int, point: Array, evaluation: Evaluation) -> bytes:
    """Return the line of an evaluation."""
    ended = {"failure": evaluation.failure} if evaluation.failure else {"value": evaluation.value}
    return to_line({"number": number, "point": point.tolist(), **ended})


def parsed(path: Path, file: IO[bytes], name: str) -> tuple[JournalContent | None, int]:
    """Return what is whole of a journal, None without a header, and the number of bytes that it takes.

    Raises:
        ValueError: something is there that no run writes. The message has ``name``, the argument, and its ``path``.
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
        header = _json_of(first, LARGEST_HEADER)
        call = call_of(header)
    except ValueError as error:
        raise ValueError(f"{which}, with a header that is damaged (line 1): {error}; {_AS_IT_WAS}") from None
    evaluations: dict[int, tuple[Array, Evaluation]] = {}
    most = _longest_line(len(call.x0))
    size, line = len(first), file.readline(most + 1)
    while line.endswith(b"\n") or len(line) > most:
        following = file.readline(most + 1)
        try:
            number, evaluation = _evaluation(_json_of(line, most), len(call.x0), evaluations)
        except ValueError as error:
            torn = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            if torn and not following.endswith(b"\n") and len(following) <= most:
                break  # the last line was not written to its end, on a file system that loses the order of writes
            where = f"line {len(evaluations) + 2} is {shown(line[:80])}"
            raise ValueError(f"{which}, of which {where}: {error}; {_AS_IT_WAS}") from None
        evaluations[number] = evaluation
        size += len(line)
        line = following
    return JournalContent(header, dict(sorted(evaluations.items())), call), size


def _longest_line(dimension: int) -> int:
    """Return the bytes of an evaluation's line at most: a float takes 26, a character of a failure's text up to 12."""
    return 32 * dimension + 32_768


def _json_of(line: bytes, most: int) -> Any:
    if len(line) > most:
        raise ValueError(f"it is longer than {most} bytes")
    return parse_json(line)


_SUCCEEDED, _FAILED = {"number", "point", "value"}, {"number", "point", "failure"}


def _evaluation(content: Any, dimension: int, others: Known) -> tuple[int, tuple[Array, Evaluation]]:
    if not isinstance(content, dict) or content.keys() not in (_SUCCEEDED, _FAILED):
        raise ValueError("no object with number, point, and value or failure")
    number, point = content["number"], content["point"]
    if type(number) is not int or not 1 <= number <= LARGEST_NUMBER:
        raise ValueError(f"its number is {shown(number)}, not an integer from 1 to {LARGEST_NUMBER:g}")
    if number in others:
        raise ValueError(f"its number is {number}, as that of a line before")
    if not isinstance(point, list) or len(point) != dimension:
        raise ValueError(f"its point is {shown(point)}, not a list of {dimension} numbers")
    x = np.array([real("a coordinate", coordinate) for coordinate in point])
    if "value" in content:
        return number, (x, Evaluation(real("its value", content["value"])))
    failure = content["failure"]
    if not isinstance(failure, str) or not failure:
        raise ValueError(f"its failure is {shown(failure)}, not text")
    return number, (x, Evaluation(math.nan, one_line(failure) or "failed"))
