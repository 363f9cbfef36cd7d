"""Suites: what is said of them is what COCO says."""

import re
from importlib.util import find_spec
from pathlib import Path

import cocoex
import pytest

from sacma.coco.suites import BBOB, LARGESCALE, NOISY, SUITES, Suite


def words(name: str) -> set[str]:
    short = {"griewank-ros.": "griewank-rosenbrock", "mod.": "moderate", "unif.": "unif", "diff.": "diff"}
    spelt = " ".join(short.get(word, word) for word in name.lower().split())
    return set(re.split(r"[ -]+", spelt))


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_functions_and_dimensions_are_those_of_coco(suite: Suite) -> None:
    """All that COCO has, in its order, and no other."""
    theirs = cocoex.Suite(suite.name, "instances: 1", "")
    assert tuple(dict.fromkeys(problem.id_function for problem in theirs)) == suite.functions
    assert tuple(theirs.dimensions) == suite.dimensions
    assert set(suite.usual_dimensions) <= set(suite.dimensions)
    place = theirs.get_problem(suite.index(suite.functions[-1]) - 1).id_function
    assert place == suite.functions[-1]


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_groups_part_the_functions(suite: Suite) -> None:
    """Each function is in one group, and in all."""
    *groups, everything = suite.groups.values()
    assert [function for group in groups for function in group] == list(everything) == list(suite.functions)
    assert set(suite.bbob_functions) == set(suite.functions)
    assert set(suite.bbob_functions.values()) <= set(BBOB.functions)


def test_names_of_noisy_functions_are_those_of_cocopp() -> None:
    """But for order, spelling and details that are left out."""
    cocopp = find_spec("cocopp")  # not imported, for it warns
    assert cocopp
    assert cocopp.origin
    theirs = Path(cocopp.origin).with_name("bbob-noisy-benchmarkshortinfos.txt").read_text().splitlines()
    assert len(theirs) == len(NOISY.functions) == 30
    for line in theirs:
        function, name = line.split(" ", 1)
        assert words(NOISY.names[int(function)]) <= words(name), line


def test_largescale_is_bbob_in_other_dimensions() -> None:
    """By numbers and names; its functions are others all the same, and nothing of bbob's results is held to it."""
    assert LARGESCALE.names == BBOB.names
    assert not LARGESCALE.of_the_paper
    assert not LARGESCALE.of_2009
