"""Sections of the report: the data frames, tables and charts that each of them adds."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd

from sacma.analysis.charts import Chart
from sacma.analysis.comparison import Comparison
from sacma.analysis.table_format import FormattedTable
from sacma.analysis.tables import medians_of
from sacma.analysis.trials import best_delta_f
from sacma.store.provenance import Manifest
from sacma.store.store import Store

T = TypeVar("T")


class Findings(Mapping[str, pd.DataFrame]):
    """Data frames of a comparison by name, each made by its function in ``frames``, when it is first asked for.

    Such a function may ask for others, and read from the store of the results, where there is one.
    """

    def __init__(
        self,
        comparison: Comparison,
        frames: Mapping[str, Callable[["Findings"], pd.DataFrame]],
        store: Store | None = None,
    ) -> None:
        self.comparison = comparison
        self.store = store
        self._frames = frames
        self._found: dict[Callable[[Findings], Any], Any] = {}
        self._alone: dict[tuple[str, ...], Findings] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.once(self._frames[name])

    def once(self, find: Callable[["Findings"], T]) -> T:
        """Return the result of a function of the findings, which is called the first time only."""
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
            self._alone[key] = Findings(chosen, self._frames, self.store)
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
    """Results of a report: their findings, provenance, and notes."""

    findings: Findings
    manifests: Sequence[Manifest] = ()
    notes: Sequence[str] = ()

    @property
    def comparison(self) -> Comparison:
        """The algorithms that are compared."""
        return self.findings.comparison


@dataclass(frozen=True)
class Section:
    """A section of the report: its data frames, tables and charts, and a template of its place in the page.

    The template is a file of ``page/sections`` with the macros ``table``, ``frame`` and ``chart`` of the page, and with
    tables, charts, values, frames, files (links by table and ending), scope, baseline and cocopp.
    """

    key: str  # of its place in the page
    title: str  # in the navigation of the page
    heading: str = ""  # in the page; the title unless given
    frames: Mapping[str, Make] = field(default_factory=dict)  # by name; each is a CSV file, unless it has no columns
    tables: Callable[[Report], Iterable[FormattedTable]] = lambda _: ()  # as they are printed
    charts: Callable[[Report], Iterable[Chart]] = lambda _: ()
    template: str = "default.html"  # all charts, then all tables
    values: Callable[[Report], Mapping[str, object]] = lambda _: {}  # more for the template
    shown: Callable[[Findings], bool] = lambda _: True  # if the page has it
    applies: Callable[[Comparison], bool] = lambda _: True  # if its frames mean anything
    scoped: bool = True  # captions of its tables end with what the tables are over


def of_one(make: Make) -> Make:
    """Return a maker of a data frame with rows of single algorithms, those that lack trials marked."""
    return lambda findings: findings.comparison.marked(make(findings), compares=False)


def of_all(make: Make) -> Make:
    """Return a maker of a data frame with rows that compare all algorithms, those that lack trials marked."""
    return lambda findings: findings.comparison.marked(make(findings), compares=True)


def by_dimension(frame: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Return the rows of each dimension, ascending."""
    return [(int(D), frame[frame["dimension"] == D]) for D in sorted(frame["dimension"].unique())] if len(frame) else []
