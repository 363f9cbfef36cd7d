"""The record of a trial in one file: outcome, cost, provenance, trace and COCO files.

A record file is

1. ``sacma-record 2 SHA256`` with the checksum of the rest,
2. the trial's spec and outcome, and the lengths of the parts that follow, as one line of JSON,
3. the parts, deflated: COCO files and provenance as JSON, the trace as packed columns.

Every reader decodes all of it and rejects what no trial can produce; see ``record_checks``.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from pydantic import with_config

from sacma.coco.writer import CocoFiles
from sacma.config.plan import TrialSpec
from sacma.files.printable import one_line
from sacma.files.untrusted import parse_json_as
from sacma.store import record_checks as checks
from sacma.store.outcome import CPUSeconds, DamagedRecordError, Outcome
from sacma.store.provenance import Environment, Provenance
from sacma.store.trace import Trace, pack_trace, unpack_trace

MAGIC = b"sacma-record 2 "

DEFLATE_LEVEL = 3
"""A tenth larger than with zlib's default, 6, in half the time."""

MOST_BYTES = {"head": 16 << 20, "coco": 32 << 20, "trace": 128 << 20, "provenance": 1 << 16}
"""Largest head and inflated parts: those of a trial of some 10 million evaluations."""


@dataclass(frozen=True)
class TrialRecord:
    """The complete record of a finished trial."""

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
    """The result of a worker: a trial's outcome and the bytes of its record file."""

    spec: TrialSpec
    outcome: Outcome
    content: bytes


@dataclass(frozen=True)
class RecordHead:
    """A record without its trace and files, enough for most analyses; ``environment`` is a fingerprint."""

    spec: TrialSpec
    outcome: Outcome
    environment: str


@dataclass(frozen=True)
class _Head:
    """The second line of a record file; ``environment`` is a fingerprint, ``parts`` the sizes of the parts."""

    spec: TrialSpec
    outcome: Outcome
    environment: str
    parts: Mapping[str, int]


_Kind = TypeVar("_Kind")


_PARTS = ("coco", "trace", "provenance")


def finished(record: TrialRecord) -> FinishedTrial:
    """Encode ``record``; raise DamagedRecordError if no reader would accept it."""
    content = encode(record)
    decode(content, record.spec)
    return FinishedTrial(record.spec, record.outcome, content)


def encode(record: TrialRecord) -> bytes:
    """Return the bytes of the file of ``record``."""
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
    """Return the record in a record file, which must be that of ``spec`` if given; all readers call this function.

    Raises DamagedRecordError if it is incomplete, of another trial, or impossible.
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
    """Check the magic line and return the head and the parts of a record file."""
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
    try:
        return parse_json_as(kind, content)
    except ValueError as error:
        raise DamagedRecordError(f"it is not a record of this version of sacma: {error}") from None


for _kind in (_Head, TrialSpec, Outcome, CPUSeconds, CocoFiles, Provenance, Environment):
    with_config(extra="forbid")(_kind)


def _unpacked(content: bytes) -> Trace:
    try:
        return unpack_trace(content)
    except ValueError as error:
        raise DamagedRecordError(f"its trace cannot be read: {one_line(str(error), 200)}") from None


def _inflated(deflated: memoryview, most: int) -> bytes:
    """Inflate at most ``most`` bytes."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(deflated, most)
    except zlib.error:
        raise DamagedRecordError("a part of it cannot be inflated") from None
    if not inflater.eof or inflater.unused_data:
        raise DamagedRecordError("a part of it is not complete, or too large")
    return content
