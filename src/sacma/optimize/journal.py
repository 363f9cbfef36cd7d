"""The evaluations of a run on disk, as JSON lines: a header, then a line each, whole when it is there.

A line has a number, counted from 1 in the order in which the run asks for points; the point; and the value, or why the
evaluation failed. Lines stand in the order in which evaluations ended, which differs where several run at a time.
"""

import contextlib
import fcntl
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from sacma import __version__
from sacma.errors import RunError
from sacma.optimize.arguments import refuse
from sacma.optimize.call import Call, Limits
from sacma.optimize.evaluation import Outcome
from sacma.optimize.run import Known
from sacma.printable import shown
from sacma.surrogate.whitening import Array
from sacma.whole import sync_folder, write_whole

FORMAT = "sacma-journal-1"
"""Of the header; a reader of another format refuses it."""

_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Of every journal, half a header included: no other file is ever taken for one."""

COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")
"""Packages of which another version may ask for other points."""


@dataclass(frozen=True, eq=False)
class JournalContent:
    """What a journal holds.

    Args:
        header: call, limits and versions that it was written with.
        evaluations: by number: point and outcome.
    """

    header: Mapping[str, Any]
    evaluations: Known

    @property
    def points(self) -> Array:
        """All points in the order of their numbers, shape (n, D)."""
        points = [self.evaluations[number][0] for number in sorted(self.evaluations)]
        return np.array(points, dtype=float).reshape(len(points), len(self.header["call"]["x0"]))

    @property
    def values(self) -> Array:
        """Their values, shape (n,), NaN where an evaluation failed."""
        return np.array([self.evaluations[number][1].value for number in sorted(self.evaluations)], dtype=float)

    @property
    def archive(self) -> tuple[Array, Array]:
        """Points and values, as ``archive=`` of another call takes them."""
        return self.points, self.values

    @property
    def other_versions(self) -> str:
        """Which packages had another version when it was begun, in words; empty where none had."""
        here = _versions()
        others = {name: was for name, was in self.header.get("versions", {}).items() if here.get(name) != was}
        return ", ".join(f"{name} {was}, here {here.get(name, 'none')}" for name, was in others.items())

    def source(self, path: object) -> str:
        """Return ``path`` as errors name it: with the versions that it was written with, where they differ."""
        return f"{path}" + (f", written with {self.other_versions}" if self.other_versions else "")

    def call(self) -> Call:
        """Return the call that it is of.

        Raises:
            KeyError, TypeError, ValueError: the header is none of ours.
        """
        limits = {name: value for name, value in self.header["limits"].items() if value is not None}
        return Call.of_header(self.header["call"], Limits(**limits))


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Return what the journal or the saved optimizer at ``path`` holds. It may be one that is being written to.

    Raises:
        TypeError: ``path`` is none.
        ValueError: there is no journal, or it is damaged.
    """
    where = _path("path", path)
    try:
        content, _ = _parse(where, where.read_bytes())
    except OSError as error:
        refuse("path", path, f"a journal that can be read: {error.strerror}")
    if content is None:
        refuse("path", path, "a journal; this file has not even a first line")
    return content


def write_state(path: str | os.PathLike[str], call: Call, evaluations: Known) -> None:
    """Write call and evaluations, all or nothing, in the form of a journal.

    Raises:
        TypeError: ``path`` is none.
        ValueError: the file cannot be written.
    """
    where = _path("path", path)
    if not where.parent.is_dir():
        refuse("path", path, "a file that can be written, in a folder that exists")
    lines = [_header(call), *(_line(number, *evaluations[number]) for number in sorted(evaluations))]
    try:
        write_whole(where, b"".join(lines))
    except RunError as error:
        refuse("path", path, f"a file that can be written: {error}")


