"""The comparison with the paper, tried on the paper's own tables and on tables that say the opposite."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sacma.analysis import published
from sacma.analysis.effort import PARTS
from sacma.analysis.publication import (
    CLAIMS,
    Evidence,
    checks,
    correlations,
    cpu_beside,
    judge,
    mean_ranks_beside,
)
from sacma.analysis.statistics import bergmann_hommel, iman_davenport_from_ranks, posthoc_from_ranks

SCENARIO = ["dimension", "scenario"]


def evidence(ranks: pd.DataFrame) -> Evidence:
    """What follows from mean ranks; nothing is known of control frequencies and run lengths."""
    tests, duels = [], []
    for place, group in ranks.groupby(SCENARIO, sort=False):
        mean = group.set_index("algorithm")["mean_rank"]
        test = iman_davenport_from_ranks(mean, published.PROBLEMS)
        adjusted = bergmann_hommel(posthoc_from_ranks(mean, published.PROBLEMS))
        tests.append((*place, test.statistic, test.significant))
        for winner in mean.index:
            for loser in mean.index.drop(winner):
                p = adjusted.loc[winner, loser]
                better = test.significant and p < 0.05 and mean[winner] < mean[loser]
                duels.append((*place, winner, loser, p, better))
    return Evidence(
        ranks.assign(functions=24),
        pd.DataFrame(tests, columns=[*SCENARIO, "F_F", "significant"]),
        pd.DataFrame(duels, columns=[*SCENARIO, "winner", "loser", "p_bergmann_hommel", "significant"]),
        pd.DataFrame(columns=["algorithm", "dimension", "function", "median"]),
        pd.DataFrame(),
        250.0,
    )


def test_the_papers_tables_support_its_claims() -> None:
    """Claims 1 to 4 and 8 are about its Tables 3 and 4; of the others these say nothing."""
    verdicts = judge(evidence(published.mean_ranks())).set_index("claim")["verdict"]
    assert verdicts.to_dict() == {
        **dict.fromkeys((1, 2, 3, 4, 8), "supported"),
        **dict.fromkeys((5, 6, 7), "open"),
    }


def test_the_opposite_contradicts_them() -> None:
    """With ranks the other way round, 7 - R, no such claim about who is ahead holds."""
    opposite = published.mean_ranks().assign(mean_rank=lambda table: 7 - table["mean_rank"])
    verdicts = judge(evidence(opposite)).set_index("claim")["verdict"]
    assert verdicts[[2, 3, 4, 8]].to_list() == ["contradicted"] * 4
    assert verdicts[1] == "supported"  # they differ as much


def test_no_data_leave_all_open() -> None:
    """Without any scenario every claim is open, and every check undecided."""
    nothing = evidence(published.mean_ranks().iloc[:0])
    assert judge(nothing)["verdict"].unique().tolist() == ["open"]
    assert (checks(nothing)["holds"] == "").all()
    assert len(CLAIMS) == 8


def test_ahead_but_not_significantly_is_open() -> None:
    """Ranks of which none differ significantly, but in the paper's order: nothing is contradicted but claim 1."""
    alike = published.mean_ranks().assign(mean_rank=lambda table: 3.5 + 0.1 * (table["mean_rank"] - 3.5))
    verdicts = judge(evidence(alike)).set_index("claim")["verdict"]
    assert verdicts[[1, 3, 4]].to_list() == ["contradicted", "open", "open"]


def test_control_frequencies_and_run_lengths_are_judged() -> None:
    """Made up as the paper says: claims 5, 6 and 7 are supported; with names swapped they are contradicted."""
    control = pd.DataFrame(
        [(name, 20, 8, value) for name, value in (("ADA-KL", 0.3), ("ADA-Kendall", 0.5), ("ADA-RD", 0.6))],
        columns=["algorithm", "dimension", "function", "median"],
    )
    early = {"CMA-ES": 0.1, "GP-1": 0.2, "GP-5": 0.3, "ADA-Kendall": 0.3, "ADA-RD": 0.3}
    late = {"CMA-ES": 0.5, "GP-1": 0.7, "GP-5": 0.6, "ADA-Kendall": 0.8, "ADA-RD": 0.8}
    rows = []
    for D in (2, 3, 5, 10, 20):
        for group in ("all", "moderate", "multimodal", "weakly structured"):
            for name, start in early.items():
                end = 0.55 if group == "weakly structured" and name.startswith("ADA") else late[name]
                middle = 0.25 if name.startswith("ADA") else 0.4
                rows += [(name, D, group, x, y) for x, y in ((10, start), (80, middle), (249, end))]
    ecdf = pd.DataFrame(rows, columns=["algorithm", "dimension", "group", "evaluations_per_dimension", "proportion"])
    known = evidence(published.mean_ranks())
    made = Evidence(known.ranks, known.tests, known.duels, control, ecdf, 250.0)
    assert judge(made)["verdict"].to_list() == ["supported"] * 8
    swapped = ecdf.assign(algorithm=ecdf["algorithm"].replace({"GP-5": "CMA-ES", "CMA-ES": "GP-5"}))
    other = control.assign(median=1 - control["median"])
    verdicts = judge(Evidence(known.ranks, known.tests, known.duels, other, swapped, 250.0)).set_index("claim")
    assert verdicts["verdict"][[5, 6]].to_list() == ["contradicted"] * 2


def test_correlations_are_spearmans() -> None:
    """With the paper's ranks ρ is 1, reversed -1, with others SciPy's; of two algorithms there is none."""
    ranks = published.mean_ranks().assign(functions=24)
    same = correlations(mean_ranks_beside(ranks))
    assert same["spearman_rho"].to_list() == pytest.approx([1.0] * 10)
    rng = np.random.default_rng(1)
    noisy = mean_ranks_beside(ranks.assign(mean_rank=ranks["mean_rank"] + rng.normal(size=len(ranks))))
    expected = [stats.spearmanr(g["paper"], g["ours"]).statistic for _, g in noisy.groupby(SCENARIO, sort=False)]
    assert correlations(noisy)["spearman_rho"].to_list() == pytest.approx(expected)
    two = ranks[ranks["algorithm"].isin(["CMA-ES", "GP-1"])]
    assert correlations(mean_ranks_beside(two))["spearman_rho"].isna().all()


def test_cpu_ratio() -> None:
    """Ours of 1 ms is 3,360 times less than the paper's 3.36 s of ADA-KL in 20-D."""
    cpu = pd.DataFrame(
        {"algorithm": "ADA-KL", "dimension": 20, "part": [*PARTS, "total"], "seconds_per_evaluation": 1e-3}
    )
    (row,) = cpu_beside(cpu).to_dict("records")
    assert row["ratio"] == pytest.approx(3360)
