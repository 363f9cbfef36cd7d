"""Corrections for all pairs against brute force, the example of García and Herrera and their order."""

import math
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sacma.analysis.statistics.posthoc import bergmann_hommel, critical_difference, holm, posthoc_from_ranks, shaffer

Pair = tuple[int, int]

# Over 30 data sets; as sums, for the published means are rounded: 2.100, 3.250, 2.200, 4.333, 3.117.
GARCIA_HERRERA = pd.Series({"C4.5": 63, "1-NN": 97.5, "NaiveBayes": 66, "Kernel": 130, "CN2": 93.5}) / 30
# Pairs with z and raw p-value, and below multipliers by which the procedures adjust these, by hand.
PUBLISHED = [
    ("C4.5", "Kernel", 5.471, 4.487e-8),
    ("NaiveBayes", "Kernel", 5.226, 1.736e-7),
    ("Kernel", "CN2", 2.98, 0.0029),
    ("C4.5", "1-NN", 2.817, 0.0048),
    ("1-NN", "Kernel", 2.654, 0.008),
    ("1-NN", "NaiveBayes", 2.572, 0.0101),
    ("C4.5", "CN2", 2.49, 0.0128),
    ("NaiveBayes", "CN2", 2.245, 0.0247),
    ("1-NN", "CN2", 0.327, 0.744),
    ("C4.5", "NaiveBayes", 0.245, 0.8065),
]


def pairs(frame: pd.DataFrame) -> np.ndarray:
    return frame.to_numpy()[np.triu_indices(len(frame), 1)]


def entry(frame: pd.DataFrame, row: str, column: str) -> float:
    found: Any = frame.loc[row, column]
    return float(found)


def as_frame(p: list[float]) -> pd.DataFrame:
    k = next(k for k in range(2, 20) if math.comb(k, 2) == len(p))
    raw = np.ones((k, k))
    raw[np.triu_indices(k, 1)] = p
    raw.T[np.triu_indices(k, 1)] = p
    return pd.DataFrame(raw)


def random_raw(k: int, seed: int) -> pd.DataFrame:
    return as_frame((np.random.default_rng(seed).random(math.comb(k, 2)) ** 4).tolist())


RAW = st.integers(2, 6).flatmap(
    lambda k: st.lists(st.floats(0, 1), min_size=math.comb(k, 2), max_size=math.comb(k, 2)).map(as_frame)
)


def equal(a: int, b: int, subset: frozenset[Pair]) -> bool:
    return (min(a, b), max(a, b)) in subset


@cache
def exhaustive_by_definition(k: int) -> list[frozenset[Pair]]:
    """All sets of equalities that hold without implying another: those that are transitive."""
    hypotheses = list(combinations(range(k), 2))
    subsets = [
        frozenset(h for n, h in enumerate(hypotheses) if bits >> n & 1) for bits in range(1, 2 ** len(hypotheses))
    ]

    def exhaustive(subset: frozenset[Pair]) -> bool:
        return not any(
            equal(a, b, subset) and equal(b, c, subset) and not equal(a, c, subset)
            for a in range(k)
            for b in range(k)
            for c in range(k)
            if len({a, b, c}) == 3
        )

    return [subset for subset in subsets if exhaustive(subset)]


def by_hand(name: str, raw: pd.DataFrame) -> pd.DataFrame:
    """The procedures as sequences of rejections, without a closed form."""
    k = len(raw)
    p = {(i, j): float(raw.to_numpy()[i, j]) for i, j in combinations(range(k), 2)}
    adjusted = {}
    if name == "bergmann_hommel":
        for pair in p:
            sets = [some for some in exhaustive_by_definition(k) if pair in some]
            adjusted[pair] = min(1, max(len(some) * min(p[h] for h in some) for some in sets))
    else:
        largest = 0.0
        for rejected, pair in enumerate(sorted(p, key=p.__getitem__)):
            left = len(p) - rejected
            if name == "shaffer":
                left = max(len(some) for some in exhaustive_by_definition(k) if len(some) <= left)
            largest = max(largest, left * p[pair])
            adjusted[pair] = min(1, largest)
    result = np.full((k, k), np.nan)
    for (i, j), value in adjusted.items():
        result[i, j] = result[j, i] = value
    return pd.DataFrame(result, raw.index, raw.columns)


@pytest.mark.parametrize("correction", [holm, shaffer, bergmann_hommel])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_against_brute_force(correction: Callable[[pd.DataFrame], pd.DataFrame], k: int) -> None:
    """Every subset of hypotheses is looked at, and those that are exhaustive by definition give the p-values."""
    for seed in range(8):
        raw = random_raw(k, seed)
        pd.testing.assert_frame_equal(correction(raw), by_hand(correction.__name__, raw))


def test_example_of_garcia_and_herrera() -> None:
    """The z and raw p-values of the ten pairs are as published, in the published order."""
    raw = posthoc_from_ranks(GARCIA_HERRERA, 30)
    assert np.argsort(pairs(raw)).tolist() == np.argsort(pairs(published_raw())).tolist()
    for first, second, z, p in PUBLISHED:
        ours = entry(raw, first, second)
        assert float(stats.norm.isf(ours / 2)) == pytest.approx(z, abs=0.0006)
        assert ours == pytest.approx(p, rel=1e-3 if p < 1e-3 else 0, abs=0 if p < 1e-3 else 5.1e-5)


