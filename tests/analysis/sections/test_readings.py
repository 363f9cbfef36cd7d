"""Each reading of the paper is judged by its own six algorithms, whatever others are beside them."""

import pandas as pd
import pytest

from sacma.analysis.paper.readings import AS_PRINTED, AS_RUN, READINGS, Reading
from sacma.analysis.section import Findings
from sacma.analysis.sections import find
from tests.analysis.both_readings import studies
from tests.analysis.made import compared


@pytest.fixture(scope="module")
def both() -> Findings:
    """Find what there is of both readings together."""
    return find(compared(*studies(AS_RUN), *studies(AS_PRINTED)))


@pytest.mark.parametrize("frame", ["paper_checks", "paper_claims", "paper_mean_ranks", "paper_pairs", "paper_cpu"])
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.key)
def test_as_if_it_were_alone(both: Findings, reading: Reading, frame: str) -> None:
    """Its checks, ranks and times are those of a study of its six algorithms."""
    alone = find(compared(*studies(reading)))[frame]
    beside = both[frame]
    found = beside[beside["reading"] == reading.title].reset_index(drop=True)
    assert len(found) > 0
    pd.testing.assert_frame_equal(found, alone)
