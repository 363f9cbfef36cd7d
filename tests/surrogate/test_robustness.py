"""20,000 training sets such as an optimizer may leave behind at its worst."""

import pytest

from tests.surrogate.adversarial import outcomes


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_a_model_or_a_status_comes_out(seed: int) -> None:
    """5,000 sets: no exception, no prediction that is not finite; what is not trained has constant values."""
    counts = outcomes(5_000, seed)
    statuses = {status for *_, status in counts}
    assert statuses <= {"trained", "constant values"}
    assert sum(count for (*_, status), count in counts.items() if status == "trained") > 4_000
    assert not any(of_values in {"smooth", "one outlier"} for _, of_values, status in counts if status != "trained")
