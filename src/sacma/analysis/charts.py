"""Charts of the report, declared once: data, axes, series and caption; the page draws them, and matplotlib for files.

A chart has a panel for each combination of values in the columns ``by`` of its data, such as a dimension and a
function. The page shows those of its choice; a file has all panels of one value of the first of these columns. To add
one, yield it from the ``charts`` of a section; to add a kind, write its class here, its drawing in
``sacma.analysis.figures.draw`` and in ``page/drawing.js``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from sacma.coco.suites import function_title
from sacma.types import Array

Json = dict[str, Any]
Place = tuple[Any, ...]  # values of the columns ``by``

STEPS = 1000  # of a unit, or on a log axis of a decade, in the page's lines
COARSE = 40  # the same of lines of single trials
FINE = 10_000  # the same of cells
BEYOND = 10_000_000  # of them stand for infinity


@dataclass(frozen=True)
class Axis:
    """A column of the data along an axis; infinite values are drawn at its end."""

    column: str
    label: str
    log: bool = False
    falls: bool = False  # from the largest value to the smallest
    limits: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Chart:
    """A chart.

    Attributes:
        name: of its files, and of its place in the page.
        caption: how to read it.
        data: a row a point, with the columns of ``by``, of the series and of the axes; no row, no panel.
        by: columns whose values choose a panel.
        x: axis of all kinds.
        series: column whose values have a colour each, algorithms as in all charts.
        computed: the page makes the panels from its choice, by the function of ``computed.js`` with the chart's name.
        figures: there are files of it, too.
    """

    kind: ClassVar[str]
    name: str
    caption: str
    data: pd.DataFrame
    by: tuple[str, ...]
    x: Axis
    series: str = "algorithm"
    computed: bool = False
    figures: bool = True

    def panels(self) -> Iterator[tuple[Place, pd.DataFrame]]:
        """Yield the place and the rows of each panel."""
        yield from self.data.groupby(list(self.by), sort=False)

    def files(self) -> Iterator[tuple[str, "Chart"]]:
        """Yield each file of the chart: its name without ending, and the chart in it."""
        if not self.figures:
            return
        if len(self.by) == 1:
            yield self.name, self
            return
        for value, rows in self.data.groupby(self.by[0], sort=False):
            suffix = f"{value:02d}D" if self.by[0] == "dimension" else str(value).replace(" ", "_")
            yield f"{self.name}_{suffix}", replace(self, data=rows)

    def for_page(self) -> Json:
        """Return the chart as data of the page's script."""
        there = () if self.computed else self.panels()
        panels = [[[str(value) for value in place], self._panel(rows)] for place, rows in there]
        by = [[column, [[str(v), title(column, v)] for v in self.data[column].unique()]] for column in self.by]
        axes = {name: vars(axis) for name, axis in vars(self).items() if isinstance(axis, Axis)}
        return {"kind": self.kind, "by": by, "series": self.series, **axes, "panels": panels}

    def _panel(self, rows: pd.DataFrame) -> object:
        raise NotImplementedError


