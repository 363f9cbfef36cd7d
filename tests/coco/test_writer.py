"""The canonical COCO folder is what one observer would have written, and what cocopp loads."""

import json
import subprocess
import sys
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


def test_cocopp_loads_it_without_a_warning(study: MakeStudy, tmp_path: Path) -> None:
    """Cocopp finds every trial of the paper's instances once and has nothing to say about the folder.

    But for one warning: coco-experiment writes an attribute ``settings`` to every folder that cocopp does not know.
    """
    asked = study("cmaes", functions="1,8", dimensions="2,3", budget=20)
    merged = merge((placed(spec) for spec in plan([asked])), asked.description)
    for name, content in merged.items():
        (tmp_path / asked.name / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / asked.name / name).write_text(content)
    code = (
        "import json, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "import cocopp\n"
        "warnings.simplefilter('error')\n"
        "warnings.filterwarnings('ignore', 'settings is an additional attribute')\n"
        f"data = cocopp.load({str(tmp_path / asked.name)!r})\n"
        "print(json.dumps([[int(d.funcId), int(d.dim), [int(i) for i in d.instancenumbers]] for d in data]),"
        " file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stderr.splitlines()[-1])
    assert sorted(loaded) == [[f, D, [1, 2, 3, 4, 5, *range(41, 51)]] for f in (1, 8) for D in (2, 3)]


def test_versions_do_not_mix() -> None:
    """Trials recorded by two versions of COCO are not put into one data set."""
    data = dict.fromkeys(("dat", "tdat", "rdat", "mdat"), "% x\n")
    old, new = (((1, 2, i), CocoFiles(f"version {i}", f"{i}:1|1", data)) for i in (1, 2))
    with pytest.raises(SacmaError, match="disagree on COCO's header"):
        merge([old, new], "")
