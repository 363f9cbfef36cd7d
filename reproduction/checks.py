"""Checks of each claim of the paper."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from reproduction.evidence import EARLY, END, MIDDLE, Check, Evidence, compared, lower, share_of
from reproduction.resampling import UNKNOWN, drawn_functions
from sacma.analysis import published
from sacma.analysis.published import ALGORITHMS
from sacma.analysis.tables import ALPHA, PLACE, decisive
from sacma.analysis.trials import OF_TARGET, UNTIL_TARGET
from sacma.types import Array

DIMENSIONS = (2, 3, 5, 10, 20)
HIGH_DIMENSIONS = (10, 20)
MEASURED = ("ADA-Kendall", "ADA-RD")  # the two adaptive algorithms that the paper recommends
OTHERS = tuple(name for name in ALGORITHMS if name not in MEASURED)
MOST_DIMENSIONS = 4  # of five: "basically all"
MOST = 0.5  # of functions and dimensions: "generally"


def _ranks(evidence: Evidence, D: int, scenario: str) -> Mapping[str, float]:
    """Return mean ranks by algorithm, or nothing unless all six are there."""
    there = evidence.ranks[(evidence.ranks["dimension"] == D) & (evidence.ranks["scenario"] == scenario)]
    ranks = {name: float(rank) for name, rank in zip(there["algorithm"], there["mean_rank"].round(9), strict=True)}
    return ranks if ranks.keys() == set(ALGORITHMS) else {}


def _resampled_ranks(evidence: Evidence, D: int, scenario: str) -> Mapping[str, Array]:
    """Return resampled mean ranks by algorithm, each of shape (R,), unknown unless all six are there."""
    there = bool(_ranks(evidence, D, scenario))
    return {name: evidence.resamples.rank(D, scenario, name) if there else UNKNOWN for name in ALGORITHMS}


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
        resampled = _resampled_ranks(evidence, D, scenario)
        lowest = [np.min([resampled[name] for name in names], axis=0) for names in (MEASURED, OTHERS)]
        at_most = 1 - lower(lowest[1], lowest[0])
        if ranks:
            ours, others = (min(ranks[name] for name in names) for names in (MEASURED, OTHERS))
            yield compared(what, ours, f"at most {others:.2f}", at_most, holds=ours <= others)
        else:
            yield Check(what, np.nan, "the lowest", None)


class _Pair(NamedTuple):
    """Mean ranks of two algorithms in one scenario, and whether the first is significantly better."""

    ours: float
    theirs: float
    p_value: float
    significant: bool


def _pair(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> _Pair | None:
    ranks, pairs = _ranks(evidence, D, scenario), evidence.pairs
    if not ranks:
        return None
    there = (pairs["dimension"] == D) & (pairs["scenario"] == scenario)
    found = pairs[there & (pairs["algorithm"] == winner) & (pairs["other"] == loser)].iloc[0]
    return _Pair(ranks[winner], ranks[loser], float(found[decisive(pairs[there])]), bool(found["significant"]))


def _ahead(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> Array:
    """Return 1 for each resample in which the winner's mean rank is not higher, else 0; NaN if unknown."""
    resampled = _resampled_ranks(evidence, D, scenario)
    return 1 - lower(resampled[loser], resampled[winner])


def _tested(what: str, ours: float, wanted: str, ahead: Array, *, significant: bool, behind: bool) -> Check:
    """Return a check of a significant lead; it fails if the algorithm is behind in nearly all resamples."""
    fails = compared(what, ours, wanted, ahead, holds=False if behind else None)
    return Check(what, ours, wanted, holds=True, share=share_of(ahead)) if significant else fails


def _outperforms(evidence: Evidence, winner: str, loser: str, D: int, scenario: str) -> Check:
    """Check that one algorithm is significantly better; an insignificant lead is undecided."""
    wanted, where = f"ahead, p < {ALPHA:g}", f"{D}-D, {scenario}"
    pair = _pair(evidence, winner, loser, D, scenario)
    if pair is None:
        return Check(f"{winner} and {loser}, {where}: corrected p-value", np.nan, wanted, None)
    order = "behind" if pair.ours > pair.theirs else "ahead of" if pair.ours < pair.theirs else "level with"
    ranks = f"mean ranks {pair.ours:.2f} and {pair.theirs:.2f}"
    what = f"{winner} {order} {loser}, {where}: {ranks}, corrected p-value"
    ahead, behind = _ahead(evidence, winner, loser, D, scenario), pair.ours > pair.theirs
    return _tested(what, pair.p_value, wanted, ahead, significant=pair.significant, behind=behind)


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
        yield _below(what, ours, theirs, _lower_there(evidence, other, 20, 8))
        share = float((pairs["ADA-KL"] < pairs[other]).mean())
        what = f"share of functions and dimensions where that of ADA-KL is lower than that of {other}"
        resampled = lower(np.full(1, MOST), _share_lower(evidence, other, list(pairs.index)))
        yield compared(what, share, f"above {MOST}", resampled, holds=share > MOST if len(pairs) else None)


