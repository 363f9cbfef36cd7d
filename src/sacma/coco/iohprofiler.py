"""Data of IOHprofiler's logger ``Analyzer``: an index in JSON for each function, and a table for each dimension.

    IOHprofiler_f1_Sphere.json
    data_f1_Sphere/IOHprofiler_f1_DIM2.dat

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

INDEX = re.compile(r"(?:.*/)?IOHprofiler_f\d+_?\w*\.json")
VALUES = ("raw_y_best", "raw_y")

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
"""Names of the functions of bbob, in their order: suites of other problems number theirs from 1, too."""


@dataclass(frozen=True)
class _Index:
    """Index of a function, as far as it is needed."""

    algorithm: str
    function: int
    columns: Sequence[str]
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
        found: Any = parse_json(content)
        function, title = int(found["function_id"]), str(found["function_name"])
        scenarios = [
            (int(s["dimension"]), str(s["path"]), [_run(run) for run in s["runs"]]) for s in found["scenarios"]
        ]
        columns = list(map(str, found["attributes"]))
        index = _Index(quoted(found["algorithm"]["name"]), function, columns, scenarios)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        refuse(f"not an index of IOHprofiler ({quoted(repr(error))})")
    if not 1 <= function <= len(NAMES) or title != NAMES[function - 1]:
        refuse(f"f{function} {quoted(title)} is no function of bbob")
    if found.get("maximization"):
        refuse("it is of a problem that is maximised")
    return index


def _run(run: Any) -> tuple[int, int, float]:
    return int(run["instance"]), int(run["evals"]), float(run["best"]["y"])


def _tables(points: Points, name: str, content: bytes) -> Iterator[list[tuple[float, float]]]:
    """Yield evaluations and values of each run of a data file; every run begins with the names of the columns."""
    rows: list[tuple[float, float]] | None = None
    width = value = 0
    for number, line in enumerate(lines_of(located(points.path, quoted(name)), content), 1):
        cells = line.split()
        if cells[:1] == ["evaluations"]:
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
