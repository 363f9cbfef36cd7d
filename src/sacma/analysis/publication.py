"""Our figures beside those of the paper: mean ranks, CPU time, and what our data say of its claims.

The comparison is of the algorithms, dimensions and scenarios that both have. Nothing here knows our results
beforehand: a claim is a list of checks, each a number of ours against what the paper says of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from sacma.analysis import published
from sacma.analysis.lookup import lookup
from sacma.analysis.tables import ALPHA, PLACE, decisive
from sacma.analysis.trials import THIRD_OF_IT, UNTIL_TARGET

SCENARIOS = (THIRD_OF_IT, UNTIL_TARGET)
DIMENSIONS = (2, 3, 5, 10, 20)
HIGH_DIMENSIONS = (10, 20)
MEASURED = ("ADA-Kendall", "ADA-RD")
"""The two adaptive algorithms that the paper recommends."""

FEWEST = 3
"""Algorithms of which a correlation of ranks says anything."""


@dataclass(frozen=True)
class Evidence:
    """What claims are judged by.

    Args:
        ranks: as from ``mean_ranks``.
        tests: as from ``rank_tests``.
        duels: as from ``duel_table``.
        control: as from ``control_frequencies``.
        ecdf: as from ``bootstrapped_ecdf``.
        budget: evaluations/D of the trials.
    """

    ranks: pd.DataFrame
    tests: pd.DataFrame
    duels: pd.DataFrame
    control: pd.DataFrame
    ecdf: pd.DataFrame
    budget: float


class Verdict(StrEnum):
    """What our data say of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    OPEN = "open"


@dataclass(frozen=True)
class Check:
    """One thing that a claim says, and what ours are.

    Args:
        what: is looked at.
        ours: the number.
        wanted: what the claim says of it.
        holds: None where our data do not decide.
    """

    what: str
    ours: float
    wanted: str
    holds: bool | None


@dataclass(frozen=True)
class Claim:
    """What the paper says, and how it can be checked.

    Args:
        text: in short.
        where: it stands in the paper.
        rule: how it is checked.
        checks: from what there is; none where nothing is.
    """

    text: str
    where: str
    rule: str
    checks: Callable[[Evidence], Iterator[Check]]


def mean_ranks_beside(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return our mean ranks beside the paper's.

    Returns:
        Columns dimension, scenario, algorithm, functions (that ours are over), paper, ours and difference. Ranks must
        be among the paper's algorithms, or as many of them as there are.
    """
    paper = published.mean_ranks().rename(columns={"mean_rank": "paper"})
    joined = paper.merge(
        ranks[["dimension", "scenario", "algorithm", "functions", "mean_rank"]].rename(columns={"mean_rank": "ours"}),
        on=["dimension", "scenario", "algorithm"],
    )
    return joined.assign(difference=joined["ours"] - joined["paper"])


def correlations(beside: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's ρ of the mean ranks, ours and the paper's, in each of its ten scenarios.

    Args:
        beside: as from ``mean_ranks_beside``.

    Returns:
        Columns dimension, scenario, algorithms, spearman_rho (NaN with fewer than 3 algorithms, or where all of ours
        are equal) and p_value (two-sided, by all permutations).
    """
    rows = []
    for place, group in beside.groupby(["dimension", "scenario"], sort=False):
        paper, ours = group["paper"].to_numpy(), group["ours"].to_numpy().round(9)
        rho = p_value = np.nan
        if len(group) >= FEWEST and len(set(ours)) > 1:
            statistic = partial(_spearman, paper)
            test = stats.permutation_test((ours,), statistic, permutation_type="pairings", n_resamples=10_000)
            rho, p_value = float(test.statistic), float(test.pvalue)
        rows.append((*place, len(group), rho, p_value))
    return pd.DataFrame(rows, columns=["dimension", "scenario", "algorithms", "spearman_rho", "p_value"])


def _spearman(paper: "np.ndarray[tuple[int], np.dtype[np.float64]]", ours: object) -> float:
    return float(stats.spearmanr(paper, ours).statistic)


def cpu_beside(cpu: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation beside the paper's Table 2.

    Args:
        cpu: as from ``cpu_per_evaluation``.

    Returns:
        Columns algorithm, dimension, paper, ours (seconds) and ratio (how many times less ours is).
    """
    total = cpu[cpu["part"] == "total"].rename(columns={"seconds_per_evaluation": "ours"})
    joined = (
        published.cpu_seconds()
        .rename(columns={"seconds": "paper"})
        .merge(total[["algorithm", "dimension", "ours"]], on=["algorithm", "dimension"])
    )
    return joined.assign(ratio=joined["paper"] / joined["ours"])


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return what our data say of each claim.

    A claim is contradicted where one of its checks fails, supported where all hold, and open else: where ours have
    no data for a check, or point its way without being significant.

    Returns:
        Columns claim (number), text, where, rule, verdict, checks, hold, fail, undecided.
    """
    rows = []
    for number, (claim, checks) in enumerate(_checked(evidence), start=1):
        held = [check.holds for check in checks]
        verdict = Verdict.OPEN
        if False in held:
            verdict = Verdict.CONTRADICTED
        elif held and all(held):
            verdict = Verdict.SUPPORTED
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
    return [(claim, tuple(claim.checks(evidence))) for claim in CLAIMS]


def _where(D: int, scenario: str) -> str:
    return f"{D}-D, {scenario}"


def _rank(evidence: Evidence, D: int, scenario: str) -> Mapping[str, float]:
    ranks = evidence.ranks
    there = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == scenario)]
    return {name: float(rank) for name, rank in zip(there["algorithm"], there["mean_rank"].round(9), strict=True)}


