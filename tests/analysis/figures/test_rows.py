"""Tables are checked before they are drawn."""

from typing import Any

import pandas as pd
import pytest

from sacma.analysis.figures.rows import in_order, rows

TABLE = pd.DataFrame({"algorithm": ["B", "A", "best 2009"], "dimension": [2, 3, 3]})


def test_rows() -> None:
    """Those with the given values, as they are."""
    assert rows(TABLE, ["algorithm"], dimension=3)["algorithm"].tolist() == ["A", "best 2009"]


@pytest.mark.parametrize(
    ("columns", "where", "said"),
    [
        (["median", "rank"], {}, "the table has no column median, rank; it has algorithm, dimension"),
        (["dimension"], {"dimension": 5}, "no row has dimension 5; there are 2, 3"),
        (["dimension"], {"dimension": 2, "algorithm": "A"}, "no row has algorithm A; there are B"),
    ],
)
def test_what_is_missing(columns: list[str], where: dict[str, Any], said: str) -> None:
    """It is named, with what is there."""
    with pytest.raises(ValueError, match=said):
        rows(TABLE, columns, **where)


def test_order() -> None:
    """That of the study, whole, or else of the rows; the reference is none of the study's algorithms."""
    assert in_order(TABLE, None) == ("B", "A")
    assert in_order(TABLE, ["A", "C", "B"]) == ("A", "C", "B")
    with pytest.raises(ValueError, match="'B' is not one of the study: A"):
        in_order(TABLE, ["A"])
    with pytest.raises(ValueError, match="names an algorithm twice: A, B, A"):
        in_order(TABLE, ["A", "B", "A"])
