"""Record files: what is written is read, and what is damaged, forged or foreign is noticed."""

import json
import re
import zlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.trial import run_trial
from sacma.store.outcome import DamagedRecordError
from sacma.store.record import LARGEST_BODY, TrialRecord, decode, decode_head, encode
from sacma.store.trace import COLUMNS, pack_trace, write_traces
from tests.store.forgeries import dumps, opened, packed, places, sealed


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
    assert pack_trace(again.trace) == pack_trace(record.trace)
    assert decode_head(encode(record)) == record.head
    assert again.head.environment == record.provenance.environment.fingerprint


def test_damage_is_noticed(record: TrialRecord) -> None:
    """Any flipped bit and any truncation raises DamagedRecordError and nothing else."""
    content = encode(record)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        for short in (bytes(damaged), content[: rng.integers(len(content))]):
            with pytest.raises(DamagedRecordError):
                decode_head(short)


def test_every_key_of_a_record_is_needed_and_none_is_added(record: TrialRecord) -> None:
    """A head without one of its keys, with one more, or with one of another type is refused."""
    head, parts = opened(encode(record))
    for *way, key in places(head):
        for change in ("gone", "added", "text"):
            changed = deepcopy(head)
            parent: Any = changed
            for step in way:
                parent = parent[step]
            if change == "gone":
                del parent[key]
            elif change == "added" and isinstance(parent, dict):
                parent["new"] = 1
            elif isinstance(parent[key], str):
                parent[key] = 7
            else:
                parent[key] = "text"
            with pytest.raises(DamagedRecordError):
                decode(packed(changed, parts), record.spec)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evaluations": 10**30}, "evaluations of"),
        ({"evaluations": -1}, "greater than 0"),
        ({"best_delta_f": -5.0}, "best Δf"),
        ({"improved_to": [-5.0]}, "lack an evaluation"),
        ({"status": "stopped by itself"}, "its status is"),
        ({"true_generations": -1}, "greater than or equal to 0"),
        ({"restarts": 7}, "restarts or fits than the outcome"),
        ({"fits": {"trained": 10**12}}, "less than"),
        ({"fits": {}}, "restarts or fits than the outcome"),
    ],
)
def test_what_no_trial_can_have_is_said(record: TrialRecord, changes: dict[str, Any], reason: str) -> None:
    """An outcome that is impossible, or that the other parts contradict, is refused with the reason."""
    head, parts = opened(encode(record))
    with pytest.raises(DamagedRecordError, match=reason):
        decode(packed({**head, "outcome": {**head["outcome"], **changes}}, parts), record.spec)


@pytest.mark.parametrize(
    "attribute",
    [
        *("folder = '../elsewhere'", "reference_values_hash = '\\input{x}'", "data_format = 'bbob-biobj'", "dim = 5"),
        *("indicator = 'hyp'", "algId = 'other'", "suite = 'bbob-noisy'", "settings = 'x'", "logger = 'x'"),
    ],
)
def test_no_attribute_is_believed(record: TrialRecord, attribute: str) -> None:
    """A record with one that is not COCO's is refused: cocopp would take it for one of its own."""
    header, data = record.coco.header, record.coco.data
    key = attribute.partition(" ")[0]
    forged = [
        replace(record.coco, header=f"{header}, {attribute}"),
        replace(record.coco, header=f"{attribute}, {header}"),
    ]
    if f"{key} = " in header:
        forged.append(replace(record.coco, header=re.sub(rf"{key} = '?[^,']*'?", attribute.replace("\\", ""), header)))
    heads = {suffix: text.replace(" | x1", f" | x1, {attribute}") for suffix, text in data.items()}
    forged.append(replace(record.coco, data=heads))
    for coco in forged:
        with pytest.raises(DamagedRecordError, match=r"of another trial|not a data file|not those of a trial"):
            decode(encode(replace(record, coco=coco)))


def test_no_evaluation_of_constraints_is_believed(record: TrialRecord) -> None:
    """No trial has any, and cocopp would add the second column to the evaluations."""
    forged = {suffix: re.sub(r"(?m)^(\d+) 0 ", r"\1 9 ", text) for suffix, text in record.coco.data.items()}
    with pytest.raises(DamagedRecordError, match=r"COCO's \.dat file"):
        decode(encode(replace(record, coco=replace(record.coco, data=forged))))


def test_what_inflates_without_end_is_not_inflated(record: TrialRecord) -> None:
    """A body that would be larger than any real one is refused."""
    head, _ = opened(encode(record))
    with pytest.raises(DamagedRecordError, match="not complete, or too large"):
        decode(sealed(dumps(head), zlib.compress(bytes(LARGEST_BODY + 1))), record.spec)


def test_infinite_values_are_no_improvement(record: TrialRecord) -> None:
    """Rows of COCO's files with Δf = inf, or NaN, contradict any outcome."""
    head, parts = opened(encode(record))
    for value in ("inf", "nan"):
        coco = json.loads(parts["coco"])
        coco["data"]["dat"] = re.sub(r"(?m)^(\d+ 0) \S+", rf"\1 {value}", coco["data"]["dat"])
        with pytest.raises(DamagedRecordError, match="another Δf"):
            decode(packed(head, {**parts, "coco": dumps(coco)}), record.spec)


def test_record_of_another_trial(record: TrialRecord, study: Callable[..., Study]) -> None:
    """A record under another's name is told apart, also if only its settings differ."""
    (other,) = plan([study("ada_rd", functions="8", dimensions="2", instances="1", budget=41)])
    with pytest.raises(DamagedRecordError, match="with other settings, budget or seed"):
        decode(encode(record), other)


def test_traces_make_one_small_file(record: TrialRecord, tmp_path: Path) -> None:
    """The file has the trials' places and all columns, in narrow types."""
    write_traces(tmp_path / "t.parquet", [(record.spec, record.trace)] * 2)
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert len(frame) == 2 * len(record.trace)
    assert {"function", "dimension", "instance", *COLUMNS} == set(frame.columns)
    assert set(frame["function"]) == {8}
    assert frame["sigma"].dtype == "float32"
    assert frame["evaluated_by"].dtype == "category"
    np.testing.assert_allclose(frame["sigma"][: len(frame) // 2], record.trace["sigma"], rtol=1e-6)


def test_no_traces_make_a_file(tmp_path: Path) -> None:
    """Of no trial at all there is a file too, with all columns."""
    write_traces(tmp_path / "t.parquet", [])
    assert pd.read_parquet(tmp_path / "t.parquet").empty
