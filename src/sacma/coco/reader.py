"""Reading of COCO data from any source, in folders and archives, without running or unpickling anything.

The formats of all years are read, in sub-folders, with any instances, also repeated ones. Index files (``.info``) name
the trials, data files (``.dat``, ``.tdat``) hold their best Δf. Missing or contradictory data are an error or a note.
"""

import io
import posixpath
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sacma.coco.archives import read_files
from sacma.coco.levels import coarse_levels
from sacma.coco.ranges import format_ranges
from sacma.coco.suites import BBOB, NOISY, SUITES, Suite
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.surrogate.whitening import Array

BELOW_OPTIMUM = -1e-7  # lowest Δf that rounding explains
ROUNDING = 1e-6  # relative difference of Δf between lines that mean the same
MOST = 1e15  # largest number of evaluations
MOST_INSTANCE = 10**9  # largest number of an instance
LONGEST_LINE = 1 << 20  # characters of a line: a thousand trials in an index, or a row of 40,000 dimensions
MOST_ROWS = 10_000_000  # rows of a data set
LONGEST_QUOTE = 60  # characters of a file in a message
MOST_NAMED = 3  # algorithms named in a note


@dataclass(frozen=True, eq=False)
class Curve:
    """The best Δf of a trial over its evaluations."""

    function: int  # number f
    dimension: int  # D
    instance: int  # instance of the function; in old data several trials have the same
    evaluations: int  # evaluations of the trial, as far as its data go
    at: Array  # evaluation numbers of improvements, ascending, shape (n,)
    to: Array  # best Δf from each of them on, descending, shape (n,)
    # Evaluation numbers at which the best Δf is known exactly, ascending, shape (m,); None: those of ``at`` only.
    told: Array | None = None

    def best_after(self, evaluations: float) -> float:
        """Return the best Δf after that many evaluations; inf before the first known one."""
        position = int(np.searchsorted(self.at, evaluations + 1e-9, side="right"))
        return float(self.to[position - 1]) if position else np.inf


@dataclass(frozen=True)
class CocoData:
    """A data set of one algorithm."""

    curves: tuple[Curve, ...]  # trials by function, dimension and order in the data
    algorithm: str  # name in the data; the first of several
    notes: tuple[str, ...]  # remarks on the data, one line each
    files: Mapping[str, bytes]  # index and data files by relative path
    suite: Suite = BBOB
    levels: int | None = None  # a decade, at which Δf was written down, where that is coarse; see ``coarse_levels``


def load_coco(path: Path, suite: Suite | None = BBOB) -> CocoData:
    """Read a folder or an archive of COCO data of ``suite``; None: of the suite that its first index file names.

    Raises:
        SacmaError: it is missing, not COCO data of the suite, or contradictory.
    """
    files = read_files(path, (".info", ".dat", ".tdat"))
    indices = sorted(name for name in files if name.endswith(".info"))
    if not indices:
        raise SacmaError(f"{path} holds no COCO data: no .info file is in it")
    if suite is None:
        suite = _suite_named(files[indices[0]])
    data = _DataFiles(path, files)
    curves: list[Curve] = []
    names: list[str] = []
    algorithms: dict[tuple[int, int], set[str]] = defaultdict(set)  # by dimension and function
    unlike = 0
    for index in indices:
        for entry in _entries(path, index, files[index], suite):
            names.append(entry.algorithm)
            algorithms[entry.dimension, entry.function].add(entry.algorithm)
            read = list(data.curves(index, entry))
            counts = [evaluations for _, evaluations in entry.runs]
            unlike += sum(curve.evaluations != count for curve, count in zip(read, counts, strict=True))
            curves += read
    if not curves:
        raise SacmaError(f"{path}: its index files name no trial")
    notes = []
    if len(set(names)) > 1:
        found = sorted(set(names))
        twice = next((place for place, of in algorithms.items() if len(of) > 1), None)
        if twice:
            raise SacmaError(
                f"{path} holds data of several algorithms, on f{twice[1]} in {twice[0]}-D of "
                f"{', '.join(map(_quoted, sorted(algorithms[twice])[:MOST_NAMED]))}; give the folder of each by itself"
            )
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        notes.append(f"{path}: the data are of several algorithms: {', '.join(found[:MOST_NAMED])}{more}")
    if unlike:
        notes.append(
            f"{path}: of {unlike} of {len(curves)} trials index and data files say different numbers of evaluations; "
            "they are taken to end where their data end"
        )
    left_out = data.left_out
    if left_out:
        runs = "1 run is" if left_out == 1 else f"{left_out} runs are"
        notes.append(f"{path}: of its data files {runs} in no index file, and left out")
    curves.sort(key=lambda c: (c.function, c.dimension))
    return CocoData(tuple(curves), names[0], tuple(notes), files, suite, coarse_levels(data.at_levels))


