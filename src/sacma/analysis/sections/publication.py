"""Our results beside the paper's: its claims, its mean ranks and its CPU time."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis.notes import paper_notes, protocol_differences
from sacma.analysis.paper import published
from sacma.analysis.paper.claims import Evidence, checks, judge
from sacma.analysis.section import Findings, Report, Section, of_all, of_one
from sacma.analysis.sections.control import control_frequencies
from sacma.analysis.sections.cpu import comparable_costs
from sacma.analysis.sections.ecdf import ecdf_of
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, lowest, number
from sacma.analysis.tables import PLACE, joined, mean_ranks, median_delta_f, medians_of, pairwise_table, rank_tests
from sacma.analysis.trials import OF_TARGET, budgets_to_target, evaluations_to_target
from sacma.coco.suites import BBOB, Suite

PIECE = """
<p>Repický, Bajer, Pitra and Holeňa, <cite>Adaptive generation-based evolution control for Gaussian process surrogate
models</cite>, ITAT 2017.</p>
{% if values.notes %}<ul>{% for note in values.notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
<h3>Its claims</h3>
<p class="caption">What it says is in our words, and how it is checked our reading. Supported: all checks hold.
Contradicted: in some our data point the other way, which need not be significant. Open: neither, as data are missing,
not of the paper's protocol, or not significant. Each check with its number:
<a href="{{ files.paper_checks.csv }}">csv</a></p>
<div class="scroll"><table class="sortable claims"><thead><tr><th scope="col">no.</th>
<th scope="col" class="text">our data</th><th scope="col" class="text">claim</th>
{% for count in ["hold", "fail", "undecided"] %}<th scope="col">{{ count }}</th>{% endfor %}</tr></thead><tbody>
{% for claim in values.claims %}<tr><th scope="row">{{ claim.claim }}</th>
<td class="{{ claim.verdict }}">{{ claim.verdict }}</td>
<td class="text">{{ claim.text|symbols }} <span class="caption">({{ claim.where }})</span>
<details><summary>how it is checked</summary>{{ claim.rule|symbols }}<ul>
{% for check in claim.of %}<li>{{ check.what|symbols }}: {{ check.shown }}; wanted {{ check.wanted|symbols }}:
{{ check.holds or "undecided" }}</li>
{% endfor %}</ul></details></td>
{% for count in [claim.hold, claim.fail, claim.undecided] %}<td data-value="{{ count }}">{{ count }}</td>{% endfor %}\
</tr>
{% endfor %}</tbody></table></div>
{% for each in tables %}{{ table(each) }}{% endfor %}
"""


FEWEST = 3  # algorithms of which a correlation of ranks says anything


def evidence(findings: Findings) -> Evidence:
    """Return what the paper's claims are judged by: its own algorithms among themselves, at budgets that they set."""
    comparison = findings.comparison
    names = [name for name in comparison.names if name in published.ALGORITHMS and comparison.suite.of_the_paper]
    theirs, ecdf = comparison.among(names), findings["ecdf"]
    if len(names) == len(comparison.names):
        medians = medians_of(findings.best[findings.best["scenario"].isin(OF_TARGET)])
    else:
        scenarios = budgets_to_target(evaluations_to_target(theirs.trials, comparison.budget))
        medians = median_delta_f(theirs.trials, scenarios)
        ours = [trial for trial in comparison.compared.shared if trial.algorithm in names]
        if list(map(id, theirs.shared)) != list(map(id, ours)):  # the same trials have the same curves
            ecdf = ecdf_of(comparison, theirs)
    shared = theirs.overlap.shared(medians)
    return Evidence(
        mean_ranks(shared),
        rank_tests(shared),
        pairwise_table(shared),
        control_frequencies(comparable_costs(findings, names)),
        ecdf,
        comparison.budget,
        as_in_paper=not protocol_differences(comparison),
    )


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks, as from ``mean_ranks``, beside the paper's, among the same algorithms.

    ``functions`` is how many ours are over, the paper's are over 24; ``algorithms`` how many the ranks are among: with
    one there is no row.
    """
    ours = ranks.rename(columns={"mean_rank": "ours"})[[*PLACE, "algorithm", "functions", "ours"]]
    parts = (
        published.mean_ranks_among(set(group["algorithm"]))
        .rename(columns={"mean_rank": "paper"})
        .assign(algorithms=len(group))
        .merge(group, on=[*PLACE, "algorithm"])
        for _, group in ours.groupby(PLACE, sort=False)
        if len(group) > 1
    )
    both = joined(parts, [*PLACE, "algorithm", "functions", "algorithms", "paper", "ours"])
    return both.assign(difference=both["ours"] - both["paper"])


def correlations(beside: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's ρ of the mean ranks, ours and the paper's, in each of its ten scenarios.

    It is NaN with fewer than 3 algorithms, or where all of ours are equal; p-values are two-sided, by all permutations.
    """
    rows = []
    for place, group in beside.groupby(PLACE, sort=False):
        paper, ours = group["paper"].to_numpy(), group["ours"].to_numpy().round(9)
        rho = p_value = np.nan
        if len(group) >= FEWEST and len(set(ours)) > 1:
            statistic = partial(_spearman, paper)
            test = stats.permutation_test((ours,), statistic, permutation_type="pairings", n_resamples=10_000)
            rho, p_value = float(test.statistic), float(test.pvalue)
        rows.append((*place, len(group), rho, p_value))
    return pd.DataFrame(rows, columns=[*PLACE, "algorithms", "spearman_rho", "p_value"])


def _spearman(paper: "np.ndarray[tuple[int], np.dtype[np.float64]]", ours: object) -> float:
    return float(stats.spearmanr(paper, ours).statistic)


def cpu_beside(cpu: pd.DataFrame, suite: Suite = BBOB) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, as from ``cpu_per_evaluation``, beside the paper's Table 2.

    Columns are algorithm, dimension, paper, ours (seconds) and ratio (how many times less ours is); there are no rows
    of another ``suite`` than the paper's.
    """
    total = cpu[(cpu["part"] == "total") & suite.of_the_paper].rename(columns={"seconds_per_evaluation": "ours"})
    both = (
        published.cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return both.assign(ratio=both["paper"] / both["ours"])


def _tables(report: Report) -> Iterator[FormattedTable]:
    findings = report.findings
    if len(findings["paper_mean_ranks"]):
        yield _beside_ranks_table(findings["paper_mean_ranks"], findings["paper_correlation"])
    if len(findings["paper_cpu"]):
        yield _beside_cpu_table(findings["paper_cpu"])


def _beside_ranks_table(beside: pd.DataFrame, correlation: pd.DataFrame) -> FormattedTable:
    """Return our mean ranks beside the paper's, and their correlation, from ``mean_ranks_beside``."""
    algorithms = list(beside["algorithm"].unique())
    both = [beside.set_index([*PLACE, "algorithm"])[whose].to_dict() for whose in ("paper", "ours")]
    rows = []
    for D, scenario, rho in correlation[[*PLACE, "spearman_rho"]].itertuples(index=False):
        values = [[of.get((D, scenario, name), np.nan) for of in both] for name in algorithms]
        best = zip(*(lowest(column, ".2f") for column in zip(*values, strict=True)), strict=True)
        cells = [
            number(value, ".2f", bold=bold)
            for pair, bolds in zip(values, best, strict=True)
            for value, bold in zip(pair, bolds, strict=True)
        ]
        rows.append((Cell(f"{D}-D, {scenario}"), *cells, number(rho, ".2f")))
    header = (
        (Head(""), *(Head(name, 2) for name in algorithms), Head("")),
        (Head("scenario"), *(Head(text) for _ in algorithms for text in ("paper", "ours")), Head("ρ")),
    )
    return FormattedTable(
        "table3_beside_paper",
        "Mean ranks beside the paper's",
        "The lowest of each is bold. ρ is Spearman's correlation of the two.",
        (Block(header, tuple(rows)),),
    )


def _beside_cpu_table(beside: pd.DataFrame) -> FormattedTable:
    """Return CPU seconds per true evaluation beside the paper's, from ``cpu_beside``."""
    columns = ["algorithm", "dimension", "paper", "ours", "ratio"]
    rows = tuple(
        (Cell(f"{name}, {D}-D"), number(paper, ".2f"), number(ours, ".5f"), number(ratio, ",.0f"))
        for name, D, paper, ours, ratio in beside[columns].itertuples(index=False)
    )
    header = ((Head("CPU seconds per evaluation"), Head("paper"), Head("ours"), Head("times less")),)
    return FormattedTable(
        "table2_beside_paper",
        "CPU time beside the paper's",
        "Both on one thread, each on its own machines.",
        (Block(header, rows),),
    )


def _values(report: Report) -> Mapping[str, object]:
    claims: list[Any] = report.findings["paper_claims"].to_dict("records")
    checked = report.findings["paper_checks"].to_dict("records")
    for check in checked:
        check["shown"] = "no data" if math.isnan(check["ours"]) else f"{check['ours']:.3g}"
    claims = [{**claim, "of": [check for check in checked if check["claim"] == claim["claim"]]} for claim in claims]
    return {"claims": claims, "notes": list(paper_notes(report.comparison))}


SECTION = Section(
    key="publication",
    title="Publication",
    heading="Against the publication",
    frames={
        "paper_mean_ranks": of_all(lambda findings: mean_ranks_beside(findings.once(evidence).ranks)),
        "paper_correlation": of_all(lambda findings: correlations(findings["paper_mean_ranks"])),
        "paper_cpu": of_one(lambda findings: cpu_beside(findings["cpu"], findings.comparison.suite)),
        "paper_claims": lambda findings: judge(findings.once(evidence)),
        "paper_checks": lambda findings: checks(findings.once(evidence)),
    },
    tables=_tables,
    piece=PIECE,
    values=_values,
    shown=lambda findings: len(findings["paper_mean_ranks"]) > 0 or len(findings["paper_cpu"]) > 0,
    applies=lambda suite: suite.of_the_paper,
    scoped=False,
)
