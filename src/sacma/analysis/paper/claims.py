"""Claims of the paper, judged by our data.

Nothing here knows our results beforehand: a claim is a list of checks, each a number of ours against what the paper
says of it. A check holds, fails where our data point the other way, or is undecided: where data are missing, or where a
test is not significant. Not to be significant is no evidence of the opposite.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from sacma.analysis.paper import published
from sacma.analysis.tables import ALPHA, PLACE, decisive
from sacma.analysis.trials import OF_TARGET, UNTIL_TARGET

DIMENSIONS = (2, 3, 5, 10, 20)
HIGH_DIMENSIONS = (10, 20)
MEASURED = ("ADA-Kendall", "ADA-RD")  # the two adaptive algorithms that the paper recommends
EARLY, MIDDLE = 1 / 10, 1 / 3  # shares of the budget at which the paper's words on run lengths are checked
MOST_DIMENSIONS = 4  # of five: "basically all"


@dataclass(frozen=True)
class Evidence:
    """Data frames that claims are judged by, of the paper's algorithms."""

    ranks: pd.DataFrame  # as from ``mean_ranks``
    tests: pd.DataFrame  # as from ``rank_tests``
    pairs: pd.DataFrame  # as from ``pairwise_table``
    control: pd.DataFrame  # as from ``control_frequencies``
    ecdf: pd.DataFrame  # as from ``run_lengths.by_group``, told at ``budgets_of_claims``
    budget: float  # evaluations/D of the trials
    as_in_paper: bool  # functions, instances, budget and target are the paper's; else there is no verdict


class Verdict(StrEnum):
    """Verdict of our data on a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    OPEN = "open"


@dataclass(frozen=True)
class Check:
    """A number of ours against what a claim says of it."""

    what: str
    ours: float
    wanted: str
    holds: bool | None  # None where our data do not decide


class Claim(NamedTuple):
    """A claim of the paper in short, and how it is checked."""

    checks: str  # name of its checks
    where: str  # it stands in the paper
    text: str
    rule: str  # by which it is checked


@cache
def claims() -> tuple[Claim, ...]:
    """Return the claims of the paper, from its results and its conclusion."""
    content = resources.files("sacma.analysis.paper").joinpath("claims.toml").read_text(encoding="utf-8")
    return tuple(Claim(**entry) for entry in tomllib.loads(content)["claims"])


def budgets_of_claims(budget: float) -> tuple[float, ...]:
    """Return the evaluations/D at which claims look at run lengths."""
    return EARLY * budget, MIDDLE * budget, budget


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the verdict of our data on each claim: columns claim (number), text, where, rule, verdict and counts.

    A claim is contradicted where one of its checks fails, supported where all hold, and open else. All are open where
    the protocol is not the paper's: of other functions or another budget it claims nothing. Counts are of checks, and
    of those that hold, fail and are undecided.
    """
    rows = []
    for number, (claim, checks) in enumerate(_checked(evidence), start=1):
        held = [check.holds for check in checks]
        judged = Verdict.CONTRADICTED if False in held else Verdict.SUPPORTED if held and all(held) else Verdict.OPEN
        verdict = judged if evidence.as_in_paper else Verdict.OPEN
        counts = len(held), held.count(True), held.count(False), held.count(None)
        rows.append((number, claim.text, claim.where, claim.rule, str(verdict), *counts))
    columns = ["claim", "text", "where", "rule", "verdict", "checks", "hold", "fail", "undecided"]
    return pd.DataFrame(rows, columns=columns)


def checks(evidence: Evidence) -> pd.DataFrame:
    """Return every check of every claim: columns claim (number), what, ours, wanted, holds (empty: undecided)."""
    rows = [
        (number, check.what, check.ours, check.wanted, {True: "yes", False: "no", None: ""}[check.holds])
        for number, (_, checks) in enumerate(_checked(evidence), start=1)
        for check in checks
    ]
    return pd.DataFrame(rows, columns=["claim", "what", "ours", "wanted", "holds"])


def _checked(evidence: Evidence) -> list[tuple[Claim, tuple[Check, ...]]]:
    return [(claim, tuple(CHECKS[claim.checks](evidence))) for claim in claims()]


def _ranks(evidence: Evidence, D: int, scenario: str) -> Mapping[str, float]:
    """Return mean ranks by algorithm; none unless all six are there, as ranks among fewer are others."""
    there = evidence.ranks[(evidence.ranks["dimension"] == D) & (evidence.ranks["scenario"] == scenario)]
    ranks = {name: float(rank) for name, rank in zip(there["algorithm"], there["mean_rank"].round(9), strict=True)}
    return ranks if ranks.keys() == set(published.ALGORITHMS) else {}


