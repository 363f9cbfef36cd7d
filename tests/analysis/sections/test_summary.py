"""Sentences of the summary: the lowest mean rank and its test, gains and costs; the paper has its own study only."""

import math
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sacma.algorithms.registry import Origin
from sacma.analysis.comparison import Comparison, compare
from sacma.analysis.sections import find
from sacma.analysis.sections.summary import summarise
from sacma.analysis.tables import overall_pairs, overall_ranks
from sacma.errors import SacmaError
from sacma.store.stored_study import StoredStudy
from tests.analysis.made import Improvements, compared, made

PROTOCOL = {"functions": "1-8", "dimensions": "2,3", "instances": "1-3", "budget": 40}
PAPER = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


def level(value: float) -> Improvements:
    return [(1, 100.0), (20, value)]


def several(**values: Callable[[int], float]) -> Comparison:
    """Compare algorithms, by config, of each of which all trials on a function come to a value."""
    studies = []
    for name, value in values.items():
        studies.append(made(name, lambda spec, of=value: level(of(spec.function)), PROTOCOL))  # type: ignore[misc]
    return compared(*studies)


def two(better_on: int) -> Comparison:
    """Compare two algorithms, one better on so many of eight functions."""
    return several(cmaes=lambda _: 1.0, gp5=lambda f: 0.1 if f <= better_on else 10.0)


def test_significantly_lower() -> None:
    """The lowest mean rank, the next one, and the test by which they differ, which is in a table."""
    findings = find(two(8))
    said = summarise(findings)
    assert said.headline == (
        "After 40·D evaluations GP-5 has the lowest mean rank over 8 functions in 2-D and 3-D, 1.00, before CMA-ES "
        "with 2.00. GP-5's is significantly lower than that of CMA-ES (Friedman post-hoc test over 8 functions, level "
        "0.05)."
    )
    assert said.compared == (
        "Compared: 2 algorithms on 8 functions of bbob in 2-D and 3-D, 3 instances each, 96 trials, up to 40·D "
        "evaluations."
    )
    pairs = findings["overall_pairs"]
    ahead = pairs[(pairs["scenario"] == "40·D") & (pairs["algorithm"] == "GP-5")].iloc[0]
    assert (ahead["wins"], ahead["functions"], ahead["significant"]) == (8, 8, True)  # a function counts once
    assert ahead["p_raw"] == pytest.approx(2 * norm.sf(math.sqrt(8)))


def test_not_significantly_lower() -> None:
    """Six of eight functions may be chance; with the same mean rank nobody is before the other."""
    assert summarise(find(two(6))).headline.endswith(
        "GP-5 has the lowest mean rank over 8 functions in 2-D and 3-D, 1.25, before CMA-ES with 1.75. GP-5's is not "
        "significantly lower than that of CMA-ES (Friedman post-hoc test over 8 functions, level 0.05)."
    )
    assert summarise(find(two(4))).headline == (
        "After 40·D evaluations CMA-ES and GP-5 have the lowest mean rank over 8 functions in 2-D and 3-D, 1.50: all "
        "are equal."
    )


def test_lower_than_some() -> None:
    """Of three, the best is told apart from the worst, not from the second, and the correction is named."""
    comparison = several(cmaes=lambda _: 9.0, gp1=lambda f: 0.2 if f > 2 else 0.05, gp5=lambda _: 0.1)
    assert summarise(find(comparison)).headline.endswith(
        "GP-5 has the lowest mean rank over 8 functions in 2-D and 3-D, 1.25, before GP-1 with 1.75. GP-5's is "
        "significantly lower than that of CMA-ES, but not than that of GP-1 (Friedman post-hoc test over 8 functions, "
        "Bergmann–Hommel correction, level 0.05)."
    )
    alike = several(cmaes=lambda f: f % 3 + 1.0, gp1=lambda f: (f + 1) % 3 + 1.0, gp5=lambda f: (f + 2) % 3 + 1.0)
    assert ". GP-5's is not significantly lower than any other (" in summarise(find(alike)).headline


def test_alone() -> None:
    """One algorithm is ahead of nobody: how often it reached the target is said."""
    comparison = compared(made("cmaes", lambda spec: level(1e-9 if spec.function == 1 else 1.0), PROTOCOL))
    said = summarise(find(comparison)).headline
    assert said.startswith("CMA-ES alone: its median trial is at the target on 2 of 16 problems")


def test_what_only_some_have_is_not_counted() -> None:
    """All of two algorithms on 24 functions in four dimensions, two of six in two: the six, in these two."""
    whole = {**PROTOCOL, "functions": "1-24", "dimensions": "2,3,5,10"}
    studies = [made(name, lambda _: level(1.0), whole) for name in ("cmaes", "gp5")]
    studies.append(made("gp1", lambda _: level(0.1), {**PROTOCOL, "functions": "1-6", "dimensions": "2,5"}))
    findings = find(compared(*studies))
    assert summarise(findings).compared == (
        "Compared: 3 algorithms on 6 functions of bbob in 2-D and 5-D, 3 instances each, 108 trials, up to 40·D "
        "evaluations; 3-D and 10-D are without some of them."
    )


