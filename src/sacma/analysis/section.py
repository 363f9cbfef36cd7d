"""Sections of the report: data frames, tables, figures and the piece of the page that each of them adds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.comparison import Comparison
from sacma.analysis.findings import Findings
from sacma.analysis.table_format import FormattedTable
from sacma.coco.suites import Suite
from sacma.store.provenance import Manifest
from sacma.store.store import Store

Json = dict[str, object]


@dataclass(frozen=True, eq=False)
class Report:
    """Results that a report is made from: where they are, what was found, where our trials ran, and notes on them."""

    store: Store
    findings: Findings
    manifests: Sequence[Manifest] = ()
    notes: Sequence[str] = ()

    @property
    def comparison(self) -> Comparison:
        """The algorithms that are compared."""
        return self.findings.comparison

    @property
    def look(self) -> dict[str, Any]:
        """Arguments that all figures take."""
        return {"algorithms": self.comparison.names, "partial": not self.comparison.complete}


@dataclass(frozen=True)
class Drawing:
    """A figure to be made, of a group of which the page shows one at a time; without a group it is in files only."""

    name: str  # of its files
    group: str
    title: str  # to choose it by
    make: Callable[[], Figure]  # pickled with its data for another process
    first: bool = False  # shown before others are chosen


@dataclass(frozen=True)
class Section:
    """A section of the report: all that it adds.

    Args:
        key: of its place in the page; sections of one key follow each other below one heading.
        title: in the navigation of the page.
        heading: in the page; the title unless given.
        frames: by name, each a CSV file, unless it has no columns; they may be made from other frames.
        tables: as they are printed.
        figures: to be drawn.
        chart: data of an interactive chart, for the page's script, below the key.
        piece: of the page: a Jinja template. It has the macros ``table``, ``frame`` and ``figure`` of the page, and
            tables, values, frames, files (links by table and ending), scope, baseline and cocopp.
        values: more for the piece.
        shown: tells from the findings if the page has it.
        applies: tells of a suite if its frames mean anything there.
        scoped: captions of its tables end with what the tables are over.
    """

    key: str
    title: str
    heading: str = ""
    frames: Mapping[str, Callable[[Findings], pd.DataFrame]] = field(default_factory=dict)
    tables: Callable[[Report], Iterable[FormattedTable | None]] = lambda _: ()
    figures: Callable[[Report], Iterable[Drawing]] = lambda _: ()
    chart: Callable[[Findings], Json] | None = None
    piece: str = "{% for each in tables %}{{ table(each) }}{% endfor %}"
    values: Callable[[Report], Mapping[str, object]] = lambda _: {}
    shown: Callable[[Findings], bool] = lambda _: True
    applies: Callable[[Suite], bool] = lambda _: True
    scoped: bool = True


Make = Callable[[Findings], pd.DataFrame]


def of_one(make: Make) -> Make:
    """Return what makes a data frame, each row of one algorithm, and marks those of which trials are missing."""
    return lambda findings: findings.comparison.marked(make(findings), compares=False)


def of_all(make: Make) -> Make:
    """Return what makes a data frame, each row of all algorithms, and marks those of which trials are missing."""
    return lambda findings: findings.comparison.marked(make(findings), compares=True)


def by_dimension(frame: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Return the rows of each dimension, ascending."""
    return [(int(D), frame[frame["dimension"] == D]) for D in sorted(frame["dimension"].unique())] if len(frame) else []
