"""Data of IOHprofiler's logger ``Analyzer``: an index in JSON for each function, and a table for each dimension.

    IOHprofiler_f1_Sphere.json
    data_f1_Sphere/IOHprofiler_f1_DIM2.dat

The logger ``old.Analyzer``, of ioh before 0.4, wrote an index of text, ``IOHprofiler_f1_Sphere.info``.

Its problems of the class BBOB are those of COCO; ``raw_y`` of them is Δf.

J. de Nobel, F. Ye, D. Vermetten, H. Wang, C. Doerr and T. Bäck, IOHexperimenter: benchmarking platform for iterative
optimization heuristics, Evolutionary Computation 32(3), 2024.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sacma.coco.index_file import lines_of, quoted
from sacma.coco.points import Points, located
from sacma.coco.reader import CocoData
from sacma.coco.suites import BBOB, Suite
from sacma.errors import SacmaError
from sacma.files.untrusted import parse_json

INDEX = re.compile(r"(?:.*/)?IOHprofiler_f\d+_?\w*\.(?:json|info)")
VALUES = ("raw_y_best", "raw_y", "best-so-far f(x)", "current f(x)")
HEADS = ("evaluations", "function evaluation")  # of the first column
OLD_HEADER = re.compile(
    r'.*\bfuncId = (\d{1,9}), funcName = "([^"]*)", DIM = (\d{1,9}), maximization = "([TF])", algId = "([^"]*)"'
)
OLD_RUN = re.compile(r"(\d{1,9}):(\d{1,15})\|([^;]*)")  # instance, evaluations until the best Δf, and that

# Names of the functions of bbob, in their order: suites of other problems number theirs from 1, too.
NAMES = tuple(
    name
    for line in (
        "Sphere Ellipsoid Rastrigin BuecheRastrigin LinearSlope",
        "AttractiveSector StepEllipsoid Rosenbrock RosenbrockRotated",
        "EllipsoidRotated Discus BentCigar SharpRidge DifferentPowers",
        "RastriginRotated Weierstrass Schaffers10 Schaffers1000 GriewankRosenbrock",
        "Schwefel Gallagher101 Gallagher21 Katsuura LunacekBiRastrigin",
    )
    for name in line.split()
)


@dataclass(frozen=True)
class _Index:
    """Index of a function, as far as it is needed."""

    function: int
    title: str  # of the function
    maximised: bool
    algorithm: str
    scenarios: Sequence[tuple[int, str, Sequence[tuple[int, int, float]]]]  # D, file, runs: instance, end, best Δf


def load_iohprofiler(path: Path, files: Mapping[str, bytes], suite: Suite) -> tuple[CocoData, ...]:
    """Return the data of each algorithm; raise SacmaError if they are damaged, or not of bbob."""
    if suite is not BBOB:
        raise SacmaError(f"{path}: data of IOHprofiler are compared on bbob alone, not on {suite.name}")
    points = Points(path, suite)
    for name in sorted(filter(INDEX.fullmatch, files)):
        index = _index(path, name, files[name])
        for dimension, file, runs in index.scenarios:
            data = posixpath.normpath(posixpath.join(posixpath.dirname(name), file.replace("\\", "/")))
            if data not in files:
                points.refuse(quoted(name), f"it names {quoted(data)}, which is not there")
            tables = list(_tables(points, data, files[data]))
            if len(tables) != len(runs):
                points.refuse(quoted(data), f"it has {len(tables)} runs, {quoted(name)} says {len(runs)}")
            for number, ((instance, end, best), rows) in enumerate(zip(runs, tables, strict=True), 1):
                place = index.algorithm, index.function, dimension, instance, f"{name} {number}"
                where = f"{quoted(data)}, run {number}"
                for evaluation, value in rows:
                    points.add(place, evaluation, value, where)
                if rows and rows[-1][0] < end:
                    points.add(place, end, best, where)
    return points.data_sets(of_f=False)


def _index(path: Path, name: str, content: bytes) -> _Index:
    """Return the content of an index file."""

    def refuse(why: str) -> NoReturn:
        raise SacmaError(f"{path}: {quoted(name)}: {why}")

    try:
        index = _of_text(located(path, quoted(name)), content) if name.endswith(".info") else _of_json(content)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        refuse(f"not an index of IOHprofiler ({quoted(repr(error))})")
    if not 1 <= index.function <= len(NAMES) or index.title != NAMES[index.function - 1]:
        refuse(f"f{index.function} {quoted(index.title)} is no function of bbob")
    if index.maximised:
        refuse("it is of a problem that is maximised")
    return index


def _of_json(content: bytes) -> _Index:
    """Return an index of JSON."""
    found: Any = parse_json(content)
    function, maximised = int(found["function_id"]), bool(found.get("maximization"))
    scenarios = [(int(s["dimension"]), str(s["path"]), [_run(run) for run in s["runs"]]) for s in found["scenarios"]]
    return _Index(function, str(found["function_name"]), maximised, quoted(found["algorithm"]["name"]), scenarios)


def _of_text(where: str, content: bytes) -> _Index:
    """Return an index of text: in each dimension a header, a comment, and a line with the runs."""
    lines = [line for line in lines_of(where, content) if line.strip() not in {"", "%"}]
    headers = [header.groups() for line in lines[::2] if (header := OLD_HEADER.match(line))]
    if len({(function, title, *of) for function, title, _, *of in headers}) != 1 or 2 * len(headers) != len(lines):
        raise ValueError("headers and lines of runs, of one function")
    scenarios = []
    for (_, _, dimension, _, _), line in zip(headers, lines[1::2], strict=True):
        file, *runs = line.split(", ")
        found = [OLD_RUN.match(run) for run in runs]
        scenarios.append((int(dimension), file, [(int(of[1]), int(of[2]), float(of[3])) for of in found if of]))
        if not all(found):
            raise ValueError(line)
    function, title, _, maximised, algorithm = headers[0]
    return _Index(int(function), title, maximised == "T", quoted(algorithm), scenarios)


def _run(run: Any) -> tuple[int, int, float]:
    return int(run["instance"]), int(run["evals"]), float(run["best"]["y"])


def _tables(points: Points, name: str, content: bytes) -> Iterator[list[tuple[float, float]]]:
    """Yield evaluations and values of each run of a data file; every run begins with the names of the columns."""
    rows: list[tuple[float, float]] | None = None
    width = value = 0
    for number, line in enumerate(lines_of(located(points.path, quoted(name)), content), 1):
        cells = re.findall(r'"([^"]*)"', line) if line.startswith('"') else line.split()
        if cells and cells[0] in HEADS:
            if rows is not None:
                yield rows
            known = [cells.index(column) for column in VALUES if column in cells]
            if not known:
                points.refuse(f"{quoted(name)}, line {number}", "no column raw_y, which is Δf; log it")
            rows, width, value = [], len(cells), known[0]
        elif cells:
            try:
                if rows is None or len(cells) != width:
                    raise ValueError  # noqa: TRY301 said below
                rows.append((float(cells[0]), float(cells[value])))
            except ValueError:
                points.refuse(f"{quoted(name)}, line {number}", f"not a row of numbers: '{quoted(line)}'")
    if rows is not None:
        yield rows