def _suite_named(index: bytes) -> Suite:
    """Return the suite that an index file names; bbob where it names none, or one that is not known."""
    named = re.search(rb"\bsuite\s*+=\s*+'([\w-]{1,40})'", index)
    return SUITES.get(named[1].decode(), BBOB) if named else BBOB


@dataclass(frozen=True)
class _Entry:
    function: int
    dimension: int
    algorithm: str
    data: str
    runs: tuple[tuple[int, int], ...]  # instance and evaluations


def _lines(path: Path, name: str, content: bytes) -> Iterator[str]:
    """Yield the lines of a file, with any line ends; raise SacmaError if one is too long."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace")
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise SacmaError(f"{path}: {_quoted(name)}, line {number}: it is too long to be one of COCO's")
        yield line.rstrip("\n")


def _quoted(text: object) -> str:
    """Return foreign text in short and printable."""
    return one_line(str(text), LONGEST_QUOTE)


def _entries(path: Path, index: str, content: bytes, suite: Suite) -> Iterator[_Entry]:
    """Yield the entries of an index file: each has a header, comments and a line of runs."""
    header = ""
    where = f"{path}: {_quoted(index)}"
    for line in filter(None, (line.strip() for line in _lines(path, index, content))):
        if line.startswith("%"):
            continue
        if re.search(r"\b(?:funcId|function)\s*+=", line):
            if header:
                break
            header = line
        elif not header:
            raise SacmaError(f"{where}: a line of runs has no header before it: '{_quoted(line)}'")
        else:
            yield _entry(path, index, header, line, suite)
            header = ""
    if header:
        raise SacmaError(f"{where}: a header has no line of runs after it: '{_quoted(header)}'")


def _entry(path: Path, index: str, header: str, line: str, suite: Suite) -> _Entry:
    """Parse a header and a line of runs; raise SacmaError if they are not COCO's, or of another suite."""
    fields = {key: value.strip("'") for key, value in re.findall(r"\b(\w++)\s*+=\s*+('[^']*+'|[^,]*+)", header)}
    data, *runs = (part.strip() for part in line.split(","))
    try:
        entry = _Entry(
            int(fields.get("funcId") or fields["function"]),
            int(fields.get("DIM") or fields["dim"]),
            _quoted(fields.get("algId") or fields.get("algorithm") or "unnamed"),
            posixpath.normpath(posixpath.join(posixpath.dirname(index), data.replace("\\", "/"))),
            tuple(_run(run) for run in runs if run),
        )
    except (KeyError, ValueError, OverflowError) as error:
        raise SacmaError(
            f"{path}: {_quoted(index)}: not an entry of COCO's: '{_quoted(line)}' ({_quoted(error)})"
        ) from None
    # Old data do not name their suite: bbob or bbob-noisy, which number their functions differently.
    given = fields.get("suite", suite.name if suite in {BBOB, NOISY} else BBOB.name)
    stranger = f"the suite {_quoted(given)}" if given != suite.name else ""
    stranger = stranger or (f"function {entry.function}" if entry.function not in suite.functions else "")
    stranger = stranger or (f"dimension {entry.dimension}" if entry.dimension not in suite.dimensions else "")
    if stranger:
        kind = "" if suite.noisy else "noiseless "
        raise SacmaError(
            f"{path}: {_quoted(index)} is of {stranger}; only {suite.name}'s {kind}functions "
            f"can be compared: {format_ranges(suite.functions)} in dimensions {format_ranges(suite.dimensions)}"
        )
    return entry


def _run(text: str) -> tuple[int, int]:
    instance, _, rest = text.partition(":")
    evaluations, _, _ = rest.partition("|")
    number, count = int(instance), int(float(evaluations))
    if not (1 <= number <= MOST_INSTANCE and 1 <= count <= MOST):
        raise ValueError(f"instance {number} with {count} evaluations")
    return number, count


