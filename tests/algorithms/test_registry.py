"""Algorithms that need an extra say so before anything runs."""

import pytest

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.study import load_study
from sacma.errors import SacmaError
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
