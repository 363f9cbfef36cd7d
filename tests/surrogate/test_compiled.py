"""Equal results of compiled code with cold and warm caches."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sacma.experiment.compilation import is_compiled

TRIAL = """
import hashlib, logging, sys
logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
from pathlib import Path
from sacma.config.study import load_studies
from sacma.config.plan import plan
from sacma.experiment.trial import run_trial
from sacma.surrogate.likelihood import maximise
overrides = dict(functions="15", dimensions="5", instances="1", budget=60)
record = run_trial(plan(load_studies([Path(sys.argv[1])], overrides))[0])
stats = maximise.stats
print(hashlib.sha256(repr((record.outcome.improved_to, sorted(record.coco.data.items()))).encode()).hexdigest())
print(len(stats.cache_hits), len(stats.cache_misses))
"""


@pytest.mark.torture
def test_a_cold_and_a_warm_cache_give_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes, the first compiling, and saying so, the second loading that: equal to the last bit."""
    config = Path(__file__).parents[2] / "configs" / "ada_kl.yaml"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", TRIAL, str(config)], check=True, capture_output=True, text=True, env=environment
        )
        for _ in range(2)
    ]
    (cold, *cold_use), (warm, *warm_use) = (run.stdout.split() for run in runs)
    said = [[line for line in run.stderr.splitlines() if line.startswith("sacma:")] for run in runs]
    assert said == [["sacma: compiling the surrogate (once per installation, about 10 s) …"], []]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert is_compiled()
    assert cold_use == ["0", "1"]
    assert warm_use == ["1", "0"]
    assert cold == warm
