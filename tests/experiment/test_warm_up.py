"""Warm-up of a process: before its first trial, outside of its time, and without a trace in its results."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sacma.algorithms.registry import ALGORITHMS, read_algorithm_file
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_study
from sacma.experiment import trial
from sacma.experiment.problem import BudgetedProblem
from sacma.experiment.trial import attempt, run_trial
from sacma.experiment.workers import LocalWorkers, results
from sacma.store.outcome import FailureKind, TrialFailure
from sacma.store.trace import COLUMNS

MakeStudy = Callable[..., Study]

PLUG_INS = '''
import sys
import time
import sacma

seen = []

@sacma.algorithm
def imports_late(problem, rng):
    """Needs long for what it does once, after some evaluations."""
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))
        if len(seen) == 20:
            time.passes(1000.0)
        seen.append(0)

@sacma.algorithm
def counts(problem, rng):
    seen.append(problem.dimension)
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))

@sacma.algorithm
def raises(problem, rng):
    raise ValueError("by design")

@sacma.algorithm
def leaves(problem, rng):
    sys.exit(3)

@sacma.algorithm
def is_closed(problem, rng):
    raise GeneratorExit

@sacma.algorithm
def takes_everything(problem, rng):
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))
        time.passes(4.0)

@sacma.algorithm
def loops(problem, rng):
    while True:
        pass
'''


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    """Nothing is warm, as in a new process."""
    trial._warm_up.cache_clear()
    yield
    trial._warm_up.cache_clear()


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], TrialSpec]:
    """Return a trial of one of the plug-ins, from a file, or as from an installed package."""

    def spec(name: str, source: str = "file") -> TrialSpec:
        monkeypatch.setattr(ALGORITHMS, "_from_files", {})
        path = tmp_path / "plug_ins.py"
        path.write_text(PLUG_INS)
        config = tmp_path / "plug_in.yaml"
        config.write_text(f"name: Plug-in\nalgorithm: {name}\n")
        if source == "file":
            ALGORITHMS.add_files([path])
        else:
            algorithm = read_algorithm_file(path).algorithms[name]
            monkeypatch.setitem(vars(ALGORITHMS)["_own"], name, algorithm)
        protocol = {"functions": 1, "dimensions": 3, "instances": 1, "budget": 20}
        return plan([load_study(config, protocol)])[0]

    return spec


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU time passes only where an algorithm says so: ``time.passes(seconds)``."""
    now = itertools.accumulate(itertools.chain([0.0], iter(lambda: spent.pop() if spent else 0.0, None)))
    spent: list[float] = []
    monkeypatch.setattr(time, "passes", spent.append, raising=False)
    monkeypatch.setattr(time, "process_time", lambda: next(now))
    monkeypatch.setattr(time, "monotonic", time.process_time)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("source", ["file", "package"])
def test_what_a_process_does_once_is_in_no_trials_time(plug_in: Callable[[str, str], TrialSpec], source: str) -> None:
    """A plug-in that imports something at its 20th evaluation: the first trial costs what the others cost."""
    record = run_trial(plug_in("imports-late", source))
    assert record.outcome.evaluations == 60
    assert record.outcome.cpu.total < 1000.0


@pytest.mark.parametrize("name", ["cmaes", "ada_kendall", "baselines/lq_cma_es", "baselines/bipop_cma_es"])
def test_results_are_the_same_with_and_without(study: MakeStudy, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points, values and generations of the first trial of a process, of our own algorithms, to the bit."""
    (spec,) = plan([study(name, functions="8", dimensions="3", instances="1", budget=30)])
    warm = run_trial(spec)
    monkeypatch.setattr(trial, "warm_up", lambda _spec: None)
    cold = run_trial(spec)
    assert warm.coco == cold.coco
    assert warm.outcome.improved_to == cold.outcome.improved_to
    for column in set(COLUMNS) - {"fit_seconds", "predict_seconds"}:
        np.testing.assert_array_equal(warm.trace[column], cold.trace[column])


def test_once_a_process_and_algorithm(plug_in: Callable[..., TrialSpec]) -> None:
    """Two trials: the plug-in is called thrice, first on a small problem of its own."""
    spec = plug_in("counts")
    for instance in (1, 2):
        run_trial(replace(spec, instance=instance))
    made = ALGORITHMS["counts"]
    assert made.function.__globals__["seen"] == [2, 3, 3]


@pytest.mark.parametrize(
    ("name", "error"),
    [("raises", "ValueError: by design"), ("leaves", "SystemExit: 3"), ("is-closed", "GeneratorExit")],
)
def test_what_fails_fails_as_in_a_trial(plug_in: Callable[..., TrialSpec], name: str, error: str) -> None:
    """An error of the warm-up is the trial's own, reported as ever."""
    failure = attempt(plug_in(name))
    assert isinstance(failure, TrialFailure)
    assert (failure.kind, failure.error) == (FailureKind.EXCEPTION, error)


@pytest.mark.usefixtures("clock")
def test_expensive_evaluations_end_it_early(plug_in: Callable[..., TrialSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four seconds an evaluation: there is no second one."""
    made, run = [], trial.run_algorithm

    def watched(spec: TrialSpec, problem: BudgetedProblem) -> float:
        made.append(problem)
        return run(spec, problem)

    monkeypatch.setattr(trial, "run_algorithm", watched)
    trial.warm_up(plug_in("takes-everything"))
    assert [problem.evaluations for problem in made] == [1]


def test_a_warm_up_without_end_is_a_trial_that_took_too_long(plug_in: Callable[..., TrialSpec]) -> None:
    """An algorithm that loops and never evaluates is ended by the trial's timeout."""
    with LocalWorkers(1, 1.0) as workers:
        (failure,) = results([plug_in("loops")], workers)
    assert isinstance(failure, TrialFailure)
    assert failure.kind == FailureKind.TIMEOUT
