"""Equal results of compiled code with cold, warm and damaged caches."""

import hashlib
import importlib
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sacma.surrogate import code_cache, likelihood
from tests.sizes import sizes

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
def test_a_cold_and_a_warm_cache_give_the_same_bits(tmp_path: Path) -> None:
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
    assert cold_use == ["0", "1"]
    assert warm_use == ["1", "0"]
    assert cold == warm


MODULE = """
from sacma.surrogate.compiled import compiled

def scaled(x, y):
    return 2.0 * x + y
"""
DAMAGES = st.one_of(
    st.builds(lambda share: lambda content: content[: int(share * len(content))], st.floats(0, 1, exclude_max=True)),
    st.builds(lambda noise: lambda _: noise, st.binary(max_size=300)),
    st.builds(
        lambda share, bit: lambda content: flipped(content, int(share * len(content)), bit),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 7),
    ),
    st.just(None),  # a folder in its place: it cannot be read
)
Damage = Callable[[bytes], bytes] | None


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """Return the content with a bit changed."""
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def damage(path: Path, how: Damage) -> None:
    """Damage a file."""
    if how is None:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(how(path.read_bytes()))


@pytest.fixture(name="module")
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module with a function to be compiled, whose code is kept in a folder of the test."""
    (tmp_path / "tiny_functions.py").write_text(MODULE)
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(code_cache, "said", [])
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("tiny_functions")
    del sys.modules["tiny_functions"]


@sizes("examples", small=12, full=300)
def test_damaged_code_is_compiled_anew(module: Any, caplog: pytest.LogCaptureFixture, examples: int) -> None:
    """Whatever has become of index or code: the function gives its value, it is said once, and then all is mended."""
    folder = Path(numba.config.CACHE_DIR)
    assert module.compiled(module.scaled)(1.0, 3.0) == 5.0
    files = {kind: next(folder.rglob(f"*.{kind}")) for kind in ("nbi", "nbc")}

    @given(kind=st.sampled_from(["nbi", "nbc"]), how=DAMAGES)
    @hypothesis.settings(max_examples=examples)
    def check(kind: str, how: Damage) -> None:
        kept = files[kind].read_bytes()
        damage(files[kind], how)
        again = module.compiled(module.scaled)
        assert (again(1.0, 3.0), len(again.stats.cache_hits)) == (5.0, 0)
        if files[kind].is_dir():  # which nothing can replace
            files[kind].rmdir()
            files[kind].write_bytes(kept)
        after = module.compiled(module.scaled)
        assert (after(1.0, 3.0), len(after.stats.cache_hits)) == (5.0, 1)

    with caplog.at_level(logging.WARNING):
        check()
    (said,) = [record.getMessage() for record in caplog.records if record.name == "sacma"]
    assert said.startswith(f"compiled code in {files['nbi'].parent} cannot be used (")


def test_compiled_code_that_cannot_be_kept(module: Any, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk, where there is no folder at all, or none that can be made: compiled in each process."""
    (small_disk / "filled").write_bytes(b"\0" * (190 << 10))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(small_disk))
    on_full_disk = module.compiled(module.scaled)
    assert on_full_disk(1.0, 3.0) == 5.0
    assert "No space left" in code_cache.said.pop()

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refuse)
    assert module.compiled(module.scaled)(1.0, 3.0) == 5.0
    assert "NUMBA_CACHE_DIR" in code_cache.said.pop()


RUN = """
import hashlib
from pathlib import Path
import numpy as np, sacma, sys
folder, kept = Path(sys.argv[1]), []
def f(x):
    kept.append(sum(1 for _ in folder.rglob("*.nb?")))  # no code is made once f is called
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2))
found = sacma.minimize(f, [0.5, -0.5], 1.0, seed=3, budget=30)
assert kept[0] == kept[-1], kept
print(hashlib.sha256(found.history.points.tobytes()).hexdigest())
"""


def test_a_run_with_damaged_code(tmp_path: Path) -> None:
    """It makes the same points, f is not called before all is compiled, and one line says so, once."""
    source = Path(likelihood.__file__)
    folder = tmp_path / f"surrogate_{hashlib.sha1(str(source.parent).encode()).hexdigest()}"  # noqa: S324 Numba's
    shutil.copytree(likelihood.maximise.stats.cache_path, folder, ignore=lambda _, names: not_code(names))  # type: ignore[attr-defined]
    command, environment = [sys.executable, "-c", RUN, str(tmp_path)], {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    sound = run()
    for name in ("*standardise*.nbi", "*correlations*.nbi", "*.posterior_mean-*.nbc", "*quadratic_covariance*.nbc"):
        for path in folder.glob(name):
            os.truncate(path, 0 if "standardise" in name else 1000)
    damaged, mended = run(), run()
    assert sound.stdout == damaged.stdout == mended.stdout
    assert [len(each.stderr.splitlines()) for each in (sound, damaged, mended)] == [0, 1, 0], damaged.stderr
    assert damaged.stderr.startswith(f"compiled code in {folder} cannot be used (")


def not_code(names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith((".nbi", ".nbc"))]
