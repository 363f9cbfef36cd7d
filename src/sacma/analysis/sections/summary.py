"""Summary: the lowest mean rank and its significance, gains over the baseline, and costs, in sentences."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sacma.analysis.comparison import MANY, Comparison
from sacma.analysis.section import Findings, Make, Report, Section
from sacma.analysis.sections.ranks import are_compared
from sacma.analysis.tables import ALPHA, OF_FEW, OF_MANY, decisive, is_tested, overall_pairs, overall_ranks
from sacma.analysis.terms import TERMS, counted, dimensions, listed
from sacma.analysis.trials import OF_TARGET, ROUNDING, Trial

MOST_NAMED = 4  # of a list, before it is cut
CORRECTIONS = {OF_FEW: "Bergmann–Hommel", OF_MANY: "Shaffer"}


@dataclass(frozen=True)
class Summary:
    """Sentences on the whole comparison."""

    lead: str
    tested: str  # empty where nothing is
    compared: str
    more: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The first sentence or two."""
        return f"{self.lead} {self.tested}".rstrip()


def summarise(findings: Findings) -> Summary:
    """Return the sentences."""
    return Summary(*_headline(findings), _compared(findings.comparison), (*_gained(findings), *_cost(findings)))


def _headline(findings: Findings) -> tuple[str, str]:
    """Return the leader by mean rank, and the algorithms from which it differs significantly."""
    comparison = findings.comparison
    if len(comparison.names) == 1:
        values = findings["final_values"]
        hits = int((values["median"] <= comparison.target * (1.0 + ROUNDING)).sum())
        of = counted(len({(trial.dimension, trial.function) for trial in comparison.compared.trials}), "problem")
        alone = f"{comparison.names[0]} alone: its median trial is at the target on {hits} of {of}"
        return f"{alone}, each a function in a dimension.", ""
    scenario, overall, pairs = comparison.fixed_budgets[-1], findings["overall_ranks"], findings["overall_pairs"]
    ranks = overall[overall["scenario"] == scenario].sort_values("mean_rank", kind="stable")
    if ranks.empty:
        return _nothing_ranked(findings), ""
    lowest = np.isclose(ranks["mean_rank"], ranks["mean_rank"].min())
    leaders, others = ranks["algorithm"][lowest].to_list(), ranks["algorithm"][~lowest].to_list()
    have = "has" if len(leaders) == 1 else "have"
    count = int(ranks["functions"].iloc[0])
    functions = counted(count, "function")
    ranked = findings["function_ranks"]
    there = ranked[ranked["scenario"] == scenario].groupby("dimension")["algorithm"].nunique()
    lead = (
        f"After {scenario} evaluations {_named(leaders)} {have} the lowest mean rank over {functions} in "
        f"{dimensions(there.index[there == len(ranks)])}, {ranks['mean_rank'].iloc[0]:.2f}"
    )
    unranked = [name for name in comparison.names if name not in set(ranks["algorithm"])]
    without = f" {_named(unranked)} {'has' if len(unranked) == 1 else 'have'} no rank there." if unranked else ""
    if not others:
        return f"{lead}{': all are equal' if len(leaders) > 1 else ''}.{without}", ""
    lead += f", before {others[0]} with {ranks['mean_rank'][~lowest].iloc[0]:.2f}.{without}"
    if not is_tested(count):
        return lead, f"{functions} {'is' if count == 1 else 'are'} too few to test the difference."
    pairs = pairs[pairs["scenario"] == scenario]
    times = pairs.loc[pairs["algorithm"].isin(leaders) & pairs["significant"], "other"].value_counts()
    higher = [name for name in others if times.get(name, 0) == len(leaders)]
    alike = [name for name in others if name not in higher]
    correction = f", {CORRECTIONS[decisive(pairs)]} correction" if len(ranks) > 2 else ""  # noqa: PLR2004 one pair
    test = f"Friedman post-hoc test over {functions}{correction}, level {ALPHA:g}"
    whose = f"{leaders[0]}'s" if len(leaders) == 1 else "Theirs"
    return lead, f"{whose} is {_significance(higher, alike)} ({test})."


def _nothing_ranked(findings: Findings) -> str:
    """Return the reason why nobody is ranked at the largest budget, and a remedy."""
    comparison, overlap = findings.comparison, findings.comparison.compared.overlap
    dimensions = [{D for D, _, _ in overlap.there.get(name, ())} for name in comparison.names]
    if not any(overlap.functions[D] for D in set.intersection(*dimensions)):
        return (
            "Nothing can be ranked: no function and dimension is common to all algorithms; choose some that have one "
            "by --algorithms."
        )
    short = {t.algorithm for t in comparison.compared.shared if t.known_until < comparison.evaluations(t.dimension)}
    names = listed([name for name in comparison.names if name in short])
    why = f"Nothing can be ranked after {comparison.budget:g}·D evaluations: "
    why += f"trials of {names} end earlier, off the target" if names else "too few of the trials are there"
    ranked = set(findings["overall_ranks"]["scenario"])
    budgets = [scenario.budget for scenario in comparison.scenarios if scenario.budget and scenario.name in ranked]
    if not budgets:
        return f"{why}; choose algorithms whose trials are longer by --algorithms, or a smaller --budget."
    return f"{why}; there are ranks after {max(budgets):g}·D evaluations, by --budget {max(budgets):g}."