def test_trials_that_end_before_the_budget_are_the_cause_that_is_named() -> None:
    """One has no trial that is long enough: a budget with ranks is said, if there is one."""
    long = made("cmaes", lambda _: level(1.0), PROTOCOL)

    def said(budget: float) -> str:
        short = made("gp1", lambda _: [(1, 100.0), (int(budget), 5.0)], PROTOCOL | {"budget": budget})
        return summarise(find(compare([short, long], budget=40.0))).headline

    why = "Nothing can be ranked after 40·D evaluations: trials of GP-1 end earlier, off the target; "
    assert said(30) == f"{why}there are ranks after 25·D evaluations, by --budget 25."
    assert said(20) == f"{why}choose algorithms whose trials are longer by --algorithms, or a smaller --budget."


def test_overall_ranks_by_hand() -> None:
    """The mean over functions and dimensions that all have; a dimension that lacks an algorithm counts nothing."""
    places = [(D, f) for D in (2, 3) for f in (1, 2)]
    rows = [("25·D", D, f, name, rank) for (D, f), rank in zip(places, (1, 2, 1, 1), strict=True) for name in "AB"]
    rows = [(s, D, f, name, rank if name == "A" else 3 - rank) for s, D, f, name, rank in rows]
    rows.append(("25·D", 5, 1, "A", 1))
    ranks = pd.DataFrame(rows, columns=["scenario", "dimension", "function", "algorithm", "rank"])
    found = overall_ranks(ranks).set_index("algorithm")
    assert found["mean_rank"].to_dict() == {"A": 1.25, "B": 1.75}
    assert set(found["dimensions"]) == {2}
    assert set(found["functions"]) == {2}
    assert overall_ranks(ranks.iloc[:0]).empty
    ahead = (
        overall_pairs(ranks).set_index("algorithm").loc["A"].to_dict()
    )  # on f1 in both dimensions, on f2 in one of two
    assert {"wins": 1, "losses": 0, "ties": 1, "functions": 2}.items() <= ahead.items()
    assert overall_pairs(ranks.iloc[:0]).empty


def test_of_the_paper() -> None:
    """Three algorithms of the paper make its study; two do not, nor all of them with a stranger."""

    def of(*names: str, more: str = "", **protocol: object) -> bool:
        studies = [made(name, lambda _: level(1.0), {**PROTOCOL, **protocol}) for name in names]
        studies += [made("cmaes", lambda _: level(1.0), {**PROTOCOL, **protocol}, name=more)] if more else []
        return compared(*studies).of_paper

    assert of(*PAPER)
    assert not of(*PAPER, more="Mine")
    assert of("cmaes", "gp5", "ada_kl")
    assert not of("cmaes", "gp5")
    assert not of(*PAPER, suite="bbob-largescale", functions="1", dimensions="20")


def test_the_baseline_can_be_chosen() -> None:
    """Gains are over it; a name that is not there is refused with those that are."""
    studies = [made(name, lambda _: level(1.0), PROTOCOL) for name in ("cmaes", "gp5", "gp1")]
    comparison = compare(studies, baseline="GP-5")
    assert comparison.baseline == "GP-5"
    assert set(find(comparison)["gains"]["algorithm"]) == {"CMA-ES", "GP-1"}
    (study, trials), *others = studies
    own = StoredStudy((study.parts[0].model_copy(update={"origin": Origin("theirs.py", "0" * 64, is_file=True)}),))
    assert compare([*others, (own, trials)]).baseline == study.name
    assert compare([(own, trials), *others], baseline="GP-1").baseline == "GP-1"
    with pytest.raises(SacmaError, match="--baseline: there is no algorithm 'Nobody'; there are CMA-ES, GP-1, GP-5"):
        compare(studies, baseline="Nobody")
    assert np.isfinite(find(comparison)["gains"]["decades"]).all()


def test_gains_and_costs() -> None:
    """A decade on seven of eight functions; CPU time of all parts, and control frequency where there is a model."""
    worse = made("gp5", lambda spec: level(1.0 if spec.function == 1 else 0.01), PROTOCOL, generations=(10, 8))
    more = summarise(find(compared(made("cmaes", lambda _: level(0.1), PROTOCOL, generations=(10, 0)), worse))).more
    assert more[0] == (
        "In 2-D, after #FE_t evaluations, GP-5 gains most over CMA-ES: 1.00 decades of Δf_med in the median over "
        "functions. It is better on 7 of 8 functions and worse on 1."
    )
    behind = find(
        compare([made(name, lambda _: level(0.1), PROTOCOL) for name in ("cmaes", "gp1")] + [worse], baseline="GP-5")
    )
    assert "CMA-ES is the nearest to GP-5, behind it by 1.00 decades of Δf_med" in summarise(behind).more[0]
    assert "GP-5 12.500 ms" in more[2]  # 1.5 s in 120 evaluations
    assert more[3] == "Control frequency, true generations per model-evaluated one, median over functions: GP-5 1.25."
    alone = summarise(find(compared(made("cmaes", lambda _: level(0.1), PROTOCOL)))).more
    assert len(alone) == 1
    many = [made("cmaes", lambda _: level(0.1), PROTOCOL, name=f"A{n}") for n in range(9)]
    (time,) = [said for said in summarise(find(compare(many, baseline="A4"))).more if said.startswith("A true")]
    assert re.search(r": A0 [\d.]+ ms to A8 [\d.]+ ms, A4 [\d.]+ ms\.$", time)
