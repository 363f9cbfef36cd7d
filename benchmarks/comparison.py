"""All algorithms compared, as docs/comparison.md shows it, as Markdown. It runs nothing.

Run as ``python -m benchmarks.comparison FOLDER...`` for folders of results, of outcomes (see ``outcomes.py``), or of
archives of COCO data. ``--among NAMES`` chooses the algorithms that are tested pair by pair and shown in groups.
``--csv FILE`` writes log₁₀ of the median Δf by dimension, function and budget, an algorithm a column, ``--ranks FILE``
the mean ranks with their 95 % bootstrap intervals over functions.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.ablation import areas
from benchmarks.outcomes import covered_in
from benchmarks.report import bold, end, markdown, markdown_head, named, parsed
from sacma.analysis.choice import parse_choice
from sacma.analysis.comparison import Comparison, compare, load_external_data
from sacma.analysis.tables import (
    ALPHA,
    UNTESTED,
    decisive,
    mean_ranks,
    median_delta_f,
    pairwise_table,
    rank_tests,
    tied,
)
from sacma.analysis.trials import Trial, budgets_up_to, fixed_budgets
from sacma.coco.archives import archives_in
from sacma.errors import SacmaError
from sacma.store.stored_study import StoredStudy

FAR = 3.0
"""Decades behind the best of a function, from which an algorithm is said to lose it."""

DIGITS = 10
"""Decimals of log₁₀ Δf_med in a file: ranks of them are those of the tables, whose ties are of 10⁻⁹ decades."""

FIRST_BUDGET = 10.0
"""Evaluations/D, before those of the paper."""

LEADERS = ("sacma", "DTS-CMA-ES", "DTS-aCMA-ES", "lq-CMA-ES", "ADA-Kendall-active", "aCMA-ES")
"""Algorithms among which differences are tested: few enough for the correction of Bergmann and Hommel."""

WITHOUT_MODEL = "aCMA-ES"
"""CMA-ES with active update, behind which none with a model should be."""

BEHIND = 1.0
"""Decades behind it, or behind the best of all others, that are told."""

NEAR = 0.1
"""Decades behind the virtual best, up to which it is reached."""

ACTIVE = {"CMA-ES": "aCMA-ES", "DTS-CMA-ES": "DTS-aCMA-ES", "ADA-Kendall": "ADA-Kendall-active"}
"""Algorithms, and the same with active update."""

MIDDLE = 2
"""Number of the budget, from 0, at which groups of functions are shown beside the last one: 50·D."""


def main() -> None:
    """Print the tables of each dimension."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_folders(parser)
    parser.add_argument("--of", default="sacma", help="algorithm that is held against the others; default: sacma")
    parser.add_argument("--budget", type=float, help="evaluations/D to which it is compared; default: as far as all go")
    parser.add_argument("--among", metavar="NAMES", help=f"algorithms that are tested; default: {', '.join(LEADERS)}")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--ranks", type=Path)
    given = parsed(parser)
    comparison = read(given.folders, given, given.budget)
    trials, medians = comparison.compared.shared, medians_of(comparison)
    ranks, tests = mean_ranks(medians), rank_tests(medians)
    chosen = named("--among", given.among, ranks["algorithm"].unique()) if given.among else LEADERS
    if given.csv:
        wide = medians.pivot(index=["dimension", "function", "evaluations"], columns="algorithm", values="log10")
        exact = np.apply_along_axis(tied, 1, wide.fillna(np.inf).to_numpy(float))
        pd.DataFrame(exact, wide.index, wide.columns).where(wide.notna()).round(DIGITS).to_csv(given.csv)
    if given.ranks:
        ranks.round(3).to_csv(given.ranks, index=False)
    leads = []
    for dimension, here in medians.groupby("dimension"):
        of_dimension = [trial for trial in trials if trial.dimension == dimension]
        functions, instances = here["function"].nunique(), len({t.instance for t in of_dimension})
        print(f"\n### {dimension}-D\n\n{functions} functions, {instances} instances each.\n")
        of_here = ranks[ranks["dimension"] == dimension]
        order = print_table(here, of_here, of_dimension, comparison.budget)
        leaders = [name for name in order if name in chosen] or order[: len(LEADERS)]
        if len(order) > 1:
            print_tests(of_here, tests[tests["dimension"] == dimension], leaders)
        if given.of in order and len(order) > 1:
            leads.append(lead_of(here, of_here, given.of, [name for name in chosen if name in order]))
            print_lead(leads[-1], given.of)
        print_groups(here, comparison.suite.groups, leaders)
        print_lost(here, order)
        print_behind(here, given.of, order)
        print_active(here, order)
    if leads:
        print_counts(leads, given.of)
    half = (ranks["high"] - ranks["low"]) / 2
    if half.notna().any():
        spread = f"{half.min():.1f} to {half.max():.1f}, {half.mean():.1f} on average"
        print(f"\nHalf of a 95 % interval of a mean rank: {spread}.")


