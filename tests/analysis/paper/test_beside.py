"""The comparison with the paper, tried on the paper's own tables."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sacma.analysis import published
from sacma.analysis.published import correlations, cpu_beside, mean_ranks_beside, pairs_beside
from sacma.analysis.sections.costs import PARTS

SCENARIO = ["dimension", "scenario"]


def test_ranks_are_held_against_those_among_the_same_algorithms() -> None:
    """Of six the paper's are of Table 3, of two 1 to 2 by Table 4's wins, with ties as half; of one there are none."""
    ranks = published.mean_ranks().assign(functions=24)
    beside = mean_ranks_beside(ranks)
    assert beside["difference"].abs().max() == 0
    assert set(beside["algorithms"]) == {6}
    two = mean_ranks_beside(ranks[ranks["algorithm"].isin(["CMA-ES", "ADA-RD"])])
    assert (two.groupby(SCENARIO)["paper"].sum() == 3).all()
    pairs = published.pairs().set_index([*SCENARIO, "algorithm", "other"])["wins"]
    for row in two[two["algorithm"] == "CMA-ES"].to_dict("records"):
        won, lost = (
            pairs[(row["dimension"], row["scenario"], *pair)] for pair in (("CMA-ES", "ADA-RD"), ("ADA-RD", "CMA-ES"))
        )
        assert row["paper"] == pytest.approx(1 + (lost + (24 - won - lost) / 2) / 24)
    assert mean_ranks_beside(ranks[ranks["algorithm"] == "GP-1"]).empty


def test_correlations_are_spearmans() -> None:
    """With the paper's ranks ρ is 1, reversed -1, with others SciPy's; of two algorithms there is none."""
    ranks = published.mean_ranks().assign(functions=24)
    same = correlations(mean_ranks_beside(ranks))
    assert same["rms_difference"].to_list() == [0.0] * 10
    assert same["spearman_rho"].to_list() == pytest.approx([1.0] * 10)
    rng = np.random.default_rng(1)
    noisy = mean_ranks_beside(ranks.assign(mean_rank=ranks["mean_rank"] + rng.normal(size=len(ranks))))
    expected = [stats.spearmanr(g["paper"], g["ours"]).statistic for _, g in noisy.groupby(SCENARIO, sort=False)]
    found = correlations(noisy)
    assert found["spearman_rho"].to_list() == pytest.approx(expected)
    paper, ours = (stats.rankdata(noisy[whose][-6:]) for whose in ("paper", "ours"))
    rhos = np.array([np.corrcoef(paper, order)[0, 1] for order in permutations(ours)]) - expected[-1]
    assert found["p_value"].iloc[-1] == pytest.approx(2 * np.mean(rhos > -1e-9))
    two = ranks[ranks["algorithm"].isin(["CMA-ES", "GP-1"])]
    assert correlations(mean_ranks_beside(two))["spearman_rho"].isna().all()


def test_cpu_ratio() -> None:
    """Ours of 1 ms is 3,360 times less than the paper's 3.36 s of ADA-KL in 20-D."""
    cpu = pd.DataFrame(
        {"algorithm": "ADA-KL", "dimension": 20, "part": [*PARTS, "total"], "seconds_per_evaluation": 1e-3}
    )
    (row,) = cpu_beside(cpu).to_dict("records")
    assert row["ratio"] == pytest.approx(3360)


def test_wins_stand_beside_the_papers() -> None:
    """Of the paper's own table they are the same; of some algorithms there are their pairs, of none no rows."""
    pairs = published.pairs()
    beside = pairs_beside(pairs)
    assert len(beside) == 10 * 30
    assert (beside["paper"] == beside["ours"]).all()
    assert (beside["paper_significant"] == beside["significant"]).all()
    of_two = pairs_beside(pairs[pairs["algorithm"].isin(["GP-1", "GP-5"]) & pairs["other"].isin(["GP-1", "GP-5"])])
    assert len(of_two) == 20
    assert list(pairs_beside(pd.DataFrame()).columns) == list(beside.columns)
