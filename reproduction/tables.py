"""Tables of docs/reproduction.md as Markdown: mean ranks, claims, wins and CPU time beside the paper's.

Run as ``python -m reproduction.tables [RESULTS]``: from the outcomes of all trials in ``data/reproduction/``, or
from results as ``make reproduce`` makes them. It runs no trial.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from benchmarks.common import ROOT, markdown, markdown_head, parsed, shown
from reproduction.agreement import agreements
from reproduction.claims import checks, judge
from reproduction.evidence import Evidence, best_of, evidence_of
from sacma.analysis.comparison import compare
from sacma.analysis.published import ALGORITHMS
from sacma.analysis.sections import find
from sacma.analysis.sections.costs import PARTS
from sacma.errors import SacmaError
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store

# Data frames of the report.
TABLES = ("paper_mean_ranks", "paper_correlation", "paper_pairs", "paper_cpu", "trial_costs")

# Columns that the picture is drawn from.
MEAN_RANKS = ["reading", "dimension", "scenario", "algorithm", "paper", "ours"]

VERDICTS = {"yes": "holds", "no": "fails"}


def main() -> None:
    """Print mean ranks, claims, wins and CPU time beside the paper's, and the cost of the trials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=ROOT / "data" / "reproduction")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="write mean_ranks.csv into FOLDER")
    given = parsed(parser, {})
    try:
        findings = find(compare(completeness_of_studies(Store(given.results))))
    except SacmaError as error:
        sys.exit(f"tables: {error}")
    if not findings.comparison.readings:
        sys.exit(f"tables: {given.results} is not of three or more of the paper's algorithms, and of no others")
    ranks, correlation, pairs, cpu, costs = (findings[name] for name in TABLES)
    if given.data:
        ranks[MEAN_RANKS].round(2).to_csv(given.data / "mean_ranks.csv", index=False)
    readings = findings.comparison.readings
    for reading in readings:
        beside, agree = (frame[frame["reading"] == reading.title] for frame in (ranks, correlation))
        print(f"\n### Mean ranks {reading.title}\n")
        print_ranks(beside, agreements(agree, beside, best_of(findings, reading)))
    print("\n### Claims\n")
    print_claims({reading.title: evidence_of(findings, reading) for reading in readings})
    for reading in readings:
        print(f"\n### Wins {reading.title}\n")
        print_pairs(pairs[pairs["reading"] == reading.title])
    for reading in readings:
        print(f"\n### CPU time {reading.title}\n")
        print_cpu(cpu[cpu["reading"] == reading.title])
    for reading in readings:
        print_cost(reading.title, costs[costs["algorithm"].isin(reading.names)])


def print_ranks(ranks: pd.DataFrame, correlation: pd.DataFrame) -> None:
    """Print a row for each scenario: the paper's mean ranks and ours, and how well they agree."""
    print(markdown_head("paper / ours", *ALGORITHMS, "ρ", "repeated", "rms", "repeated"))
    for found in correlation.to_dict("records"):
        here = ranks[(ranks["dimension"] == found["dimension"]) & (ranks["scenario"] == found["scenario"])]
        both = here.set_index("algorithm")[["paper", "ours"]].reindex(ALGORITHMS).round(2)
        cells = [
            " / ".join(
                shown(value, bold=value == both[column].min()) for column, value in zip(both.columns, pair, strict=True)
            )
            for pair in both.itertuples(index=False)
        ]
        columns = ["spearman_rho", "rho_low", "rho_high", "repeated_rho", "rms_difference", "repeated_difference"]
        rho, low, high, repeated, rms, most = (shown(found[column]) for column in columns)
        where = f"{found['dimension']}-D, {found['scenario']}"
        print(markdown(where, *cells, f"{rho} ({low} … {high})", f"≥ {repeated}", rms, f"≤ {most}"))


def print_claims(evidence: Mapping[str, Evidence]) -> None:
    """Print a row for each claim with the verdicts on each reading, then its checks."""
    verdicts = {title: judge(of).to_dict("records") for title, of in evidence.items()}
    print(markdown("claim", *verdicts))
    print(markdown("---", *["---"] * len(verdicts)))
    for claims in zip(*verdicts.values(), strict=True):
        cells = map("{verdict}: {hold} hold, {fail} fail, {undecided} undecided".format_map, claims)
        print(markdown(f"{claims[0]['claim']}. {claims[0]['text'].strip()}", *cells))
    for title, of in evidence.items():
        for number, group in checks(of).groupby("claim"):
            print(f"\nClaim {number}, {title}:")
            for check in group.to_dict("records"):
                verdict = VERDICTS.get(check["holds"], "undecided")
                share = check["resamples"]
                resampled = "" if pd.isna(share) else f"; share of resamples {share:.3f}"
                print(f"- {check['what']}: {check['ours']:.3g}; wanted {check['wanted']}: {verdict}{resampled}")


def print_pairs(pairs: pd.DataFrame) -> None:
    """Print how well our wins over functions agree with those of the paper's Table 4, and what is significant."""
    print(markdown_head("", "ρ", "rms, functions", "significant in both", "in the paper alone", "here alone"))
    for (D, scenario), group in pairs.groupby(["dimension", "scenario"], sort=False):
        rho = group["paper"].corr(group["ours"], method="spearman")
        rms = (group["paper"] - group["ours"]).pow(2).mean() ** 0.5
        theirs, mine = group["paper_significant"], group["significant"]
        counts = ((theirs & mine).sum(), (theirs & ~mine).sum(), (~theirs & mine).sum())
        print(markdown(f"{D}-D, {scenario}", shown(rho), shown(rms, ".1f"), *map(str, counts)))


def print_cost(title: str, costs: pd.DataFrame) -> None:
    """Print how many CPU hours the trials of a reading took, in all and by dimension."""
    hours = costs[list(PARTS)].sum(axis="columns") / 3600
    by_dimension = hours.groupby(costs["dimension"]).sum()
    parts = ", ".join(f"{D}-D {value:.2f}" for D, value in by_dimension.items())
    counts = f"{len(costs):,} trials, {costs['evaluations'].sum():,} evaluations"
    print(f"\n{title}: {counts}, {hours.sum():.1f} CPU hours ({parts})")


def print_cpu(cpu: pd.DataFrame) -> None:
    """Print the range over dimensions of each algorithm's CPU time."""
    print(markdown_head("", "paper, seconds", "here, milliseconds", "times less"))
    for name, group in cpu.groupby("algorithm", sort=False):
        paper, ours, ratio = group["paper"], 1e3 * group["ours"], group["ratio"]
        print(
            markdown(
                f"{name}, {group['dimension'].min()}-D … {group['dimension'].max()}-D",
                f"{paper.min():.2f} … {paper.max():.2f}",
                f"{ours.min():.2f} … {ours.max():.2f}",
                f"{ratio.min():,.0f} … {ratio.max():,.0f}",
            )
        )


if __name__ == "__main__":
    main()
