"""The page has the best Δf of each trial, such that ranks of some are those of their values."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from sacma.analysis.sections import find
from sacma.analysis.sections.trials import INFINITE, PARTS, PARTS_OF_MANY, SECTION, in_whole_parts
from sacma.analysis.tables import tied
from tests.analysis.made import compared, made


@given(
    st.lists(st.floats(-8, 12) | st.sampled_from([0.5, 0.5 + 1e-10, -3.0, math.inf]), min_size=1, max_size=40),
    st.sampled_from([PARTS, PARTS_OF_MANY]),
)
def test_whole_parts_keep_order_and_ties(values: list[float], parts: int) -> None:
    """Numbers for the page rank as the values do, and are as close to them as their number allows."""
    logs = np.array(values)
    whole = np.array(in_whole_parts(logs, parts))
    assert rankdata(whole).tolist() == rankdata(tied(logs)).tolist()
    finite = np.isfinite(logs)
    assert (whole == INFINITE).tolist() == (~finite).tolist()
    assert np.abs(whole[finite] / parts - logs[finite]).max(initial=0) <= len(values) / parts


def test_chart() -> None:
    """The page has Δf of each trial, with its instance; what another study has is not compared."""
    found = {1: 3.0, 2: 0.5, 3: 1e-9, 4: 20.0, 5: 0.002}
    protocol = {"functions": "8", "dimensions": "2", "instances": "1-5", "budget": 100}
    findings = find(compared(made("cmaes", lambda spec: [(7, found[spec.instance])], protocol)))
    assert SECTION.chart is not None
    chart = SECTION.chart(findings)
    assert chart["parts"] == PARTS
    assert chart["instances"] == {"2": {"8": {"": [1, 2, 3, 4, 5]}}}
    values = np.rint([PARTS * np.log10(max(value, 1e-8)) for value in found.values()]).tolist()
    assert chart["values"] == {
        "2": {budget: {"8": {"CMA-ES": values}} for budget in ("25·D", "50·D", "83.33·D", "100·D")}
    }
