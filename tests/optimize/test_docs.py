"""What the how-to shows works as it stands there."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

HOW_TO = Path(__file__).parents[2] / "docs" / "optimizer.md"


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, with a function that is cheap."""
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    names: dict[str, Any] = {
        "simulation": lambda x: float(np.sum(x**2)),
        "x0": np.full(2, 0.5),
        "sigma0": 0.3,
    }
    for block in re.findall(r"```python\n(.*?)```", HOW_TO.read_text(), flags=re.DOTALL):
        exec(compile(block, HOW_TO.name, "exec"), names)  # noqa: S102 our own text
    plt.close("all")
    assert {path.name for path in tmp_path.iterdir()} == {"run.png", "run.jsonl", "second.jsonl"}
