"""Runs on the problems of the literature: counted, kept, gone on with, ranked; and the script from end to end."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.real import statistics, tables
from benchmarks.real.budgeted import BudgetedObjective, BudgetUsedError
from benchmarks.real.catalogue import PROBLEMS
from benchmarks.real.optimizers import OPTIMIZERS
from benchmarks.real.runs import RunKey, RunRecord, append, initial_point, perform, read
from tests.test_scripts import run

INSTALLED = [name for name, optimizer in OPTIMIZERS.items() if not optimizer.missing()]
GIVEN_ITS_START = {"sacma", "Py-BOBYQA", "Optuna TPE", "Optuna CMA-ES", "Optuna GP", "Nevergrad NGOpt", "TuRBO"}


def record(problem: str, optimizer: str, seed: int, *values: float, start: float = 100.0) -> RunRecord:
    """A run whose evaluations have such values."""
    improvements = [(n, value) for n, value in enumerate(values, 1) if value < min((*values[: n - 1], math.inf))]
    return RunRecord(RunKey(problem, optimizer, seed, 5), start, improvements, len(values), 0, 0.1, "package 1")


def test_evaluations_are_counted() -> None:
    """Failures, too; one beyond the budget is refused, and improvements are kept with their numbers."""
    regulator = PROBLEMS["voltage regulator"]
    objective = BudgetedObjective(regulator, 4)
    unstable, stable, better = np.array([1.0, 1, 0]), np.full(3, 0.9), np.array([0.438, 0.5389, 0.2458])
    assert objective.finite(unstable) > 1e3
    assert objective.finite(stable) == objective.finite(unstable)
    value = objective(better)
    assert value < regulator.at(stable)
    assert objective.improvements == [(2, regulator.at(stable)), (4, value)]
    assert (objective.evaluations, objective.failures) == (4, 2)
    with pytest.raises(BudgetUsedError):
        objective(stable)
    assert objective.evaluations == 4


@pytest.mark.parametrize("name", INSTALLED)
def test_every_optimizer(name: str) -> None:
    """It uses the budget, comes to something, and does the same again."""
    key = RunKey("pollutant", name, 1, 5)
    done = perform(key)
    assert done.evaluations == 20
    assert done.improvements[-1][1] < done.start
    assert done.start == PROBLEMS["pollutant"].at(initial_point("pollutant", 1))
    if name in GIVEN_ITS_START:
        evaluation, value = done.improvements[0]
        assert evaluation == 1
        assert value == pytest.approx(done.start)
    assert perform(key).improvements == done.improvements


def test_runs_are_kept(tmp_path: Path) -> None:
    """As they were, values to ten digits; a line that a kill has cut off is left out, and the next is whole."""
    first, second = (record("gas oil", "random search", seed, 0.1 + seed, 0.3333333333) for seed in (1, 2))
    append(tmp_path, first)
    (path,) = tmp_path.iterdir()
    with path.open("a") as file:
        file.write(json.dumps(dataclasses.asdict(second))[:-20])
    append(tmp_path, second)
    append(tmp_path, record("gas oil", "random search", 3, 1 / 3))
    assert list(read(tmp_path)) == [first, second, record("gas oil", "random search", 3, 0.3333333333)]


def test_ranks() -> None:
    """Of each seed, with ties where six digits agree; the problem's are means over seeds that are complete."""
    records = [
        record("gas oil", "A", 1, 3.0, 1.0),
        record("gas oil", "B", 1, 2.0, 1.0000001),
        record("gas oil", "A", 2, 1.0),
        record("gas oil", "B", 2, 2.0),
        record("gas oil", "A", 3, 1.0),
        record("pollutant", "A", 1, 2.0),
        record("pollutant", "B", 1),
    ]
    table = statistics.table_of(records, budgets=(5,))
    assert table["value"].tolist()[-1] == math.inf
    ranks = statistics.problem_ranks(table).set_index(["problem", "optimizer"])
    assert ranks["rank"].to_dict() == {
        ("gas oil", "A"): 1.25,
        ("gas oil", "B"): 1.75,
        ("pollutant", "A"): 1.0,
        ("pollutant", "B"): 2.0,
    }
    assert ranks["seeds"].tolist() == [2, 2, 1, 1]
    means = statistics.mean_ranks(ranks.reset_index()).set_index("optimizer")
    assert means["mean_rank"].to_dict() == {"A": 1.125, "B": 1.875}
    assert means[["low", "high"]].to_numpy().tolist()[0] == [1.0, 1.25]
    assert set(means["half"]) == {"development"}


def test_data_profiles() -> None:
    """The share of runs that are a given part of the way from their start to the best value, problems alike."""
    records = [
        record("gas oil", "A", 1, 50.0, 50.0, 50.0, 1.0),  # three evaluations a dimension
        record("gas oil", "A", 2, 50.0),
        record("pollutant", "A", 1, 1.0),
    ]
    profile = statistics.data_profiles(records, 0.1).set_index("evaluations")["share"]
    assert profile.to_dict() == {1: 0.5, 2: 0.75, 3: 0.75, 4: 0.75, 5: 0.75}
    times = statistics.running_times([*records, record("pollutant", "B", 1, 50.0, 1.0)], 0.1)
    assert times["A"].to_dict() == {"gas oil": 5.0, "pollutant": 1.0}  # four evaluations and one, a success
    lines = list(tables.time_lines(times, 0.1, "A"))
    assert lines[0].startswith("| evaluations to 90.0% | A | B |")
    assert lines[-2:] == ["| over A, median | 1 | 2 |", "| fewer than A, problems | 0 | 0 |"]


def test_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """What is there is not run again, what is missing is; tables and charts are made of both."""
    options = ["--results", str(tmp_path), "--problems", "gas oil,pollutant", "--optimizers", "cmaes,SciPy COBYQA"]
    small = [*options, "--budget", "10", "--seeds"]
    run("benchmarks/real_problems.py", [*small, "1"], monkeypatch)
    first = capfd.readouterr()
    assert "0 of 4 runs are there" in first.err
    kept = {path.name: path.read_text() for path in tmp_path.glob("*.jsonl")}
    assert set(kept) == {"cmaes.jsonl", "SciPy_COBYQA.jsonl"}
    run("benchmarks/real_problems.py", [*small, "2", "--images", str(tmp_path)], monkeypatch)
    second = capfd.readouterr()
    assert "4 of 8 runs are there" in second.err
    assert all((tmp_path / name).read_text().startswith(text) for name, text in kept.items())
    for text in ("| mean rank at | 5·D | 10·D |", "| median at 10·D | SciPy COBYQA | cmaes |", "scipy"):
        assert text in second.out
    charts = {f"real_problems_{name}_development" for name in ("ranks", "profiles")}
    assert {path.stem for path in tmp_path.glob("*.svg")} == charts | {f"{name}_narrow" for name in charts}
    run("benchmarks/real_problems.py", [*small, "2", "--report"], monkeypatch)
    assert capfd.readouterr().out == second.out
