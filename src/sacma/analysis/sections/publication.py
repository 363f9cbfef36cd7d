"""Our results beside the paper's: its claims, its mean ranks and its CPU time."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sacma.analysis.findings import Findings
from sacma.analysis.notes import paper_notes, protocol_differences
from sacma.analysis.paper.beside import correlations, cpu_beside, mean_ranks_beside
from sacma.analysis.paper.claims import Evidence, checks, judge
from sacma.analysis.paper.published import ALGORITHMS
from sacma.analysis.section import Report, Section, of_all, of_one
from sacma.analysis.sections.cpu import comparable_costs
from sacma.analysis.sections.ecdf import ecdf_of
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, lowest, number
from sacma.analysis.tables import PLACE, mean_ranks, median_delta_f, medians_of, pairwise_table, rank_tests
from sacma.analysis.to_mapping import to_mapping
from sacma.analysis.trial_costs import control_frequencies
from sacma.analysis.trials import OF_TARGET, budgets_to_target, evaluations_to_target

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


def evidence(findings: Findings) -> Evidence:
    """Return what the paper's claims are judged by: its own algorithms among themselves, at budgets that they set."""
    comparison = findings.comparison
    names = [name for name in comparison.names if name in ALGORITHMS and comparison.suite.of_the_paper]
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


def _cpu(findings: Findings) -> pd.DataFrame:
    return cpu_beside(findings["cpu"] if findings.comparison.suite.of_the_paper else findings["cpu"][:0])


def _tables(report: Report) -> Iterator[FormattedTable | None]:
    findings = report.findings
    yield beside_ranks_table(findings["paper_mean_ranks"], findings["paper_correlation"])
    yield beside_cpu_table(findings["paper_cpu"])


def beside_ranks_table(beside: pd.DataFrame, correlation: pd.DataFrame) -> FormattedTable | None:
    """Return our mean ranks beside the paper's, and their correlation, from ``mean_ranks_beside``."""
    if beside.empty:
        return None
    algorithms = list(beside["algorithm"].unique())
    both = [to_mapping(beside, [*PLACE, "algorithm"], whose) for whose in ("paper", "ours")]
    rows = []
    for (D, scenario), rho in to_mapping(correlation, PLACE, "spearman_rho").items():
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


def beside_cpu_table(beside: pd.DataFrame) -> FormattedTable | None:
    """Return CPU seconds per true evaluation beside the paper's, from ``cpu_beside``."""
    if beside.empty:
        return None
    columns = (beside[name].tolist() for name in ("algorithm", "dimension", "paper", "ours", "ratio"))
    rows = tuple(
        (Cell(f"{name}, {D}-D"), number(paper, ".2f"), number(ours, ".5f"), number(ratio, ",.0f"))
        for name, D, paper, ours, ratio in zip(*columns, strict=True)
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
        "paper_cpu": of_one(_cpu),
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
