"""The figures as Markdown."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.common import markdown, markdown_head, shown

from .catalogue import PROBLEMS


def problem_lines(half: str) -> Iterator[str]:
    """Yield the table of the problems of a half; the value is that of the published point."""
    yield markdown_head("problem", "D", "published value", "what it is, and where it is from")
    for problem in PROBLEMS.values():
        if problem.half == half:
            best = shown(problem.known.value, ".6g") if problem.known else ""
            yield markdown(problem.name, str(problem.dimension), best, f"{problem.about}. {problem.source}")


def rank_lines(means: pd.DataFrame, half: str) -> Iterator[str]:
    """Yield the table of mean ranks of a half, with intervals; the order is that of their means over budgets."""
    return _interval_lines(means[means["half"] == half], "mean_rank", "mean rank at", ".2f", ".1f")


def win_lines(shares: pd.DataFrame, half: str, reference: str) -> Iterator[str]:
    """Yield the table of the shares of runs in which the reference is better than each other optimizer."""
    return _interval_lines(shares[shares["half"] == half], "mean", f"{reference} is better than", ".0%", ".0%")


def _interval_lines(here: pd.DataFrame, column: str, head: str, digits: str, of_interval: str) -> Iterator[str]:
    """Yield a table of means with intervals, an optimizer a row; the least of each budget is bold."""
    table = {
        (name, budget): (mean, low, high)
        for name, budget, mean, low, high in here[["optimizer", "budget", column, "low", "high"]].to_numpy()
    }
    budgets = sorted({budget for _, budget in table})
    best = {budget: min(mean for (_, at), (mean, _, _) in table.items() if at == budget) for budget in budgets}
    yield markdown_head(head, *(f"{budget:g}·D" for budget in budgets))
    for name in here.groupby("optimizer")[column].mean().sort_values().index:
        cells = []
        for budget in budgets:
            mean, low, high = table.get((name, budget), (np.nan,) * 3)
            span = "" if np.isnan(low) else f" ({low:{of_interval}}–{high:{of_interval}})"
            cells.append(shown(mean, digits, bold=mean == best[budget]) + span)
        yield markdown(str(name), *cells)


def median_lines(medians: pd.DataFrame, half: str, budget: float) -> Iterator[str]:
    """Yield the table of medians of a half at one budget, a problem a row."""
    here = medians[(medians["half"] == half) & (medians["budget"] == budget)]
    optimizers = list(here["optimizer"].unique())
    values = {(line["problem"], line["optimizer"]): float(line["value"]) for line in here.to_dict("records")}
    yield markdown_head(f"median at {budget:g}·D", *optimizers)
    for name in PROBLEMS:
        there = {optimizer: values[name, optimizer] for optimizer in optimizers if (name, optimizer) in values}
        if there:
            best = f"{min(there.values()):.4g}"
            cells = (there.get(optimizer, np.nan) for optimizer in optimizers)
            yield markdown(name, *(shown(value, ".4g", bold=f"{value:.4g}" == best) for value in cells))


def time_lines(times: pd.DataFrame, accuracy: float, reference: str) -> Iterator[str]:
    """Yield the table of running times, a problem a row, and what each optimizer takes over the reference."""
    yield markdown_head(f"evaluations to {1 - accuracy:.1%}", *times.columns)
    for name, line in times.iterrows():
        yield markdown(str(name), *(shown(value, ".0f") if np.isfinite(value) else "–" for value in line))
    ratios = times.div(times[reference], axis=0)
    yield markdown(f"over {reference}, median", *(shown(value, ".3g") for value in ratios.median()))
    yield markdown(f"fewer than {reference}, problems", *(str(number) for number in (ratios < 1).sum()))


def overhead_lines(overheads: pd.DataFrame) -> Iterator[str]:
    """Yield the table of CPU time an evaluation."""
    yield markdown_head("optimizer", "package", "CPU ms an evaluation, median")
    for _, line in overheads.iterrows():
        yield markdown(line["optimizer"], line["package"], f"{line['ms']:.2g}")
