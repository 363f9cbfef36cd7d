"""The page has the best Δf of each trial, such that ranks of some are those of their values."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from sacma.analysis.sections import find
from sacma.analysis.sections.trials import PARTS, PARTS_OF_MANY, SECTION, levels_of
from sacma.analysis.tables import tied
from tests.analysis.made import compared, made


@given(
    st.lists(st.floats(-8, 12) | st.sampled_from([0.5, 0.5 + 1e-10, -3.0, math.inf]), min_size=1, max_size=400),
    st.sampled_from([PARTS, PARTS_OF_MANY]),
)
def test_levels_keep_order_and_ties(values: list[float], parts: int) -> None:
    """Numbers of levels rank as the values do, and each level is as near to its values as parts allow."""
    logs = np.array(values)
    steps, numbers = levels_of(logs, parts)
    assert rankdata(numbers).tolist() == rankdata(tied(logs)).tolist()
    levels = np.append(np.cumsum(steps) / parts, math.inf)
    assert ((level := levels[numbers]) == math.inf).tolist() == np.isinf(logs).tolist()
    finite = np.isfinite(logs)
    assert np.abs(level[finite] - logs[finite]).max(initial=0) <= 0.5 / parts + 1e-8
    assert all(step >= 0 for step in steps[1:])


def test_chart() -> None:
    """The page has Δf of each trial, with its instance; what another study has is not compared."""
    found = {1: 3.0, 2: 0.5, 3: 1e-9, 4: 20.0, 5: 0.002}
    protocol = {"functions": "8", "dimensions": "2", "instances": "1-5", "budget": 100}
    findings = find(compared(made("cmaes", lambda spec: [(7, found[spec.instance])], protocol)))
    assert SECTION.chart is not None
    chart = SECTION.chart(findings)
    assert chart["parts"] == PARTS
    assert chart["instances"] == {"2": {"8": {"": [1, 2, 3, 4, 5]}}}
    levels = np.rint([PARTS * np.log10(max(value, 1e-8)) for value in sorted(found.values())]).astype(int)
    trials = {"": np.diff(levels, prepend=0).tolist(), "CMA-ES": [3, 2, 0, 4, 1]}
    assert chart["values"] == {"2": {budget: {"8": trials} for budget in ("25·D", "50·D", "83.33·D", "100·D")}}
