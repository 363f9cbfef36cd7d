"""The record of a trial in one file: outcome, cost, provenance, trace and COCO files.

A record file is

1. ``sacma-record 3``,
2. the head as one line of JSON: spec, outcome, and the fingerprint of the environment,
3. the body, deflated: COCO files and provenance as one line of JSON, the trace as a packed table,
4. the CRC-32 of all before it, eight hexadecimal digits.

A worker writes it, a reader checks it: ``decode_head`` by the checksum and a schema, ``decode`` in full, its parts
against each other.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from pydantic import with_config

from sacma.coco.writer import CocoFiles
from sacma.config.plan import TrialSpec
from sacma.files.checksum import checksum, is_whole
from sacma.files.untrusted import parse_json_as
from sacma.store import record_checks as checks
from sacma.store.outcome import CPUSeconds, DamagedRecordError, Outcome
from sacma.store.provenance import Environment, Provenance
from sacma.store.trace import Trace, pack_trace, unpack_trace

MAGIC = b"sacma-record 3\n"

DEFLATE_LEVEL = 3
"""A tenth larger than with zlib's default, 6, in half the time."""

LARGEST_HEAD, LARGEST_BODY = 16 << 20, 256 << 20
"""Bytes, inflated, of a trial of some 10 million evaluations."""

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class RecordHead:
    """A record without its trace and files, enough for most analyses; ``environment`` is a fingerprint."""

    spec: TrialSpec
    outcome: Outcome
    environment: str

    @property
    def head(self) -> "RecordHead":
        """Itself."""
        return self


@dataclass(frozen=True)
class TrialRecord:
    """The complete record of a finished trial."""

    spec: TrialSpec
    outcome: Outcome
    trace: Trace
    coco: CocoFiles
    provenance: Provenance

    @property
    def head(self) -> RecordHead:
        """The record without its trace and its files."""
        return RecordHead(self.spec, self.outcome, self.provenance.environment.fingerprint)


@dataclass(frozen=True)
class FinishedTrial:
    """The result of a worker: a trial's outcome and the bytes of its record file."""

    spec: TrialSpec
    outcome: Outcome
    content: bytes


@dataclass(frozen=True)
class _Files:
    """The first line of the body."""

    coco: CocoFiles
    provenance: Provenance


for _kind in (RecordHead, TrialSpec, Outcome, CPUSeconds, _Files, CocoFiles, Provenance, Environment):
    with_config(extra="forbid")(_kind)


def finished(record: TrialRecord) -> FinishedTrial:
    """Encode ``record``."""
    return FinishedTrial(record.spec, record.outcome, encode(record))


def encode(record: TrialRecord) -> bytes:
    """Return the bytes of the file of ``record``."""
    spec = {field.name: getattr(record.spec, field.name) for field in fields(record.spec)}
    outcome = {**vars(record.outcome), "cpu": vars(record.outcome.cpu)}
    environment = record.provenance.environment
    head = _json({"spec": spec, "outcome": outcome, "environment": environment.fingerprint})
    provenance = {**vars(record.provenance), "environment": environment.content}
    body = _json({"coco": vars(record.coco), "provenance": provenance}) + b"\n" + pack_trace(record.trace)
    content = MAGIC + head + b"\n" + zlib.compress(body, DEFLATE_LEVEL)
    return content + checksum(content)


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def decode_head(content: bytes, spec: TrialSpec | None = None) -> RecordHead:
    """Return the head of a record file, which must be that of ``spec`` if given; the body is not inflated.

    Raises DamagedRecordError if the file is incomplete, of another trial, or its outcome is impossible.
    """
    return _opened(content, spec)[0]


def decode(content: bytes, spec: TrialSpec | None = None) -> TrialRecord:
    """Return the record in a record file, which must be that of ``spec`` if given.

    Raises DamagedRecordError as ``decode_head``, and if the parts contradict each other.
    """
    head, deflated = _opened(content, spec)
    line, _, table = _inflated(deflated).partition(b"\n")
    files = _validated(_Files, line)
    try:
        trace = unpack_trace(table)
        checks.check_coco(head.spec, head.outcome, files.coco)
        checks.check_trace(head.outcome, trace)
        checks.check_provenance(files.provenance, head.environment)
    except ValueError as error:
        raise DamagedRecordError(f"its parts are not those of one trial: {error}") from None
    return TrialRecord(head.spec, head.outcome, trace, files.coco, files.provenance.interned())


def _opened(content: bytes, spec: TrialSpec | None) -> tuple[RecordHead, bytes]:
    if not content.startswith(MAGIC) or not is_whole(content):
        raise DamagedRecordError("its checksum does not match its content, or it is of another version of sacma")
    end = content.find(b"\n", len(MAGIC), LARGEST_HEAD)
    head = _validated(RecordHead, content[len(MAGIC) : end]) if end > 0 else None
    if head is None:
        raise DamagedRecordError("it has no head")
    if spec is not None and head.spec != spec:
        same = "with other settings, budget or seed" if head.spec.place == spec.place else ""
        raise DamagedRecordError(f"it is the record of another trial {same}".strip())
    try:
        if spec is None:
            checks.check_spec(head.spec)
        checks.check_outcome(head.spec, head.outcome)
    except ValueError as error:
        raise DamagedRecordError(f"no trial can have it: {error}") from None
    return (head if spec is None else RecordHead(spec, head.outcome, head.environment)), content[end + 1 : -8]


def _validated(kind: type[Kind], content: bytes) -> Kind:
    try:
        return parse_json_as(kind, content)
    except ValueError as error:
        raise DamagedRecordError(f"it is not a record of this version of sacma: {error}") from None


def _inflated(deflated: bytes) -> bytes:
    """Inflate a body of bounded size."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(deflated, LARGEST_BODY)
    except zlib.error:
        raise DamagedRecordError("its body cannot be inflated") from None
    if not inflater.eof or inflater.unused_data:
        raise DamagedRecordError("its body is not complete, or too large")
    return content
