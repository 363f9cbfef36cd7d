"""The first screen says who is ahead as far as the data say so, and holds the paper against its own study only."""

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.comparison import Comparison, compare
from sacma.analysis.sections import all_sections, find
from sacma.analysis.sections.first import headline, overall_ranks
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from tests.analysis.made import Improvements, compared, made

PROTOCOL = {"functions": "1-8", "dimensions": "2,3", "instances": "1-3", "budget": 40}
PAPER = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


def level(value: float) -> Improvements:
    return [(1, 100.0), (20, value)]


def two(better_on: int) -> Comparison:
    """Compare two algorithms, one better on so many of eight functions."""

    def found(spec: TrialSpec) -> Improvements:
        return level(0.1 if spec.function <= better_on else 10.0)

    return compared(made("cmaes", lambda _: level(1.0), PROTOCOL), made("gp5", found, PROTOCOL))


def test_sure() -> None:
    """Better everywhere is better in all samples."""
    said = headline(find(two(8)))
    assert said.headline == (
        "GP-5 is ahead: after 40·D evaluations its mean rank over all functions and dimensions is 1.00, before CMA-ES "
        "with 2.00; that is sure, as it is the lowest in 100\N{NO-BREAK SPACE}% of bootstrap samples of functions."
    )
    assert said.compared == (
        "Compared: 2 algorithms on 8 functions of bbob in 2-D and 3-D, 96 trials, up to 40·D evaluations; gains are "
        "measured against CMA-ES."
    )
    assert {"1.00", "2.00", "100", "96"} <= set(said.numbers["shown"])


@pytest.mark.parametrize(("better_on", "words"), [(6, "GP-5 is probably ahead"), (4, "CMA-ES leads, but not clearly")])
def test_less_sure(better_on: int, words: str) -> None:
    """Six of eight functions are likely no chance, four are a tie."""
    assert headline(find(two(better_on))).headline.startswith(words)


def test_few_functions() -> None:
    """Who wins all of five may have done so by chance, whatever a bootstrap of five says: 2/2⁵ > 0.05."""

    def of(functions: str) -> str:
        protocol = {**PROTOCOL, "functions": functions}
        studies = made("cmaes", lambda _: level(1.0), protocol), made("gp5", lambda _: level(0.1), protocol)
        return headline(find(compared(*studies))).headline

    assert of("1-5").startswith("GP-5 leads, but not clearly")
    assert of("1-5").endswith("; that may be chance, as there are only 5 functions.")
    assert of("1-6").startswith("GP-5 is ahead")


def test_alone() -> None:
    """One algorithm is ahead of nobody: how often it reached the target is said."""
    comparison = compared(made("cmaes", lambda spec: level(1e-9 if spec.function == 1 else 1.0), PROTOCOL))
    said = headline(find(comparison)).headline
    assert said.startswith("CMA-ES alone: its median trial is at the target on 2 of 16 problems")


def test_nothing_in_common() -> None:
    """Without a common function nobody is ranked."""
    one = made("cmaes", lambda _: level(1.0), {**PROTOCOL, "functions": "1-2"})
    other = made("gp5", lambda _: level(1.0), {**PROTOCOL, "functions": "3-4"})
    assert headline(find(compared(one, other))).headline.startswith("Nothing can be ranked")


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
    # Of four samples of two functions: f1 twice, both in both orders: A; f2 twice: a tie.
    assert found["first"].to_dict() == pytest.approx({"A": 0.875, "B": 0.125}, abs=0.02)
    assert overall_ranks(ranks.iloc[:0]).empty


def test_of_the_paper() -> None:
    """All six algorithms of the paper make its study, or three and no others; two do not, nor three with a stranger."""

    def of(*names: str, more: str = "", **protocol: object) -> bool:
        studies = [made(name, lambda _: level(1.0), {**PROTOCOL, **protocol}) for name in names]
        studies += [made("cmaes", lambda _: level(1.0), {**PROTOCOL, **protocol}, name=more)] if more else []
        return compared(*studies).of_paper

    assert of(*PAPER)
    assert of(*PAPER, more="Mine")
    assert of("cmaes", "gp5", "ada_kl")
    assert not of("cmaes", "gp5", "ada_kl", more="Mine")
    assert not of("cmaes", "gp5")
    assert not of(*PAPER, suite="bbob-largescale", functions="1", dimensions="20")


def test_sections_about_the_paper_apply_to_its_study() -> None:
    """Of another study nothing is held against it, not even in the summary."""
    (publication,) = [section for section in all_sections() if section.key == "publication"]
    paper, other = compared(*(made(n, lambda _: level(1.0), PROTOCOL) for n in PAPER[:3])), two(3)
    assert publication.applies(paper)
    assert not publication.applies(other)
    assert (
        any("publication" in text for text in find(paper)["summary"]["quantity"]) or len(find(paper)["paper_cpu"]) == 0
    )
    assert find(other)["paper_cpu"].empty


def test_the_baseline_can_be_chosen() -> None:
    """Gains are over it; a name that is not there is refused with those that are."""
    studies = [made(name, lambda _: level(1.0), PROTOCOL) for name in ("cmaes", "gp5", "gp1")]
    comparison = compare(studies, baseline="GP-5")
    assert comparison.baseline == "GP-5"
    assert set(find(comparison)["gains"]["algorithm"]) == {"CMA-ES", "GP-1"}
    with pytest.raises(SacmaError, match="--baseline: there is no algorithm 'Nobody'; there are CMA-ES, GP-1, GP-5"):
        compare(studies, baseline="Nobody")
    assert np.isfinite(find(comparison)["gains"]["decades"]).all()
