"""First screen: the lowest mean rank and its significance, what was compared, run lengths and mean ranks."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sacma.analysis.comparison import MANY, Comparison
from sacma.analysis.ledger import Ledger, dimensions, listed
from sacma.analysis.section import Findings, Json, Make, Report, Section, rounded
from sacma.analysis.sections.nothing_ranked import nothing_ranked
from sacma.analysis.sections.ranks import are_compared
from sacma.analysis.tables import (
    ALPHA,
    OF_FEW,
    OF_MANY,
    PLACE,
    decisive,
    is_tested,
    overall_pairs,
    overall_ranks,
)
from sacma.analysis.terms import TERMS
from sacma.analysis.trials import ROUNDING, Trial

PIECE = """
<p class="headline">{{ values.lead|symbols }} <span class="tested">{{ values.tested|symbols }}</span></p>
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
<details class="choice"><summary>Single functions, instances</summary>
<div class="controls" id="first-functions"></div>
<div class="controls" id="first-instances"></div></details>
<p class="chosen" id="first-chosen" aria-live="polite" hidden></p>
<p class="caption">{% if values.curves %}Curves: proportion of targets reached over evaluations{% if values.ranked %};
the upright line is the budget that is chosen{% endif %}. {% endif %}{% if values.ranked %}Points: mean ranks among the
chosen algorithms over the chosen functions, with 95 % bootstrap intervals. {% endif %}<span class="of-page">\
{% if values.ranked %}The choice of algorithms holds in all charts of several algorithms and in the tables of mean
ranks, functions and running times; that of functions also in the tables of mean ranks and functions, the virtual best
and the scatter plot of running times; that of instances in mean ranks, run lengths, the table of functions and final
values. What is of all whatever is chosen says so.{% else %}The choice of functions holds in the table of functions,
too, that of instances in run lengths, the table of functions and final values.{% endif %}</span>
{% if values.ranked %}
{% if scope %}{{ scope|symbols }} {% endif %}
<span class="of-page"><a href="{{ files.mean_ranks.csv }}">csv</a>; over all dimensions:
<a href="{{ files.overall_ranks.csv }}">csv</a>, <a href="{{ files.overall_pairs.csv }}">tests</a></span>{% endif %}</p>
{% endif %}
<details><summary>Terms</summary><dl class="terms">{% for term, text in values.terms %}<dt>{{ term|terms }}</dt>\
<dd>{{ text|terms }}</dd>{% endfor %}</dl></details>
"""

MOST_NAMED = 4  # algorithms of a list, before it is cut
CORRECTIONS = {OF_FEW: "Bergmann–Hommel", OF_MANY: "Shaffer"}


@dataclass(frozen=True)
class Headline:
    """The first sentences of the report, and the numbers in them: columns quantity, value, shown."""

    lead: str
    tested: str  # empty where nothing is
    compared: str
    numbers: pd.DataFrame

    @property
    def headline(self) -> str:
        """The first sentence or two."""
        return f"{self.lead} {self.tested}".rstrip()


def headline(findings: Findings) -> Headline:
    """Return the first sentences."""
    ledger = Ledger()
    return Headline(*_headline(findings, ledger), _compared(findings.comparison, ledger), ledger.entries)


def _headline(findings: Findings, ledger: Ledger) -> tuple[str, str]:
    """Return whose mean rank is the lowest, and of which others it differs significantly."""
    comparison = findings.comparison
    if len(comparison.names) == 1:
        values = findings["final_values"]
        hits = int((values["median"] <= comparison.target * (1.0 + ROUNDING)).sum())
        problems = {(trial.dimension, trial.function) for trial in comparison.compared.trials}
        solved, of = ledger.say("problems solved", hits), ledger.count("problems", len(problems), "problem")
        alone = f"{comparison.names[0]} alone: its median trial is at the target on {solved} of {of}"
        return f"{alone}, each a function in a dimension.", ""
    scenario, overall, pairs = comparison.fixed_budgets[-1], findings["overall_ranks"], findings["overall_pairs"]
    ranks = overall[overall["scenario"] == scenario].sort_values("mean_rank", kind="stable")
    if ranks.empty:
        return findings.once(nothing_ranked), ""
    lowest = np.isclose(ranks["mean_rank"], ranks["mean_rank"].min())
    leaders, others = ranks["algorithm"][lowest].to_list(), ranks["algorithm"][~lowest].to_list()
    first = ledger.say("lowest mean rank, all dimensions", ranks["mean_rank"].iloc[0], ".2f")
    have = "has" if len(leaders) == 1 else "have"
    count = int(ranks["functions"].iloc[0])
    functions = ledger.count("functions that are ranked", count, "function")
    ranked = findings["function_ranks"]
    counts = ranked[ranked["scenario"] == scenario].groupby("dimension")["algorithm"].nunique()
    where = dimensions(counts.index[counts == len(ranks)])
    lead = (
        f"After {scenario} evaluations {_named(leaders)} {have} the lowest mean rank over {functions} in {where}, "
        f"{first}"
    )
    unranked = [name for name in comparison.names if name not in set(ranks["algorithm"])]
    without = f" {_named(unranked)} {'has' if len(unranked) == 1 else 'have'} no rank there." if unranked else ""
    if not others:
        return f"{lead}{': all are equal' if len(leaders) > 1 else ''}.{without}", ""
    following = ledger.say("next mean rank, all dimensions", ranks["mean_rank"][~lowest].iloc[0], ".2f")
    lead += f", before {others[0]} with {following}.{without}"
    if not is_tested(count):
        return lead, f"{functions} {'is' if count == 1 else 'are'} too few to test the difference."
    pairs = pairs[pairs["scenario"] == scenario]
    times = pairs.loc[pairs["algorithm"].isin(leaders) & pairs["significant"], "other"].value_counts()
    higher = [name for name in others if times.get(name, 0) == len(leaders)]
    alike = [name for name in others if name not in higher]
    return lead, f"{_significance(higher, alike)} ({_test(len(ranks), pairs, functions)})."


def _significance(higher: Sequence[str], alike: Sequence[str]) -> str:
    """Return of which algorithms the lowest mean rank differs significantly, and of which it does not."""
    if not higher:
        return f"It is not significantly lower than {_those_of(alike) if len(alike) == 1 else 'any other'}"
    if not alike:
        return f"It is significantly lower than {_those_of(higher) if len(higher) == 1 else 'every other'}"
    return f"It is significantly lower than {_those_of(higher)}, but not than {_those_of(alike)}"


def _those_of(names: Sequence[str]) -> str:
    return f"{'that' if len(names) == 1 else 'those'} of {_named(names)}"


def _test(algorithms: int, pairs: pd.DataFrame, functions: str) -> str:
    """Return by which test that is so."""
    correction = f", {CORRECTIONS[decisive(pairs)]} correction" if algorithms > 2 else ""  # noqa: PLR2004 one pair
    return f"Friedman post-hoc test over {functions}{correction}, level {ALPHA:g}"


def _named(names: Sequence[str]) -> str:
    """Return names as a list in words, a long one cut."""
    if len(names) <= MOST_NAMED:
        return listed(names)
    return listed([*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"])


def _compared(comparison: Comparison, ledger: Ledger) -> str:
    counted = comparison.counted
    algorithms = ledger.count("algorithms", len(comparison.names), "algorithm")
    functions = ledger.count("functions", len({trial.function for trial in counted}), "function")
    where = {trial.dimension for trial in counted}
    others = {trial.dimension for trial in comparison.trials} - where
    without = f"; {dimensions(others)} {'is' if len(others) == 1 else 'are'} without some of them" if others else ""
    against = f"; gains are measured against {comparison.baseline}" if len(comparison.names) > 1 else ""
    return (
        f"Compared: {algorithms} on {functions} of {comparison.suite.name} in {dimensions(where)}, "
        f"{_instances(counted, ledger)} each, {ledger.count('trials', len(counted), 'trial')}, up to "
        f"{ledger.say('budget, evaluations/D', comparison.budget, 'g')}·D evaluations{without}{against}."
    )


def _instances(counted: Sequence[Trial], ledger: Ledger) -> str:
    """Return how many instances of a function in a dimension are compared: one number, or from … to."""
    there: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    for trial in counted:
        there[trial.algorithm, trial.dimension, trial.function].add(trial.instance)
    numbers = sorted({len(instances) for instances in there.values()})
    fewest = f"{ledger.say('instances, fewest', numbers[0])} to " if len(numbers) > 1 else ""
    return fewest + ledger.count("instances, most", numbers[-1], "instance")


def _chart(findings: Findings) -> Json:
    """Return budgets, groups of functions, instances, and by dimension and scenario mean ranks and all ranks.

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
    instances = {trial.instance for trial in findings.comparison.compared.trials}
    return {
        "many": MANY,
        "budgets": budgets,
        "ranks": found if are_compared(findings) else {},
        "functions": ranked,
        "groups": {name: functions for name, functions in groups.items() if functions},
        "instances": sorted(instances),
    }


def _values(report: Report) -> Mapping[str, object]:
    found = report.findings.once(headline)
    shown = {"ranked": are_compared(report.findings), "curves": not report.findings["ecdf"].empty}
    said = {"lead": found.lead, "tested": found.tested, "compared": found.compared}
    return shown | said | {"terms": list(TERMS.items())}


def _of_ranks(make: Callable[[pd.DataFrame], pd.DataFrame]) -> Make:
    """Return what makes a data frame of ranks on functions, each row of all trials."""
    return lambda findings: make(findings["function_ranks"]).assign(partial=not findings.comparison.complete)


SECTION = Section(
    key="summary",
    title="Summary",
    frames={
        "headline": lambda findings: findings.once(headline).numbers,
        "overall_ranks": _of_ranks(overall_ranks),
        "overall_pairs": _of_ranks(overall_pairs),
    },
    chart=_chart,
    piece=PIECE,
    values=_values,
)
