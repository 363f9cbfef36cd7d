"""Data frames as mappings, where single values are looked up."""

from collections.abc import Sequence
from typing import Any

import pandas as pd


def lookup(frame: pd.DataFrame, keys: Sequence[str], value: str) -> dict[tuple[Any, ...], Any]:
    """Return the values of a column by those of other columns.

    >>> lookup(pd.DataFrame({"a": [1, 1], "b": ["x", "y"], "c": [0.5, 0.7]}), ["a", "b"], "c")
    {(1, 'x'): 0.5, (1, 'y'): 0.7}
    """
    return dict(zip(zip(*(frame[key].tolist() for key in keys), strict=True), frame[value].tolist(), strict=True))


def entries(table: pd.DataFrame) -> dict[tuple[Any, Any], Any]:
    """Return the entries of a table by row and column.

    >>> entries(pd.DataFrame({"x": [1, 2]}, index=["a", "b"]))
    {('a', 'x'): 1, ('b', 'x'): 2}
    """
    rows = zip(table.index, table.to_numpy().tolist(), strict=True)
    return {(row, column): value for row, values in rows for column, value in zip(table.columns, values, strict=True)}
