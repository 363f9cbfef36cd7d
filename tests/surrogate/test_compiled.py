"""Equal results of compiled code with a cold and a warm cache, and without any."""

import importlib
import sys
from pathlib import Path

import pytest

from tests.commands import printed_by

TRIAL = """
import hashlib, sys
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
def test_a_cold_and_a_warm_cache_give_the_same_bits(tmp_path: Path) -> None:
    """Two processes, the first compiling, the second loading: equal to the last bit."""
    config = Path(__file__).parents[2] / "configs" / "sacma.yaml"
    runs = [printed_by(TRIAL, config, NUMBA_CACHE_DIR=tmp_path) for _ in range(2)]
    (cold, *cold_use), (warm, *warm_use) = map(str.split, runs)
    assert (cold_use, warm_use) == (["0", "1"], ["1", "0"])
    assert cold == warm


def test_compiled_code_that_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be written to, each process compiles."""

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refuse)
    monkeypatch.syspath_prepend(tmp_path)
    text = "from sacma.surrogate.compiled import compiled\n\n@compiled\ndef scaled(x, y):\n    return 2.0 * x + y\n"
    (tmp_path / "tiny_functions.py").write_text(text)
    assert importlib.import_module("tiny_functions").scaled(1.0, 3.0) == 5.0
    del sys.modules["tiny_functions"]
