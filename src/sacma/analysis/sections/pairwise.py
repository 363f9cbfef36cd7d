"""Pairs of algorithms: wins over functions and whether they are significant, Table 4 of the paper."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sacma.analysis.findings import Findings
from sacma.analysis.page.table_format import Block, Cell, FormattedTable, Head, number
from sacma.analysis.section import Report, Section
from sacma.analysis.sections.ranks import BUDGETS, FIXED, are_compared
from sacma.analysis.tables import ALPHA, PLACE, decisive, pairwise_table
from sacma.analysis.to_mapping import to_mapping
from sacma.analysis.trials import OF_TARGET

PIECE = """
{% for each in tables %}{{ table(each) }}{% endfor %}
<p class="caption">Wins, losses, ties, effect sizes, and p-values, raw and corrected, of every pair and budget:
<a href="{{ files.pairwise.csv }}">csv</a></p>
"""


def _frame(findings: Findings) -> pd.DataFrame:
    return findings.comparison.marked(pairwise_table(findings.shared_medians), compares=True)


def _tables(report: Report) -> Iterator[FormattedTable | None]:
    pairs, fixed = report.findings["pairwise"], report.comparison.fixed_budgets
    yield wins_table(pairs, OF_TARGET)
    yield wins_table(pairs, list(dict.fromkeys([fixed[0], fixed[-1]])), fixed=True)


def wins_table(pairs: pd.DataFrame, scenarios: Sequence[str], *, fixed: bool = False) -> FormattedTable | None:
    """Return on how many functions the row's algorithm beats the column's (Table 4), from ``pairwise_table``."""
    if pairs.empty or not pairs["scenario"].isin(scenarios).any():
        return None
    pairs = pairs[pairs["scenario"].isin(scenarios)]
    scenarios = [scenario for scenario in scenarios if scenario in set(pairs["scenario"])]
    algorithms = pairs["winner"].unique()
    wins, significant = (to_mapping(pairs, [*PLACE, "winner", "loser"], name) for name in ("wins", "significant"))
    blocks = []
    for D in sorted(pairs["dimension"].unique()):
        header = (
            (Head(f"{D}-D"), *(Head(name, len(scenarios)) for name in algorithms)),
            (Head("evaluations"), *(Head(scenario) for _ in algorithms for scenario in scenarios)),
        )
        keys = [[(D, scenario, a, b) for b in algorithms for scenario in scenarios] for a in algorithms]
        rows = tuple(
            (Cell(name), *(number(wins.get(key, np.nan), ".0f", star=significant.get(key, False)) for key in row))
            for name, row in zip(algorithms, keys, strict=True)
        )
        blocks.append(Block(header, rows))
    correction = {"p_bergmann_hommel": "Bergmann and Hommel", "p_shaffer": "Shaffer"}[decisive(pairs)]
    return FormattedTable(
        f"table4_pairwise{FIXED * fixed}",
        f"Pairwise comparisons{' at fixed budgets' * fixed}",
        "On how many functions the algorithm of the row has the lower Δf_med than that of the column. An asterisk: its "
        f"mean rank is significantly lower, by Friedman's post-hoc test with the correction of {correction} at the "
        f"family-wise level {ALPHA:g}, where the ranks differ at all. "
        + (BUDGETS if set(OF_TARGET) & set(scenarios) else ""),
        tuple(blocks),
        number=4,
    )


SECTION = Section(
    key="pairwise",
    title="Pairs",
    heading="Pairwise comparisons",
    frames={"pairwise": _frame},
    tables=_tables,
    piece=PIECE,
    shown=are_compared,
)
