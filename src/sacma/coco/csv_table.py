"""Plain tables of evaluations: CSV with a row an evaluation.

    function,dimension,instance,evaluation,value
    1,2,1,1,79.9

``value`` is f as COCO's problem returns it; a column ``delta_f`` in its place is f minus its optimum. Columns
``algorithm`` and ``trial`` tell algorithms, and trials on one instance, apart; others are not looked at. Evaluations
that do not improve f may be left out, all but the last of a trial.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from sacma.coco.index_file import lines_of, quoted
from sacma.coco.points import Points, located
from sacma.coco.reader import CocoData
from sacma.coco.suites import Suite
from sacma.errors import SacmaError

NUMBERS = ("function", "dimension", "instance", "evaluation")
VALUES = ("value", "delta_f")
TEXTS = ("algorithm", "trial")
MOST_COLUMNS = 1000


def load_tables(path: Path, files: Mapping[str, bytes], suite: Suite) -> tuple[CocoData, ...]:
    """Return the data of each algorithm in CSV files; raise SacmaError if one is no such table."""
    found: dict[str, CocoData] = {}
    points = {column: Points(path, suite) for column in VALUES}
    for name, content in sorted(files.items()):
        _add(points, path, name, content)
    for column, of in points.items():
        for data in of.data_sets(of_f=column == "value"):
            if data.algorithm in found:
                raise SacmaError(f"{path}: {data.algorithm} has both columns, value and delta_f; give one of them")
            found[data.algorithm] = data
    return tuple(found.values())


def _add(points: Mapping[str, Points], path: Path, name: str, content: bytes) -> None:
    """Add the rows of a file to the points of the column that it has."""
    rows = csv.reader(lines_of(located(path, quoted(name)), content), strict=True)
    head: Sequence[str] = ()
    algorithm = Path(name).stem
    try:
        for cells in rows:
            where = f"{quoted(name)}, line {rows.line_num}"
            if not head:
                head = [cell.strip().removeprefix("\ufeff") for cell in cells]
                column = _value_column(path, where, head)
                places = [head.index(key) for key in (*NUMBERS, column)]
                texts = [head.index(key) if key in head else None for key in TEXTS]
                continue
            if not cells:
                continue
            if len(cells) != len(head):
                points[column].refuse(where, f"it has {len(cells)} cells, the first line {len(head)}")
            try:
                function, dimension, instance, evaluation, value = (float(cells[place]) for place in places)
                whole = int(function), int(dimension), int(instance)
                if whole != (function, dimension, instance):
                    raise ValueError  # noqa: TRY301 said below
            except (ValueError, OverflowError):
                shown = quoted(", ".join(cells[place] for place in places))
                points[column].refuse(where, f"not numbers of {', '.join((*NUMBERS, column))}: '{shown}'")
            own, trial = (quoted(cells[at]) if at is not None else "" for at in texts)
            points[column].add((own or algorithm, *whole, trial), evaluation, value, where)
    except csv.Error as error:
        where = located(path, f"{quoted(name)}, line {rows.line_num}")
        raise SacmaError(f"{where}: not CSV ({quoted(error)})") from None


def _value_column(path: Path, where: str, head: Sequence[str]) -> str:
    """Return the column of values of a table with these columns; raise SacmaError if one is missing, or twice there."""
    values = [column for column in VALUES if column in head]
    lacking = [column for column in NUMBERS if column not in head] + ([] if values else ["value"])
    if lacking or len(values) > 1 or len(set(head)) < len(head) or len(head) > MOST_COLUMNS:
        fault = f"it lacks the columns {', '.join(lacking)}" if lacking else "a column is there twice"
        allowed = f"{', '.join(NUMBERS)} and value or delta_f; also {' and '.join(TEXTS)}"
        raise SacmaError(f"{located(path, where)}: {fault}; columns are {allowed}, separated by commas")
    return values[0]