def _ranks_differ(evidence: Evidence) -> Iterator[Check]:
    tests = evidence.tests.set_index(PLACE)[["F_F", "significant"]].to_dict("index")
    for D, scenario, differ in published.iman_davenport()[[*PLACE, "significant"]].itertuples(index=False):
        test = tests.get((D, scenario)) if _ranks(evidence, D, scenario) else None
        wanted = "significant" if differ else "not significant"
        holds = True if test and test["significant"] == differ else None
        yield Check(f"F_F, {D}-D, {scenario}", test["F_F"] if test else np.nan, wanted, holds)


def _lowest_ranks(evidence: Evidence) -> Iterator[Check]:
    for D, scenario in product((5, 10, 20), OF_TARGET):
        ranks, what = _ranks(evidence, D, scenario), f"lower mean rank of ADA-Kendall and ADA-RD, {D}-D, {scenario}"
        ours = min((ranks[name] for name in MEASURED if ranks), default=np.nan)
        others = min((rank for name, rank in ranks.items() if name not in MEASURED), default=np.nan)
        yield Check(what, ours, f"at most {others:.2f}" if ranks else "the lowest", ours <= others if ranks else None)


class _Pair(NamedTuple):
    """Mean ranks of two algorithms in one scenario, corrected p-value, and True where the first is better."""

    ours: float
    theirs: float
    p_value: float
    significant: bool


