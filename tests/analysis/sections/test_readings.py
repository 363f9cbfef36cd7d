"""Each reading of the paper is judged by its own six algorithms, whatever others are beside them."""

import pandas as pd
import pytest

from sacma.analysis.comparison import Covered
from sacma.analysis.paper.published import AS_PRINTED, AS_RUN, READINGS, Reading
from sacma.analysis.section import Findings
from sacma.analysis.sections import find
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, compared, made
from tests.conftest import SIX

PROTOCOL = {"functions": "6-9,15,20", "dimensions": "2,20", "instances": "1-3", "budget": 50}
FOLDER = {AS_PRINTED: "", AS_RUN: "as_run/"}


def studies(reading: Reading) -> list[Covered]:
    """Make up six studies; those by the text find more, and sooner."""

    def of(spec: TrialSpec) -> Improvements:
        sooner = 2 if reading is AS_PRINTED else 1
        place = len(spec.name) + spec.function + 3 * spec.instance + sooner
        return [(1, 1e6), (20 // sooner + place, 10.0 ** (3 - place % 5)), (60, 10.0 ** (-sooner - place % 7))]

    generations = {AS_PRINTED: (10, 30), AS_RUN: (20, 10)}[reading]
    return [made(FOLDER[reading] + name, of, PROTOCOL, generations=generations) for name in SIX]


@pytest.fixture(scope="module")
def both() -> Findings:
    """Find what there is of both readings together."""
    return find(compared(*studies(AS_RUN), *studies(AS_PRINTED)))


@pytest.mark.parametrize("frame", ["paper_checks", "paper_claims", "paper_mean_ranks", "paper_pairs", "paper_cpu"])
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.title)
def test_as_if_it_were_alone(both: Findings, reading: Reading, frame: str) -> None:
    """Its checks, ranks and times are those of a study of its six algorithms."""
    alone = find(compared(*studies(reading)))[frame]
    beside = both[frame]
    found = beside[beside["reading"] == reading.title].reset_index(drop=True)
    assert len(found) > 0
    pd.testing.assert_frame_equal(found, alone)
