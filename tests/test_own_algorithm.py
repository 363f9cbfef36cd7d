"""Somebody's own algorithm on the command line: run beside the others, versioned, replayed, looked at without it."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import refusal, reported, sacma, successful
from tests.conftest import CONFIGS

EXAMPLES = CONFIGS.parent / "examples"

SMALL = ("--functions", 1, "--dimensions", 2, "--instances", "1-2", "--budget", 20)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    for name in ("own_optimizer.py", "own_optimizer.yaml"):
        shutil.copy(EXAMPLES / name, tmp_path)
    return tmp_path


def run(own: Path, *arguments: object, process: bool = False) -> str:
    own_algorithm = ("own_optimizer.yaml", "--algorithm-file", "own_optimizer.py")
    done = successful("run", *own_algorithm, *SMALL, *arguments, cwd=own, process=process)
    return done.stdout + done.stderr


def test_it_runs_beside_the_others(own: Path) -> None:
    """In worker processes, with the same report; and goes on without a config, though not without its file."""
    done = run(own, CONFIGS / "cmaes.yaml", "--jobs", 2, process=True)
    assert "all 4 trials" in done
    next((own / "results" / "records" / "one-plus-one-ES").iterdir()).unlink()
    assert "say where it is with --algorithm-file" in refusal("run", cwd=own)
    assert "1 to run" in sacma("run", "--algorithm-file", "own_optimizer.py", cwd=own).stdout
    reported(cwd=own)


def test_its_file_is_handed_on_to_workers(own: Path) -> None:
    """It imports what lies beside it, and starts a script that does, wherever the command is given."""
    (own / "elsewhere").mkdir()
    (own / "beside.py").write_text("HERE = True\n")
    (own / "script.py").write_text("import beside\n")
    with (own / "own_optimizer.py").open("a") as file:
        script = f"[sys.executable, {str(own / 'script.py')!r}]"
        file.write(f"import subprocess, sys\nimport beside\nsubprocess.run({script}, check=True)\n")
    arguments = ("../own_optimizer.yaml", "--algorithm-file", "../own_optimizer.py", *SMALL)
    done = successful("run", *arguments, "--jobs", 1, cwd=own / "elsewhere", process=True)
    assert "all 2 trials" in done.stdout


def test_a_changed_file_is_another_algorithm(own: Path) -> None:
    """Its trials are run anew where the config is named, and refused where they would be mixed."""
    run(own)
    with (own / "own_optimizer.py").open("a") as file:
        file.write("\n")
    for _ in ("complete", "not complete"):
        assert "has changed" in refusal("run", "--algorithm-file", "own_optimizer.py", cwd=own)
        next((own / "results" / "records" / "one-plus-one-ES").iterdir()).unlink()
    done = run(own)
    assert "2 to run" in done
    assert "or of another version" in done


def test_results_can_be_looked_at_without_it(own: Path) -> None:
    """What has run stays; what is still to run, and a replay, say what is missing and take it from elsewhere."""
    run(own)
    (own / "elsewhere").mkdir()
    (own / "own_optimizer.py").rename(own / "elsewhere" / "own_optimizer.py")
    assert sacma("status", cwd=own).returncode == 0
    assert sacma("run", cwd=own).returncode == 0  # nothing is to run
    record = next((own / "results" / "records" / "one-plus-one-ES").iterdir())
    assert "say where it is with --algorithm-file" in refusal("replay", record, cwd=own)
    again = sacma("replay", record, "--algorithm-file", "elsewhere/own_optimizer.py", cwd=own)
    assert again.stdout.endswith("bit-identical\n")
    record.unlink()
    assert sacma("run", cwd=own).returncode == 2
    assert sacma("run", "--algorithm-file", "elsewhere/own_optimizer.py", cwd=own).returncode == 0


def test_settings_are_listed_and_checked(own: Path) -> None:
    """By the hints of the function."""
    listed = sacma("algorithms", "--algorithm-file", "own_optimizer.py", cwd=own).stdout
    assert "initial step size (> 0)" in listed
    config = own / "own_optimizer.yaml"
    config.write_text(config.read_text().replace("sigma0: 2.67", "sigma0: -1"))
    refused = refusal("run", config, "--algorithm-file", "own_optimizer.py", cwd=own)
    assert "settings.sigma0: -1 is not allowed: should be greater than 0" in refused
    unknown = sacma("run", config, cwd=own)
    assert "unknown algorithm 'one-plus-one-es'" in unknown.stderr
    assert "--algorithm-file" in unknown.stderr


def test_its_contract_is_checked(own: Path) -> None:
    """The example keeps to it; what breaks it exits with 1."""
    sound = successful("check-algorithm", "--algorithm-file", "own_optimizer.py", cwd=own)
    assert "BROKEN" not in sound.stdout
    path = own / "own_optimizer.py"
    path.write_text(path.read_text().replace("rng.standard_normal", "np.random.standard_normal"))
    broken = sacma("check-algorithm", "one-plus-one-es", "--algorithm-file", path, cwd=own)
    assert broken.returncode == 1
    assert "draw from rng alone" in " ".join(broken.stdout.split())
    for wrong in ((), ("nothing",)):
        assert sacma("check-algorithm", *wrong, cwd=own).returncode == 2


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    """It takes the place of sacma's in the strategy: a model evaluates generations, and other parts stay as set."""
    config = tmp_path / "own.yaml"
    config.write_text((EXAMPLES / "own_model.yaml").read_text() + "  sampling: {active: true}\n")
    file = ("--algorithm-file", EXAMPLES / "own_model.py")
    successful("run", config, *file, *SMALL, cwd=tmp_path)
    reported(cwd=tmp_path)
    trace = pd.read_parquet(tmp_path / "results" / "traces" / "ADA-RBF.parquet")
    assert {"true", "model"} <= set(trace["evaluated_by"])
    assert set(trace["fit_status"]) >= {"trained"}
    config.write_text(config.read_text().replace("cubic", "gaussian-process"))
    assert "thin_plate_spline" in refusal("run", config, *file, *SMALL, cwd=tmp_path)


FAR = """
import numpy as np
import sacma

@sacma.algorithm("far")
def far(problem, rng):
    while True:
        problem(rng.standard_normal(problem.dimension) * 1e200)
"""


def test_a_report_where_nothing_is_finite(own: Path) -> None:
    """Of an algorithm that diverges there are no gains to draw."""
    (own / "far.py").write_text(FAR)
    (own / "far.yaml").write_text("name: far\nalgorithm: far\n")
    successful("run", "far.yaml", CONFIGS / "cmaes.yaml", "--algorithm-file", "far.py", *SMALL, "--jobs", 1, cwd=own)
    successful("postprocess", "--no-pages", "--no-pdf", "--baseline", "far", cwd=own)
