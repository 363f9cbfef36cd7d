"""States of algorithms in a report, as they were logged."""

from pathlib import Path

import pandas as pd

from tests.commands import reported, successful

CODE = """
import sacma


@sacma.algorithm("steps")
def steps(problem, rng):
    for number in range(30):
        problem(rng.random(problem.dimension))
        problem.log(restarts=0, number=number)
"""


def test_numbers_that_stay_zero_are_kept(tmp_path: Path) -> None:
    """No restart is a result, too."""
    (tmp_path / "steps.py").write_text(CODE)
    (tmp_path / "steps.yaml").write_text("name: steps\nalgorithm: steps\n")
    problems = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)
    successful("run", "steps.yaml", "--algorithm-file", "steps.py", *problems, "--jobs", 1, cwd=tmp_path)
    reported("results", "--jobs", 1, cwd=tmp_path)
    table = pd.read_csv(tmp_path / "results" / "report" / "tables" / "strategy.csv")
    assert (table.query("quantity == 'restarts'")["value"] == 0).sum() == (table["quantity"] == "number").sum() > 3
