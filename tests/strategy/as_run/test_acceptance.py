"""Acceptance as in the published code."""

import numpy as np
import pytest

from sacma.strategy.as_run.acceptance import SpansSample
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import Start
from sacma.surrogate.base import FitStatus
from sacma.types import Array
from tests.strategy.judged import box
from tests.strategy.runs import Run, generations, parts


@pytest.mark.parametrize(
    ("reach", "span", "accepted"),
    [(1.0, 1e-7, True), (1.0, 1e-9, False), (1e-9, 1e-10, True), (1e-9, 1e-11, False), (1.0, np.nan, False)],
)
def test_the_span_of_a_sample_decides(*, reach: float, span: float, accepted: bool) -> None:
    """At least min(1e-8, 5 % of the training values' range); NaN is none."""
    run = CMAESSampling().start(Start(1.0), np.zeros(2), box(2))
    run.ask()
    status = SpansSample().judge(lambda x: span * np.linspace(0, 1, len(x)), run, np.array([0.0, reach]))
    assert status == (FitStatus.TRAINED if accepted else FitStatus.NARROW_PREDICTION)


def test_the_sample_is_repaired() -> None:
    """A model sees no point outside of the box."""
    seen: list[float] = []

    def model(x: Array) -> Array:
        seen.append(float(np.abs(x).max()))
        return np.arange(float(len(x)))

    run = CMAESSampling(bounds="penalty", sigma0=8.0).start(Start(1.0), np.zeros(2), box(2))
    run.ask()
    SpansSample().judge(model, run, np.array([0.0, 1.0]))
    assert seen == [5.0]


def test_narrow_models_are_rejected_late_in_convergence() -> None:
    """Some that would have been used else."""
    counts = {}
    for name in ("ranks-population", "spans-sample-as-run"):
        run = Run(parts(control=generations(1), acceptance={"name": name})).until(600)
        counts[name] = sum(g.fit_status == FitStatus.NARROW_PREDICTION for g in run.generations)
    assert counts["ranks-population"] == 0 < counts["spans-sample-as-run"]
