"""The record of one trial: what it found, what it cost, where it ran, its trace and its COCO files, in one file.

A record file is

1. ``sacma-record 2 SHA256`` with the checksum of all that follows,
2. the trial's spec and outcome, and the lengths of the parts that follow, as one line of JSON,
3. the parts, deflated: COCO files and provenance as JSON, the trace as packed columns.

Every reader decodes all of it, and refuses what no trial can have found.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from sacma.coco.writer import CocoFiles
from sacma.config.plan import TrialSpec
from sacma.files.printable import one_line
from sacma.store import record_checks as checks
from sacma.store.outcome import CPUSeconds, DamagedRecordError, Outcome
from sacma.store.provenance import Environment, Provenance
from sacma.store.trace import Trace, pack_trace, unpack_trace

MAGIC = b"sacma-record 2 "

DEFLATE_LEVEL = 3
"""A tenth larger than with the usual 6, in half the time."""

MOST_BYTES = {"head": 16 << 20, "coco": 32 << 20, "trace": 128 << 20, "provenance": 1 << 16}
"""Size of the head and of the inflated parts: those of a trial of some 10 million evaluations."""


@dataclass(frozen=True)
class TrialRecord:
    """All that is kept of one finished trial."""

    spec: TrialSpec
    outcome: Outcome
    trace: Trace
    coco: CocoFiles
    provenance: Provenance

    @property
    def head(self) -> "RecordHead":
        """The record without its trace and its files."""
        return RecordHead(self.spec, self.outcome, self.provenance.environment.fingerprint)


@dataclass(frozen=True)
class FinishedTrial:
    """A trial's outcome and its record as the bytes of its file: what a worker hands over."""

    spec: TrialSpec
    outcome: Outcome
    content: bytes


@dataclass(frozen=True)
class RecordHead:
    """A record without its trace and its files: enough for most analyses, and small.

    Args:
        spec: of the trial.
        outcome: of the trial.
        environment: fingerprint of the environment that it ran in.
    """

    spec: TrialSpec
    outcome: Outcome
    environment: str


@dataclass(frozen=True)
class _Head:
    """The second line of a record file.

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


_Kind = TypeVar("_Kind")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


_PARTS = ("coco", "trace", "provenance")


def finished(record: TrialRecord) -> FinishedTrial:
    """Return ``record`` as what a worker hands over.

    Raises:
        DamagedRecordError: no reader would accept it.
    """
    content = encode(record)
    decode(content, record.spec)
    return FinishedTrial(record.spec, record.outcome, content)


def encode(record: TrialRecord) -> bytes:
    """Return ``record`` as the bytes of its file."""
    contents = {
        "coco": _json(vars(record.coco)),
        "trace": pack_trace(record.trace),
        "provenance": _json({**vars(record.provenance), "environment": record.provenance.environment.content}),
    }
    parts = {name: zlib.compress(content, DEFLATE_LEVEL) for name, content in contents.items()}
    lengths = {name: len(part) for name, part in parts.items()}
    head = _Head(record.spec, record.outcome, record.provenance.environment.fingerprint, lengths)
    body = b"\n".join([_head_json(head), b"".join(parts.values())])
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _head_json(head: _Head) -> bytes:
    spec = {field.name: getattr(head.spec, field.name) for field in fields(head.spec)}
    return _json({**vars(head), "spec": spec, "outcome": {**vars(head.outcome), "cpu": vars(head.outcome.cpu)}})


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def decode(content: bytes, spec: TrialSpec | None = None) -> TrialRecord:
    """Return the record that a record file holds, which must be that of ``spec`` if it is given.

    All readers of records go through here. What passes is what a trial can have found: see ``record_checks``.

    Raises:
        DamagedRecordError: the file is not a complete record, one of another trial, or one that no trial can have.
    """
    head, body = _opened(content)
    if spec is None:
        checks.check_spec(head.spec)
    elif head.spec != spec:
        same = "with other settings, budget or seed" if head.spec.place == spec.place else ""
        raise DamagedRecordError(f"it is the record of another trial {same}".strip())
    checks.check_outcome(head.spec, head.outcome)
    if tuple(head.parts) != _PARTS or min(head.parts.values()) < 0 or sum(head.parts.values()) != len(body):
        raise DamagedRecordError("its parts are not those of a record")
    start, parts = 0, []
    for name, length in head.parts.items():
        parts.append(_inflated(body[start : start + length], MOST_BYTES[name]))
        start += length
    coco, trace, provenance = parts
    record = TrialRecord(
        spec or head.spec,
        head.outcome,
        _unpacked(trace),
        _validated(CocoFiles, coco),
        _validated(Provenance, provenance).interned(),
    )
    checks.check_coco(record.spec, record.outcome, record.coco)
    checks.check_trace(record.outcome, record.trace)
    checks.check_provenance(record.provenance, head.environment)
    return record


def _opened(content: bytes) -> tuple[_Head, memoryview]:
    """Return head and parts of a record file whose checksum is right."""
    first, _, body = content.partition(b"\n")
    if first != MAGIC + hashlib.sha256(body).hexdigest().encode():
        version = first.startswith(b"sacma-record ") and not first.startswith(MAGIC)
        raise DamagedRecordError(
            "it is of another version of sacma" if version else "its checksum does not match its content"
        )
    end = body.find(b"\n", 0, MOST_BYTES["head"])
    if end < 0:
        raise DamagedRecordError("it has no head")
    return _validated(_Head, body[:end]), memoryview(body)[end + 1 :]


def _validated(kind: type[_Kind], content: bytes) -> _Kind:
    """Return what JSON holds, which has all the keys of ``kind`` and no other."""
    try:
        found: _Kind = _adapter(cast("Any", kind)).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        reason = one_line(f"it is not of this version of sacma: {where}: {first['msg']}", 200)
        raise DamagedRecordError(reason) from None
    return found


for _kind in (_Head, TrialSpec, Outcome, CPUSeconds, CocoFiles, Provenance, Environment):
    with_config(ConfigDict(extra="forbid"))(_kind)


def _unpacked(content: bytes) -> Trace:
    try:
        return unpack_trace(content)
    except ValueError as error:
        raise DamagedRecordError(f"its trace cannot be read: {one_line(str(error), 200)}") from None


def _inflated(deflated: memoryview, most: int) -> bytes:
    """Return what is deflated, unless it is more than ``most`` bytes."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(deflated, most)
    except zlib.error:
        raise DamagedRecordError("a part of it cannot be inflated") from None
    if not inflater.eof or inflater.unused_data:
        raise DamagedRecordError("a part of it is not complete, or too large")
    return content
