"""Which figures a report has, each with what makes it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.comparison import Comparison
from sacma.analysis.sections.critical_differences import Ranking, critical_differences
from sacma.analysis.sections.control import control_frequency, evolution, transfer_functions
from sacma.analysis.sections.convergence import convergence
from sacma.analysis.sections.cpu import cpu_time
from sacma.analysis.sections.by_function import decades_heatmap, rank_heatmap
from sacma.analysis.sections.ecdf import ecdf
from sacma.analysis.sections.ranks import mean_rank_panels
from sacma.analysis.findings import OF_TARGET, Findings, baseline_of
from sacma.analysis.lookup import lookup
from sacma.analysis.tables import decisive
from sacma.coco.function_names import function_title

FIGURE_2 = (8, 20)
"""Function and dimension of the paper's Figure 2."""

LEAST_COMPARED = 2


@dataclass(frozen=True)
class Drawing:
    """A figure to be made.

    Args:
        name: of its files.
        group: in the page, of which one is shown at a time; empty for a figure that is in files only.
        title: to choose it by.
        make: makes it.
        first: whether the page shows it at first.
    """

    name: str
    group: str
    title: str
    make: Callable[[], Figure]
    first: bool = False


def drawings(
    comparison: Comparison, findings: Findings, traces: Mapping[tuple[int, int, int], pd.DataFrame]
) -> Iterator[Drawing]:
    """Yield the figures of a report.

    Args:
        comparison: what is compared.
        findings: what was found.
        traces: of single trials, by (function, dimension, instance): algorithm, restart, true_evaluations,
            model_generations, error, smoothed_error.
    """
    names = comparison.names
    look: dict[str, Any] = {"algorithms": names, "partial": not comparison.complete}
    if len(names) >= LEAST_COMPARED and not findings["mean_ranks"].empty:
        yield from _ranks(findings, baseline_of(comparison), look)
    if not findings.control_frequency.empty:
        yield Drawing("transfer", "transfer", "T₁ and T₂", transfer_functions)
    yield from _control(findings, look)
    for (function, dimension, instance), generations in traces.items():
        where = f"{function_title(function)}, {dimension}-D, instance {instance}"
        make = partial(evolution, generations, title=where, **look)
        yield Drawing(f"evolution_f{function:02d}_{dimension:02d}D", "evolution", where, make)
    if not findings["cpu"].empty:
        parts = findings["cpu"][findings["cpu"]["part"] != "total"]
        yield Drawing("cpu", "cpu", "all dimensions", partial(cpu_time, parts, **look))
    for D, curves in _by_dimension(findings["convergence"]):
        make = partial(convergence, curves, dimension=D, target=comparison.target, **look)
        yield Drawing(f"convergence_{D:02d}D", "", f"convergence, {D}-D", make)
    for D, curves in _by_dimension(findings["ecdf"]):
        yield Drawing(f"ecdf_{D:02d}D", "", f"run lengths, {D}-D", partial(ecdf, curves, dimension=D, **look))


def _by_dimension(frame: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
    for D in sorted(frame["dimension"].unique()) if len(frame) else ():
        yield int(D), frame[frame["dimension"] == D]


def _ranks(findings: Findings, baseline: str, look: Mapping[str, Any]) -> Iterator[Drawing]:
    ranks = findings["mean_ranks"]
    fixed = ranks[~ranks["scenario"].isin(OF_TARGET)]
    of_target = ranks[ranks["scenario"].isin(OF_TARGET)]
    if len(of_target):
        make = partial(mean_rank_panels, of_target, over="dimension", **look)
        yield Drawing("mean_ranks_target", "ranks", "at #FE_t/3 and #FE_t, over dimensions", make)
    if len(fixed):
        make = partial(mean_rank_panels, fixed, over="scenario", **look)
        yield Drawing("mean_ranks_budgets", "ranks", "at fixed budgets, by dimension", make)
    for name, title, table in (("target", "at #FE_t/3 and #FE_t", of_target), ("budgets", "at fixed budgets", fixed)):
        panels = list(_critical(findings, table))
        if panels:
            make = partial(critical_differences, panels, **look)
            yield Drawing(f"critical_differences_{name}", "critical", title, make)
    scenarios = [name for name in reversed(OF_TARGET) if name in set(ranks["scenario"])]
    for scenario in scenarios:
        slug = "target" if scenario == OF_TARGET[-1] else "third"
        cells = findings["function_ranks"][findings["function_ranks"]["scenario"] == scenario]
        gains = findings["gains"][findings["gains"]["scenario"] == scenario]
        last = int(cells["dimension"].max())
        for D, table in _by_dimension(cells):
            make = partial(rank_heatmap, table, dimension=D, budget=scenario, **look)
            first = (D, scenario) == (last, OF_TARGET[-1])
            yield Drawing(f"ranks_{slug}_{D:02d}D", "heatmap_rank", f"{D}-D, {scenario}", make, first)
        for D, table in _by_dimension(gains):
            make = partial(decades_heatmap, table, dimension=D, baseline=baseline, budget=scenario, **look)
            first = (D, scenario) == (last, OF_TARGET[-1])
            yield Drawing(f"decades_{slug}_{D:02d}D", "heatmap_gain", f"{D}-D, {scenario}", make, first)


def _critical(findings: Findings, ranks: pd.DataFrame) -> Iterator[Ranking]:
    keys = ["dimension", "scenario"]
    differ = lookup(findings["rank_tests"], keys, "significant")
    difference = lookup(findings["rank_tests"], keys, "critical_difference")
    for (D, scenario), group in ranks.groupby(["dimension", "scenario"], sort=False):
        place = (D, scenario)
        if place not in differ:
            continue
        duels = findings.duels[(findings.duels["dimension"] == D) & (findings.duels["scenario"] == scenario)]
        duels = duels.assign(none=1.0)
        # Where ranks do not differ at all, no pair is said to.
        values = decisive(duels) if differ[place] else "none"
        yield Ranking(
            group.set_index("algorithm")["mean_rank"],
            duels.pivot(index="winner", columns="loser", values=values),
            critical_difference=difference[place],
            title=f"{D}-D, {scenario}",
        )


def _control(findings: Findings, look: Mapping[str, Any]) -> Iterator[Drawing]:
    with_model = set(findings.control_frequency["algorithm"])
    taken = findings.efforts[findings.efforts["algorithm"].isin(with_model)]
    places: Sequence[tuple[int, int]] = sorted(
        {(int(D), int(f)) for D, f in taken[["dimension", "function"]].to_numpy()}
    )
    if not places:
        return
    shown = (
        FIGURE_2[::-1]
        if FIGURE_2[::-1] in places
        else next((p for p in places[::-1] if p[1] == FIGURE_2[0]), places[-1])
    )
    for D, f in places:
        trials = taken[(taken["dimension"] == D) & (taken["function"] == f)]
        make = partial(control_frequency, trials, function=f, dimension=D, **look)
        yield Drawing(f"control_f{f:02d}_{D:02d}D", "control", f"{function_title(f)}, {D}-D", make, (D, f) == shown)
