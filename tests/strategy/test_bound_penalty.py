"""The penalty and its repair against pycma's own, bit by bit."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sacma.strategy.pycma import bound_penalty, pycma

NUMBERS = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf]) | st.floats(-3, 3)
LOWS = st.sampled_from([None, -np.inf, -1.0, -0.0, 0.0])
HIGHS = st.sampled_from([None, np.inf, 1.0, 0.5])


@given(st.lists(st.tuples(NUMBERS, LOWS, HIGHS), min_size=1, max_size=6), st.sampled_from([True, False]))
def test_it_repairs_as_pycma_does(
    coordinates: list[tuple[float, float | None, float | None]],
    copy: bool,  # noqa: FBT001 generated
) -> None:
    x = np.array([value for value, *_ in coordinates])
    bounds = [[low for _, low, _ in coordinates], [high for *_, high in coordinates]]
    ours, theirs = bound_penalty()(bounds), pycma().BoundPenalty(bounds)
    assume(theirs.has_bounds())  # pycma does not use it otherwise
    mine, its = x.copy(), x.copy()
    repaired, expected = ours.repair(mine, copy), theirs.repair(its, copy)
    assert np.array(repaired).tobytes() == np.array(expected, dtype=float).tobytes()
    assert mine.tobytes() == its.tobytes()
    assert (repaired is mine) == (expected is its)


@pytest.mark.parametrize("dimension", [1, 3, 12])
def test_its_penalties_are_those_of_pycma(dimension: int) -> None:
    cma, found = pycma(), []
    for handler in (bound_penalty(), cma.BoundPenalty):
        options = {"BoundaryHandler": handler, "bounds": [-1.0, 1.0], "verbose": -10, "maxstd": np.inf, "seed": 1}
        es = cma.CMAEvolutionStrategy([0.9] * dimension, 0.5, options)
        for _ in range(20):
            proposed = es.ask()
            sampled = list(es.mean + es.sigma * es.ary)  # outside the box, too: only their penalty is not 0
            es.tell(sampled, [float(np.sum((x - 2.0) ** 2)) for x in proposed], check_points=False)
        found.append((es.mean.tobytes(), es.sigma, list(es.fit.bndpen)))
        assert any(found[-1][2])
    assert found[0] == found[1]