class _DataFiles:
    """The data files of a folder or archive, each parsed once, and the number of their runs taken so far."""

    def __init__(self, path: Path, files: Mapping[str, bytes]) -> None:
        self.path, self.files = path, files
        self._taken: dict[str, int] = {}
        self._runs: dict[str, list[Array]] = {}
        self._rows = 0
        self.at_levels: list[Array] = []  # Δf of each run as it passed levels; that of the last evaluation is none

    def curves(self, index: str, entry: _Entry) -> Iterator[Curve]:
        """Yield the trials of an entry. An index may name a data file several times, for successive runs."""
        if entry.data not in self.files:
            raise SacmaError(f"{self.path}: {_quoted(index)} names {_quoted(entry.data)}, which is not there")
        first = self._taken.get(entry.data, 0)
        last = self._taken[entry.data] = first + len(entry.runs)
        names = [name for name in (entry.data, f"{entry.data.removesuffix('.dat')}.tdat") if name in self.files]
        for name in names:
            if name not in self._runs:
                self._runs[name] = _runs(self.path, name, self.files[name], MOST_ROWS - self._rows)
                self._rows += sum(len(run) + 1 for run in self._runs[name])
            there = len(self._runs[name])
            if there < last:
                raise SacmaError(
                    f"{self.path}: {_quoted(name)} has {there} runs, {_quoted(index)} says {last}: it is not complete"
                )
        for number, (instance, _) in enumerate(entry.runs, first):
            where = f"{self.path}: {' and '.join(map(_quoted, names))}, run {number + 1}"
            parts = [self._runs[name][number] for name in names]
            if not all(map(len, parts)):
                raise SacmaError(f"{where}: it is empty, not a complete trial")
            self.at_levels.append(parts[0][1:-1, 1])
            rows = np.concatenate(parts)
            rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
            at, to = rows[:, 0], np.minimum.accumulate(rows[:, 1])
            if (rows[:, 1] > to + ROUNDING * np.abs(to)).any():
                raise SacmaError(f"{where}: the files contradict each other, they are not of one trial")
            falls = np.append(True, to[1:] < to[:-1])
            told = np.unique(at)
            yield Curve(entry.function, entry.dimension, instance, int(at[-1]), at[falls], to[falls], told)

    @property
    def left_out(self) -> int:
        """Number of runs in no index: of unfinished trials, or whose index is lost."""
        begins = re.compile(rb"(?:\A|[\r\n])%")  # a line, whatever ends the one before
        there = {name: len(begins.findall(text)) for name, text in self.files.items() if name.endswith(".dat")}
        return sum(number - self._taken.get(name, 0) for name, number in there.items())


def _runs(path: Path, name: str, content: bytes, most: int) -> list[Array]:
    """Return evaluation number and best Δf, columns 1 and 3, of each run of a data file, shape (n, 2) each."""
    runs: list[array[float]] = []
    columns = rows = 0
    for number, line in enumerate(_lines(path, name, content), start=1):
        rows += 1
        if rows > most:
            raise SacmaError(f"{path} has more than {MOST_ROWS:,} rows: that is not a COCO data set")
        if line.startswith("%"):
            runs.append(array("d"))
            continue
        values = line.split()
        if not values:
            continue
        columns = columns or len(values)
        try:
            if len(values) != columns:
                raise ValueError(f"{len(values)} columns")  # noqa: TRY301 the line is complete, or it is an error
            runs[-1].extend((float(values[0]), float(values[2]), number))
        except (ValueError, IndexError):
            raise SacmaError(f"{path}: {_quoted(name)}, line {number}: not COCO data: '{_quoted(line)}'") from None
    return [_checked(path, name, np.array(run, float).reshape(-1, 3)) for run in runs]


def _checked(path: Path, name: str, rows: Array) -> Array:
    """Return evaluation number and best Δf of a run without line numbers; raise SacmaError if they are impossible."""
    at, to, lines = rows.T
    with np.errstate(invalid="ignore"):  # infinite values are reported first
        rises = to[1:] > to[:-1] + ROUNDING * np.abs(to[:-1])
    wrong = {
        "the evaluation number is not 1, 2, 3 …": ~np.isfinite(at) | (at < 1) | (at != np.floor(at)) | (at > MOST),
        "Δf is not a number that bbob can have": ~np.isfinite(to) | (to < BELOW_OPTIMUM),
        "evaluation numbers go back": np.append(False, at[1:] < at[:-1])[: len(at)],
        "the best Δf rises": np.append(False, rises)[: len(to)],
    }
    for what, where in wrong.items():
        if where.any():
            line = int(lines[where.argmax()])
            raise SacmaError(f"{path}: {_quoted(name)}, line {line}: {what}")
    return rows[:, :2]
