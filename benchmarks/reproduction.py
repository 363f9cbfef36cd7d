"""The reproduction, as docs/reproduction.md shows it: from the report's tables, as Markdown. It runs nothing.

Run as ``python benchmarks/reproduction.py RESULTS`` after ``make reproduce``.
"""

import argparse
from pathlib import Path

import pandas as pd
from report import bold, markdown, markdown_head, parsed

from sacma.analysis.paper.published import ALGORITHMS, READINGS
from sacma.analysis.sections.cpu import PARTS

VERDICTS = {"yes": "holds", "no": "fails"}


def main() -> None:
    """Print mean ranks beside the paper's and their agreement, the claims, CPU time and what the trials cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    tables = parsed(parser).results / "report" / "tables"
    ranks, correlation, claims, checks, cpu, costs = (
        pd.read_csv(tables / f"{name}.csv")
        for name in (
            "paper_mean_ranks",
            "paper_correlation",
            "paper_claims",
            "paper_checks",
            "paper_cpu",
            "trial_costs",
        )
    )
    for reading in READINGS:
        title = reading.title
        print(f"\n### Mean ranks {title}\n")
        print_ranks(ranks[ranks["reading"] == title], correlation[correlation["reading"] == title])
    print("\n### Claims\n")
    print_claims(claims, checks)
    print("\n### CPU time\n")
    print_cpu(cpu)
    for reading in READINGS:
        mine = costs[costs["algorithm"].isin(reading.names)]
        hours = mine[list(PARTS)].to_numpy().sum() / 3600
        print(
            f"\n{reading.title}: {len(mine):,} trials, {mine['evaluations'].sum():,} evaluations, {hours:.1f} CPU hours"
        )


def print_ranks(ranks: pd.DataFrame, correlation: pd.DataFrame) -> None:
    """Print a row for each scenario: the paper's mean ranks and ours, and how well they agree."""
    print(markdown_head("paper / ours", *ALGORITHMS, "ρ", "repeated", "rms", "repeated"))
    for found in correlation.to_dict("records"):
        here = ranks[(ranks["dimension"] == found["dimension"]) & (ranks["scenario"] == found["scenario"])]
        both = here.set_index("algorithm")[["paper", "ours"]].reindex(ALGORITHMS).round(2)
        cells = [
            " / ".join(
                bold(f"{value:.2f}", value == both[column].min())
                for column, value in zip(both.columns, pair, strict=True)
            )
            for pair in both.itertuples(index=False)
        ]
        rho = f"{found['spearman_rho']:.2f} ({found['rho_low']:.2f} … {found['rho_high']:.2f})".replace("-", "−")
        agreement = (found["repeated_rho"], found["rms_difference"], found["repeated_difference"])
        repeated, rms, most = (f"{value:.2f}" for value in agreement)
        print(markdown(f"{found['dimension']}-D, {found['scenario']}", *cells, rho, f"≥ {repeated}", rms, f"≤ {most}"))


def print_claims(claims: pd.DataFrame, checks: pd.DataFrame) -> None:
    """Print a row for each claim with the verdicts on both readings, then its checks."""
    print(markdown("claim", *(reading.title for reading in READINGS)))
    print(markdown("---", "---", "---"))
    for number, group in claims.groupby("claim"):
        verdicts = group.set_index("reading")
        cells = [
            "{verdict}: {hold} hold, {fail} fail, {undecided} undecided".format(**verdicts.loc[reading.title])
            if reading.title in verdicts.index
            else ""
            for reading in READINGS
        ]
        print(markdown(f"{number}. {group['text'].iloc[0].strip()}", *cells))
    for (number, reading), group in checks.groupby(["claim", "reading"]):
        print(f"\nClaim {number}, {reading}:")
        for check in group.to_dict("records"):
            verdict = VERDICTS.get(check["holds"], "undecided")
            print(f"- {check['what']}: {check['ours']:.3g}; wanted {check['wanted']}: {verdict}")


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