class Journal:
    """A journal that is open for one run; other processes are kept out of it.

    Args:
        path: of the file, made where there is none.
        call: of the run. Without a seed, it gets that of the journal.

    Raises:
        TypeError: ``path`` is none.
        ValueError: it is another call's, damaged, in use, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], call: Call) -> None:
        self.path = _path("journal", path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            refuse("journal", path, f"a file that can be written, in a folder that exists: {error.strerror}")
        try:
            self._lock(path)
            content, whole = _parse(self.path, self.path.read_bytes(), "journal")
            self.call = call.seeded(None if content is None else content.header["call"]["seed"])
            self._size = whole
            self.known: Known = {} if content is None else content.evaluations
            self.source = f"{self.path}" if content is None else content.source(self.path)
            if content is not None:
                _same_call(self.path, content, self.call)
            os.ftruncate(self._file, whole)  # what was half written when a run was killed
            if content is None:
                self._append(_header(self.call))
                with contextlib.suppress(OSError):  # some file systems know no such thing
                    sync_folder(self.path.parent)
        except OSError as error:
            self.close()
            refuse("journal", path, f"a file that can be written: {error.strerror}")
        except BaseException:
            self.close()
            raise

    def _lock(self, path: object) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refuse("journal", path, "one that no other run is writing to")
        except OSError:
            pass  # a file system without locks

    def record(self, number: int, point: Array, outcome: Outcome) -> None:
        """Append an evaluation; it is on the disk when this returns.

        Raises:
            OSError: it cannot be written.
        """
        self._append(_line(number, point, outcome))

    def _append(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._size)  # no line may follow on half a line
            raise
        self._size += len(line)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@contextlib.contextmanager
def journal_of(path: str | os.PathLike[str] | None, call: Call) -> Iterator[tuple[Call, Journal | None]]:
    """Give the call with a seed and its journal, where there is to be one."""
    if path is None:
        yield call.seeded(), None
        return
    with contextlib.closing(Journal(path, call)) as journal:
        yield journal.call, journal


def _path(name: str, path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        refuse(name, path, "the path of a file", of_type=True)
    if not str(path) or "\0" in str(path):
        refuse(name, path, "the path of a file")
    return Path(path)


def _header(call: Call) -> bytes:
    limits = {name: value if math.isfinite(value) else None for name, value in asdict(call.limits).items()}
    return _json(
        {"format": FORMAT, "sacma": __version__, "versions": _versions(), "limits": limits, "call": call.header()}
    )


def _versions() -> dict[str, str]:
    found = {}
    for package in COMPUTED_WITH:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _line(number: int, point: Array, outcome: Outcome) -> bytes:
    ended = {"failure": outcome.failure} if outcome.failure else {"value": outcome.value}
    return _json({"number": number, "point": point.tolist(), **ended})


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _parse(path: Path, data: bytes, name: str = "path") -> tuple[JournalContent | None, int]:
    """Return what is whole of a journal, None without a header, and the number of bytes that it takes."""
    if data[: len(_BEGINNING)] != _BEGINNING[: len(data)]:
        raise ValueError(
            f"{name} is {path}, which begins with {shown(data[:40])}; allowed: a journal of sacma as it was written, "
            "or a path without a file"
        )
    lines = data.split(b"\n")[:-1]
    whole, evaluations = 0, {}
    header: dict[str, Any] | None = None
    for i, line in enumerate(lines):
        try:
            content = json.loads(line)
            if header is None:
                header = _checked_header(content)
            else:
                number, evaluation = _evaluation(content, len(header["call"]["x0"]))
                evaluations[number] = evaluation
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if header is not None and i == len(lines) - 1:
                break  # the last line was not written to its end, on a file system that loses the order of writes
            raise ValueError(
                f"{name} is {path}, of which line {i + 1} is {shown(line[:80])}: {error}; allowed: a journal of sacma "
                "as it was written, or a path without a file"
            ) from None
        whole += len(line) + 1
    return (None if header is None else JournalContent(header, evaluations)), whole


def _evaluation(content: Any, dimension: int) -> tuple[int, tuple[Array, Outcome]]:
    number, point = content["number"], np.array(content["point"], dtype=float)
    if not isinstance(number, int) or point.shape != (dimension,):
        raise ValueError(f"no point in {dimension}-D with a number")
    failure = content.get("failure", "")
    return number, (point, Outcome(math.nan if failure else float(content["value"]), str(failure)))


def _checked_header(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"no header of the format {FORMAT}")
    if not isinstance(content["call"], dict) or not isinstance(content["limits"], dict):
        raise TypeError("a header without a call")
    len(content["call"]["x0"])
    return content


def _same_call(path: Path, content: JournalContent, call: Call) -> None:
    """Refuse the journal of another call."""
    here, there = json.loads(_json(call.header())), content.header["call"]
    for name in [*here, *(name for name in there if name not in here)]:
        if here.get(name) != there.get(name):
            raise ValueError(
                f"journal is {path}, of a call with another {name}: {shown(there.get(name))} there, "
                f"{shown(here.get(name))} here; allowed: the same call, or another path; what is known can be handed "
                "over as archive=sacma.read_journal(path).archive"
            )
