"""Training sets such as an optimizer may leave behind at its worst; 20,000 of them in ``make torture``."""

import pytest

from tests.sizes import sizes
from tests.surrogate.adversarial import outcomes


@sizes("count", small=500, full=5_000)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_a_model_or_a_status_comes_out(seed: int, count: int) -> None:
    """No exception, no prediction that is not finite; what is not trained has constant values."""
    counts = outcomes(count, seed)
    statuses = {status for *_, status in counts}
    assert statuses <= {"trained", "constant values"}
    assert sum(number for (*_, status), number in counts.items() if status == "trained") > 0.8 * count
    assert not any(of_values in {"smooth", "one outlier"} for _, of_values, status in counts if status != "trained")
