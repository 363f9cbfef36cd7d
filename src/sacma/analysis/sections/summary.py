"""Summary: sentences on which algorithms have the lowest ranks, where, by how much and at what cost.

Each number in them is entered in a ledger, so that it can be found in a CSV file. Nothing is said that the data could
contradict: a sentence whose data are not there is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from sacma.analysis.comparison import Comparison
from sacma.analysis.ledger import Ledger, dimensions, listed
from sacma.analysis.paper.published import AS_PRINTED, Reading
from sacma.analysis.section import Findings, Section
from sacma.analysis.tables import ALPHA, PLACE
from sacma.analysis.trials import OF_TARGET

PIECE = """
<details><summary>In words</summary>
<ul class="summary">
{% for sentence in values.sentences %}<li>{{ sentence|symbols }}</li>
{% endfor %}</ul>
<p class="caption">Each number of these sentences: <a href="{{ files.summary.csv }}">csv</a></p>
{% if values.notes %}<ul>{% for note in values.notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
</details>
"""

MOST_NAMED = 4  # of a list, before it is cut
MOST_PAIRS = 8  # of algorithms of which one is ahead
FEWEST_DECADES = 0.05  # lost on a function that is named
LARGE = 10  # ratio from which on decimals say nothing


@dataclass(frozen=True)
class Summary:
    """Sentences in the order of the report, and the numbers in them: columns quantity, value, shown."""

    sentences: tuple[str, ...]
    numbers: pd.DataFrame


def summarise(findings: Findings) -> Summary:
    """Return sentences on what was compared, whose ranks are the lowest, where, by how much and at what cost."""
    ledger, comparison = Ledger(), findings.comparison
    sentences = (
        *_scope(comparison, ledger),
        *_ahead(findings, ledger),
        *_tested(findings, ledger),
        *_gained(findings, ledger),
        *_cost(findings, ledger),
        *_ranks_of_paper(findings, ledger),
        *_cpu_of_paper(findings, ledger),
    )
    return Summary(sentences, ledger.entries)


def _scope(comparison: Comparison, ledger: Ledger) -> Iterator[str]:
    counted, planned = comparison.counted, sum(comparison.planned.values())
    algorithms = ledger.count("algorithms", len(comparison.names), "algorithm")
    functions = ledger.count("functions", len({trial.function for trial in counted}), "function")
    sentence = (
        f"{algorithms} on {functions} in {dimensions(trial.dimension for trial in counted)}: "
        f"{ledger.count('trials', len(counted), 'trial')}, compared up to "
        f"{ledger.say('budget, evaluations/D', comparison.budget, 'g')}·D evaluations"
    )
    if missing := planned - len(comparison.trials):
        share = ledger.say("share of trials missing", 100 * missing / planned, ".2g")
        are = "is" if missing == 1 else "are"
        yield (
            f"{sentence}. {ledger.count('trials missing', missing, 'trial')} ({share} %) {are} missing: all that "
            "follows may still change."
        )
    else:
        yield f"{sentence}, all there."
    overlap = comparison.compared.overlap
    if not overlap.complete:
        out = sum(
            not (overlap.shares(t.dimension, t.function) and overlap.has(t.dimension, t.function, t.instance))
            for t in comparison.trials
        )
        shown = [
            f"{ledger.count(f'functions that all have, {D}-D', len(functions), 'function')} in {D}-D"
            for D, functions in sorted(overlap.functions.items())
        ]
        sentence = f"Compared is what all algorithms with trials of a dimension have: {listed(shown)}"
        if out:
            sentence += (
                f"; {ledger.count('trials left out', out, 'trial')} of others' functions and instances "
                f"{'is' if out == 1 else 'are'} left out of all that follows"
            )
        yield f"{sentence}."


def _ahead(findings: Findings, ledger: Ledger) -> Iterator[str]:
    """Name the lowest mean ranks, in the first fixed budget, the last, and those of the target."""
    ranks = findings["mean_ranks"]
    if ranks["algorithm"].nunique() < 2:  # noqa: PLR2004 nobody to be ahead of
        return
    fixed = [scenario for scenario in ranks["scenario"].unique() if scenario not in OF_TARGET]
    most = ranks.groupby("dimension")["functions"].max()
    differ = findings["rank_tests"].set_index(PLACE)["significant"].to_dict()
    for scenario in dict.fromkeys([*fixed[:1], *fixed[-1:], *OF_TARGET]):
        there = ranks[ranks["scenario"] == scenario]
        best = there[there.groupby("dimension")["mean_rank"].transform("min") == there["mean_rank"]]
        places: dict[tuple[str, ...], list[str]] = {}  # by those who share the lowest
        for D, group in best.groupby("dimension"):
            names, rank = tuple(group["algorithm"]), group["mean_rank"].iloc[0]
            shown = ledger.say(f"mean rank, {listed(names)}, {D}-D, {scenario}", rank, ".2f")
            if (count := int(group["functions"].iloc[0])) < most[D]:  # others end too early on some
                shown += f" over {ledger.count(f'functions ranked, {D}-D, {scenario}', count, 'function')}"
            places.setdefault(names, []).append(f"{D}-D ({shown})")
        phrases = [
            f"{'shared by' if len(names) > 1 else 'that of'} {listed(names)} in {listed(shown)}"
            for names, shown in places.items()
        ]
        alike = [D for D in there["dimension"].unique() if not differ.get((D, scenario), True)]
        if phrases:
            but = f" In {dimensions(alike)} the ranks do not differ significantly." if alike else ""
            yield f"After {scenario} evaluations the lowest mean rank is {', '.join(phrases)}.{but}"


def _tested(findings: Findings, ledger: Ledger) -> Iterator[str]:
    """Name the pairs of algorithms of which one is significantly ahead, and where."""
    tests = findings["rank_tests"]
    tests = tests[tests["scenario"].isin(OF_TARGET)]
    if tests.empty:
        return
    differ = int(tests["significant"].sum())
    sentence = (
        f"With the budgets {listed(OF_TARGET)} the mean ranks differ significantly in "
        f"{ledger.say('scenarios in which ranks differ', differ)} of "
        f"{ledger.count('scenarios tested', len(tests), 'scenario')}"
    )
    pairs = findings["pairwise"]
    pairs = pairs[pairs["scenario"].isin(OF_TARGET) & pairs["significant"]]
    if pairs.empty:
        yield f"{sentence}; after correction for many tests no pair of algorithms does."
        return
    together = named = list(pairs.groupby(["algorithm", "other"], sort=False))
    if len(together) > MOST_PAIRS:  # those of who is ahead of the most
        most = pairs["algorithm"].value_counts().idxmax()
        named = [each for each in together if each[0][0] == most][:MOST_PAIRS]
    wins = []
    for (name, other), group in named:
        places = group.groupby("dimension")["scenario"].agg(list).to_dict()
        where = [f"{D}-D ({' and '.join(scenarios)})" for D, scenarios in places.items()]
        wins.append(f"{name} is ahead of {other} in {listed(where)}")
    if others := len(together) - len(named):
        more = ledger.count("other pairs of which one is ahead", others, "other pair")
        wins.append(f"one algorithm is ahead of the other in {more}, too")
    yield f"{sentence}. After correction for many tests {'; '.join(wins)}."


def _gained(findings: Findings, ledger: Ledger) -> Iterator[str]:
    """Yield by how much the best is ahead of the baseline, on how many functions, and where it is behind."""
    comparison = findings.comparison
    gains, baseline = comparison.compared.overlap.shared(findings["gains"]), comparison.baseline
    gains = gains[gains["scenario"] == OF_TARGET[-1]]
    for D, group in gains.groupby("dimension"):
        medians = group.groupby("algorithm", sort=False)["decades"].median()
        name = str(medians.idxmax())
        of_it = group[group["algorithm"] == name]
        better = int((of_it["decades"] > 0).sum())
        worse = of_it[of_it["decades"] < 0].sort_values("decades")
        most_lost = worse[worse["decades"] <= -FEWEST_DECADES].head(MOST_NAMED)
        most = ledger.say(f"median over functions of decades gained, {name}, {D}-D", medians[name], ".2f")
        if medians[name] > 0:
            said = f"{name} gains most over {baseline}: {most} decades of Δf_med in the median over functions"
        else:
            said = f"none gains over {baseline} in the median over functions: {name} has {most} decades of Δf_med"
        functions = ledger.count(f"functions compared, {name}, {D}-D", len(of_it), "function")
        won = ledger.say(f"functions gained on, {name}, {D}-D", better)
        sentence = f"In {D}-D, after {OF_TARGET[-1]} evaluations, {said}. It is better on {won} of {functions}"
        if len(worse):
            losses = [
                f"f{f} ({ledger.say(f'decades gained, {name}, {D}-D, f{f}', decades, '.1f')})"
                for f, decades in zip(most_lost["function"], most_lost["decades"], strict=True)
            ]
            lost = ledger.say(f"functions lost on, {name}, {D}-D", len(worse))
            sentence += f" and worse on {lost}{f', most on {listed(losses)}' if losses else ''}"
        yield f"{sentence}."


def _cost(findings: Findings, ledger: Ledger) -> Iterator[str]:
    total = findings["cpu"][findings["cpu"]["part"] == "total"]
    if total.empty:
        return
    D = int(total["dimension"].max())
    last = total[total["dimension"] == D].sort_values("seconds_per_evaluation")
    shown = [
        f"{name} {ledger.say(f'CPU ms per true evaluation, {name}, {D}-D', 1e3 * seconds, '.3f')} ms"
        for name, seconds in zip(last["algorithm"], last["seconds_per_evaluation"], strict=True)
    ]
    yield f"A true evaluation in {D}-D takes, of CPU time with all that the algorithm does: {listed(shown)}."
    control = findings["control_frequency"].dropna(subset=["median"])
    medians = control.groupby("algorithm", sort=False)["median"].median().sort_values()
    if len(medians):
        what = "control frequency, median over functions and dimensions"
        shown = [f"{name} {ledger.say(f'{what}, {name}', ratio, '.2f')}" for name, ratio in medians.items()]
        yield (
            "True generations per model-evaluated one (control frequency), the median over functions and dimensions: "
            f"{listed(shown)}."
        )


def _readings(findings: Findings) -> Iterator[tuple[Reading, str]]:
    """Yield each reading of the paper, and what its sentences say of it: nothing where it is the text alone."""
    there = findings.comparison.readings
    for reading in there:
        yield reading, "" if there == [AS_PRINTED] else f", {reading.title}"


def _of_reading(findings: Findings, name: str, reading: Reading) -> pd.DataFrame:
    frame = findings[name]
    return frame[frame["reading"] == reading.title]


def _ranks_of_paper(findings: Findings, ledger: Ledger) -> Iterator[str]:
    for reading, of in _readings(findings):
        correlation = _of_reading(findings, "paper_correlation", reading).dropna(subset=["spearman_rho"])
        rho = correlation["spearman_rho"]
        if len(rho):
            alike = int(((rho > 0) & (correlation["p_value"] < ALPHA)).sum())
            yield (
                f"Against the publication{of}: Spearman's ρ of our mean ranks and the paper's has the median "
                f"{ledger.say(f'median Spearman rho{of}', rho.median(), '.2f')} over "
                f"{ledger.count(f'scenarios correlated{of}', len(rho), 'scenario')}, from "
                f"{ledger.say(f'lowest Spearman rho{of}', rho.min(), '.2f')} to "
                f"{ledger.say(f'highest Spearman rho{of}', rho.max(), '.2f')}. It is positive with p < {ALPHA:g}, each "
                f"by itself, in {ledger.say(f'scenarios with positive rho and p < 0.05{of}', alike)}."
            )


def _cpu_of_paper(findings: Findings, ledger: Ledger) -> Iterator[str]:
    beside, there = findings["paper_cpu"], set(findings.comparison.names)
    if len(beside) and any(there >= set(reading.names) for reading in findings.comparison.readings):
        shown = [
            ledger.say(f"{which} CPU ratio", ratio, ",.0f" if ratio >= LARGE else ".2g")
            for which, ratio in (("lowest", beside["ratio"].min()), ("highest", beside["ratio"].max()))
        ]
        names = listed(list(beside["algorithm"].unique()))
        yield (
            f"In the paper a true evaluation of {names} took {shown[0]} to {shown[1]} times the CPU time that it takes "
            "here, on another machine and with other software."
        )


SECTION = Section(
    key="summary",
    title="Summary",
    frames={"summary": lambda findings: findings.once(summarise).numbers},
    piece=PIECE,
    values=lambda report: {"sentences": report.findings.once(summarise).sentences, "notes": report.notes},
)
