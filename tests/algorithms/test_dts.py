"""DTS-CMA-ES on COCO's problems: budget and target are exact, and a share of 1 is CMA-ES."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_study
from sacma.experiment.trial import run_trial
from tests.conftest import CONFIGS
from tests.strategy.runs import DOUBLY, parts

Load = Callable[..., Study]


def only(study: Study) -> TrialSpec:
    (spec,) = plan([study])
    return spec


@pytest.mark.parametrize("function", [3, 15])
def test_a_share_of_one_is_cma_es(study: Load, function: int) -> None:
    """On a problem of COCO, under one name and so one seed, both find the same at the same evaluations."""
    place = {"functions": str(function), "dimensions": "2", "instances": "1", "budget": 1000}
    plain = study("cmaes", **place)
    ours = study("baselines/dts_cmaes", **place).model_copy(
        update={"name": plain.name, "settings": parts(control={**DOUBLY, "share": {"name": "constant", "value": 1.0}})}
    )
    first, second = (run_trial(only(of)).outcome for of in (ours, plain))
    assert (first.improved_at, first.improved_to) == (second.improved_at, second.improved_to)
    assert first.restarts == second.restarts > 0


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
