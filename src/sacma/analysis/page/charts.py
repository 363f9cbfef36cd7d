"""Data of the page's interactive charts."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd


def rounded(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Return numbers to some digits, None for those that JSON has not."""
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]


def by_place(
    frame: pd.DataFrame, place: str, places: str, curve_of: Callable[[pd.DataFrame, Any], list[Any]]
) -> dict[str, object]:
    """Return the curves of a chart by dimension: ``x``, and below ``places`` those of each place and algorithm.

    Args:
        frame: columns dimension, algorithm, evaluations_per_dimension and the one named ``place``.
        place: column of what is chosen, such as function.
        places: key of the curves.
        curve_of: returns what is drawn of the rows of a curve at x, the numbers of evaluations of the dimension.
    """
    found: dict[str, object] = {}
    for D, of_dimension in frame.groupby("dimension") if len(frame) else ():
        x = np.unique(of_dimension["evaluations_per_dimension"])
        curves: dict[str, dict[str, object]] = {
            str(key): {} for key in sorted(of_dimension[place].unique(), key=_order)
        }
        for (key, name), curve in of_dimension.groupby([place, "algorithm"], sort=False):
            curves[str(key)][str(name)] = curve_of(curve, x)
        found[str(D)] = {"x": rounded(x, 5), places: curves}
    return found


def _order(key: object) -> int:
    """Numbers are in their order, names stay in that of their first rows."""
    return 0 if isinstance(key, str) else int(str(key))
