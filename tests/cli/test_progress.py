"""Progress: time left and failures."""

import heapq
from collections.abc import Callable

import numpy as np
import pytest

from sacma.cli.progress import Tally
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.cost import CostModel, shipped_seconds
from sacma.experiment.run import Attempt
from sacma.store.outcome import CPUSeconds, FailureKind, Outcome, TrialFailure, TrialStatus
from sacma.store.record import FinishedTrial


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("jobs", [1, 2, 8, 16])
def test_time_left(study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch, jobs: int, seed: int) -> None:
    """After a tenth of the work, and from then on, the time left is right within 30 % on a simulated machine.

    It is three times as slow as the shipped figures say, some functions are solved early, trials scatter, and workers
    need a while to start.
    """
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    rng = np.random.default_rng(seed)
    names = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
    specs = plan([study(name, dimensions="2,5,20", functions="1-24", instances="1-5") for name in names])
    order = [specs[i] for i in rng.permutation(len(specs))]
    share = {function: float(rng.choice([0.15, 1.0], p=[0.2, 0.8])) for function in range(1, 25)}
    seconds = {s.key: 3 * shipped_seconds(s) * share[s.function] * rng.lognormal(0.0, 0.2) for s in specs}

    running = [(100.0 + 2.0 + seconds[spec.key], spec.key, spec) for spec in order[:jobs]]
    todo = iter(order[jobs:])
    heapq.heapify(running)
    tally = Tally(order, CostModel())
    assert tally.seconds_left is None
    told = []
    while running:
        clock[0], _, spec = heapq.heappop(running)
        cpu = CPUSeconds(0, 0, 0, 0, seconds[spec.key])
        outcome = Outcome(TrialStatus.BUDGET_USED, 1, 1.0, (1,), (1.0,), 1, 0, 0, {}, cpu)
        tally.count(Attempt(FinishedTrial(spec, outcome, b""), last=True))
        told.append((clock[0], tally.seconds_left))
        following = next(todo, None)
        if following is not None:
            heapq.heappush(running, (clock[0] + seconds[following.key], following.key, following))
    end = clock[0]
    for at, left in told:
        if 0.1 < (at - 100) / (end - 100) < 0.7:
            assert left == pytest.approx(end - at, rel=0.3)
    assert told[-1][1] == 0.0


def test_failures_are_counted(study: Callable[..., Study]) -> None:
    """Those that are tried again, and those that are not."""
    specs = plan([study("cmaes", dimensions="2", functions="1-3", instances="1")])
    tally = Tally(specs, CostModel())
    failure = TrialFailure(specs[0], FailureKind.EXCEPTION, "no", "")
    tally.count(Attempt(failure, last=False))
    assert "1 to retry" in str(tally)
    tally.count(Attempt(failure, last=True))
    assert (tally.done, tally.failed) == (1, 1)
    assert "1 failed" in str(tally)
