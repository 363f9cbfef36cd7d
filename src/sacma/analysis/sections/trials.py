"""Single trials in the data of the page, whose script makes ranks and curves of some of them: no place of their own."""

import numpy as np
import pandas as pd

from sacma.analysis.comparison import MANY
from sacma.analysis.section import Findings, Json, Section
from sacma.analysis.sections.ecdf import trials_reaching
from sacma.analysis.tables import tied
from sacma.surrogate.whitening import Array

PARTS, PARTS_OF_MANY = 10_000, 100  # of a decade of Δf
INFINITE = 10**12  # for Δf before the first evaluation


def in_whole_parts(logs: Array, parts: int) -> list[int]:
    """Return log10 Δf, shape (n,), as whole numbers of so many parts of a decade, in the same order.

    Values that are tied have the same number, others do not, however close they are: ranks are those of the values.
    Infinite ones are ``INFINITE``.

    >>> in_whole_parts(np.array([-2.0, 0.301, 0.302, 0.301]), 10)
    [-20, 3, 4, 3]
    """
    values = tied(logs)
    levels, level_of = np.unique(values, return_inverse=True)
    finite = np.isfinite(levels)
    steps = np.arange(np.count_nonzero(finite))
    whole = np.full(len(levels), INFINITE)
    whole[finite] = np.maximum.accumulate(np.rint(levels[finite] * parts).astype(int) - steps) + steps
    found: list[int] = whole[level_of].tolist()
    return found


def _chart(findings: Findings) -> Json:
    """Return the best Δf of each trial, in whole parts of a decade, None where it is not known, and their instances.

    ``values`` are by dimension, fixed budget, function and algorithm; ``instances``, in the order of the values, by
    dimension and function, those of an algorithm where it has others than most; ``reaching`` is of run lengths.
    """
    names = findings.comparison.names
    parts = PARTS if len(names) <= MANY else PARTS_OF_MANY
    best = findings.best[findings.best["scenario"].isin(findings.comparison.fixed_budgets)]
    instances: dict[str, dict[str, dict[str, list[int]]]] = {}
    values: dict[str, dict[str, dict[str, dict[str, list[int | None]]]]] = {}
    for (D, f, budget), of in best.groupby(["dimension", "function", "scenario"], sort=False):
        known = of["delta_f"].notna().to_numpy()
        whole = iter(in_whole_parts(np.log10(of["delta_f"].to_numpy(float)[known]), parts))
        numbers = pd.Series([next(whole) if there else None for there in known], of.index, dtype=object)
        of_function = values.setdefault(str(D), {}).setdefault(str(budget), {}).setdefault(str(f), {})
        usual = instances.setdefault(str(D), {}).setdefault(str(f), {})
        for name, trials in of.groupby("algorithm", sort=False):
            of_function[str(name)] = numbers[trials.index].to_list()
            there = trials["instance"].to_list()
            if usual.setdefault("", there) != there:
                usual[str(name)] = there
    scale: Json = {"parts": parts, "infinite": INFINITE, "algorithms": list(names)}
    return scale | {"instances": instances, "values": values, "reaching": trials_reaching(findings)}


SECTION = Section(key="trials", title="Trials", chart=_chart, shown=lambda _: False)
