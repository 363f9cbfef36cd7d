"""Reading of COCO data from any source, in folders and archives, without running or unpickling anything.

The formats of all years are read, in sub-folders, with any instances, also repeated ones. Index files (``.info``) name
the trials, data files (``.dat``, ``.tdat``) hold their best Δf. Where data of a function in a dimension are damaged, it
is left out there, and named; where nothing remains, that is an error.
"""

import posixpath
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sacma.coco.index_file import MOST, DataPart, Entry, Lose, entries, lines_of, quoted, suite_of
from sacma.coco.suites import BBOB, Suite
from sacma.errors import SacmaError
from sacma.types import Array

BELOW_OPTIMUM = -1e-7  # lowest Δf that rounding explains
ROUNDING = 1e-6  # relative difference of Δf between lines that mean the same
MOST_ROWS = 10_000_000  # rows of a data set
FEWEST_COLUMNS = 5  # of a data file: evaluations, two values and the best of each; the point may follow
MOST_NAMED = 3  # algorithms or files named in a note
NO_NAME = "ALG"  # COCO's name of an algorithm that is given none


@dataclass(frozen=True, eq=False)
class Curve:
    """The best Δf of a trial over its evaluations."""

    function: int  # number f
    dimension: int  # D
    instance: int  # instance of the function; in old data several trials have the same
    evaluations: int  # evaluations of the trial, as far as its data go
    at: Array  # evaluation numbers of improvements, ascending, shape (n,)
    to: Array  # best Δf from each of them on, descending, shape (n,)
    # Evaluation numbers at which the best Δf is known exactly, ascending, shape (m,); None: ``at`` only.
    told: Array | None = None

    @property
    def problem(self) -> tuple[int, int, int]:
        """Dimension, function and instance."""
        return self.dimension, self.function, self.instance


@dataclass(frozen=True)
class CocoData:
    """A data set of one algorithm."""

    curves: tuple[Curve, ...]  # trials by function, dimension and order in the data
    algorithm: str  # name in the data; the first of several
    notes: tuple[str, ...]  # remarks on the data, one line each
    left_out: Mapping[DataPart, str]  # damaged, or of another suite, and why, one line each
    suite: Suite = BBOB
    all_curves: tuple[Curve, ...] = ()  # with those that are not chosen

    def rounded(self) -> "CocoData":
        """Return the data with Δf in single precision."""
        curves = (replace(curve, to=curve.to.astype(np.float32).astype(float)) for curve in self.curves)
        return replace(self, curves=tuple(curves))


@dataclass(frozen=True, eq=False)
class _Trial:
    algorithm: str
    folder: str  # of its index file
    curve: Curve
    told: int  # evaluations as the index file says


def load_algorithms(path: Path, files: Mapping[str, bytes], suite: Suite | None) -> tuple[CocoData, ...]:
    """Return the data of each algorithm in files by path: of ``suite``; None: of that which they name first.

    Raises SacmaError if no trial in them is intact and of the suite; ``path`` is where they are, for messages.
    """
    indices = {name: files[name] for name in sorted(files) if name.endswith(".info")}
    suite = suite or suite_of(list(indices.values()))
    data = _DataFiles(path, files)
    trials: list[_Trial] = []
    lost: dict[str, dict[DataPart, str]] = defaultdict(dict)  # by folder
    for index, content in indices.items():
        lose: Lose = lost[posixpath.dirname(index)].setdefault
        where = f"{path}: {quoted(index)}"
        for entry in entries(where, content, suite, lose):
            trials += data.trials(index, entry, lose)
    reasons = [why for parts in lost.values() for why in parts.values()]
    if not trials:
        raise SacmaError(reasons[0] if reasons else f"{path}: its index files name no trial")
    found: list[CocoData] = []
    for those in _told_apart(trials):
        folders = {trial.folder for trial in those} | (set() if found else {*lost} - {trial.folder for trial in trials})
        left_out = {part: why for folder in sorted(folders) for part, why in lost[folder].items()}
        found.append(_data_set(path, those, left_out, suite, data.notes if not found else ()))
    return tuple(found)