def add_folders(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``read``."""
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", default="", metavar="PATTERN", help="leave out algorithms, like '*-as-run'")
    parser.add_argument("--algorithms", metavar="NAMES", help="like sacma,aCMA-ES; default: all")
    parser.add_argument("--dimensions", help="like 2,3,5; default: all")
    parser.add_argument("--partial", action="store_true", help="compare though trials are missing")


def read(folders: Sequence[Path], given: argparse.Namespace, budget: float | None = None) -> Comparison:
    """Return what is in folders: results, outcomes, archives of COCO data; see ``add_folders`` for what is left out."""
    without = given.without
    covered = [each for folder in folders for each in covered_in(folder, needed=False)]
    covered = [(study, there) for study, there in covered if not fnmatch(study.name, without)]
    check_apart([study for study, _ in covered])
    archives = [str(folder) for folder in folders if archives_in(folder)]
    others = load_external_data(archives, [study.name for study, _ in covered], None)
    others = tuple(data for data in others if not fnmatch(data.name, without))
    if not covered and not others:
        where = ", ".join(map(str, folders))
        besides = f" besides {without}, which --without leaves out" if without else ""
        end(f"{where}: no results, outcomes or archives of COCO data{besides}")
    try:
        covered, others = parse_choice(algorithms=given.algorithms, dimensions=given.dimensions).apply(covered, others)
        lacking = [study.name for study, there in covered if not there.complete]
        if lacking and not given.partial:
            end(f"trials are missing: {', '.join(lacking)}; run them, or use --partial to compare what is there")
        return compare(covered, others, budget=budget)
    except SacmaError as error:
        end(str(error))


def check_apart(studies: Sequence[StoredStudy]) -> None:
    """End at an algorithm that two folders have on the same problems, or with other settings, budget or seed."""
    for one, other in combinations(studies, 2):
        if one.name == other.name:
            if not all(map(one.mixes_with, other.parts)):
                end(f"{one.name} is in two folders, with other settings, budget or seed; compare them one by one")
            if {spec.place for spec in one.specs()} & {spec.place for spec in other.specs()}:
                end(f"{one.name} is in two folders on the same problems; give one of them")


def medians_of(comparison: Comparison) -> pd.DataFrame:
    """Return Δf_med and its log10 on what all algorithms have, at the paper's budgets and one before these."""
    budgets = [b for b in (FIRST_BUDGET, *budgets_up_to(comparison.budget)) if b <= comparison.budget]
    medians = median_delta_f(comparison.compared.shared, fixed_budgets(dict.fromkeys(budgets)))
    return medians.assign(log10=np.log10(medians["median_delta_f"]))


def table_of(here: pd.DataFrame) -> pd.DataFrame:
    """Return log₁₀ Δf_med of a dimension, (scenario, function) × algorithms; scenarios in their order."""
    table = here.pivot(index=["scenario", "function"], columns="algorithm", values="log10")
    return table.reindex(here["scenario"].unique(), level="scenario")


def print_table(here: pd.DataFrame, ranks: pd.DataFrame, trials: Sequence[Trial], budget: float) -> list[str]:
    """Print mean ranks, the mean of log₁₀ Δf_med and areas; return the algorithms in the order of their ranks."""
    scenarios = list(here["scenario"].unique())
    mean_rank = ranks.pivot(index="algorithm", columns="scenario", values="mean_rank")[scenarios]
    middle = table_of(here).groupby(level="scenario").mean().T[scenarios]
    order = [str(name) for name in mean_rank.mean(axis=1).sort_values().index]
    area = {name: float(np.mean(areas([t for t in trials if t.algorithm == name], budget))) for name in order}
    print(markdown_head("mean rank at", *scenarios))
    for name in order:
        print(markdown(name, *(_cell(mean_rank.loc[name, s], mean_rank[s].min()) for s in scenarios)))
    print()
    print(markdown_head("mean log₁₀ Δf_med at", *scenarios, "area"))
    for name in order:
        cells = [_cell(middle.loc[name, s], middle[s].min()) for s in scenarios]
        print(markdown(name, *cells, bold(f"{area[name]:.3f}", area[name] == max(area.values()))))
    return order


def _cell(value: float, best: float = -np.inf) -> str:
    return "" if np.isnan(value) else bold(f"{value:.2f}", value == best)


def print_tests(ranks: pd.DataFrame, tests: pd.DataFrame, leaders: Sequence[str]) -> None:
    """Print intervals of the leaders' mean ranks, and whether those of all algorithms differ."""
    scenarios = list(ranks["scenario"].unique())
    of = ranks.set_index(["algorithm", "scenario"])
    print("\n95 % bootstrap intervals of mean ranks, over functions, and p of Friedman's test that all algorithms are")
    print("alike, as Iman and Davenport have it:\n")
    print(markdown_head("", *scenarios))
    for name in leaders:
        bounds = (of.loc[(name, s), ["low", "high"]] for s in scenarios)
        print(markdown(name, *(f"{low:.1f} to {high:.1f}" for low, high in bounds)))
    p_of = tests.set_index("scenario")["p_value"]
    print(markdown("p", *(f"{p_of[s]:.1g}" if s in p_of else "" for s in scenarios)))


@dataclass(frozen=True)
class Lead:
    """How an algorithm stands to the others of a dimension, by budget."""

    virtual: pd.Series  # mean of log₁₀ Δf of the best of the others on each function
    gap: pd.Series  # the algorithm's mean minus it
    lowest_rank: pd.Series  # True where it has the lowest mean rank of all
    lowest_mean: pd.Series  # True where it has the lowest mean of all
    among: "Tested"  # some algorithms
    of_all: "Tested"  # the same algorithms, among all


@dataclass(frozen=True)
class Tested:
    """Tests of an algorithm against others of a dimension, each budget by itself: others × budgets."""

    algorithms: int  # that are tested, and ranked, together
    correction: str  # of p
    p: pd.DataFrame  # of its lead; inf where its mean rank is not lower, NaN where nothing is tested
    ahead: pd.DataFrame  # True where it is significantly ahead


def lead_of(here: pd.DataFrame, ranks: pd.DataFrame, name: str, there: Sequence[str]) -> Lead:
    """Return how ``name`` stands to all others of a dimension, and by tests to those of ``there``."""
    logs, scenarios = table_of(here), list(here["scenario"].unique())
    best = best_of_others(logs, name)
    means = logs.groupby(level="scenario").mean().loc[scenarios]
    virtual = best.groupby(level="scenario").mean().loc[scenarios]
    rank = ranks.pivot(index="scenario", columns="algorithm", values="mean_rank").loc[scenarios]
    lowest = (table[name] <= table.min(axis=1) for table in (rank, means))
    leaders = here[here["algorithm"].isin(there)]
    others = [other for other in there if other != name] if name in there else []
    tested = (tested_against(of, name, others) for of in (leaders, here))
    return Lead(virtual, means[name] - virtual, *lowest, *tested)


def tested_against(medians: pd.DataFrame, name: str, others: Sequence[str]) -> Tested:
    """Return the tests of ``name`` against some others, among all that ``medians`` of a dimension have."""
    algorithms, scenarios = medians["algorithm"].nunique(), list(medians["scenario"].unique())
    if not others:
        return Tested(algorithms, "", pd.DataFrame(), pd.DataFrame())
    ranks = mean_ranks(medians).pivot(index="algorithm", columns="scenario", values="mean_rank")
    pairs = pairwise_table(medians)
    column = decisive(pairs)
    of_name = pairs[pairs["algorithm"] == name].pivot(index="other", columns="scenario", values=[column, "significant"])
    p = of_name[column].astype(float).where(ranks.loc[others].gt(ranks.loc[name]), np.inf).loc[others, scenarios]
    return Tested(algorithms, _title(column), p, of_name["significant"].loc[others, scenarios].astype(bool))


def _title(column: str) -> str:
    return column.removeprefix("p_").replace("_", " and ").title().replace("And", "and")


def best_of_others(logs: pd.DataFrame, name: str) -> "pd.Series[float]":
    """Return log₁₀ Δf_med of the best of all others, on each function at each budget."""
    return logs.drop(columns=name).min(axis=1)


def print_lead(lead: Lead, name: str) -> None:
    """Print how an algorithm stands to the best of all others on each function, and to some others by tests."""
    print(f"\nThe virtual best, which is the best of all others on each function, and the mean of {name} minus it:\n")
    print(markdown_head("", *lead.virtual.index))
    for what, values in (("virtual best", lead.virtual), (f"{name} minus virtual best", lead.gap)):
        print(markdown(what, *map(_cell, values)))
    p = lead.among.p
    if p.empty:
        return
    if p.isna().all(axis=None):
        print(f"\n{UNTESTED}")
        return
    where = f"where the mean rank of {name} is lower, else empty (bold below {ALPHA:g})"
    print(f"\np-values by {lead.among.correction} {where}; ranks and tests are among")
    print(f"{', '.join([name, *p.index])}:\n")
    print(markdown_head("", *p.columns))
    for other, values in p.iterrows():
        print(markdown(str(other), *(bold(f"{p:.1g}", p < ALPHA) if np.isfinite(p) else "" for p in values)))


def print_counts(leads: Sequence[Lead], name: str) -> None:
    """Print in how many dimensions and budgets, from the second on, an algorithm is the first of all."""
    first = leads[0].gap.index[0]
    later = [lead.gap.index != first for lead in leads]
    cells = sum(map(sum, later))
    if not cells:
        return

    def count(of: Callable[[Lead], "pd.Series[bool]"]) -> int:
        return sum(int(of(lead)[there].sum()) for lead, there in zip(leads, later, strict=True))

    ranks, means = count(lambda lead: lead.lowest_rank), count(lambda lead: lead.lowest_mean)
    near = count(lambda lead: lead.gap <= NEAR)
    print(f"\nOf {cells} dimensions and budgets after {first}, {name} has the lowest mean rank in {ranks}, the lowest")
    print(f"mean of log₁₀ Δf_med in {means}, and is within {NEAR:g} of the virtual best, or below, in {near}.")
    of_all = [lead.of_all for lead in leads if lead.of_all.algorithms > lead.among.algorithms]
    for among in filter(None, ([lead.among for lead in leads], of_all)):
        ahead, tested = (
            pd.concat([table.drop(columns=first, errors="ignore").T for table in tables])
            for tables in ([of.ahead for of in among], [of.p.notna() for of in among])
        )
        if not tested.any(axis=None):
            continue
        counts = [f"{other} in {int(ahead[other].sum())} of {int(tested[other].sum())}" for other in ahead]
        ranked = " or ".join(dict.fromkeys(f"{of.algorithms} ({of.correction})" for of in among))
        print(f"Tested among {ranked}, each dimension and budget by itself, it is significantly ahead of")
        print(f"{', '.join(counts)}.")


def print_groups(here: pd.DataFrame, groups: Mapping[str, Iterable[int]], there: Sequence[str]) -> None:
    """Print the mean of log₁₀ Δf_med over each group of functions, of some algorithms and of the best by function."""
    logs = table_of(here)
    scenarios = list(here["scenario"].unique())
    for scenario in dict.fromkeys((scenarios[min(MIDDLE, len(scenarios) - 1)], scenarios[-1])):
        at = logs.loc[scenario]
        print(f"\nThe mean of log₁₀ Δf_med by group of functions, at {scenario}:\n")
        print(markdown_head("group", *there, "best of all by function"))
        for group, numbers in groups.items():
            chosen = at.reindex([n for n in numbers if n in at.index])
            if len(chosen):
                means = chosen[there].mean()
                cells = (_cell(means[name], means.min()) for name in there)
                print(markdown(f"{group} ({_span(list(chosen.index))})", *cells, _cell(chosen.min(axis=1).mean())))


def _span(numbers: Sequence[int]) -> str:
    return f"f{numbers[0]}" if len(numbers) == 1 else f"f{numbers[0]} to f{numbers[-1]}"


def print_lost(here: pd.DataFrame, order: Sequence[str]) -> None:
    """Print on which functions each algorithm is far behind the best at the largest budget."""
    logs = table_of(here)
    last = here["scenario"].unique()[-1]
    behind = logs.loc[last].sub(logs.loc[last].min(axis=1), axis=0)
    print(f"\nThree decades or more behind the best of a function at {last}:\n")
    for name in order:
        lost = behind.index[behind[name] >= FAR]
        print(f"- {name}: {', '.join(f'f{function}' for function in lost) or 'none'}")


def print_behind(here: pd.DataFrame, name: str, order: Sequence[str]) -> None:
    """Print on which functions an algorithm is behind the best of the others, and behind CMA-ES without a model."""
    if name not in order:
        return
    logs, scenarios = table_of(here), list(here["scenario"].unique())
    best = best_of_others(logs, name)
    print(f"\nMore than a decade behind the best of all others on a function, {name}:\n")
    for scenario in scenarios:
        print(f"- at {scenario}: {_behind(logs[name] - best, scenario)}")
    if WITHOUT_MODEL in order:
        found = _behind(logs[name] - logs[WITHOUT_MODEL], scenarios[-1])
        print(f"\nMore than a decade behind {WITHOUT_MODEL} at {scenarios[-1]}: {name} on {found}.")


def _behind(decades: pd.Series, scenario: str) -> str:
    at = decades.loc[scenario]
    return ", ".join(f"f{function} ({number:.1f})" for function, number in at[at > BEHIND].items()) or "none"


def print_active(here: pd.DataFrame, order: Sequence[str]) -> None:
    """Print what the active update gains: the difference of means of log₁₀ Δf_med without and with it."""
    both = {without: with_it for without, with_it in ACTIVE.items() if without in order and with_it in order}
    if not both:
        return
    middle = table_of(here).groupby(level="scenario").mean().T[list(here["scenario"].unique())]
    print("\nDecades that the active update gains, in the mean:\n")
    print(markdown_head("", *middle.columns))
    for without, with_it in both.items():
        print(markdown(without, *map(_cell, middle.loc[without] - middle.loc[with_it])))


if __name__ == "__main__":
    main()
