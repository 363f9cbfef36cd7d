"""Sentences of the summary, on made-up results: true of them, and silent where they say nothing."""

import math
import re

import numpy as np
import pytest

from sacma.analysis.comparison import Comparison, Covered
from sacma.analysis.sections import find
from sacma.analysis.sections.summary import Summary, summarise
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, compared, made

PROTOCOL: dict[str, object] = {"functions": "1-8", "dimensions": "2,3", "instances": "1-3", "budget": 40}


def at(level: float) -> Improvements:
    """Return improvements of a trial that ends at a level."""
    return [(1, 100.0), (20, level)]


def six(decades: float = 1.0, missing: int = 0, functions: str = "") -> Comparison:
    """Compare six algorithms of which each is that many decades behind the one before on every function."""
    names = ("ada_rd", "ada_kendall", "ada_kl", "gp5", "gp1", "cmaes")

    def study(position: int, name: str) -> Covered:
        def found(spec: TrialSpec) -> Improvements | None:
            if position == 0 and spec.function == 1 and spec.instance <= missing:
                return None
            return at(1e-5 * 10 ** (decades * position) * (1 + spec.function / 100))

        protocol = PROTOCOL | ({"functions": functions} if functions else {})
        return made(name, found, protocol, generations=(10, 2 * position))

    return compared(*(study(position, name) for position, name in enumerate(names)))


def said(comparison: Comparison) -> Summary:
    return summarise(find(comparison))


@pytest.fixture(scope="module")
def of_six() -> Summary:
    """Summarise six algorithms in a clear order."""
    return said(six())


def sentence(summary: Summary, word: str) -> str:
    (found,) = [text for text in summary.sentences if word in text]
    return found


def test_who_is_ahead(of_six: Summary) -> None:
    """The best is named with its mean rank, and pairs that differ with where they do."""
    lowest = [text for text in of_six.sentences if "the lowest mean rank is" in text]
    assert lowest[0] == "After 25·D evaluations the lowest mean rank is that of ADA-RD in 2-D (1.00) and 3-D (1.00)."
    tested = sentence(of_six, "After correction for many tests")
    assert "differ significantly in 4 of 4 scenarios" in tested
    assert "ADA-RD is ahead of CMA-ES in 2-D (#FE_t/3 and #FE_t) and 3-D (#FE_t/3 and #FE_t)" in tested
    assert "CMA-ES is ahead" not in tested


def test_by_how_much(of_six: Summary) -> None:
    """Five decades over the last on each of eight functions."""
    gained = sentence(of_six, "In 2-D, after #FE_t")
    assert gained == (
        "In 2-D, after #FE_t evaluations, ADA-RD gains most over CMA-ES: 5.00 decades of Δf_med in the median over "
        "functions. It is better on 8 of 8 functions."
    )


def test_at_what_cost(of_six: Summary) -> None:
    """CPU time of all parts by evaluation, control frequency of those that have a model."""
    assert "ADA-RD 12.500 ms" in sentence(of_six, "of CPU time")  # 1.5 s in 120 evaluations
    assert "CMA-ES 1.00, GP-1 1.25" in sentence(of_six, "control frequency")


def test_the_papers_ranks_stand_beside(of_six: Summary) -> None:
    """How well ranks agree is told of every scenario."""
    assert "over 4 scenarios" in sentence(of_six, "Spearman")


def test_every_number_is_in_the_ledger(of_six: Summary) -> None:
    """What a sentence shows, the table of numbers has, beside names and what says how."""
    shown = set(of_six.numbers["shown"])
    names = r"[A-Z]+-\d|\d-D|\d+·D|#FE_t(/3)?|\bf\d+|p < 0\.05|BBOB \d+|\(8 functions.*?\)"
    for text in of_six.sentences:
        assert set(re.findall(r"-?\d[\d,.]*\d|\d", re.sub(names, "", text))) <= shown, text


def test_missing_trials_are_said_first() -> None:
    """How many, and that what follows may change."""
    first = said(six(missing=2)).sentences[0]
    assert first.endswith("4 trials (1.4 %) are missing: all that follows may still change.")


def test_few_functions_are_not_tested() -> None:
    """Of fewer than six no sentence says that ranks differ, or that they do not."""
    few = said(six(functions="1-5")).sentences
    assert any("the lowest mean rank is" in text for text in few)
    assert not any("significant" in text for text in few)


def test_no_difference_is_no_gain() -> None:
    """Where all algorithms find the same, none gains, none is better, and ranks do not differ."""
    summary = said(six(decades=0))
    lowest = [text for text in summary.sentences if "the lowest mean rank is" in text]
    assert all(text.endswith("In 2-D and 3-D the ranks do not differ significantly.") for text in lowest)
    assert all("is shared by CMA-ES, " in text and " in 2-D (3.50) and 3-D (3.50)." in text for text in lowest)
    gained = sentence(summary, "In 3-D, after #FE_t")
    assert "none gains over CMA-ES in the median over functions" in gained
    assert gained.endswith("It is better on 0 of 8 functions.")
    assert not any("is ahead of" in text for text in summary.sentences)


def test_behind_the_baseline_is_not_a_gain() -> None:
    """A single rival that is a decade behind on all but one function is said to be worse there."""

    def worse(spec: TrialSpec) -> Improvements:
        return at(1e-2 if spec.function == 1 else 1.0)

    summary = said(compared(made("cmaes", lambda _: at(0.1), PROTOCOL), made("gp5", worse, PROTOCOL)))
    gained = sentence(summary, "In 2-D, after #FE_t")
    assert "none gains over CMA-ES in the median over functions: GP-5 has -1.00 decades of Δf_med" in gained
    assert gained.endswith(
        "better on 1 of 8 functions and worse on 7, most on f2 (-1.0), f3 (-1.0), f4 (-1.0) and f5 (-1.0)."
    )


def test_a_single_algorithm_is_ahead_of_nobody() -> None:
    """Scope and cost are all there is to say."""
    summary = said(compared(made("cmaes", lambda _: at(0.1), PROTOCOL)))
    assert len(summary.sentences) == 2
    assert not any(math.isnan(value) for value in np.asarray(summary.numbers["value"], float))