def _told_apart(trials: Sequence[_Trial]) -> list[list[_Trial]]:
    """Return the trials of each algorithm.

    Several names are one algorithm's unless there are trials of one function and dimension under two of them. What was
    given no name is called as its folder, where several folders have trials of one problem.
    """
    folders: dict[tuple[int, int, int], set[str]] = defaultdict(set)
    for trial in (trial for trial in trials if trial.algorithm == NO_NAME):
        folders[trial.curve.problem].add(trial.folder)
    if any(len(of_one) > 1 for of_one in folders.values()):
        common = posixpath.commonpath([f"/{trial.folder}" for trial in trials])
        tops = {t.folder: posixpath.relpath(f"/{t.folder}", common).partition("/")[0] for t in trials}
        anonymous = {folder: NO_NAME if top == "." else top for folder, top in tops.items()}
        trials = [replace(t, algorithm=anonymous[t.folder]) if t.algorithm == NO_NAME else t for t in trials]
    names: dict[tuple[int, int], set[str]] = defaultdict(set)
    for trial in trials:
        names[trial.curve.problem[:2]].add(trial.algorithm)
    if all(len(of_one) == 1 for of_one in names.values()):
        return [list(trials)]
    return [[t for t in trials if t.algorithm == name] for name in dict.fromkeys(t.algorithm for t in trials)]


def _data_set(
    path: Path, trials: Sequence[_Trial], left_out: Mapping[DataPart, str], suite: Suite, notes: Sequence[str]
) -> CocoData:
    names = [trial.algorithm for trial in trials]
    said = []
    if len(set(names)) > 1:
        said.append(f"{path}: the data are of several algorithms: {listed(names)}")
    unlike = sum(trial.curve.evaluations != trial.told for trial in trials)
    if unlike:
        said.append(
            f"{path}: of {unlike} of {len(trials)} trials index and data files say different numbers of evaluations; "
            "they are taken to end where their data end"
        )
    curves = tuple(sorted((trial.curve for trial in trials), key=lambda c: (c.function, c.dimension)))
    return CocoData(curves, names[0], (*said, *notes), left_out, suite, curves)


def listed(names: Iterable[str]) -> str:
    """Name the first few of some algorithms or files."""
    found = sorted(set(names))
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{', '.join(found[:MOST_NAMED])}{more}"


