"""Each reading of the paper is judged by its own six algorithms, whatever others are beside them."""

import pandas as pd
import pytest

from reproduction.agreement import agreements
from reproduction.claims import checks, judge
from reproduction.evidence import best_of, evidence_of
from sacma.analysis.published import AS_PRINTED, AS_RUN, READINGS, Reading
from sacma.analysis.section import Findings
from sacma.analysis.sections import find
from tests.analysis.both_readings import studies
from tests.analysis.made import compared


@pytest.fixture(scope="module")
def both() -> Findings:
    """Find what there is of both readings together."""
    return find(compared(*studies(AS_RUN), *studies(AS_PRINTED)))


def of_reading(findings: Findings, reading: Reading, frame: str) -> pd.DataFrame:
    found = findings[frame]
    return found[found["reading"] == reading.title].reset_index(drop=True)


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.title)
def test_as_if_it_were_alone(both: Findings, reading: Reading) -> None:
    """Ranks, times, checks and verdicts are those of a study of the six algorithms."""
    alone = find(compared(*studies(reading)))
    for frame in ("paper_mean_ranks", "paper_correlation", "paper_pairs", "paper_cpu"):
        pd.testing.assert_frame_equal(of_reading(both, reading, frame), alone[frame])
        assert len(alone[frame]) > 0
    of_both, of_one = (evidence_of(findings, reading) for findings in (both, alone))
    for table in (checks, judge):
        pd.testing.assert_frame_equal(table(of_both), table(of_one))
    with_chance = agreements(alone["paper_correlation"], alone["paper_mean_ranks"], best_of(alone, reading))
    with_chance = with_chance.dropna(subset=["spearman_rho"])
    assert with_chance["rho_low"].le(with_chance["rho_high"]).all()
    assert with_chance["spearman_rho"].between(with_chance["rho_low"], with_chance["rho_high"]).all()


def test_one_algorithm_of_a_reading_beside_several_of_the_other() -> None:
    """Evidence of a single algorithm decides nothing, and is no error."""
    findings = find(compared(*studies(AS_PRINTED)[:3], *studies(AS_RUN)[:1]))
    assert set(judge(evidence_of(findings, AS_RUN))["verdict"]) == {"open"}
