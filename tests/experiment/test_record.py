"""Record files: what is written is read, and what is damaged is noticed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sacma.config import Study
from sacma.experiment.plan import plan
from sacma.experiment.record import DamagedRecordError, TrialRecord, decode, decode_outcome, encode
from sacma.experiment.trace import trace_frame, write_traces
from sacma.experiment.trial import run_trial


@pytest.fixture
def record(study: Callable[..., Study]) -> TrialRecord:
    (spec,) = plan([study("ada_rd", functions="8", dimensions="2", instances="1", budget=40)])
    return run_trial(spec)


def test_decode_undoes_encode(record: TrialRecord) -> None:
    """Spec, outcome, trace and COCO files come back as they were, NaN included."""
    again = decode(encode(record))
    assert again.spec == record.spec
    assert again.spec.key == record.spec.key
    assert again.outcome == record.outcome
    assert again.coco == record.coco
    for name, column in record.trace.items():
        np.testing.assert_array_equal(again.trace[name], column)
    assert decode_outcome(encode(record)) == (record.spec, record.outcome)


def test_damage_is_noticed(record: TrialRecord) -> None:
    """Any flipped bit and any truncation raises DamagedRecordError and nothing else."""
    content = encode(record)
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        with pytest.raises(DamagedRecordError):
            decode(bytes(damaged))
        with pytest.raises(DamagedRecordError):
            decode(content[: rng.integers(len(content))])


def test_traces_make_one_small_file(record: TrialRecord, tmp_path: Path) -> None:
    """The frame has the trial's place and all columns, in narrow types, and so has the file of several."""
    single = trace_frame(record.spec, record.trace)
    write_traces(tmp_path / "t.parquet", [single, single])
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert len(frame) == 2 * len(single) == 2 * len(record.trace["generation"])
    assert {"function", "dimension", "instance", *record.trace} == set(frame.columns)
    assert set(frame["function"]) == {8}
    assert frame["sigma"].dtype == "float32"
    assert frame["evaluated_by"].dtype == "category"
