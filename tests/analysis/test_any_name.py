"""An algorithm may be called like a column of a table, or what pandas calls one by itself."""

import re

import pandas as pd

from sacma.analysis.comparison import Covered
from sacma.analysis.sections import all_sections, find
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, compared, made

PROTOCOL: dict[str, object] = {"functions": "1-6", "dimensions": "2", "instances": "1", "budget": 20.0}
TOGETHER = 27  # algorithms compared at a time
OF_PANDAS = ("columns", "index", "level", "level_0", "level_1", "name", "size", "value", "values", "variable")


def frames_of(names: list[str]) -> dict[str, pd.DataFrame]:
    """Return all data frames of a report on algorithms of these names, in order; the first of them is the worst."""

    def study(name: str, number: int) -> Covered:
        def found(spec: TrialSpec) -> Improvements:
            return [(1, 10.0), (20, (spec.function % 3 + spec.instance) / (number + 1))]

        return made("ada_kendall", found, PROTOCOL, name=name, generations=(10, 5))

    comparison = compared(*(study(name, number) for number, name in enumerate(names)))
    findings = find(comparison)
    return {
        name: findings[name] for section in all_sections() if section.applies(comparison) for name in section.frames
    }


def test_columns_of_all_tables_are_names_like_others() -> None:
    """Tables on algorithms called like the columns of any table are those on others, but for the names."""
    others = [f"A{number:02}" for number in range(TOGETHER)]
    expected = frames_of(others)
    columns = {str(column) for frame in expected.values() for column in frame.columns} | set(OF_PANDAS)
    names = sorted(name for name in columns if re.fullmatch("[A-Za-z0-9][A-Za-z0-9_]*", name))
    assert {"rank", "function", "dimension", "instance", "budget", "level", "algorithm", "target"} <= set(names)
    for start in range(0, len(names), TOGETHER):
        group = [*names[start : start + TOGETHER], *(f"z{number:02}" for number in range(TOGETHER))][:TOGETHER]
        of = dict(zip(others, group, strict=True))
        for name, frame in frames_of(group).items():
            pd.testing.assert_index_equal(frame.columns, expected[name].columns)
            if not name.startswith("ecdf"):  # restarts of run lengths are drawn by name
                pd.testing.assert_frame_equal(frame, expected[name].replace(of).astype(frame.dtypes))
