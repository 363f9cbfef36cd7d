"""The canonical COCO folder is what one observer would have written, and what cocopp loads."""

from collections.abc import Callable
from pathlib import Path

import cocoex
import numpy as np
import pytest

from sacma.coco.writer import CocoFiles, Place, merge, observer_options
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.experiment.trial import run_trial, solve

MakeStudy = Callable[..., Study]


def placed(spec: TrialSpec) -> tuple[Place, CocoFiles]:
    return spec.place, run_trial(spec).coco


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("name", "suite_name", "dimensions"),
    [("cmaes", "bbob", "2,5"), ("ada_kendall", "bbob", "2,5"), ("cmaes", "bbob-largescale", "20,160")],
)
def test_merged_folder_is_a_serial_runs(
    study: MakeStudy, name: str, suite_name: str, dimensions: str, tmp_path: Path
) -> None:
    """Byte for byte: trials run apart and merged in any order, and one observer over the whole suite."""
    budget = 20 if suite_name == "bbob" else 2
    protocol = {"functions": "1,8,15", "dimensions": dimensions, "instances": "1-2,41", "budget": budget}
    asked = study(name, suite=suite_name, **protocol)
    specs = plan([asked])
    by_place = {spec.place: spec for spec in specs}
    cocoex.log_level("warning")
    options = observer_options(
        folder=tmp_path / asked.name, name=asked.name, description=asked.description, triggers=specs[0].triggers
    )
    observer = cocoex.Observer(suite_name, options)
    suite = cocoex.Suite(suite_name, "instances: 1-2,41", f"dimensions: {dimensions} function_indices: 1,8,15")
    for problem in suite:
        problem.observe_with(observer)
        solve(by_place[problem.id_function, problem.dimension, problem.id_instance], problem)
        problem.free()

    shuffled = np.random.default_rng(0).permutation(len(specs))
    merged = merge((placed(specs[k]) for k in shuffled), asked.description)
    serial = contents(tmp_path / asked.name)
    assert len(serial) == 3 + 3 * 2 * 4
    assert merged == serial


def test_versions_do_not_mix() -> None:
    """Trials recorded by two versions of COCO are not put into one data set."""
    data = dict.fromkeys(("dat", "tdat", "rdat", "mdat"), "% x\n")
    old, new = (((1, 2, i), CocoFiles(f"version {i}", f"{i}:1|1", data)) for i in (1, 2))
    with pytest.raises(SacmaError, match="disagree on COCO's header"):
        merge([old, new], "")
