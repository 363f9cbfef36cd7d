"""COCO data of anybody: folders and archives of bbob experiments, read without running or unpickling anything.

Formats of all years are understood, in sub-folders, with repeated and with other instances. Index files (``.info``) say
which trials there are, data files (``.dat``, ``.tdat``) how their best Δf came down. What is missing or does not fit
together is an error or a note, never filled in.
"""

import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sacma.errors import SacmaError
from sacma.surrogate.whitening import Array

ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".zip")

LARGEST = 512_000_000
"""Bytes of text that an archive may hold: what unpacks to more is no COCO data set."""


@dataclass(frozen=True, eq=False)
class Curve:
    """How the best Δf of one trial came down.

    Args:
        function: f.
        dimension: D.
        instance: of the function; in old data several trials have the same.
        evaluations: made by the trial.
        at: evaluation numbers, ascending, shape (n,).
        to: best Δf from each of them on, descending, shape (n,).
    """

    function: int
    dimension: int
    instance: int
    evaluations: int
    at: Array
    to: Array

    def best_after(self, evaluations: float) -> float:
        """Return the best Δf after that many evaluations; inf before the first that is known."""
        position = int(np.searchsorted(self.at, evaluations + 1e-9, side="right"))
        return float(self.to[position - 1]) if position else np.inf


@dataclass(frozen=True)
class CocoData:
    """A data set of one algorithm.

    Args:
        curves: of its trials, by function, dimension and order in the data.
        algorithm: its name in the data; of several the first.
        notes: what to know of the data, a line each.
        files: index and data files, by relative path.
    """

    curves: tuple[Curve, ...]
    algorithm: str
    notes: tuple[str, ...]
    files: Mapping[str, bytes]


def load_coco(path: Path) -> CocoData:
    """Read a folder or an archive of COCO data.

    Raises:
        SacmaError: it is not there, not COCO data of a bbob suite, or its files contradict each other.
    """
    files = _read_files(path)
    indices = sorted(name for name in files if name.endswith(".info"))
    if not indices:
        raise SacmaError(f"{path} holds no COCO data: no .info file is in it")
    curves: list[Curve] = []
    names: list[str] = []
    runs_taken: dict[str, int] = {}
    for index in indices:
        for entry in _entries(path, index, _text(files[index])):
            names.append(entry.algorithm)
            curves += _curves(path, files, index, entry, runs_taken)
    if not curves:
        raise SacmaError(f"{path}: its index files name no trial")
    notes = []
    if len(set(names)) > 1:
        notes.append(f"{path}: the data are of several algorithms: {', '.join(sorted(set(names)))}")
    curves.sort(key=lambda c: (c.function, c.dimension))
    return CocoData(tuple(curves), names[0], tuple(notes), files)


@dataclass(frozen=True)
class _Entry:
    function: int
    dimension: int
    algorithm: str
    data: str
    runs: tuple[tuple[int, int], ...]
    """Instance and evaluations."""


def _read_files(path: Path) -> Mapping[str, bytes]:
    """Return what index and data files there are, by relative path."""
    wanted = (".info", ".dat", ".tdat")
    try:
        if path.is_dir():
            found = (p for p in path.rglob("*") if p.suffix in wanted and p.is_file())
            return {p.relative_to(path).as_posix(): p.read_bytes() for p in found}
        if not path.exists():
            raise SacmaError(f"{path}: no such folder or archive")
        if not path.name.endswith(ARCHIVES):
            raise SacmaError(f"{path} is neither a folder nor an archive ({', '.join(ARCHIVES)})")
        return dict(_read_archive(path, wanted))
    except OSError as error:
        raise SacmaError(f"{path} cannot be read: {error.strerror or error}") from None
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise SacmaError(f"{path} is not an intact archive: {error}") from None


