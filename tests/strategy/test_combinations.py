"""Every part goes with every other, as written in a config."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from sacma.strategy.errors import ERRORS
from sacma.strategy.generation_control import TRANSFERS
from sacma.strategy.settings import ACCEPTANCES, MODELS, PROPOSALS, RESTARTS, SAMPLINGS, StrategySettings
from sacma.surrogate.training_set import SELECTIONS
from tests.strategy.runs import DOUBLY, GP, KENDALL, Objective, Run, rosenbrock, sphere

Content = Mapping[str, Any]

FOREST: Content = {"name": "random-forest", "trees": 10}
CONTROLS: Mapping[str, Content] = {
    "generations": {"name": "generations", "model_generations": 2},
    "adaptive": KENDALL,
    "share": {**DOUBLY, "share": {"name": "constant", "value": 0.2}},
    "ranking": {"name": "approximate-ranking"},
    "adaptive share": {**DOUBLY, "share": {"name": "adaptive"}},
}
ON = ((GP, 2, rosenbrock), (FOREST, 3, sphere))
PROPOSING: Content = {"model": GP, "control": CONTROLS["share"], "proposals": {"name": "model-optimum"}}


def uses_its_model(content: Content, *, D: int = 2, f: Objective = rosenbrock, evaluations: int = 60) -> Run:
    """Run a config, and look whether all is well: a model stood in for f, and f was asked no more than is counted."""
    run = Run(StrategySettings.model_validate(content), D).until(evaluations, f)
    assert np.all(np.isfinite(run.points))
    assert evaluations <= run.es.true_evaluations == len(run.points) == len(run.values)
    assert run.es.best_value == run.values.min()
    assert run.generations[-1].true_evaluations <= run.es.true_evaluations
    by_model = [step < g.population_size for g, step in zip(run.generations, run.steps, strict=True)]
    assert any(by_model[:-1])
    assert any(g.fit_status == "trained" for g in run.generations)
    return run


@pytest.mark.parametrize(("on", "control"), list(product(ON, CONTROLS)))
def test_model_and_control(on: tuple[Content, int, Objective], control: str) -> None:
    """Each with each; with a forest, some repeat themselves to the bit, as all others do that have the same parts."""
    model, D, f = on
    training_set = {"n_max_factor": 5, "selection": {"name": "kmeans" if control == "adaptive" else "nearest"}}
    content = {"model": model, "training_set": training_set, "control": CONTROLS[control]}
    first = uses_its_model(content, D=D, f=f)
    if model is FOREST and control.startswith("adaptive"):
        assert uses_its_model(content, D=D, f=f).bits == first.bits


@pytest.mark.parametrize(("error", "transfer"), list(product(ERRORS, TRANSFERS)))
def test_errors_and_transfers(error: str, transfer: str) -> None:
    """Each error measure with each transfer function."""
    control = {**KENDALL, "error": {"name": error}, "transfer": transfer, "error_threshold": 0.9}
    run = uses_its_model({"model": GP, "control": control})
    assert any(0.0 <= g.error <= 1.0 for g in run.generations)


@pytest.mark.parametrize(("proposals", "control"), list(product(PROPOSALS, CONTROLS)))
def test_proposals(proposals: str, control: str) -> None:
    """Each proposal with each control, with and without bounds."""
    bounds = "transform" if control in {"generations", "ranking"} else "none"
    content = {
        "model": GP,
        "control": CONTROLS[control],
        "proposals": {"name": proposals},
        "sampling": {"name": "cma-es", "bounds": bounds},
    }
    run = uses_its_model(content)
    assert any(len(points) == 1 for points in run.asked) or proposals == "none" or "share" in control


@pytest.mark.parametrize("parts", [PROPOSING, {"model": GP, "control": CONTROLS["adaptive"]}])
@pytest.mark.parametrize(
    ("part", "kind"),
    [
        *product(["model"], MODELS),
        *product(["acceptance"], ACCEPTANCES),
        *product(["sampling"], SAMPLINGS),
        *product(["restarts"], RESTARTS),
        *(("selection", name) for name in SELECTIONS),
    ],
)
def test_all_other_kinds(part: str, kind: str, parts: Content) -> None:
    """Each kind of all other parts, those of the published code included, with proposals and without."""
    own: Content = {"training_set": {"selection": {"name": kind}}} if part == "selection" else {part: {"name": kind}}
    uses_its_model({**parts, **(own if kind != "random-forest" else {"model": FOREST})})
