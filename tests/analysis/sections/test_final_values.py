"""Final values are those of the trials, in figures and quantiles."""

import numpy as np
import pytest

from sacma.analysis.sections import find
from sacma.analysis.sections.final_values import final_values
from tests.analysis.figures.drawn import line, panel, points
from tests.analysis.figures.tables import SIX
from tests.analysis.figures.tables import final_values as table_of
from tests.analysis.made import compared, made

PROTOCOL = {"functions": "8", "dimensions": "2", "instances": "1-5", "budget": 100}
FOUND = {1: 3.0, 2: 0.5, 3: 1e-9, 4: 20.0, 5: 0.002}


def test_each_trial_is_a_point() -> None:
    """All values of an algorithm are there, at its place, below one another apart."""
    table = table_of(SIX)
    axes = panel(final_values(table, dimension=20), "f8 Rosenbrock")
    for position, name in enumerate(SIX):
        of = table.query("dimension == 20 and function == 8 and algorithm == @name")
        x, y = points(line(axes, name))
        assert y.tolist() == sorted(np.log10(of["delta_f"]))
        assert np.abs(x - position).max() <= 0.25
        assert len(set(x)) == len(x)


def test_quantiles() -> None:
    """On the log scale, as numpy has them; Δf below the target counts as the target."""
    findings = find(compared(made("cmaes", lambda spec: [(7, FOUND[spec.instance])], PROTOCOL)))
    values = np.log10([max(value, 1e-8) for value in FOUND.values()])
    (row,) = findings["final_values"].to_dict("records")
    names = ["best", "lower_quartile", "median", "upper_quartile", "worst"]
    assert [row[name] for name in names] == pytest.approx(10 ** np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert row["trials"] == 5
