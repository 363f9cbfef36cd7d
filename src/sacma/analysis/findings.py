"""Findings of a comparison: data frames by name, each computed when it is first asked for."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd

from sacma.analysis.comparison import Comparison
from sacma.analysis.tables import medians_of
from sacma.analysis.trials import best_delta_f

T = TypeVar("T")


class Findings(Mapping[str, pd.DataFrame]):
    """Data frames of a comparison by name; each is a CSV file of the report.

    Each is made by its function in ``frames``, which may ask for others.
    """

    def __init__(self, comparison: Comparison, frames: Mapping[str, Callable[["Findings"], pd.DataFrame]]) -> None:
        self.comparison = comparison
        self._frames = frames
        self._found: dict[Callable[[Findings], Any], Any] = {}

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