class _DataFiles:
    """The data files of a folder or archive, each parsed once, and the number of their runs taken so far."""

    def __init__(self, path: Path, files: Mapping[str, bytes]) -> None:
        self.path, self.files = path, files
        self._taken: dict[str, int] = {}
        self._runs: dict[str, list[Array]] = {}
        self._rows = 0

    def trials(self, index: str, entry: Entry, lose: Lose) -> list[_Trial]:
        """Return the trials of an entry. An index may name a data file several times, for successive runs."""
        D, f, folder = entry.dimension, entry.function, posixpath.dirname(index)
        data = posixpath.normpath(posixpath.join(folder, entry.data))
        first = self._taken.get(data, 0)
        self._taken[data] = last = first + len(entry.runs)
        try:
            if data not in self.files:
                raise ValueError(f"{quoted(index)} names {quoted(data)}, which is not there")  # noqa: TRY301
            names = [name for name in (data, f"{data.removesuffix('.dat')}.tdat") if name in self.files]
            for name in names:
                if (number := len(self._runs_of(name))) < last:
                    said = f"{quoted(name)} has {number} runs, {quoted(index)} says {last}: it is not complete"
                    raise ValueError(said)  # noqa: TRY301
            found = []
            for number, (instance, evaluations) in enumerate(entry.runs, first):
                where = f"{' and '.join(map(quoted, names))}, run {number + 1}"
                curve = _curve(D, f, instance, where, [self._runs_of(name)[number] for name in names])
                found.append(_Trial(entry.algorithm, folder, curve, evaluations))
        except ValueError as error:
            lose((D, f), f"{self.path}: {error}")
            return []
        return found

    def _runs_of(self, name: str) -> list[Array]:
        if name not in self._runs:
            self._runs[name], rows = _runs(self.path, name, self.files[name], MOST_ROWS - self._rows)
            self._rows += rows
        return self._runs[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """A remark on runs in no index file: of unfinished trials, or whose index is lost."""
        begins = re.compile(rb"(?:\A|[\r\n])%")  # a line, whatever ends the one before
        there = {name: len(begins.findall(text)) for name, text in self.files.items() if name.endswith(".dat")}
        left = {name: max(0, number - self._taken.get(name, 0)) for name, number in there.items()}
        if not (number := sum(left.values())):
            return ()
        runs = "1 run is" if number == 1 else f"{number} runs are"
        where = listed(quoted(name) for name, number in left.items() if number)
        return (f"{self.path}: of its data files {runs} in no index file, and left out: {where}",)


def _curve(dimension: int, function: int, instance: int, where: str, parts: Sequence[Array]) -> Curve:
    """Return a trial from its runs in data files; raise ValueError if they contradict each other."""
    if not all(map(len, parts)):
        raise ValueError(f"{where}: it is empty, not a complete trial")
    rows = np.concatenate(parts)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    at, to = rows[:, 0], np.minimum.accumulate(rows[:, 1])
    if (rows[:, 1] > to + ROUNDING * np.abs(to)).any():
        raise ValueError(f"{where}: the files contradict each other, they are not of one trial")
    falls = np.append(True, to[1:] < to[:-1])
    return Curve(function, dimension, instance, int(at[-1]), at[falls], to[falls], np.unique(at))


def _runs(path: Path, name: str, content: bytes, most: int) -> tuple[list[Array], int]:
    """Return evaluation number and best Δf, columns 1 and 3, of each run of a data file, shape (n, 2) each.

    The second number is that of the lines. Raises ValueError if a line is damaged.
    """
    runs: list[array[float]] = []
    columns = rows = 0
    for number, line in enumerate(lines_of(f"{path}: {quoted(name)}", content), start=1):
        rows += 1
        if rows > most:
            raise SacmaError(f"{path} has more than {MOST_ROWS:,} rows: that is not a COCO data set")
        values = line.split()
        if line.startswith("%"):
            runs.append(array("d"))
            columns = 0
        elif values:
            columns = columns or len(values)
            try:
                if len(values) != columns or columns < FEWEST_COLUMNS:
                    raise ValueError(f"{len(values)} columns")  # noqa: TRY301 the line is complete, or it is an error
                runs[-1].extend((float(values[0]), float(values[2]), number))
            except (ValueError, IndexError):
                raise ValueError(f"{quoted(name)}, line {number}: not COCO data: '{quoted(line)}'") from None
    return [_checked(quoted(name), np.array(run, float).reshape(-1, 3)) for run in runs], rows


def _checked(where: str, rows: Array) -> Array:
    """Return evaluation number and best Δf of a run without line numbers; raise ValueError if they are impossible."""
    at, to, lines = rows.T
    with np.errstate(invalid="ignore"):  # infinite values are reported first
        rises = to[1:] > to[:-1] + ROUNDING * np.abs(to[:-1])
    wrong = {
        "the evaluation number is not 1, 2, 3 …": ~np.isfinite(at) | (at < 1) | (at != np.floor(at)) | (at > MOST),
        "Δf is not a number that bbob can have": ~np.isfinite(to) | (to < BELOW_OPTIMUM),
        "evaluation numbers go back": np.append(False, at[1:] < at[:-1])[: len(at)],
        "the best Δf rises": np.append(False, rises)[: len(to)],
    }
    for what, found in wrong.items():
        if found.any():
            raise ValueError(f"{where}, line {int(lines[found.argmax()])}: {what}")
    return rows[:, :2]
