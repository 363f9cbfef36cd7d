"""Made-up studies of the paper's six algorithms in both readings, which find different things."""

from sacma.analysis.comparison import Covered
from sacma.analysis.published import AS_PRINTED, AS_RUN, Reading
from sacma.config.plan import TrialSpec
from tests.analysis.made import Improvements, made
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
