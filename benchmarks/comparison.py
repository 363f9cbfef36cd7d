"""Comparison of all algorithms, as docs/comparison.md shows it, as Markdown. It runs no trial.

Run as ``python -m benchmarks.comparison FOLDER...`` for folders of results, of outcomes, or of archives of COCO data.
``--among NAMES`` chooses the algorithms that are tested pair by pair. ``--csv FILE`` writes log₁₀ of the median Δf by
dimension, function and budget, an algorithm a column, ``--ranks FILE`` the mean ranks with their 95 % bootstrap
intervals over functions, ``--report RESULTS`` the report, as ``sacma postprocess`` does.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path

import baycomp
import numpy as np
import pandas as pd
from joblib import cpu_count

from benchmarks.ablation import areas
from benchmarks.common import end, markdown, markdown_head, named, parsed, shown
from sacma.analysis.against import FIRST_BUDGET
from sacma.analysis.choice import parse_choice
from sacma.analysis.comparison import Comparison, compare, load_external_data
from sacma.analysis.notes import notes
from sacma.analysis.postprocess import write_report
from sacma.analysis.tables import (
    ALPHA,
    UNTESTED,
    decisive,
    mean_ranks,
    median_delta_f,
    pairwise_table,
    tied,
)
from sacma.analysis.trials import Trial, budgets_up_to, fixed_budgets
from sacma.coco.archives import archives_in
from sacma.errors import SacmaError
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy

DIGITS = 10  # decimals of log₁₀ Δf_med in a file: ranks of them are those of the tables, whose ties are of 10⁻⁹ decades

# Algorithms among which differences are tested: few enough for the correction of Bergmann and Hommel.
LEADERS = ("sacma", "DTS-CMA-ES", "DTS-aCMA-ES", "lq-CMA-ES", "ADA-Kendall-active", "aCMA-ES")

WITHOUT_MODEL = "aCMA-ES"  # CMA-ES with active update, behind which none with a model should be
BEHIND = 1.0  # decades behind it, or behind the best of all others, that are told
NEAR = 0.1  # decades behind the virtual best, up to which it is reached


# Decades within which two algorithms are practically equivalent, and samples of the posterior.
EQUAL, SAMPLES = 0.1, 5000


def main() -> None:
    """Print the tables of each dimension."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_folders(parser)
    parser.add_argument("--of", default="sacma", help="algorithm that is held against the others; default: sacma")
    parser.add_argument("--budget", type=float, help="evaluations/D to which it is compared; default: as far as all go")
    parser.add_argument("--among", metavar="NAMES", help=f"algorithms that are tested; default: {', '.join(LEADERS)}")
    for option in ("--csv", "--ranks", "--report"):
        parser.add_argument(option, type=Path)
    given = parsed(parser, {})
    comparison = read(given.folders, given, given.budget)
    trials, medians = comparison.compared.shared, medians_of(comparison)
    ranks = mean_ranks(medians)
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
        if given.of in order and len(order) > 1:
            leads.append(lead_of(here, of_here, given.of, [name for name in chosen if name in order]))
            print_lead(leads[-1], given.of)
        print_behind(here, given.of, order)
    if leads:
        print_counts(leads, given.of)
    if len(leads) > 1:
        everywhere = set.intersection(*(set(lead.among.p.index) for lead in leads))
        print_over_all(medians, given.of, [name for name in leads[0].among.p.index if name in everywhere])
    if given.report:
        given.report.mkdir(parents=True, exist_ok=True)
        known, jobs = notes(comparison), cpu_count()
        written = write_report(Store(given.report), comparison, (), known, jobs=jobs, pdf=not given.tiny, pages=False)
        print(f"\n{written.page}: {len(comparison.trials):,} trials, {written.figures} figures")


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
    covered = [each for folder in folders for each in completeness_of_studies(Store(folder), needed=False)]
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
        of = mean_rank.loc[name]
        print(markdown(name, *(shown(of[s], bold=of[s] == mean_rank[s].min()) for s in scenarios)))
    print()
    print(markdown_head("mean log₁₀ Δf_med at", *scenarios, "area"))
    for name in order:
        cells = [shown(middle.loc[name, s], bold=middle.loc[name, s] == middle[s].min()) for s in scenarios]
        print(markdown(name, *cells, shown(area[name], ".3f", bold=area[name] == max(area.values()))))
    return order


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
        print(markdown(what, *map(shown, values)))
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
        print(markdown(str(other), *(shown(p if np.isfinite(p) else np.nan, ".1g", bold=p < ALPHA) for p in values)))


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
        ranked = " or ".join(dict.fromkeys(f"{of.algorithms} ({of.correction})" for of in among if of.correction))
        print(f"Tested among {ranked}, each dimension and budget by itself, it is significantly ahead of")
        print(f"{', '.join(counts)}.")


def print_over_all(medians: pd.DataFrame, name: str, others: Sequence[str]) -> None:
    """Print tests of an algorithm against others over all pairs of dimension and function."""
    here = medians[medians["algorithm"].isin([name, *others])]
    pairs = 1000 * here["dimension"] + here["function"]
    here = here.assign(dimension=0, function=pairs, scenario=here["scenario"].astype(str))
    tested, logs = tested_against(here, name, others), table_of(here)
    if tested.p.empty or tested.p.isna().all(axis=None):
        return
    print(f"\nOver all {pairs.nunique()} pairs of dimension and function, p of {name}'s lead by {tested.correction}:\n")
    print(markdown_head("ahead of", *tested.p.columns))
    for other, p_values in tested.p.iterrows():
        print(markdown(str(other), *(shown(p if np.isfinite(p) else np.nan, ".1g", bold=p < ALPHA) for p in p_values)))
    print(f"\nProbabilities of {name} ahead, within {EQUAL:g} decades, and behind, by the Bayesian signed-rank test:\n")
    print(markdown_head("", *tested.p.columns))
    for other in tested.p.index:
        cells = []
        for scenario in tested.p.columns:
            own, its = (logs.loc[scenario, which].to_numpy() for which in (name, other))
            found = baycomp.two_on_multiple(own, its, EQUAL, nsamples=SAMPLES, random_state=1)
            cells.append(" ".join(f"{p:.2f}" for p in reversed(found)))  # its scores are better where they are higher
        print(markdown(str(other), *cells))


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


if __name__ == "__main__":
    main()
