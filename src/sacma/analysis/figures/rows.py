"""Rows of a table that a figure draws, checked before matplotlib sees them."""

from collections.abc import Sequence
from typing import TypeAlias

import pandas as pd

from sacma.analysis.figures.style import Look, looks
from sacma.coco.function_names import BEST_2009

Names: TypeAlias = Sequence[str] | None  # algorithms of a study, in its order; None: those of the table


def rows(table: pd.DataFrame, columns: Sequence[str], *, unique: Sequence[str] = (), **where: object) -> pd.DataFrame:
    """Return the rows in which some columns have given values, of a table that must have ``columns``.

    No two of them may have the same values in the columns ``unique``.

    >>> rows(pd.DataFrame({"dimension": [2, 3]}), ["dimension"], dimension=5)
    Traceback (most recent call last):
    ...
    ValueError: nothing to draw: no row has dimension 5; there are 2, 3
    """
    missing = [column for column in columns if column not in table]
    if missing:
        raise ValueError(f"the table has no column {', '.join(missing)}; it has {', '.join(map(str, table))}")
    if table.empty:
        raise ValueError("nothing to draw: the table has no rows")
    found = table
    for column, value in where.items():
        there = found
        found = found[found[column] == value]
        if found.empty:
            others = ", ".join(map(str, pd.unique(there[column])[:12]))
            raise ValueError(f"nothing to draw: no row has {column} {value}; there are {others}")
    if unique and (twice := found.duplicated(list(unique))).any():
        place = ", ".join(f"{column} {found.loc[twice, column].iloc[0]}" for column in unique)
        raise ValueError(f"the table has more than one row for {place}")
    return found


def in_order(table: pd.DataFrame, algorithms: Names) -> tuple[str, ...]:
    """Return the algorithms of a study in its order, which is that of the first rows of each unless given.

    >>> in_order(pd.DataFrame({"algorithm": ["B"]}), ["A"])
    Traceback (most recent call last):
    ...
    ValueError: algorithm 'B' is not one of the study: A
    """
    there = [str(name) for name in pd.unique(table["algorithm"])]
    if algorithms is None:
        return tuple(name for name in there if name != BEST_2009)
    if len(set(algorithms)) < len(algorithms):
        raise ValueError(f"the study names an algorithm twice: {', '.join(algorithms)}")
    for name in there:
        if name not in algorithms and name != BEST_2009:
            raise ValueError(f"algorithm {name!r} is not one of the study: {', '.join(algorithms)}")
    return tuple(name for name in algorithms if name != BEST_2009)


def looks_of(table: pd.DataFrame, drawn: pd.DataFrame, algorithms: Names) -> dict[str, Look]:
    """Return the looks of the algorithms of a study, or of a table, that are drawn, in its order."""
    there = set(drawn["algorithm"])
    return {name: look for name, look in looks(in_order(table, algorithms)).items() if name in there}
