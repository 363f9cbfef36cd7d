"""Duties of algorithms: whoever breaks one is caught at that point, and at no other."""

from pathlib import Path

import pytest

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import plan_study
from sacma.config.study import load_study
from sacma.experiment import algorithm_check
from sacma.experiment.algorithm_check import examine

SOURCE = '''
import os, random, threading, time
import numpy as np
import sacma

@sacma.algorithm
def global_numpy(problem, rng):
    while True:
        problem(np.random.uniform(-5, 5, problem.dimension))

@sacma.algorithm
def seeds_numpy(problem, rng):
    np.random.seed(1)
    while True:
        problem(np.random.uniform(-5, 5, problem.dimension))

@sacma.algorithm
def slow(problem, rng):
    """Is sound, and takes long."""
    while True:
        time.sleep(0.1)
        problem(rng.uniform(-5, 5, problem.dimension))

@sacma.algorithm
def goes_on(problem, rng):
    while True:
        try:
            problem(rng.uniform(-5, 5, problem.dimension))
        except:
            pass

@sacma.algorithm
def remembers_the_dimension(problem, rng):
    best = globals().setdefault("best", {})
    where = best.get(problem.dimension, np.zeros(problem.dimension))
    while True:
        point = where + rng.standard_normal(problem.dimension)
        best[problem.dimension] = point
        problem(point)

@sacma.algorithm
def hash_seed(problem, rng):
    rng = np.random.default_rng(abs(hash("anything")))
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))

@sacma.algorithm
def dies(problem, rng):
    if problem.dimension == 2:
        os.abort()
    problem(np.zeros(2))

@sacma.algorithm
def misspelt(problem, rng):
    """Raises at each trial, after an evaluation, in words that are others each time."""
    problem(rng.uniform(-5, 5, problem.dimension))
    raise AttributeError(f"no such name: {object()}, {time.time_ns()}")
'''

BROKEN = {
    "slow": {},
    "global-numpy": {"own randomness": "change its points from evaluation 1 on"},
    "seeds-numpy": {"own randomness": "it seeds numpy.random or random, or draws from them"},
    "goes-on": {"budget, target": "it goes on when its trial has ended"},
    "remembers-the-dimension": {"determinism": "after others, differs from evaluation 1 on"},
    "hash-seed": {"determinism": "differs from evaluation 1 on"},
    "misspelt": {"runs": "AttributeError: no such name: <object"},
    "dies": {"runs": "f1 in 2-D: its process was ended by SIGABRT"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_caught(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each misbehaviour at its point."""
    monkeypatch.setattr(algorithm_check, "PLACES", algorithm_check.PLACES[:2])
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)  # which dask sets in a process that it was used in
    monkeypatch.setattr(ALGORITHMS, "_from_files", {})  # which other tests in this process are not to see
    (tmp_path / "own.py").write_text(SOURCE)
    (tmp_path / "own.yaml").write_text(f"name: Own\nalgorithm: {name}\n")
    ALGORITHMS.add_files([tmp_path / "own.py"])
    spec = next(plan_study(load_study(tmp_path / "own.yaml")))
    results = list(examine(spec, 0.5) if name == "slow" else examine(spec))
    broken = {result.point: result.reason for result in results if result.sound is False}
    assert broken.keys() == BROKEN[name].keys()
    for point, reason in BROKEN[name].items():
        assert reason in broken[point]
    assert "runs" not in broken or len(results) == 1  # nothing else is judged
    assert ("ended after 0.5 s" in results[0].reason) == (name == "slow")
