"""Sections of the report: data frames, tables, figures and the piece of the page that each of them adds."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from sacma.analysis.comparison import Comparison
from sacma.analysis.table_format import FormattedTable
from sacma.analysis.tables import medians_of
from sacma.analysis.trials import best_delta_f
from sacma.store.provenance import Manifest
from sacma.store.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Json = dict[str, object]
T = TypeVar("T")


class Findings(Mapping[str, pd.DataFrame]):
    """Data frames of a comparison by name, each made by its function in ``frames``, when it is first asked for.

    Such a function may ask for others.
    """

    def __init__(self, comparison: Comparison, frames: Mapping[str, Callable[["Findings"], pd.DataFrame]]) -> None:
        self.comparison = comparison
        self._frames = frames
        self._found: dict[Callable[[Findings], Any], Any] = {}
        self._alone: dict[tuple[str, ...], Findings] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.once(self._frames[name])

    def once(self, find: Callable[["Findings"], T]) -> T:
        """Return what is found by a function of the findings, which is called the first time only."""
        if find not in self._found:
            self._found[find] = find(self)
        found: T = self._found[find]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)

    def alone(self, names: Collection[str]) -> "Findings":
        """Return findings of some of our algorithms among themselves, up to the same budget."""
        comparison = self.comparison
        ours = tuple(pair for pair in comparison.covered if pair[0].name in names)
        if len(ours) == len(comparison.names):
            return self
        key = tuple(study.name for study, _ in ours)
        if key not in self._alone:
            chosen = replace(comparison, covered=ours, external=(), against="", own_budget=comparison.budget)
            self._alone[key] = Findings(chosen, self._frames)
        return self._alone[key]

    @cached_property
    def best(self) -> pd.DataFrame:
        """Best Δf of each compared trial in each scenario, as from ``best_delta_f``."""
        return best_delta_f(self.comparison.compared.trials, self.comparison.scenarios)

    @cached_property
    def medians(self) -> pd.DataFrame:
        """Δf_med, as from ``median_delta_f``."""
        return medians_of(self.best)

    @property
    def shared_medians(self) -> pd.DataFrame:
        """Δf_med of functions that all algorithms have."""
        return self.comparison.compared.overlap.shared(self.medians)


Make = Callable[[Findings], pd.DataFrame]


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
    make: "Callable[[], Figure]"  # pickled with its data for another process
    first: bool = False  # shown before others are chosen


@dataclass(frozen=True)
class Section:
    """A section of the report: all that it adds.

    The piece has the macros ``table``, ``frame`` and ``figure`` of the page, and tables, values, frames, files (links
    by table and ending), scope, baseline and cocopp.
    """

    key: str  # of its place in the page; sections of one key follow each other below one heading
    title: str  # in the navigation of the page
    heading: str = ""  # in the page; the title unless given
    frames: Mapping[str, Make] = field(default_factory=dict)  # by name; each is a CSV file, unless it has no columns
    tables: Callable[[Report], Iterable[FormattedTable]] = lambda _: ()  # as they are printed
    figures: Callable[[Report], Iterable[Drawing]] = lambda _: ()
    chart: Callable[[Findings], Json] | None = None  # data of an interactive chart for the page's script, by the key
    piece: str = "{% for each in tables %}{{ table(each) }}{% endfor %}"  # of the page: a Jinja template
    values: Callable[[Report], Mapping[str, object]] = lambda _: {}  # more for the piece
    shown: Callable[[Findings], bool] = lambda _: True  # if the page has it
    applies: Callable[[Comparison], bool] = lambda _: True  # if its frames mean anything
    scoped: bool = True  # captions of its tables end with what the tables are over


def of_one(make: Make) -> Make:
    """Return what makes a data frame, each row of one algorithm, and marks those of which trials are missing."""
    return lambda findings: findings.comparison.marked(make(findings), compares=False)


def of_all(make: Make) -> Make:
    """Return what makes a data frame, each row of all algorithms, and marks those of which trials are missing."""
    return lambda findings: findings.comparison.marked(make(findings), compares=True)


def by_dimension(frame: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Return the rows of each dimension, ascending."""
    return [(int(D), frame[frame["dimension"] == D]) for D in sorted(frame["dimension"].unique())] if len(frame) else []


def rounded(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Return numbers to some digits, None for those that JSON has not."""
    return [float(f"{value:.{digits}g}") if isfinite(value) else None for value in values]
