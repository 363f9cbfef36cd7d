"""Pairs of algorithms: wins over functions and whether they are significant, Table 4 of the paper."""

from collections.abc import Iterator, Sequence

import pandas as pd

from sacma.analysis.section import Report, Section, by_dimension, of_all
from sacma.analysis.sections.ranks import BUDGETS, FIXED, are_compared
from sacma.analysis.table_format import Block, FormattedTable, number_rows, spanning
from sacma.analysis.tables import ALPHA, decisive, pairwise_table
from sacma.analysis.trials import OF_TARGET

PIECE = """
{% for each in tables %}{{ table(each) }}{% endfor %}
<p class="caption">Wins, losses, ties, effect sizes, and p-values, raw and corrected, of every pair and budget:
<a href="{{ files.pairwise.csv }}">csv</a></p>
"""


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
    blocks = []
    for D, of_dimension in by_dimension(pairs):
        wins = of_dimension.pivot(index="winner", columns=["loser", "scenario"], values="wins")
        wins = wins.reindex(index=algorithms, columns=pd.MultiIndex.from_product([algorithms, scenarios]))
        won = of_dimension[of_dimension["significant"]]
        stars = {(a, (b, where)) for a, b, where in zip(won["winner"], won["loser"], won["scenario"], strict=True)}
        header = spanning((f"{D}-D", "evaluations"), algorithms, scenarios)
        blocks.append(Block(header, number_rows(wins, ".0f", stars=stars)))
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
    frames={"pairwise": of_all(lambda findings: pairwise_table(findings.shared_medians))},
    tables=_tables,
    piece=PIECE,
    shown=are_compared,
)