def _significance(higher: Sequence[str], alike: Sequence[str]) -> str:
    """Return words on the algorithms from which the leader differs significantly, and on the others."""
    if not higher:
        return f"not significantly lower than {_those_of(alike) if len(alike) == 1 else 'any other'}"
    if not alike:
        return f"significantly lower than {_those_of(higher) if len(higher) == 1 else 'every other'}"
    return f"significantly lower than {_those_of(higher)}, but not than {_those_of(alike)}"


def _those_of(names: Sequence[str]) -> str:
    return f"{'that' if len(names) == 1 else 'those'} of {_named(names)}"


def _named(names: Sequence[str]) -> str:
    """Return names as a list in words, a long one cut."""
    if len(names) <= MOST_NAMED:
        return listed(names)
    return listed([*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"])


def _compared(comparison: Comparison) -> str:
    trials = comparison.counted
    where = {trial.dimension for trial in trials}
    others = {trial.dimension for trial in comparison.trials} - where
    without = f"; {dimensions(others)} {'is' if len(others) == 1 else 'are'} without some of them" if others else ""
    return (
        f"Compared: {counted(len(comparison.names), 'algorithm')} on "
        f"{counted(len({trial.function for trial in trials}), 'function')} of {comparison.suite.name} in "
        f"{dimensions(where)}, {_instances(trials)} each, {counted(len(trials), 'trial')}, up to "
        f"{comparison.budget:g}·D evaluations{without}."
    )


def _instances(trials: Sequence[Trial]) -> str:
    """Return how many instances of a function in a dimension are compared: one number, or from … to."""
    there: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    for trial in trials:
        there[trial.algorithm, trial.dimension, trial.function].add(trial.instance)
    numbers = sorted({len(instances) for instances in there.values()})
    return (f"{numbers[0]} to " if len(numbers) > 1 else "") + counted(numbers[-1], "instance")


def _gained(findings: Findings) -> Iterator[str]:
    """Yield by dimension which algorithm gains most over the baseline, and on how many functions."""
    comparison = findings.comparison
    gains = comparison.compared.overlap.shared(findings["gains"])
    for D, group in gains[gains["scenario"] == OF_TARGET[-1]].groupby("dimension"):
        medians = group.groupby("algorithm", sort=False)["decades"].median()
        name = str(medians.idxmax())
        decades = group.loc[group["algorithm"] == name, "decades"]
        gains_most = f"{name} gains most over {comparison.baseline}: {medians[name]:z.2f} decades"
        nearest = f"{name} is the nearest to {comparison.baseline}, behind it by {-medians[name]:.2f} decades"
        yield (
            f"In {D}-D, after {OF_TARGET[-1]} evaluations, {nearest if medians[name] < 0.0 else gains_most} "
            f"of Δf_med in the median over functions. It is better on "
            f"{(decades > 0).sum()} of {counted(len(decades), 'function')} and worse on {(decades < 0).sum()}."
        )


def _cost(findings: Findings) -> Iterator[str]:
    """Yield CPU time in the largest dimension, and control frequencies."""
    total = findings["cpu"][findings["cpu"]["part"] == "total"]
    if not total.empty:
        D = int(total["dimension"].max())
        last = total[total["dimension"] == D].sort_values("seconds_per_evaluation")
        times = zip(last["algorithm"], 1e3 * last["seconds_per_evaluation"], strict=True)
        told = {name: f"{name} {milliseconds:.3f} ms" for name, milliseconds in times}
        shown = listed(list(told.values()))
        if len(told) > MANY:
            least, *between, most = told
            baseline = findings.comparison.baseline
            shown = f"{told[least]} to {told[most]}{f', {told[baseline]}' if baseline in between else ''}"
        yield f"A true evaluation in {D}-D takes, of CPU time with all that the algorithm does: {shown}."
    control = findings["control_frequency"].dropna(subset=["median"])
    medians = control.groupby("algorithm", sort=False)["median"].median().sort_values()
    if len(medians):
        shown = listed([f"{name} {ratio:.2f}" for name, ratio in medians.items()])
        yield f"Control frequency, true generations per model-evaluated one, median over functions: {shown}."


def _values(report: Report) -> Mapping[str, object]:
    found = report.findings.once(summarise)
    return {"summary": found, "ranked": are_compared(report.findings), "notes": report.notes, "terms": TERMS}


def _of_ranks(make: Callable[[pd.DataFrame], pd.DataFrame]) -> Make:
    """Return a maker of a data frame from ranks on functions, each row of all trials."""
    return lambda findings: make(findings["function_ranks"]).assign(partial=not findings.comparison.complete)


SECTION = Section(
    key="summary",
    title="Summary",
    frames={"overall_ranks": _of_ranks(overall_ranks), "overall_pairs": _of_ranks(overall_pairs)},
    template="summary.html",
    values=_values,
)