def _read_archive(path: Path, wanted: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    total = 0

    def counted(name: str, size: int) -> str:
        nonlocal total
        total += size
        if total > LARGEST:
            raise SacmaError(f"{path} unpacks to more than {LARGEST / 1e6:.0f} MB: that is not a COCO data set")
        return posixpath.normpath(name)

    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as zipped:
            for member in zipped.infolist():
                if member.filename.endswith(tuple(wanted)):
                    yield counted(member.filename, member.file_size), zipped.read(member)
        return
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.isfile() and entry.name.endswith(tuple(wanted)):
                name = counted(entry.name, entry.size)
                file = archive.extractfile(entry)
                yield name, file.read() if file else b""


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _entries(path: Path, index: str, text: str) -> Iterator[_Entry]:
    """Yield the data sets of an index file: a header, comments, and a line of runs each."""
    header: dict[str, str] | None = None
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if line.startswith("%"):
            continue
        if re.search(r"\b(funcId|function)\s*=", line):
            header = {key: value.strip("'") for key, value in re.findall(r"(\w+)\s*=\s*('[^']*'|[^,]*)", line)}
            continue
        if header is None:
            raise SacmaError(f"{path}: {index}: a line of runs has no header before it: {line[:60]!r}")
        suite = header.get("suite", "bbob")
        if not suite.startswith("bbob") or "biobj" in suite or "noisy" in suite:
            raise SacmaError(
                f"{path}: {index} is of the suite {suite}; only bbob's noiseless functions can be compared"
            )
        data, *runs = (part.strip() for part in line.split(","))
        try:
            yield _Entry(
                int(header.get("funcId") or header["function"]),
                int(header.get("DIM") or header["dim"]),
                header.get("algId") or header.get("algorithm") or "unnamed",
                posixpath.normpath(posixpath.join(posixpath.dirname(index), data.replace("\\", "/"))),
                tuple(_run(run) for run in runs if run),
            )
        except (KeyError, ValueError) as error:
            raise SacmaError(f"{path}: {index}: not an entry of COCO's: {line[:60]!r} ({error})") from None
        header = None


def _run(text: str) -> tuple[int, int]:
    instance, _, rest = text.partition(":")
    evaluations, _, _ = rest.partition("|")
    return int(instance), int(float(evaluations))


def _curves(
    path: Path, files: Mapping[str, bytes], index: str, entry: _Entry, runs_taken: dict[str, int]
) -> Iterator[Curve]:
    """Yield the trials of an entry; an index may name a data file several times, for its runs in turn."""
    if entry.data not in files:
        raise SacmaError(f"{path}: {index} names {entry.data}, which is not there")
    stem = entry.data.removesuffix(".dat")
    first = runs_taken.get(entry.data, 0)
    runs_taken[entry.data] = first + len(entry.runs)
    by_target = _runs(path, entry.data, files[entry.data])
    timed = files.get(f"{stem}.tdat")
    by_number = _runs(path, f"{stem}.tdat", timed) if timed is not None else None
    for runs in (by_target, by_number):
        if runs is not None and len(runs) < first + len(entry.runs):
            raise SacmaError(
                f"{path}: {entry.data} has {len(runs)} runs, {index} says {first + len(entry.runs)}: it is not complete"
            )
    for number, (instance, evaluations) in enumerate(entry.runs, start=first):
        parts = [by_target[number]] + ([by_number[number]] if by_number is not None else [])
        rows = np.concatenate(parts)
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        at, to = rows[:, 0], np.minimum.accumulate(rows[:, 1])
        falls = np.append(True, to[1:] < to[:-1]) if len(to) else np.zeros(0, bool)
        yield Curve(entry.function, entry.dimension, instance, evaluations, at[falls], to[falls])


def _runs(path: Path, name: str, content: bytes) -> list[Array]:
    """Return evaluation number and best Δf of each run of a data file, shape (n, 2) each.

    The first column is the evaluation number and the third the best Δf, in the formats of all years.
    """
    runs: list[list[tuple[float, float]]] = []
    for number, line in enumerate(_text(content).splitlines(), start=1):
        if line.startswith("%"):
            runs.append([])
            continue
        if not line.strip():
            continue
        try:
            at, _, to, *_ = line.split()
            runs[-1].append((float(at), float(to)))
        except (ValueError, IndexError):
            raise SacmaError(f"{path}: {name}, line {number}: not COCO data: {line[:60]!r}") from None
    return [np.array(run, float).reshape(-1, 2) for run in runs]
