"""Other runs of an algorithm, held against the comparison of docs/comparison.md, as Markdown. It runs nothing.

Run as ``python -m benchmarks.repetition FOLDER... --again FOLDER``, where --again has its runs of another seed, of
another version, or of another processor, whose last bits and so whose runs differ. Folders are as ``comparison.py``
takes them, all of results or all of outcomes: these have seven digits, by which ties are told. Mean ranks are each
taken among the same other algorithms.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from benchmarks.comparison import add_folders, medians_of, read
from benchmarks.report import bold, markdown, markdown_head, parsed
from sacma.analysis.statistics import rank_rows
from sacma.analysis.tables import comparisons

MEASURES: Mapping[str, Callable[[pd.DataFrame], pd.Series]] = {
    "mean rank": lambda logs: rank_rows(logs).mean(),
    "mean log₁₀ Δf_med": lambda logs: logs.mean(),
}
"""Of log₁₀ Δf_med, functions × algorithms."""


def main() -> None:
    """Print a table for each dimension that both have."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_folders(parser)
    parser.add_argument("--again", type=Path, required=True, metavar="FOLDER", help="the other runs")
    parser.add_argument("--of", default="sacma", help="the algorithm; default: sacma")
    given = parsed(parser)
    of_again = argparse.Namespace(**vars(given) | {"algorithms": given.of})
    known, again = medians_of(read(given.folders, given)), medians_of(read([given.again], of_again))
    known = known[known["dimension"].isin(again["dimension"])]
    for dimension, here in known.groupby("dimension"):
        print(f"\n{dimension}-D:\n")
        others = here[here["algorithm"] != given.of]
        print_repetition(here, pd.concat([others, again[again["dimension"] == dimension]]), given.of)


def print_repetition(known: pd.DataFrame, again: pd.DataFrame, name: str) -> None:
    """Print mean ranks and means of an algorithm as in the comparison and by the other runs, and the best other."""
    both = {
        label: {scenario: logs for _, scenario, logs in comparisons(medians)}
        for label, medians in (("in the comparison", known), ("again", again))
    }
    print(markdown_head("", *both["again"]))
    for what, measure in MEASURES.items():
        for label, logs_at in both.items():
            found = [measure(logs) for logs in logs_at.values()]
            lowest = [of.drop(name) for of in found]
            cells = (
                bold(f"{of[name]:.2f}", of[name] < of_others.min()) for of, of_others in zip(found, lowest, strict=True)
            )
            print(markdown(f"{what}, {label}", *cells))
        cells = (f"{of.idxmin()} {bold(f'{of.min():.2f}', bold=False)}" for of in lowest)
        print(markdown(f"{what}, lowest of the others", *cells))


if __name__ == "__main__":
    main()