def title(column: str, value: Any) -> str:
    """Return how a value of a column is shown.

    >>> title("dimension", 5), title("function", 8)
    ('5-D', 'f8 Rosenbrock')
    """
    if column == "function":
        return function_title(int(value))
    return f"{value}-D" if column == "dimension" else str(value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Lines(Chart):
    """A line a series, with a band between two columns if these are given.

    Attributes:
        stepped: a line keeps y until the next x.
        end: column of the x at which a series' data end; beyond it the page draws only where that is asked for.
        single: name of the chart that the page shows in place of this one for single functions.
        trials: lines of single trials, with columns as ``data`` and ``trial``, which the page draws where asked to.
    """

    kind = "lines"
    y: Axis
    band: tuple[str, str] | None = None
    stepped: bool = False
    end: str = ""
    single: str = ""
    trials: pd.DataFrame | None = None

    def _panel(self, rows: pd.DataFrame) -> object:
        """Return by series the end of its data, and x, y, low and high in steps, each less the one before it."""
        columns = [self.y.column, *(self.band or ())]
        lines = []
        for name, of in rows.groupby(self.series, sort=False):
            packed = (_packed(of[self.x.column], log=self.x.log), *(_packed(of[c], log=self.y.log) for c in columns))
            lines.append([str(name), rounded(of[self.end].to_list()[:1])[0] if self.end else None, *packed])
        return lines

    def for_page(self) -> Json:
        """Return the chart as data of the page's script."""
        more: Json = {"stepped": self.stepped, "ends": bool(self.end), "single": self.single}
        if self.trials is not None:
            more["trials"] = [
                ["|".join(map(str, place)), list(_of_trials(self, rows))]
                for place, rows in self.trials.groupby(list(self.by), sort=False)
            ]
        return {**super().for_page(), **more}


def _of_trials(chart: Lines, rows: pd.DataFrame) -> Iterator[list[object]]:
    """Yield by series its name, the common x of its trials, and y of each."""
    for name, of in rows.groupby(chart.series, sort=False):
        table = of.pivot(index="trial", columns=chart.x.column, values=chart.y.column)
        x = _packed(pd.Series(table.columns, dtype=float), log=chart.x.log)
        yield [str(name), x, [_packed(row, log=chart.y.log, steps=COARSE) for _, row in table.iterrows()]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(Chart):
    """A row a series from the lowest value down, a mark at x, with a thick and a thin bar between columns.

    ``alike`` are lists of series by panel that no test tells apart: a bar beside the rows joins each.
    """

    kind = "rows"
    bar: tuple[str, str] | None = None
    whisker: tuple[str, str] | None = None
    alike: Mapping[Place, Sequence[Sequence[str]]] = field(default_factory=dict)

    def panels(self) -> Iterator[tuple[Place, pd.DataFrame]]:
        """Yield the place and the rows of each panel, from the lowest value on."""
        for place, rows in super().panels():
            yield place, rows.dropna(subset=[self.x.column]).sort_values(self.x.column, kind="stable")

    def joined(self, rows: pd.DataFrame) -> list[tuple[int, int]]:
        """Return the positions of the first and the last row of each group of a panel that is alike."""
        names = rows[self.series].to_list()
        groups = self.alike.get(tuple(rows.iloc[0][list(self.by)]), ()) if len(rows) else ()
        return [(names.index(group[0]), names.index(group[-1])) for group in groups]

    def _panel(self, rows: pd.DataFrame) -> object:
        columns = [self.x.column, *(self.bar or ()), *(self.whisker or ())]
        values = [
            [str(name), *rounded(of)] for name, of in zip(rows[self.series], rows[columns].to_numpy(float), strict=True)
        ]
        return {"rows": values, "alike": self.joined(rows)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars(Chart):
    """A stacked bar for each value of ``rows``, whose parts are the series."""

    kind = "bars"
    rows: str = "algorithm"

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the lengths of a panel's bars, rows × parts; none is negative."""
        table = rows.pivot(index=self.rows, columns=self.series, values=self.x.column)
        return table.reindex(index=rows[self.rows].unique(), columns=self.data[self.series].unique()).clip(lower=0)

    def _panel(self, rows: pd.DataFrame) -> object:
        table = self.table(rows)
        return [[str(name), *rounded(of)] for name, of in zip(table.index, table.to_numpy(float), strict=True)]

    def for_page(self) -> Json:
        """Return the chart as data of the page's script."""
        return {**super().for_page(), "parts": list(self.data[self.series].unique())}


@dataclass(frozen=True, eq=False, kw_only=True)
class Scatter(Chart):
    """A point a row, with the diagonal; infinite values are at the border. ``label`` is a column that names points."""

    kind = "scatter"
    y: Axis
    label: str

    def _panel(self, rows: pd.DataFrame) -> object:
        points = zip(
            rows[self.series], rows[self.label], rows[[self.x.column, self.y.column]].to_numpy(float), strict=True
        )
        return [[title(self.series, name), label, *rounded(at)] for name, label, at in points]


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells(Chart):
    """A cell for each pair of a row and a series, as a table of the page, without a figure.

    The page makes the table from x, positive, and from the column ``rank``, NaN where there is none.
    """

    kind = "cells"
    rows: str = "function"
    figures: bool = False

    def _panel(self, rows: pd.DataFrame) -> object:
        """Return the series, and by row its value, title, log10 x in steps and twice the ranks."""
        names = list(rows[self.series].unique())
        logs, ranks = (rows.pivot(index=self.rows, columns=self.series, values=c) for c in (self.x.column, "rank"))
        with np.errstate(divide="ignore"):
            steps = np.rint(FINE * np.log10(logs[names].to_numpy(float))).clip(max=BEYOND)
        twice = 2 * ranks[names].to_numpy(float)
        whole = [[[None if np.isnan(v) else int(v) for v in row] for row in of.tolist()] for of in (steps, twice)]
        rows_ = zip(logs.index, *whole, strict=True)
        return {"names": names, "rows": [[str(row), title(self.rows, row), *of] for row, *of in rows_]}


def rounded(values: Sequence[float] | Array) -> list[float | None]:
    """Return numbers to four digits, None where they are not finite: as JSON can have them."""
    return [float(f"{value:.4g}") if isfinite(value) else None for value in values]


def _packed(values: "pd.Series[float]", *, log: bool, steps: int = STEPS) -> list[int | None]:
    """Return numbers in whole steps, each less the finite one before it: few digits, which compress well."""
    with np.errstate(divide="ignore"):
        scaled = np.log10(values.to_numpy(float)) if log else values.to_numpy(float)
    finite = np.isfinite(scaled)
    less = iter(np.diff(np.rint(steps * scaled[finite]), prepend=0).astype(int).tolist())
    return [next(less) if there else None for there in finite]
