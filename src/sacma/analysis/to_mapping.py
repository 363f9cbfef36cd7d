"""Data frames as mappings, where single values are looked up."""

from collections.abc import Sequence
from typing import Any

import pandas as pd


def to_mapping(frame: pd.DataFrame, keys: Sequence[str], value: str) -> dict[tuple[Any, ...], Any]:
    """Return the values of a column by those of other columns.

    >>> to_mapping(pd.DataFrame({"a": [1, 1], "b": ["x", "y"], "c": [0.5, 0.7]}), ["a", "b"], "c")
    {(1, 'x'): 0.5, (1, 'y'): 0.7}
    """
    return dict(zip(zip(*(frame[key].tolist() for key in keys), strict=True), frame[value].tolist(), strict=True))
