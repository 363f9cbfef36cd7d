"""Data that COCO wrote down at few levels, or at others than most, are known by their values."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sacma.coco.levels import coarse_levels
from sacma.coco.reader import load_coco
from sacma.coco.writer import PlacedFiles, merge
from sacma.config.plan import plan
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from tests.conftest import CONFIGS


@pytest.mark.parametrize(
    ("option", "levels"),
    [
        ("", None),
        ("number_target_triggers: 10", None),
        ("number_target_triggers: 1", 1),
        ("number_target_triggers: 7", 7),
    ],
)
def test_levels_of_an_observer(option: str, levels: int | None, tmp_path: Path) -> None:
    """Those of COCO's option, where they do not contain the five levels a decade that all other data have."""
    protocol = {"functions": "1,2,8,15", "dimensions": "2,3", "instances": "1-4", "budget": 150}
    specs = plan([load_study(CONFIGS / "cmaes.yaml", protocol)])
    records = [run_trial(replace(spec, triggers=f"1,2,5 {option}".strip())) for spec in specs]
    for name, text in merge([PlacedFiles(*r.spec.place, r.coco) for r in records], "theirs").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert load_coco(tmp_path).levels == levels


def test_few_values_show_nothing() -> None:
    """Long steps of a few trials may be the algorithm's own."""
    leaps = [np.array([30.0, 4.0, 0.7, 0.02, 3e-3])]
    assert coarse_levels(leaps * 20) is None
    assert coarse_levels(leaps * 30) == 1
    assert coarse_levels([np.array([1e3, 1.0, 1e-3, 1e-6])] * 100) is None  # as far apart as levels may be
    assert coarse_levels([]) is None
