"""First screen: who is ahead and how sure that is, what was compared, run lengths and mean ranks."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from sacma.analysis.comparison import Comparison
from sacma.analysis.ledger import Ledger, dimensions
from sacma.analysis.section import Findings, Json, Report, Section, rounded
from sacma.analysis.sections.ranks import are_compared
from sacma.analysis.statistics.ranks import leading_shares
from sacma.analysis.tables import PLACE, RESAMPLES
from sacma.analysis.terms import TERMS

PIECE = """
<p class="headline">{{ values.headline|symbols }}</p>
<p class="scope">{{ values.compared|symbols }}</p>
{% if values.ranked or values.curves %}
<div class="controls">
<label>dimension <select id="first-dimension"></select></label>
<label>functions <select id="first-group"></select></label>
{% if values.ranked %}<label>mean ranks after <select id="first-budget"></select></label>
{% endif %}
</div>
<div class="first">
{% if values.curves %}<div class="curves">
<div class="chart" id="first-chart"></div>
<div class="readout" id="first-readout" aria-live="off"></div>
</div>
{% endif %}
{% if values.ranked %}<div class="chart strips" id="first-ranks"></div>
{% endif %}
</div>
<div class="controls" id="first-algorithms"></div>
<p class="caption">{% if values.curves %}Curves: share of targets reached over evaluations{% if values.ranked %}; the
upright line is the budget that is chosen{% endif %}. {% endif %}{% if values.ranked %}Points: mean ranks over
functions with their 95 % intervals, the best at the top; among the algorithms that are chosen, in all charts of the
page.
{% if scope %}{{ scope|symbols }} {% endif %}
<a href="{{ files.mean_ranks.csv }}">csv</a>; over all dimensions:
<a href="{{ files.overall_ranks.csv }}">csv</a>{% endif %}</p>
{% endif %}
<details><summary>Terms</summary><dl class="terms">{% for term, text in values.terms %}<dt>{{ term|terms }}</dt>\
<dd>{{ text|terms }}</dd>{% endfor %}</dl></details>
"""

FEWEST_FUNCTIONS = 6  # of fewer even one that wins them all may have done so by chance: sign test, level 0.05
SURE, LIKELY = 0.95, 0.75  # shares of bootstrap samples from which on a lead is called so


@dataclass(frozen=True)
class Headline:
    """What the report says first, and the numbers in it: columns quantity, value, shown."""

    headline: str
    compared: str
    numbers: pd.DataFrame


def overall_ranks(function_ranks: pd.DataFrame) -> pd.DataFrame:
    """Return mean ranks over all dimensions in which all algorithms are compared, and how often each is first.

    ``function_ranks`` are as from ``tables.function_ranks``. Columns are scenario, algorithm, dimensions (how many),
    functions (in any of them), mean_rank and first: the share of bootstrap samples of the functions, each in all its
    dimensions, in which the mean rank is the lowest.
    """
    parts = []
    for scenario, ranks in function_ranks.groupby("scenario", sort=False):
        table = ranks.pivot(index=["function", "dimension"], columns="algorithm", values="rank")
        table = table.reindex(columns=ranks["algorithm"].unique()).dropna()
        functions, of = (table.index.get_level_values(level) for level in ("function", "dimension"))
        if len(table):
            # The same generator for each: a share does not depend on what else is looked at.
            shares = leading_shares(table, functions.to_numpy(), resamples=RESAMPLES)
            counts = {"dimensions": of.nunique(), "functions": functions.nunique()}
            parts.append(shares.reset_index(names="algorithm").assign(scenario=scenario, **counts))
    columns = ["scenario", "algorithm", "dimensions", "functions", "mean_rank", "first"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def headline(findings: Findings) -> Headline:
    """Return the first sentences."""
    ledger = Ledger()
    return Headline(_headline(findings, ledger), _compared(findings.comparison, ledger), ledger.entries)


def _headline(findings: Findings, ledger: Ledger) -> str:
    comparison = findings.comparison
    if len(comparison.names) == 1:
        values = findings["final_values"]
        hits = int((values["median"] <= comparison.target).sum())
        return (
            f"{comparison.names[0]} alone: its median trial is at the target on "
            f"{ledger.say('problems solved', hits)} of {ledger.count('problems', len(values), 'problem')}, each a "
            "function in a dimension."
        )
    scenario, overall = comparison.fixed_budgets[-1], findings["overall_ranks"]
    ranks = overall[overall["scenario"] == scenario].sort_values("mean_rank", kind="stable").to_dict("records")
    if not ranks:
        return "Nothing can be ranked: no function and dimension is common to all algorithms."
    best, second = ranks[:2]
    share = float(best["first"])
    shown = [
        ledger.say(f"mean rank, {row['algorithm']}, all dimensions", row["mean_rank"], ".2f") for row in (best, second)
    ]
    name, next_name = best["algorithm"], second["algorithm"]
    if best["functions"] < FEWEST_FUNCTIONS:
        few = ledger.count("functions that are ranked", best["functions"], "function")
        lead, sure, reason = f"{name} leads, but not clearly", "that may be chance", f"there are only {few}"
    else:
        percent = ledger.say("share of bootstrap samples with the lowest mean rank, %", 100 * share, ".0f")
        reason = f"it is the lowest in {percent}\N{NO-BREAK SPACE}% of bootstrap samples of functions"
        if share >= SURE:
            lead, sure = f"{name} is ahead", "that is sure"
        elif share >= LIKELY:
            lead, sure = f"{name} is probably ahead", "that is likely, not sure"
        else:
            lead, sure = f"{name} leads, but not clearly", "that may be chance"
    return (
        f"{lead}: after {scenario} evaluations its mean rank over all functions and dimensions is {shown[0]}, before "
        f"{next_name} with {shown[1]}; {sure}, as {reason}."
    )


def _compared(comparison: Comparison, ledger: Ledger) -> str:
    planned = comparison.planned
    algorithms = ledger.count("algorithms", len(comparison.names), "algorithm")
    functions = ledger.count("functions", len({f for _, _, f in planned}), "function")
    trials = ledger.count("trials", len(comparison.trials), "trial")
    against = f"; gains are measured against {comparison.baseline}" if len(comparison.names) > 1 else ""
    return (
        f"Compared: {algorithms} on {functions} of {comparison.suite.name} in {dimensions(D for _, D, _ in planned)}, "
        f"{trials}, up to {ledger.say('budget, evaluations/D', comparison.budget, 'g')}·D evaluations{against}."
    )


def _chart(findings: Findings) -> Json:
    """Return budgets, groups of functions, and by dimension and scenario mean ranks with intervals, and all ranks.

    The ranks are functions, and of each algorithm twice its ranks on them, which are whole numbers.
    """
    ranks = findings["mean_ranks"]
    found: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    columns = ranks[["dimension", "scenario", "algorithm", "mean_rank", "low", "high"]]
    for D, scenario, name, *values in columns.itertuples(index=False):
        found.setdefault(str(D), {}).setdefault(str(scenario), {})[str(name)] = rounded(values)
    budgets = {scenario.name: scenario.budget for scenario in findings.comparison.scenarios}
    ranked: dict[str, dict[str, list[object]]] = {}
    for (D, scenario), of in findings["function_ranks"].groupby(PLACE, sort=False):
        table = (2 * of.pivot(index="function", columns="algorithm", values="rank")).astype(int)
        by_algorithm = {str(name): column.to_list() for name, column in table.items()}
        ranked.setdefault(str(D), {})[str(scenario)] = [table.index.to_list(), by_algorithm]
    there = {f for _, _, f in findings.comparison.planned}
    groups = {name: [f for f in range_ if f in there] for name, range_ in findings.comparison.suite.groups.items()}
    return {
        "budgets": budgets,
        "ranks": found if are_compared(findings) else {},
        "functions": ranked,
        "groups": {name: functions for name, functions in groups.items() if functions},
    }


def _values(report: Report) -> Mapping[str, object]:
    found = report.findings.once(headline)
    shown = {"ranked": are_compared(report.findings), "curves": not report.findings["ecdf"].empty}
    return shown | {"headline": found.headline, "compared": found.compared, "terms": list(TERMS.items())}


SECTION = Section(
    key="summary",
    title="Summary",
    frames={
        "headline": lambda findings: findings.once(headline).numbers,
        "overall_ranks": lambda findings: overall_ranks(findings["function_ranks"]).assign(
            partial=not findings.comparison.complete
        ),
    },
    chart=_chart,
    piece=PIECE,
    values=_values,
)
