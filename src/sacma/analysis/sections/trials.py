"""Single trials in the data of the page, whose script makes ranks and curves of some of them: no place of their own."""

import numpy as np
import pandas as pd

from sacma.analysis.comparison import MANY
from sacma.analysis.section import Findings, Json, Section
from sacma.analysis.sections.ecdf import trials_reaching
from sacma.analysis.tables import tied
from sacma.types import Array

PARTS, PARTS_OF_MANY = 10_000, 1000  # of a decade of Δf


def levels_of(logs: Array, parts: int) -> tuple[list[int], list[int]]:
    """Return log10 Δf, shape (n,), as levels and the number of each value's level.

    Levels ascend; each but the first is the difference from the one before, in whole parts of a decade, so many a
    decade. Values that are tied have the same level, others do not, however close they are: ranks of the numbers are
    those of the values. Infinite ones are behind the last level.

    >>> levels_of(np.array([-2.0, 0.301, 0.302, 0.301, np.inf]), 10)
    ([-20, 23, 0], [0, 1, 2, 1, 3])
    """
    levels, numbers = np.unique(tied(logs), return_inverse=True)
    whole = np.rint(levels[np.isfinite(levels)] * parts).astype(int)
    return np.diff(whole, prepend=0).tolist(), numbers.tolist()


def _chart(findings: Findings) -> Json:
    """Return the level of the best Δf of each trial, None where it is not known, and their instances.

    ``values`` are by dimension, fixed budget, function and algorithm, and the levels are in the place of an algorithm
    without a name; ``instances``, in the order of the values, by dimension and function, those of an algorithm where it
    has others than most; ``reaching`` is of run lengths.
    """
    names = findings.comparison.names
    parts = PARTS if len(names) <= MANY else PARTS_OF_MANY
    best = findings.best[findings.best["scenario"].isin(findings.comparison.fixed_budgets)]
    instances: dict[str, dict[str, dict[str, list[int]]]] = {}
    values: dict[str, dict[str, dict[str, dict[str, list[int | None]]]]] = {}
    for (D, f, budget), of in best.groupby(["dimension", "function", "scenario"], sort=False):
        known = of["delta_f"].notna().to_numpy()
        levels, places = levels_of(np.log10(of["delta_f"].to_numpy(float)[known]), parts)
        places_left = iter(places)
        numbers = pd.Series([next(places_left) if there else None for there in known], of.index, dtype=object)
        of_function = values.setdefault(str(D), {}).setdefault(str(budget), {}).setdefault(str(f), {"": [*levels]})
        usual = instances.setdefault(str(D), {}).setdefault(str(f), {})
        for name, trials in of.groupby("algorithm", sort=False):
            of_function[str(name)] = numbers[trials.index].to_list()
            there = trials["instance"].to_list()
            if usual.setdefault("", there) != there:
                usual[str(name)] = there
    scale: Json = {"parts": parts, "algorithms": list(names)}
    return scale | {"instances": instances, "values": values, "reaching": trials_reaching(findings)}


SECTION = Section(key="trials", title="Trials", chart=_chart, shown=lambda _: False)