def _pair(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> _Pair | None:
    ranks, pairs = _ranks(evidence, D, scenario), evidence.pairs
    if not ranks:
        return None
    there = (pairs["dimension"] == D) & (pairs["scenario"] == scenario)
    found = pairs[there & (pairs["winner"] == winner) & (pairs["loser"] == loser)].iloc[0]
    return _Pair(ranks[winner], ranks[loser], float(found[decisive(pairs)]), bool(found["significant"]))


def _outperforms(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> Check:
    """Check that one algorithm is significantly better: undecided where it is ahead, but not significantly."""
    wanted, where = f"ahead, p < {ALPHA:g}", f"{D}-D, {scenario}"
    pair = _pair(evidence, winner, loser, D, scenario)
    if pair is None:
        return Check(f"{winner} and {loser}, {where}: corrected p-value", np.nan, wanted, None)
    order = "behind" if pair.ours > pair.theirs else "ahead of" if pair.ours < pair.theirs else "level with"
    ranks = f"mean ranks {pair.ours:.2f} and {pair.theirs:.2f}"
    holds = True if pair.significant else False if pair.ours > pair.theirs else None
    return Check(f"{winner} {order} {loser}, {where}: {ranks}, corrected p-value", pair.p_value, wanted, holds)


def _kendall_wins(evidence: Evidence) -> Iterator[Check]:
    for D, scenario, loser in product(HIGH_DIMENSIONS, OF_TARGET, ("CMA-ES", "GP-5")):
        yield _outperforms(evidence, "ADA-Kendall", loser, D, scenario)


def _kendall_beats_one(evidence: Evidence) -> Iterator[Check]:
    yield _outperforms(evidence, "ADA-Kendall", "GP-1", 10, UNTIL_TARGET)


def _lower_control(evidence: Evidence) -> Iterator[Check]:
    medians = evidence.control.pivot(index=["dimension", "function"], columns="algorithm", values="median")
    medians = medians.reindex(columns=["ADA-KL", *MEASURED])
    for other in MEASURED:
        pairs = medians[["ADA-KL", other]].dropna()
        ours, theirs = pairs.reindex([(20, 8)]).to_numpy()[0]
        what = f"median control frequency of ADA-KL against that of {other}, f8, 20-D"
        yield _compared(what, ours, theirs, lower=True)
        share = float((pairs["ADA-KL"] < pairs[other]).mean())
        what = f"share of functions and dimensions where that of ADA-KL is lower than that of {other}"
        yield Check(what, share, "above 0.5", share > 0.5 if len(pairs) else None)  # noqa: PLR2004 most


def _proportion(evidence: Evidence, D: int, group: str, name: str, share: float) -> float:
    """Return an ECDF's proportion after a share of the budget, NaN where there is none."""
    ecdf = evidence.ecdf
    if ecdf.empty:
        return np.nan
    there = (ecdf["dimension"] == D) & (ecdf["group"] == group) & (ecdf["algorithm"] == name)
    reached = ecdf["evaluations_per_dimension"] <= share * evidence.budget * (1 + 1e-9)
    return float(ecdf.loc[there & reached, "proportion"].max())


def _after(evidence: Evidence, share: float) -> str:
    return f"{round(share * evidence.budget, 2):g}·D"


def _compared(what: str, ours: float, theirs: float, *, lower: bool) -> Check:
    """Check that ours is lower than theirs, or else at least as high."""
    known = not (np.isnan(ours) or np.isnan(theirs))
    wanted = f"{'below' if lower else 'at least'} {theirs:.3f}" if known else "lower" if lower else "at least that"
    holds = ours < theirs if lower else ours >= theirs
    return Check(what, ours, wanted, holds if known else None)


def _early_and_late(evidence: Evidence) -> Iterator[Check]:
    for other in ("GP-1", "CMA-ES"):
        pairs = [[_proportion(evidence, D, "all", name, EARLY) for name in ("GP-5", other)] for D in DIMENSIONS]
        known = [ours - theirs for ours, theirs in pairs if not np.isnan(ours - theirs)]
        ahead = sum(difference > 0 for difference in known)
        behind, after = len(known) - ahead, _after(evidence, EARLY)
        what = f"dimensions in which GP-5 has a higher proportion of targets than {other} after {after}"
        holds = True if ahead >= MOST_DIMENSIONS else False if behind > len(DIMENSIONS) - MOST_DIMENSIONS else None
        yield Check(what, ahead if known else np.nan, f"at least {MOST_DIMENSIONS} of {len(DIMENSIONS)}", holds)
    theirs, ours = (_proportion(evidence, 20, "all", name, 1) for name in ("GP-1", "GP-5"))
    what = f"proportion of targets of GP-5 against that of GP-1, 20-D, after {_after(evidence, 1)}"
    yield _compared(what, ours, theirs, lower=True)


def _switching(evidence: Evidence) -> Iterator[Check]:
    for name in MEASURED:
        for group in ("moderate", "all"):
            ours, theirs = (_proportion(evidence, 20, group, of, 1) for of in (name, "GP-5"))
            what = f"proportion of targets of {name} against that of GP-5, 20-D, {group}, after {_after(evidence, 1)}"
            yield _compared(what, ours, theirs, lower=False)
        for group, share in (("multimodal", MIDDLE), ("weakly structured", 1)):
            best = np.max([_proportion(evidence, 20, group, of, share) for of in ("GP-1", "GP-5")])
            rivals = "the better of GP-1 and GP-5"
            what = f"proportion of targets of {name} against {rivals}, 20-D, {group}, after {_after(evidence, share)}"
            yield _compared(what, _proportion(evidence, 20, group, name, share), float(best), lower=True)


def _conclusion(evidence: Evidence) -> Iterator[Check]:
    places = list(product(HIGH_DIMENSIONS, OF_TARGET))
    for name in MEASURED:
        pairs = [pair for pair in (_pair(evidence, name, "GP-5", *place) for place in places) if pair]
        won = sum(pair.significant for pair in pairs)
        lost = len(pairs) == len(places) and all(pair.ours > pair.theirs for pair in pairs)
        what = f"scenarios of 10-D and 20-D in which {name} is significantly ahead of GP-5"
        yield Check(what, won if pairs else np.nan, "at least 1", True if won else False if lost else None)
    scenarios = list(product(DIMENSIONS, OF_TARGET))
    tables = [ranks for ranks in (_ranks(evidence, *place) for place in scenarios) if ranks]
    complete = len(tables) == len(scenarios)
    for name in MEASURED:
        ours, theirs = (float(np.mean([ranks[of] for ranks in tables])) if tables else np.nan for of in (name, "GP-1"))
        what = f"mean over scenarios of the mean rank of {name}, against that of GP-1"
        check = _compared(what, ours, theirs, lower=True)
        yield check if complete else replace(check, holds=None)
    behind = sum(max(ranks[name] for name in MEASURED) > max(ranks["GP-1"], ranks["GP-5"]) for ranks in tables)
    what = "scenarios in which ADA-Kendall or ADA-RD is behind both GP-1 and GP-5"
    holds = True if behind else False if complete else None
    yield Check(what, behind if tables else np.nan, "at least 1", holds)


_BY_NAME = (
    _ranks_differ,
    _lowest_ranks,
    _kendall_wins,
    _kendall_beats_one,
    _lower_control,
    _early_and_late,
    _switching,
)
CHECKS: Mapping[str, Callable[[Evidence], Iterator[Check]]] = {
    checks.__name__.removeprefix("_"): checks for checks in (*_BY_NAME, _conclusion)
}
