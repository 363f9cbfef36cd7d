"""Mean ranks over functions, whether they differ, and pairs of algorithms: Tables 3 and 4 of the paper."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from sacma.analysis.charts import Axis, Chart, Place, Rows
from sacma.analysis.section import Findings, Report, Section, by_dimension, of_all
from sacma.analysis.statistics.posthoc import MOST_ALGORITHMS
from sacma.analysis.table_format import Block, FormattedTable, number_rows, spanning
from sacma.analysis.tables import (
    ALPHA,
    OF_FEW,
    OF_MANY,
    PLACE,
    UNTESTED,
    decisive,
    groups_alike,
    is_tested,
    mean_ranks,
    pairwise_table,
    rank_tests,
)
from sacma.analysis.trials import OF_TARGET, UNTIL_TARGET

# Below tables of the paper's scenarios.
BUDGETS = (
    f"{UNTIL_TARGET} of a function is the fewest evaluations after which the median trial of some algorithm is at the "
    "target, or the whole budget."
)

FIXED = "_at_fixed_budgets"  # behind the name of tables that are not of the paper's scenarios

CORRECTIONS = {
    frozenset[str](): "",
    frozenset({OF_FEW}): "Bergmann and Hommel",
    frozenset({OF_MANY}): "Shaffer",
    frozenset({OF_FEW, OF_MANY}): f"Bergmann and Hommel for up to {MOST_ALGORITHMS} algorithms and of Shaffer for more",
}


def are_compared(findings: Findings) -> bool:
    """Return True where there are mean ranks of several algorithms."""
    return len(findings.comparison.names) > 1 and not findings["mean_ranks"].empty


def _alike(findings: Findings) -> Mapping[Place, Sequence[Sequence[str]]]:
    """Return the algorithms that no test tells apart, by dimension and scenario."""
    tests, pairs = findings["rank_tests"], findings["pairwise"]
    ranks = {place: of.set_index("algorithm")["mean_rank"] for place, of in findings["mean_ranks"].groupby(PLACE)}
    differ = tests.set_index(PLACE)["significant"].to_dict()
    return {
        place: groups_alike(ranks[place], of)
        if differ[place]
        else [list(ranks[place].sort_values(kind="stable").index)]
        for place, of in (pairs.groupby(PLACE) if len(pairs) else ())
        if place in differ
    }


def _charts(report: Report) -> Iterator[Chart]:
    yield Rows(
        name="ranks",
        caption="Mean ranks over the functions that all algorithms have, with 95 % bootstrap intervals, each of an "
        "algorithm by itself; 1 is best. A bar at the right joins algorithms of which no two differ significantly.",
        data=report.findings["mean_ranks"],
        by=("dimension", "scenario"),
        x=Axis("mean_rank", "mean rank"),
        bar=("low", "high"),
        alike=_alike(report.findings),
        computed=True,
    )


def _tables(report: Report) -> Iterator[FormattedTable]:
    """Yield mean ranks in the paper's scenarios and at fixed budgets, then wins of pairs."""
    ranks, pairs, fixed = report.findings["mean_ranks"], report.findings["pairwise"], report.comparison.fixed_budgets
    for scenarios, suffix in ((OF_TARGET, ""), (fixed, FIXED)):
        there = [scenario for scenario in scenarios if scenario in set(ranks["scenario"])]
        if there:
            rows = ranks[ranks["scenario"].isin(there)]
            yield mean_ranks_table(rows, report.findings["rank_tests"], there, suffix)
    for scenarios, suffix in ((OF_TARGET, ""), (list(dict.fromkeys([fixed[0], fixed[-1]])), FIXED)):
        there = [scenario for scenario in scenarios if len(pairs) and scenario in set(pairs["scenario"])]
        if there:
            yield wins_table(pairs[pairs["scenario"].isin(there)], there, suffix)


def mean_ranks_table(
    ranks: pd.DataFrame, tests: pd.DataFrame, scenarios: Sequence[str], suffix: str = ""
) -> FormattedTable:
    """Return mean ranks and the tests of whether they differ, from ``mean_ranks`` and ``rank_tests`` (Table 3).

    The suffix is that of the table's name; with one, scenarios are not the paper's.
    """
    tested = tests.set_index(PLACE)
    stars = {("F_F", place) for place in tested.index[tested["significant"].astype(bool)]}
    dimensions = sorted(ranks["dimension"].unique())
    columns = pd.MultiIndex.from_product([dimensions, scenarios])
    values = ranks.pivot(index="algorithm", columns=PLACE, values="mean_rank")
    order = values.mean(axis="columns").sort_values(kind="stable").index
    body = number_rows(values.reindex(index=order, columns=columns), ".2f", best=True)
    body += number_rows(tested[["F_F"]].reindex(columns).T, ".2f", stars=stars)
    counts = ranks.groupby(PLACE).agg(functions=("functions", "first"), algorithms=("functions", "size"))
    same = counts["algorithms"].min() == counts["algorithms"].max()
    body += number_rows(counts[["functions"] if same else ["functions", "algorithms"]].reindex(columns).T, ".0f")
    thresholds = [f"{value:.2f}" for value in tested["critical_value"].reindex(columns).dropna().sort_values()]
    untested = "" if ranks["functions"].map(is_tested).all() else f"{UNTESTED} "
    critical = " to ".join(dict.fromkeys([*thresholds[:1], *thresholds[-1:]]))
    return FormattedTable(
        f"table_mean_ranks{suffix}",
        f"Mean ranks{suffix.replace('_', ' ')}",
        "Of Δf_med over functions, 1 is best, in the order of the mean; the lowest is bold. F_F is Iman's and "
        "Davenport's statistic, as in the paper without a correction for ties, with an asterisk where the ranks differ "
        f"at the level {ALPHA:g}"
        f"{critical and f' (critical value {critical})'}. {untested}{'' if suffix else BUDGETS}",
        (Block(spanning(("D", "evaluations"), (f"{D}-D" for D in dimensions), scenarios), body),),
    )


def wins_table(pairs: pd.DataFrame, scenarios: Sequence[str], suffix: str = "") -> FormattedTable:
    """Return on how many functions the row's algorithm beats the column's, from ``pairwise_table`` (Table 4).

    The suffix is that of the table's name; with one, scenarios are not the paper's.
    """
    algorithms = pairs.groupby("algorithm", sort=False)["wins"].sum().sort_values(ascending=False, kind="stable").index
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
        "On how many functions the algorithm of the row has the lower Δf_med than that of the column, in the "
        "order of all wins. "
        f"{starred if used else ''}{'' if tested.all() else f'{UNTESTED} '}{'' if suffix else BUDGETS}",
        tuple(blocks),
    )


SECTION = Section(
    key="ranks",
    title="Ranks",
    heading="Mean ranks and pairs of algorithms",
    frames={
        "mean_ranks": of_all(lambda findings: mean_ranks(findings.shared_medians)),
        "rank_tests": of_all(lambda findings: rank_tests(findings.shared_medians)),
        "pairwise": of_all(lambda findings: pairwise_table(findings.shared_medians)),
    },
    tables=_tables,
    charts=_charts,
    template="ranks.html",
    shown=are_compared,
)