def _ranks_differ(evidence: Evidence) -> Iterator[Check]:
    statistics, significant = (lookup(evidence.tests, PLACE, name) for name in ("F_F", "significant"))
    for place, differ in lookup(published.iman_davenport(), PLACE, "significant").items():
        wanted = "significant" if differ else "not significant"
        holds = significant[place] == differ if place in significant else None
        yield Check(f"F_F, {_where(*place)}", statistics.get(place, np.nan), wanted, holds)


def _lowest_ranks(evidence: Evidence) -> Iterator[Check]:
    for D in (5, 10, 20):
        for scenario in SCENARIOS:
            ranks = _rank(evidence, D, scenario)
            ours = min((ranks.get(name, np.nan) for name in MEASURED), default=np.nan)
            others = [rank for name, rank in ranks.items() if name in published.ALGORITHMS and name not in MEASURED]
            holds = ours <= min(others) if others and not np.isnan(ours) else None
            wanted = f"at most {min(others):.2f}" if others else "the lowest"
            yield Check(f"lower mean rank of ADA-Kendall and ADA-RD, {_where(D, scenario)}", ours, wanted, holds)


def _outperforms(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> Check:
    """Check whether one algorithm is significantly better: undecided where it is ahead, but not significantly."""
    what = f"p-value, {winner} before {loser}, {_where(D, scenario)}"
    wanted = f"ahead, p < {ALPHA:g}"
    ranks, duels = _rank(evidence, D, scenario), evidence.duels
    if winner not in ranks or loser not in ranks or duels.empty:
        return Check(what, np.nan, wanted, None)
    found = duels[
        (duels["dimension"] == D)
        & (duels["scenario"] == scenario)
        & (duels["winner"] == winner)
        & (duels["loser"] == loser)
    ]
    p_value, significant = float(found[decisive(duels)].iloc[0]), bool(found["significant"].iloc[0])
    behind = ranks[winner] > ranks[loser]
    return Check(what, p_value, wanted, True if significant else False if behind else None)


def _kendall_wins(evidence: Evidence) -> Iterator[Check]:
    for D in HIGH_DIMENSIONS:
        for scenario in SCENARIOS:
            for loser in ("CMA-ES", "GP-5"):
                yield _outperforms(evidence, "ADA-Kendall", loser, D, scenario)


def _kendall_beats_one(evidence: Evidence) -> Iterator[Check]:
    yield _outperforms(evidence, "ADA-Kendall", "GP-1", 10, UNTIL_TARGET)


def _lower_control(evidence: Evidence) -> Iterator[Check]:
    medians = lookup(evidence.control.dropna(subset=["median"]), ["dimension", "function", "algorithm"], "median")
    places = {place[:2] for place in medians}
    for other in MEASURED:
        pairs = {
            place: (medians[*place, "ADA-KL"], medians[*place, other])
            for place in places
            if {(*place, "ADA-KL"), (*place, other)} <= medians.keys()
        }
        what = f"median control frequency of ADA-KL and of {other}, f8, 20-D"
        yield _lower(what, *pairs.get((20, 8), (np.nan, np.nan)))
        share = float(np.mean([ours < theirs for ours, theirs in pairs.values()])) if pairs else np.nan
        what = f"share of functions and dimensions where that of ADA-KL is lower than that of {other}"
        yield _higher(what, share, 0.5)


def _curve(evidence: Evidence, D: int, group: str, name: str) -> pd.DataFrame | None:
    ecdf = evidence.ecdf
    if ecdf.empty:
        return None
    found = ecdf[(ecdf["dimension"] == D) & (ecdf["group"] == group) & (ecdf["algorithm"] == name)]
    return found.sort_values("evaluations_per_dimension") if len(found) else None


def _proportion(evidence: Evidence, D: int, group: str, name: str, at: float) -> float:
    """Return an ECDF's proportion at ``at`` evaluations/D, NaN where there is none."""
    curve = _curve(evidence, D, group, name)
    if curve is None:
        return np.nan
    position = int(np.searchsorted(curve["evaluations_per_dimension"].to_numpy(), at * (1 + 1e-9), side="right"))
    return float(curve["proportion"].iloc[position - 1]) if position else 0.0


def _higher(what: str, ours: float, theirs: float) -> Check:
    known = not (np.isnan(ours) or np.isnan(theirs))
    return Check(what, ours, f"above {theirs:.3f}" if known else "higher", ours > theirs if known else None)


def _lower(what: str, ours: float, theirs: float) -> Check:
    known = not (np.isnan(ours) or np.isnan(theirs))
    return Check(what, ours, f"below {theirs:.3f}" if known else "lower", ours < theirs if known else None)


def _early_and_late(evidence: Evidence) -> Iterator[Check]:
    early, late = evidence.budget / 10, evidence.budget
    for D in DIMENSIONS:
        ours = _proportion(evidence, D, "all", "GP-5", early)
        for other in ("GP-1", "CMA-ES"):
            what = f"proportion of targets, GP-5 and {other}, {D}-D, {early:.4g}·D"
            yield _higher(what, ours, _proportion(evidence, D, "all", other, early))
    ours, theirs = (_proportion(evidence, 20, "all", name, late) for name in ("GP-1", "GP-5"))
    yield _higher(f"proportion of targets, GP-1 and GP-5, 20-D, {late:.4g}·D", ours, theirs)


def _switching(evidence: Evidence) -> Iterator[Check]:
    middle, end = evidence.budget / 3, evidence.budget
    looks = [("moderate", end, True), ("all", end, True), ("multimodal", middle, False)]
    for name in MEASURED:
        for group, at, ahead in [*looks, ("weakly structured", end, False)]:
            ours = _proportion(evidence, 20, group, name, at)
            best = np.max([_proportion(evidence, 20, group, other, at) for other in ("GP-1", "GP-5")])
            what = f"proportion of targets, {name} and the better of GP-1 and GP-5, 20-D, {group}, {at:.4g}·D"
            yield (_higher if ahead else _lower)(what, ours, float(best))


def _conclusion(evidence: Evidence) -> Iterator[Check]:
    for name in MEASURED:
        duels = [_outperforms(evidence, name, "GP-5", D, scenario) for D in HIGH_DIMENSIONS for scenario in SCENARIOS]
        known = [duel for duel in duels if not np.isnan(duel.ours)]
        lowest = min((duel.ours for duel in known), default=np.nan)
        held = {duel.holds for duel in known}
        holds = True if True in held else False if held == {False} else None
        yield Check(f"lowest p-value, {name} before GP-5, 10-D and 20-D", lowest, f"p < {ALPHA:g}, ahead", holds)
    scenarios = [(D, scenario) for D in DIMENSIONS for scenario in SCENARIOS]
    tables = [ranks for ranks in (_rank(evidence, *place) for place in scenarios) if ranks]
    for name in MEASURED:
        both = [(ranks[name], ranks["GP-1"]) for ranks in tables if {name, "GP-1"} <= set(ranks)]
        ours, theirs = np.mean(both, axis=0) if both else (np.nan, np.nan)
        holds = bool(ours < theirs) if both else None
        yield Check(f"mean rank over all scenarios, {name}", float(ours), f"below {theirs:.2f}, GP-1", holds)
    all_four = [ranks for ranks in tables if {*MEASURED, "GP-1", "GP-5"} <= set(ranks)]
    behind = sum(max(ranks[name] for name in MEASURED) > max(ranks["GP-1"], ranks["GP-5"]) for ranks in all_four)
    what = "scenarios in which ADA-Kendall or ADA-RD is behind both GP-1 and GP-5"
    yield Check(what, float(behind) if all_four else np.nan, "at least 1", bool(behind) if all_four else None)


CLAIMS = (
    Claim(
        "The mean ranks differ significantly, but for 2-D, and 3-D with the larger budget.",
        "Results, Table 3",
        "Iman's and Davenport's test is significant in the scenarios in which the paper's is, and only there.",
        _ranks_differ,
    ),
    Claim(
        "From 5-D upwards the lowest mean rank is that of ADA-Kendall or of ADA-RD.",
        "Results, Table 3",
        "One of the two has the lowest mean rank among the paper's six.",
        _lowest_ranks,
    ),
    Claim(
        "ADA-Kendall is significantly better than CMA-ES and GP-5 in 10-D and 20-D.",
        "Results, Table 4",
        "Friedman's post-hoc test with Bergmann's and Hommel's correction; a check fails where ADA-Kendall is behind, "
        "and is undecided where it is ahead, but not significantly.",
        _kendall_wins,
    ),
    Claim(
        "ADA-Kendall is significantly better than GP-1 in 10-D with the larger budget.",
        "Results, Table 4",
        "As the claim before.",
        _kendall_beats_one,
    ),
    Claim(
        "ADA-KL has generally lower control frequencies than ADA-Kendall and ADA-RD.",
        "Results, Figure 2",
        "Medians over trials are lower on f8 in 20-D, and on most functions in all dimensions.",
        _lower_control,
    ),
    Claim(
        "GP-5 is ahead of GP-1 and CMA-ES early in basically all dimensions, GP-1 ahead of GP-5 late in 20-D.",
        "Results, Figure 3",
        "Proportions of all functions' targets, at a tenth of the budget and at its end.",
        _early_and_late,
    ),
    Claim(
        "In 20-D ADA-Kendall and ADA-RD get the best of both, but not on multimodal functions in the middle, nor on "
        "weakly structured ones at the end.",
        "Results, Figure 3",
        "Proportions of targets against the better of GP-1 and GP-5: above it at the end on moderate functions and on "
        "all, below it on multimodal ones at a third of the budget and on weakly structured ones at its end.",
        _switching,
    ),
    Claim(
        "ADA-Kendall and ADA-RD are significantly better than GP-5 in high dimensions, a minor improvement over GP-1, "
        "and in some scenarios behind both.",
        "Conclusion",
        "Each is significantly better than GP-5 in some scenario of 10-D or 20-D, has a lower mean rank over all "
        "scenarios than GP-1, and one of them is behind both GP-1 and GP-5 in some scenario.",
        _conclusion,
    ),
)
"""The paper's, from its results and its conclusion."""
