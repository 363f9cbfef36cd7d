"""Optimizers of other packages as algorithms of a study; those whose package is missing are left out."""

from pathlib import Path

import pytest

from benchmarks.real.optimizers import OPTIMIZERS
from tests.commands import sacma, successful

FOLDER = Path(__file__).parents[2] / "benchmarks"
SMALL = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)  # BoTorch takes 0.5 s an evaluation


@pytest.mark.parametrize(("name", "config"), [("Py-BOBYQA", "py_bobyqa"), ("TuRBO", "turbo")])
def test_a_study_of_it(tmp_path: Path, name: str, config: str) -> None:
    """It runs to its budget, and a trial of it can be replayed."""
    if missing := OPTIMIZERS[name].missing():
        pytest.skip(f"not installed: {', '.join(missing)}")
    file = ("--algorithm-file", FOLDER / "competitors.py")
    done = successful("run", FOLDER / "configs" / f"{config}.yaml", *file, *SMALL, cwd=tmp_path)
    assert "all 1 trial " in done.stdout
    record = next((tmp_path / "results" / "records" / name).iterdir())
    assert sacma("replay", record, *file, cwd=tmp_path).returncode == 0