def _lower_there(evidence: Evidence, other: str, D: int, f: int) -> Array:
    """Return 1 for each resample with a lower median control frequency of ADA-KL on a function, as ``lower``."""
    ours, theirs = (evidence.resamples.control_frequency(D, f, name) for name in ("ADA-KL", other))
    return lower(ours, theirs)


def _share_lower(evidence: Evidence, other: str, places: list[tuple[int, int]]) -> Array:
    """Return the share of drawn dimensions and functions with a lower control frequency, shape (R,)."""
    functions = sorted({f for _, f in places})
    if not functions:
        return UNKNOWN
    times = dict(zip(functions, drawn_functions(functions).T, strict=True))
    there = [(times[f], _lower_there(evidence, other, D, f)) for D, f in places]
    known = np.sum([drawn * ~np.isnan(is_lower) for drawn, is_lower in there], axis=0)
    total = np.sum([drawn * np.nan_to_num(is_lower) for drawn, is_lower in there], axis=0)
    with np.errstate(invalid="ignore"):
        share: Array = total / known
    return share


def _proportion(evidence: Evidence, D: int, group: str, name: str, share: float) -> float:
    """Return an ECDF's proportion after a share of the budget, NaN if unknown."""
    ecdf = evidence.ecdf
    if ecdf.empty:
        return np.nan
    there = (ecdf["dimension"] == D) & (ecdf["group"] == group) & (ecdf["algorithm"] == name)
    reached = ecdf["evaluations_per_dimension"] <= share * evidence.budget * (1 + 1e-9)
    return float(ecdf.loc[there & reached, "proportion"].max())


def _resampled_proportion(evidence: Evidence, D: int, group: str, name: str, share: float) -> Array:
    return evidence.resamples.proportion(D, group, name, share * evidence.budget)


def _after(evidence: Evidence, share: float) -> str:
    return f"{round(share * evidence.budget, 2):g}·D"


def _below(what: str, ours: float, theirs: float, resampled: Array) -> Check:
    """Check that ours is lower than theirs."""
    known = not (np.isnan(ours) or np.isnan(theirs))
    wanted = f"below {theirs:.3f}" if known else "lower"
    return compared(what, ours, wanted, resampled, holds=ours < theirs if known else None)


def _at_least(what: str, ours: float, theirs: float, resampled: Array) -> Check:
    """Check that ours is at least as high as theirs."""
    known = not (np.isnan(ours) or np.isnan(theirs))
    wanted = f"at least {theirs:.3f}" if known else "at least that"
    return compared(what, ours, wanted, resampled, holds=ours >= theirs if known else None)


def _early_and_late(evidence: Evidence) -> Iterator[Check]:
    for share, other in product((EARLY, MIDDLE), ("GP-1", "CMA-ES")):
        yield _higher_in_most(evidence, "GP-5", other, share)
    theirs, ours = (_proportion(evidence, 20, "all", name, END) for name in ("GP-1", "GP-5"))
    resampled = lower(*(_resampled_proportion(evidence, 20, "all", name, END) for name in ("GP-5", "GP-1")))
    what = f"proportion of targets of GP-5 against that of GP-1, 20-D, after {_after(evidence, END)}"
    yield _below(what, ours, theirs, resampled)


def _higher_in_most(evidence: Evidence, name: str, other: str, share: float) -> Check:
    """Check the number of dimensions in which an algorithm has reached more targets than another."""
    pairs = [[_proportion(evidence, D, "all", of, share) for of in (name, other)] for D in DIMENSIONS]
    known = [ours - theirs for ours, theirs in pairs if not np.isnan(ours - theirs)]
    ahead = sum(difference > 0 for difference in known)
    holds = _in_most(np.array([ahead]), np.array([len(known) - ahead])).item()
    there = [lower(*(_resampled_proportion(evidence, D, "all", of, share) for of in (other, name))) for D in DIMENSIONS]
    higher = _stacked(there)
    resampled = _in_most((higher == 1).sum(axis=0), (higher == 0).sum(axis=0))
    what = f"dimensions in which {name} has a higher proportion of targets than {other} after {_after(evidence, share)}"
    wanted = f"at least {MOST_DIMENSIONS} of {len(DIMENSIONS)}"
    ours = ahead if known else np.nan
    return compared(what, ours, wanted, resampled, holds=None if np.isnan(holds) else bool(holds))


