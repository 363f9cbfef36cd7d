"""Pairs of algorithms: wins over functions and whether they are significant, Table 4 of the paper."""

from collections.abc import Iterator, Sequence

import pandas as pd

from sacma.analysis.section import Report, Section, by_dimension, of_all
from sacma.analysis.sections.ranks import BUDGETS, are_compared, by_kind
from sacma.analysis.statistics.posthoc import MOST_ALGORITHMS
from sacma.analysis.table_format import Block, FormattedTable, number_rows, spanning
from sacma.analysis.tables import ALPHA, OF_FEW, OF_MANY, PLACE, UNTESTED, decisive, is_tested, pairwise_table

PIECE = """
<p class="caption of-all" hidden>Of all algorithms, functions and instances, whatever is chosen.</p>
{% for each in tables %}{{ table(each) }}{% endfor %}
<p class="caption">Wins, losses, ties, effect sizes, and p-values, raw and corrected, of every pair and budget, once
each way round: wins and superiority are of the algorithm over the other, significant says that it is ahead:
<a href="{{ files.pairwise.csv }}">csv</a></p>
"""

CORRECTIONS = {
    frozenset[str](): "",
    frozenset({OF_FEW}): "Bergmann and Hommel",
    frozenset({OF_MANY}): "Shaffer",
    frozenset({OF_FEW, OF_MANY}): f"Bergmann and Hommel for up to {MOST_ALGORITHMS} algorithms and of Shaffer for more",
}


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield the table of the paper's scenarios, and that of the first and the last fixed budget."""
    fixed = report.comparison.fixed_budgets
    for pairs, scenarios, suffix in by_kind(report.findings["pairwise"], list(dict.fromkeys([fixed[0], fixed[-1]]))):
        yield wins_table(pairs, scenarios, suffix)


def wins_table(pairs: pd.DataFrame, scenarios: Sequence[str], suffix: str = "") -> FormattedTable:
    """Return on how many functions the row's algorithm beats the column's, from ``pairwise_table`` (Table 4).

    The suffix is that of the table's name; with one, scenarios are not the paper's.
    """
    algorithms = pairs["algorithm"].unique()
    blocks = []
    for D, of_dimension in by_dimension(pairs):
        wins = of_dimension.pivot(index="algorithm", columns=["other", "scenario"], values="wins")
        wins = wins.reindex(index=algorithms, columns=pd.MultiIndex.from_product([algorithms, scenarios]))
        won = of_dimension[of_dimension["significant"]]
        stars = {(a, (b, where)) for a, b, where in zip(won["algorithm"], won["other"], won["scenario"], strict=True)}
        header = spanning((f"{D}-D", "evaluations"), algorithms, scenarios)
        blocks.append(Block(header, number_rows(wins, ".0f", stars=stars)))
    tested = pairs["functions"].map(is_tested)
    used = {decisive(group) for _, group in pairs[tested].groupby(PLACE)}
    starred = (
        "An asterisk: its mean rank is significantly lower, by Friedman's post-hoc test with the correction of "
        f"{CORRECTIONS[frozenset(used)]} at the family-wise level {ALPHA:g}, where the ranks differ at all. "
    )
    return FormattedTable(
        f"table_pairwise{suffix}",
        f"Pairwise comparisons{suffix.replace('_', ' ')}",
        "On how many functions the algorithm of the row has the lower Δf_med than that of the column. "
        f"{starred if used else ''}{'' if tested.all() else f'{UNTESTED} '}{'' if suffix else BUDGETS}",
        tuple(blocks),
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
