"""Why no algorithm has a rank: no function is common to all, or trials end before the budget; and what helps."""

import math
from dataclasses import replace

from sacma.analysis.comparison import Comparison
from sacma.analysis.ledger import listed
from sacma.analysis.section import Findings
from sacma.analysis.tables import function_ranks, median_delta_f, overall_ranks
from sacma.analysis.trials import ROUNDING, Trial, fixed_budgets

NOTHING_COMMON = (
    "Nothing can be ranked: no function and dimension is common to all algorithms; choose some that have one by "
    "--algorithms."
)
DIGITS = 100  # a budget is suggested as a multiple of 1 over this


def nothing_ranked(findings: Findings) -> str:
    """Return why nobody is ranked at the largest budget, and what to do."""
    comparison = findings.comparison
    if not _something_common(comparison):
        return NOTHING_COMMON
    short = {t.algorithm for t in comparison.compared.shared if t.known_until < comparison.evaluations(t.dimension)}
    names = listed([name for name in comparison.names if name in short])
    why = f"Nothing can be ranked after {comparison.budget:g}·D evaluations: "
    why += f"trials of {names} end earlier, off the target" if names else "too few of the trials are there"
    budget = largest_ranked(comparison)
    if budget is None:
        return f"{why}; choose algorithms whose trials are longer by --algorithms."
    return f"{why}; compare up to {budget:g}·D evaluations, the most at which there are ranks, by --budget {budget:g}."


def _something_common(comparison: Comparison) -> bool:
    """Return True where some function in some dimension is common to all algorithms."""
    overlap = comparison.compared.overlap
    dimensions = [{D for D, _, _ in overlap.there.get(name, ())} for name in comparison.names]
    return any(overlap.functions[D] for D in set.intersection(*dimensions))


def largest_ranked(comparison: Comparison) -> float | None:
    """Return the largest evaluations/D, of at least one, up to which algorithms are ranked; None if there are none."""
    ends = {math.floor(DIGITS * t.known_until / t.dimension + ROUNDING) for t in _ending(comparison)}
    budgets = sorted(end / DIGITS for end in ends if DIGITS <= end < DIGITS * comparison.budget)
    low, high = 0, len(budgets)  # those before low have ranks, those from high on have none
    while low < high:
        middle = (low + high) // 2
        if _has_ranks(replace(comparison, own_budget=budgets[middle])):
            low = middle + 1
        else:
            high = middle
    return budgets[low - 1] if low else None


def _ending(comparison: Comparison) -> list[Trial]:
    return [trial for trial in comparison.compared.shared if math.isfinite(trial.known_until)]


def _has_ranks(comparison: Comparison) -> bool:
    medians = median_delta_f(comparison.compared.trials, fixed_budgets([comparison.budget]))
    ranks = function_ranks(comparison.compared.overlap.shared(medians))
    return not overall_ranks(ranks).empty
