"""The record of one trial: what it found, what it cost, where it ran, its trace and its COCO files, in one file.

A record file is

1. ``sacma-record 2 SHA256`` with the checksum of all that follows,
2. the trial's spec and outcome, and the lengths of the parts that follow, as one line of JSON,
3. the parts, deflated: COCO files and provenance as JSON, the trace as packed columns.

So what a study needs of thousands of trials is read without inflating what only merging needs.
"""

import hashlib
import json
import math
import zlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sacma.experiment.coco_data import CocoFiles
from sacma.experiment.plan import TrialSpec
from sacma.experiment.provenance import Provenance
from sacma.experiment.trace import Trace, pack_trace, unpack_trace

MAGIC = b"sacma-record 2 "

DEFLATE_LEVEL = 3
"""A tenth larger than with the usual 6, in half the time."""


class Status(StrEnum):
    """How a trial ended; or, where f is noisy and it goes on at its target, that it was there."""

    TARGET_HIT = "target hit"
    BUDGET_USED = "budget used"
    STOPPED = "stopped by itself"


class DamagedRecordError(ValueError):
    """A file is not a record, or not all of one, or that of another trial."""


@dataclass(frozen=True)
class CPUSeconds:
    """Where the CPU time of a trial went."""

    objective: float
    fit: float
    predict: float
    strategy: float
    other: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.objective + self.fit + self.predict + self.strategy + self.other


@dataclass(frozen=True)
class Outcome:
    """What a trial found and what it took.

    Args:
        status: how it ended.
        evaluations: true evaluations made.
        best_delta_f: lowest Δf of them.
        improved_at: evaluation number of each improvement of the best Δf, in order; where f is noisy, of those of the
            noise-free Δf that COCO's logger wrote.
        improved_to: Δf of each of them.
        true_generations: evaluated with f; the last may be cut short by the end of the trial.
        model_generations: evaluated with the model.
        restarts: of the strategy.
        fits: number of trainings by how they ended.
        cpu: CPU seconds.
    """

    status: Status
    evaluations: int
    best_delta_f: float
    improved_at: tuple[int, ...]
    improved_to: tuple[float, ...]
    true_generations: int
    model_generations: int
    restarts: int
    fits: Mapping[str, int]
    cpu: CPUSeconds

    def best_after(self, evaluations: float) -> float:
        """Return the best Δf after that many evaluations; inf before the first."""
        position = bisect_right(self.improved_at, evaluations)
        return self.improved_to[position - 1] if position else math.inf


@dataclass(frozen=True)
class TrialRecord:
    """All that is kept of one finished trial."""

    spec: TrialSpec
    outcome: Outcome
    trace: Trace
    coco: CocoFiles
    provenance: Provenance


@dataclass(frozen=True)
class FinishedTrial:
    """A trial's outcome and its record as the bytes of its file: what a worker hands over."""

    spec: TrialSpec
    outcome: Outcome
    content: bytes


@dataclass(frozen=True)
class RecordHead:
    """What the second line of a record file holds.

    Args:
        spec: of the trial.
        outcome: of the trial.
        environment: fingerprint of the environment that it ran in.
        parts: lengths of the parts that follow, in bytes, in their order.
    """

    spec: TrialSpec
    outcome: Outcome
    environment: str
    parts: Mapping[str, int]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


_PARTS: Mapping[str, Any] = {"coco": CocoFiles, "trace": Trace, "provenance": Provenance}


def finished(record: TrialRecord) -> FinishedTrial:
    """Return ``record`` as what a worker hands over."""
    return FinishedTrial(record.spec, record.outcome, encode(record))


def encode(record: TrialRecord) -> bytes:
    """Return ``record`` as the bytes of its file."""
    contents = {
        "coco": _json(vars(record.coco)),
        "trace": pack_trace(record.trace),
        "provenance": _json({**vars(record.provenance), "environment": record.provenance.environment.content}),
    }
    parts = {name: zlib.compress(content, DEFLATE_LEVEL) for name, content in contents.items()}
    head = {
        "spec": {field.name: getattr(record.spec, field.name) for field in fields(record.spec)},
        "outcome": {**vars(record.outcome), "cpu": vars(record.outcome.cpu)},
        "environment": record.provenance.environment.fingerprint,
        "parts": {name: len(part) for name, part in parts.items()},
    }
    body = b"\n".join([_json(head), b"".join(parts.values())])
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def decode_head(content: bytes) -> RecordHead:
    """Return what a record file says of its trial.

    Raises:
        DamagedRecordError: the file is not a complete record.
    """
    return _opened(content)[0]


def decode_head_of(spec: TrialSpec, content: bytes) -> RecordHead:
    """Return what a record file says of its trial, which must be ``spec``.

    Raises:
        DamagedRecordError: the file is not a complete record, or one of another trial.
    """
    return _head_of(spec, decode_head(content))


def _head_of(spec: TrialSpec, head: RecordHead) -> RecordHead:
    if head.spec != spec:
        same = "with other settings, budget or seed" if str(head.spec) == str(spec) else ""
        raise DamagedRecordError(f"it is the record of {head.spec} {same}".strip())
    return head


def decode(content: bytes, spec: TrialSpec | None = None) -> TrialRecord:
    """Return the whole record of a record file, which must be that of ``spec`` if it is given.

    Raises:
        DamagedRecordError: the file is not a complete record, or one of another trial.
    """
    head, body = _opened(content)
    if spec is not None:
        _head_of(spec, head)
    parts = {name: _part(head, body, name) for name in _PARTS}
    return TrialRecord(head.spec, head.outcome, **parts)


def _opened(content: bytes) -> tuple[RecordHead, bytes]:
    """Return head and parts of a record file whose checksum is right."""
    first, _, body = content.partition(b"\n")
    if first != MAGIC + hashlib.sha256(body).hexdigest().encode():
        version = first.startswith(b"sacma-record ") and not first.startswith(MAGIC)
        raise DamagedRecordError(
            "it is of another version of sacma" if version else "its checksum does not match its content"
        )
    line, _, parts = body.partition(b"\n")
    try:
        return _adapter(RecordHead).validate_json(line, strict=True), parts
    except ValidationError as error:
        raise DamagedRecordError(_reason(error)) from None


def _part(head: RecordHead, parts: bytes, name: str) -> Any:
    try:
        names = list(head.parts)
        start = sum(head.parts[other] for other in names[: names.index(name)])
        content = zlib.decompress(parts[start : start + head.parts[name]])
        if name == "trace":
            return unpack_trace(content)
        return _adapter(_PARTS[name]).validate_json(content, strict=True)
    except ValidationError as error:
        raise DamagedRecordError(_reason(error)) from None
    except (ValueError, zlib.error) as error:
        raise DamagedRecordError(f"it is not a record of this version of sacma: {error}") from None


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"it is not a record of this version of sacma: {where}: {first['msg']}"
