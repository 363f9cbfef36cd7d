"""The figures as Markdown."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from .catalogue import PROBLEMS


def row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _head(first: str, others: Sequence[str]) -> Iterator[str]:
    yield row(first, *others)
    yield row("---", *["---:"] * len(others))


def _bold(text: str, *, best: bool) -> str:
    text = text.replace("-", "−")
    return f"**{text}**" if best else text


def problem_lines(half: str) -> Iterator[str]:
    """Yield the table of the problems of a half."""
    yield from _head("problem", ["D", "published best", "what it is, and where it is from"])
    for problem in PROBLEMS.values():
        if problem.half == half:
            best = f"{problem.known.value:.6g}".replace("-", "−") if problem.known else ""
            yield row(problem.name, str(problem.dimension), best, f"{problem.about}. {problem.source}")


def rank_lines(means: pd.DataFrame, half: str) -> Iterator[str]:
    """Yield the table of mean ranks of a half, with intervals."""
    here = means[means["half"] == half]
    budgets = sorted(here["budget"].unique())
    table = here.set_index(["optimizer", "budget"])
    best = here.groupby("budget")["mean_rank"].min()
    order = here.groupby("optimizer")["mean_rank"].mean().sort_values().index
    yield from _head("mean rank at", [f"{budget:g}·D" for budget in budgets])
    for name in order:
        cells = []
        for budget in budgets:
            if (name, budget) not in table.index:
                cells.append("")
                continue
            mean, low, high = table.loc[(name, budget), ["mean_rank", "low", "high"]]
            span = "" if np.isnan(low) else f" ({low:.1f}–{high:.1f})"
            cells.append(_bold(f"{mean:.2f}", best=mean == best[budget]) + span)
        yield row(str(name), *cells)


def median_lines(medians: pd.DataFrame, half: str, budget: float) -> Iterator[str]:
    """Yield the table of medians of a half at one budget, a problem a row."""
    here = medians[(medians["half"] == half) & (medians["budget"] == budget)]
    table = here.pivot(index="problem", columns="optimizer", values="value")
    table = table[[name for name in here["optimizer"].unique()]]
    yield from _head(f"median at {budget:g}·D", list(table.columns))
    for name in PROBLEMS:
        if name in table.index:
            values = table.loc[name]
            shown = [_significant(value) for value in values]
            yield row(name, *(_bold(text, best=text == _significant(values.min())) for text in shown))


def _significant(value: float) -> str:
    return f"{value:.4g}"


def overhead_lines(overheads: pd.DataFrame) -> Iterator[str]:
    """Yield the table of CPU time an evaluation."""
    yield from _head("optimizer", ["package", "CPU ms an evaluation, median"])
    for _, line in overheads.iterrows():
        yield row(line["optimizer"], line["package"], f"{line['ms']:.2g}")
