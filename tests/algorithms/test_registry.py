"""Algorithms that need an extra say so before anything runs."""

from pathlib import Path

import pytest

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.study import load_study
from sacma.errors import SacmaError
from tests.commands import sacma
from tests.conftest import CONFIGS

FOREST = CONFIGS / "baselines" / "forest_scmaes.yaml"


def test_a_missing_library_is_an_error_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scikit-learn is not there, the forest names it and the extra; the other models do not care."""
    algorithm = ALGORITHMS["surrogate-cmaes"]
    forest = load_study(FOREST).settings
    algorithm.check(forest)
    monkeypatch.setattr("sacma.algorithms.base.find_spec", lambda name: None if name == "sklearn" else object())
    with pytest.raises(SacmaError, match=r"sklearn is not installed.*pip install 'sacma\[forest\]'"):
        algorithm.check(forest)
    for name in ("cmaes", "ada_kl", "baselines/dts_cmaes"):
        algorithm.check(load_study(CONFIGS / f"{name}.yaml").settings)


def test_a_run_without_the_library_makes_nothing(tmp_path: Path) -> None:
    """The command ends with 2 and one line, and leaves no folder behind; planning needs no library."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['sklearn'] = None\n")
    path = f"{tmp_path}:{Path(__file__).parents[2] / 'src'}"
    ran = sacma("run", FOREST, "--functions", 1, "--dimensions", 2, cwd=tmp_path, PYTHONPATH=path)
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.count("\n") == 1
    assert "pip install 'sacma[forest]'" in ran.stderr
    assert not (tmp_path / "results").exists()
    assert sacma("plan", FOREST, cwd=tmp_path, PYTHONPATH=path).returncode == 0