def _in_most(ahead: Array, behind: Array) -> Array:
    """Return 1 for enough dimensions ahead, 0 for too many behind, and NaN for neither."""
    too_many = np.where(behind > len(DIMENSIONS) - MOST_DIMENSIONS, 0.0, np.nan)
    found: Array = np.where(ahead >= MOST_DIMENSIONS, 1.0, too_many)
    return found


def _switching(evidence: Evidence) -> Iterator[Check]:
    for name in MEASURED:
        for group in ("moderate", "all"):
            ours, theirs = (_proportion(evidence, 20, group, of, END) for of in (name, "GP-5"))
            at_least = 1 - lower(*(_resampled_proportion(evidence, 20, group, of, END) for of in (name, "GP-5")))
            what = f"proportion of targets of {name} against that of GP-5, 20-D, {group}, after {_after(evidence, END)}"
            yield _at_least(what, ours, theirs, at_least)
        for group, share in (("multimodal", MIDDLE), ("weakly structured", END)):
            best = np.max([_proportion(evidence, 20, group, of, share) for of in ("GP-1", "GP-5")])
            pair = [_resampled_proportion(evidence, 20, group, of, share) for of in ("GP-1", "GP-5")]
            below = lower(_resampled_proportion(evidence, 20, group, name, share), np.max(pair, axis=0))
            rivals = "the better of GP-1 and GP-5"
            what = f"proportion of targets of {name} against {rivals}, 20-D, {group}, after {_after(evidence, share)}"
            yield _below(what, _proportion(evidence, 20, group, name, share), float(best), below)


def _conclusion(evidence: Evidence) -> Iterator[Check]:
    yield from (_ahead_somewhere(evidence, name) for name in MEASURED)
    scenarios = list(product(DIMENSIONS, OF_TARGET))
    tables = [ranks for ranks in (_ranks(evidence, *place) for place in scenarios) if ranks]
    resampled = [_resampled_ranks(evidence, *place) for place in scenarios]
    complete = len(tables) == len(scenarios)
    for name in MEASURED:
        ours, theirs = (float(np.mean([ranks[of] for ranks in tables])) if tables else np.nan for of in (name, "GP-1"))
        what = f"mean over scenarios of the mean rank of {name}, against that of GP-1"
        means = [_stacked([ranks[of] for ranks in resampled]).mean(axis=0) for of in (name, "GP-1")]
        check = _below(what, ours, theirs, lower(*means))
        yield check if complete else replace(check, holds=None)
    behind = sum(max(ranks[name] for name in MEASURED) > max(ranks["GP-1"], ranks["GP-5"]) for ranks in tables)
    what = "scenarios in which ADA-Kendall or ADA-RD is behind both GP-1 and GP-5"
    holds = True if behind else False if complete else None
    pairs = [
        [np.max([ranks[name] for name in names], axis=0) for names in (("GP-1", "GP-5"), MEASURED)]
        for ranks in resampled
    ]
    somewhere = _any([lower(*pair) for pair in pairs])
    yield compared(what, behind if tables else np.nan, "at least 1", somewhere, holds=holds)


def _ahead_somewhere(evidence: Evidence, name: str) -> Check:
    """Check that an algorithm is significantly ahead of GP-5 in a scenario of 10-D or 20-D."""
    places = list(product(HIGH_DIMENSIONS, OF_TARGET))
    pairs = [pair for pair in (_pair(evidence, name, "GP-5", *place) for place in places) if pair]
    won = sum(pair.significant for pair in pairs)
    lost = len(pairs) == len(places) and all(pair.ours > pair.theirs for pair in pairs)
    what = f"scenarios of 10-D and 20-D in which {name} is significantly ahead of GP-5"
    ahead = _any([_ahead(evidence, name, "GP-5", *place) for place in places])
    return _tested(what, won if pairs else np.nan, "at least 1", ahead, significant=won > 0, behind=lost)


def _any(resampled: Sequence[Array]) -> Array:
    """Return 1 where any input is 1, 0 where all are 0, and NaN elsewhere."""
    each = _stacked(resampled)
    found: Array = np.where((each == 1).any(axis=0), 1.0, np.where((each == 0).all(axis=0), 0.0, np.nan))
    return found


def _stacked(resampled: Sequence[Array]) -> Array:
    """Return arrays of shape (R,), or of one NaN, as one array of shape (arrays, R)."""
    found: Array = np.stack(np.broadcast_arrays(*resampled))
    return found


_BY_NAME = (
    _ranks_differ,
    _lowest_ranks,
    _kendall_wins,
    _kendall_beats_one,
    _lower_control,
    _early_and_late,
    _switching,
    _conclusion,
)
CHECKS: Mapping[str, Callable[[Evidence], Iterator[Check]]] = {
    checks.__name__.removeprefix("_"): checks for checks in _BY_NAME
}
