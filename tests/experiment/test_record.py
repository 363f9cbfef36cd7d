"""Record files: what is written is read, and what is damaged, forged or foreign is noticed."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sacma.config import Study
from sacma.experiment.plan import TrialSpec, plan
from sacma.experiment.record import (
    MAGIC,
    DamagedRecordError,
    TrialRecord,
    decode,
    decode_head,
    decode_head_of,
    encode,
)
from sacma.experiment.trace import write_traces
from sacma.experiment.trial import run_trial


@pytest.fixture
def record(study: Callable[..., Study]) -> TrialRecord:
    (spec,) = plan([study("ada_rd", functions="8", dimensions="2", instances="1", budget=40)])
    return run_trial(spec)


def test_decode_undoes_encode(record: TrialRecord) -> None:
    """Spec, outcome, trace, COCO files and provenance come back as they were, NaN included."""
    again = decode(encode(record))
    assert again.spec == record.spec
    assert again.spec.key == record.spec.key
    assert again.outcome == record.outcome
    assert again.coco == record.coco
    assert again.provenance == record.provenance
    for name, column in record.trace.items():
        np.testing.assert_array_equal(again.trace[name], column)
    head = decode_head_of(record.spec, encode(record))
    assert (head.spec, head.outcome) == (record.spec, record.outcome)
    assert head.environment == record.provenance.environment.fingerprint


def test_damage_is_noticed(record: TrialRecord) -> None:
    """Any flipped bit and any truncation raises DamagedRecordError and nothing else."""
    content = encode(record)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        with pytest.raises(DamagedRecordError):
            decode(bytes(damaged))
        with pytest.raises(DamagedRecordError):
            decode(content[: rng.integers(len(content))])


def forged(head: object, parts: bytes) -> bytes:
    body = json.dumps(head).encode() + b"\n" + parts
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def essentials(head: Any) -> object:
    """Return a head without the keys of its spec that have a default."""
    optional = {field.name for field in fields(TrialSpec) if field.default is not MISSING}
    return {**head, "spec": {key: value for key, value in head["spec"].items() if key not in optional}}


def test_forgeries_are_noticed(record: TrialRecord) -> None:
    """With a right checksum: every field of the head gone or of another type, and parts that are not there."""
    _, line, parts = encode(record).split(b"\n", 2)
    head = json.loads(line)
    assert decode_head(forged(head, parts)).spec == record.spec

    def variants(node: object) -> list[object]:
        """All copies of a tree of JSON with one leaf or branch gone, or replaced."""
        if not isinstance(node, dict):
            return [None, "text", [[1]], {"a": 1}]
        gone = [{k: v for k, v in node.items() if k != key} for key in node]
        changed = [{**node, key: other} for key in node for other in variants(node[key])]
        return [*gone, *changed, None, 1]

    tried = 0
    for other in variants(head):
        content = forged(other, parts)
        try:
            decode(content)
        except DamagedRecordError:
            continue
        # What is left is a record of something else, says something else of the same trial, or leaves out what has a
        # default: older records do.
        tried += 1
        found = decode_head(content)
        same = found.spec == record.spec and found.outcome == record.outcome and found.environment != "text"
        assert not same or essentials(other) == essentials(head)
    assert tried < 20
    for parts_of in (b"", b"x" * len(parts), parts[:-10]):
        with pytest.raises(DamagedRecordError):
            decode(forged(head, parts_of))


def test_record_of_another_trial(record: TrialRecord, study: Callable[..., Study]) -> None:
    """A record under another's name is told apart, also if only its settings differ."""
    (other,) = plan([study("ada_rd", functions="8", dimensions="2", instances="1", budget=41)])
    with pytest.raises(DamagedRecordError, match="with other settings, budget or seed"):
        decode_head_of(other, encode(record))


def test_traces_make_one_small_file(record: TrialRecord, tmp_path: Path) -> None:
    """The file has the trials' places and all columns, in narrow types."""
    write_traces(tmp_path / "t.parquet", [(record.spec, record.trace)] * 2)
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert len(frame) == 2 * len(record.trace["generation"])
    assert {"function", "dimension", "instance", *record.trace} == set(frame.columns)
    assert set(frame["function"]) == {8}
    assert frame["sigma"].dtype == "float32"
    assert frame["evaluated_by"].dtype == "category"
    np.testing.assert_allclose(frame["sigma"][: len(frame) // 2], record.trace["sigma"], rtol=1e-6)


def test_no_traces_make_a_file(tmp_path: Path) -> None:
    """Of no trial at all there is a file too, with all columns."""
    write_traces(tmp_path / "t.parquet", [])
    assert pd.read_parquet(tmp_path / "t.parquet").empty
