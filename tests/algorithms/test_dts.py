"""DTS-CMA-ES on COCO's problems: its trace adds up, and its readings differ."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_study
from sacma.experiment.trial import run_trial
from tests.conftest import CONFIGS

Load = Callable[..., Study]


def only(study: Study) -> TrialSpec:
    (spec,) = plan([study])
    return spec


def test_the_trace_adds_up(study: Load) -> None:
    """Every generation is a true one that f evaluated a part of; fits are counted once a generation."""
    place = {"functions": "8", "dimensions": "5", "instances": "1", "budget": 40}
    record = run_trial(only(study("baselines/dts_cmaes", **place)))
    trace, outcome = record.trace, record.outcome
    assert set(trace["evaluated_by"]) == {"true"}
    assert outcome.model_generations == 0
    steps = np.diff(trace["true_evaluations"], prepend=0)
    trained = trace["fit_status"] == "trained"
    assert all(steps[trained] == np.ceil(0.05 * trace["population_size"][trained]))
    assert outcome.fits["trained"] == trained.sum() > 150
    assert np.all(trace["likelihood_evaluations"][trained] >= 2)


@pytest.mark.parametrize("path", sorted((CONFIGS / "baselines").rglob("dts*/*.yaml")), ids=lambda path: path.stem)
def test_each_reading_differs_from_the_default(path: Path) -> None:
    """Configs of docs/dts_cmaes.md load, each with a name of its own and a setting that is not DTS-CMA-ES's."""
    default = load_study(CONFIGS / "baselines" / "dts_cmaes.yaml")
    reading = load_study(path)
    assert reading.algorithm == default.algorithm
    assert reading.name != default.name
    assert reading.settings != default.settings