def published_raw() -> pd.DataFrame:
    raw = pd.DataFrame(np.ones((5, 5)), GARCIA_HERRERA.index, GARCIA_HERRERA.index)
    for first, second, _, p in PUBLISHED:
        raw.loc[first, second] = raw.loc[second, first] = p
    return raw


@pytest.mark.parametrize(
    ("correction", "rejected", "expected"),
    [
        (holm, 5, [4.487e-7, 1.562e-6, 0.0232, 0.0336, 0.048, 0.0505, 0.0512, 0.0741, 1, 1]),
        (shaffer, 6, [4.487e-7, 1.042e-6, 0.0174, 0.0288, 0.048, 0.048, 0.0512, 0.0741, 1, 1]),
        (bergmann_hommel, 8, [4.487e-7, 1.042e-6, 0.0116, 0.0288, 0.032, 0.0303, 0.0384, 0.0384, 1, 1]),
    ],
)
def test_adjusted_p_values_of_the_example(
    correction: Callable[[pd.DataFrame], pd.DataFrame], rejected: int, expected: list[float]
) -> None:
    """Holm rejects 5 of the ten hypotheses at 0.05, Shaffer 6, Bergmann and Hommel 8.

    The values are the published raw ones times what the definitions give by hand: for Holm 10, 9, …; for Shaffer 10,
    6, 6, 6, 6, 4, 4, 3, 2, 1; for Bergmann and Hommel 10, 6, 4, 6, 4, 3, 3, and the seventh's for the eighth.
    """
    adjusted = correction(published_raw())
    found = [entry(adjusted, first, second) for first, second, _, _ in PUBLISHED]
    assert found == pytest.approx(expected, rel=2e-3)
    exact = pairs(correction(posthoc_from_ranks(GARCIA_HERRERA, 30)))
    assert (exact < 0.05).sum() == rejected


@given(RAW)
def test_order_of_power(raw: pd.DataFrame) -> None:
    """Raw ≤ Bergmann-Hommel ≤ Shaffer ≤ Holm ≤ 1; all are symmetric with NaN on the diagonal."""
    frames = [f(raw) for f in (bergmann_hommel, shaffer, holm)]
    chain = [pairs(raw), *map(pairs, frames), np.ones(math.comb(len(raw), 2))]
    for lower, higher in pairwise(chain):
        assert (lower <= higher).all()
    for frame in frames:
        pd.testing.assert_frame_equal(frame, frame.T)
        assert np.isnan(np.diag(frame)).all()


def test_ten_algorithms_are_too_many() -> None:
    """The error names the number and what to use instead, which works."""
    raw = random_raw(10, 1)
    with pytest.raises(ValueError, match=r"^10 algorithms: .* at most 9; use shaffer$"):
        bergmann_hommel(raw)
    assert shaffer(raw).shape == (10, 10)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (pd.DataFrame([[1.0]]), "2 or more"),
        (pd.DataFrame([[1.0, 0.5]]), "must be the same"),
        (pd.DataFrame([[1, 0.5], [0.5, 1]], ["A", "B"], ["B", "A"]), "must be the same"),
        (pd.DataFrame([[1, 0.5], [0.4, 1]]), "not symmetric"),
        (pd.DataFrame([[1, np.nan], [np.nan, 1]]), "within 0 … 1"),
        (pd.DataFrame([[1, 1.5], [1.5, 1]]), "go from 1.5 to 1.5"),
    ],
)
def test_what_are_no_p_values(raw: pd.DataFrame, said: str) -> None:
    """Each correction says in one line what is wrong."""
    for correction in (holm, shaffer, bergmann_hommel):
        with pytest.raises(ValueError, match=said) as refused:
            correction(raw)
        assert "\n" not in str(refused.value)


def test_p_values_may_be_rounded_on_one_side() -> None:
    """By a billionth of themselves, however small they are."""
    for p in (0.5, 1e-30):
        for off, symmetric in ((0.5e-9, True), (2e-9, False)):
            raw = pd.DataFrame([[1, p], [p * (1 + off), 1]])
            if symmetric:
                assert entry(holm(raw.set_axis(["A", "B"]).set_axis(["A", "B"], axis=1)), "A", "B") == p
                continue
            with pytest.raises(ValueError, match="not symmetric"):
                holm(raw)


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, [1.960, 2.569, 2.850]), (0.10, [1.645, 2.291, 2.589])])
def test_critical_differences(alpha: float, expected: list[float]) -> None:
    """The q for 2, 4 and 6 algorithms is as in Demšar's Table 5a; his example has CD = 1.12 at the level 0.10."""
    for k, q in zip((2, 4, 6), expected, strict=True):
        assert critical_difference(k, 24, alpha) == pytest.approx(q * math.sqrt(k * (k + 1) / 144), abs=5e-4)
    assert critical_difference(4, 14, alpha) == pytest.approx({0.05: 1.25, 0.10: 1.12}[alpha], abs=0.006)


@pytest.mark.parametrize(("k", "n", "alpha"), [(1, 5, 0.05), (2, 0, 0.05), (3, 5, 0.0), (3, 5, 1.0)])
def test_there_is_no_critical_difference(k: int, n: int, alpha: float) -> None:
    """Of a single algorithm, over no problem, and at a level that is no probability."""
    with pytest.raises(ValueError, match=r"at least 2 algorithms|must lie between 0 and 1"):
        critical_difference(k, n, alpha)
    assert critical_difference(2, 1, 0.5) > 0.0
