"""The record of a trial in one file: outcome, cost, provenance, trace and COCO files.

A record file is

1. ``sacma-record 4``,
2. the head as one line of JSON: spec, outcome, and the fingerprint of the environment,
3. the body, deflated: COCO files, provenance and log as one line of JSON, the trace as a packed table,
4. the CRC-32 of all before it, eight hexadecimal digits.

A worker writes it, a reader checks it: ``decode_head`` by the checksum and a schema, ``decode`` in full, its parts
against each other.
"""

import json
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
from pydantic import with_config

from sacma.algorithms.settings import canonical_json
from sacma.coco.ranges import LARGEST as LARGEST_INSTANCE
from sacma.coco.suites import SUITES
from sacma.coco.writer import DATA_FORMAT, SUFFIXES, CocoFiles, header_of
from sacma.config.plan import TrialSpec
from sacma.config.study import check_name
from sacma.files.checksum import checksum, is_whole
from sacma.files.untrusted import check_plain, parse_json, parse_json_as
from sacma.store.log import Log, check_log
from sacma.store.outcome import CPUSeconds, DamagedRecordError, Outcome, TrialStatus
from sacma.store.provenance import Environment, Provenance
from sacma.store.trace import TEXTS, Trace, counts_of, pack_trace, unpack_trace
from sacma.types import Array

MAGIC = b"sacma-record 4\n"

DEFLATE_LEVEL = 3  # a tenth larger than with zlib's default, 6, in half the time
LARGEST_HEAD, LARGEST_BODY = 16 << 20, 256 << 20  # bytes, inflated, of a trial of some 10 million evaluations

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class RecordHead:
    """A record without its trace and files, enough for most analyses; ``environment`` is a fingerprint."""

    spec: TrialSpec
    outcome: Outcome
    environment: str


@dataclass(frozen=True)
class TrialRecord:
    """The complete record of a finished trial."""

    spec: TrialSpec
    outcome: Outcome
    trace: Trace
    coco: CocoFiles
    provenance: Provenance
    log: Log = field(default_factory=dict)

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
    log: dict[str, list[float | None]]


for _kind in (RecordHead, TrialSpec, Outcome, CPUSeconds, _Files, CocoFiles, Provenance, Environment):
    with_config(extra="forbid")(_kind)


def finished(record: TrialRecord) -> FinishedTrial:
    """Encode ``record``."""
    return FinishedTrial(record.spec, record.outcome, encode(record))


def encode(record: TrialRecord) -> bytes:
    """Return the bytes of the file of ``record``."""
    spec = {each.name: getattr(record.spec, each.name) for each in fields(record.spec)}
    outcome = {**vars(record.outcome), "cpu": vars(record.outcome.cpu)}
    environment = record.provenance.environment
    head = _json({"spec": spec, "outcome": outcome, "environment": environment.fingerprint})
    provenance = {**vars(record.provenance), "environment": environment.content}
    files = {"coco": vars(record.coco), "provenance": provenance, "log": record.log}
    body = _json(files) + b"\n" + pack_trace(record.trace)
    content = MAGIC + head + b"\n" + zlib.compress(body, DEFLATE_LEVEL)
    return content + checksum(content)


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def decode_head(content: bytes, spec: TrialSpec | None = None) -> RecordHead:
    """Return the head of a record file, which must be of the trial ``spec`` if given; the body is not inflated.

    Raises DamagedRecordError if the file is incomplete, of another trial, or its outcome is impossible.
    """
    return _opened(content, spec)[0]


def decode(content: bytes, spec: TrialSpec | None = None) -> TrialRecord:
    """Return the record in a record file, which must be of the trial ``spec`` if given.

    Raises DamagedRecordError as ``decode_head``, and if the parts contradict each other.
    """
    head, deflated = _opened(content, spec)
    line, _, table = _inflated(deflated).partition(b"\n")
    files = _validated(_Files, line)
    try:
        trace = unpack_trace(table)
        check_coco(head.spec, head.outcome, files.coco)
        check_trace(head.outcome, trace)
        check_log(files.log, head.outcome.evaluations)
        check_provenance(files.provenance, head.environment)
    except ValueError as error:
        raise DamagedRecordError(f"its parts are not those of one trial: {error}") from None
    return TrialRecord(head.spec, head.outcome, trace, files.coco, files.provenance, files.log)


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
            check_spec(head.spec)
        check_outcome(head.spec, head.outcome)
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


ROUNDING = 1e-10  # rounding error of Δf = f − f_opt with |f_opt| ≤ 1000
LEAST_DELTA_F = -1e-6  # lowest Δf that rounding explains
LARGEST_LOGGED = 1e21  # Δf beyond which COCO writes 2e21 for NaN and 3e21 for anything larger


def check_spec(spec: TrialSpec) -> None:
    """Check that the spec can be planned."""
    suite = SUITES.get(spec.suite)
    check_name(spec.name)
    check_plain([spec.algorithm, spec.version, spec.suite])
    settings = parse_json(spec.settings)
    _require(
        suite is not None
        and spec.function in suite.functions
        and spec.dimension in suite.dimensions
        and 1 <= spec.instance <= LARGEST_INSTANCE
        and 1 <= spec.budget <= 1e7 * spec.dimension
        and 0 < spec.target < np.inf
        and 0 <= spec.seed < 1 << 63
        and re.fullmatch(r"[1-9][0-9]{0,8}(,[1-9][0-9]{0,8}){0,20}", spec.triggers) is not None
        and isinstance(settings, dict)
        and canonical_json(settings) == spec.settings,
        "no study has it",
    )


def check_outcome(spec: TrialSpec, outcome: Outcome) -> None:
    """Check that a trial with this spec can have the outcome."""
    at, to, best = outcome.improved_at, outcome.improved_to, outcome.best_delta_f
    _require(outcome.evaluations <= spec.budget, f"it has {outcome.evaluations} evaluations of {spec.budget}")
    _require(len(at) == len(to), "improvements lack an evaluation or a Δf")
    if at:
        _require(at[0] >= 1 and at[-1] <= outcome.evaluations, "an improvement is before or after all evaluations")
        _require(math.isfinite(sum(to)) and to[-1] >= LEAST_DELTA_F, "Δf is no number, or below the optimum")
    # The fastest test of an order is to sort.
    _require(at == tuple(sorted(at)) and to == tuple(sorted(to, reverse=True)), "improvements are not in order")
    _require(best == (to[-1] if to else np.inf), "the best Δf is not that of the improvements")
    unhit = TrialStatus.BUDGET_USED if outcome.evaluations == spec.budget else TrialStatus.STOPPED
    status = TrialStatus.TARGET_HIT if best <= spec.target else unhit
    _require(outcome.status == status, f"its status is {outcome.status}")


def check_trace(outcome: Outcome, trace: Trace) -> None:
    """Check the trace against the outcome."""
    counted = outcome.true_generations, outcome.model_generations, outcome.restarts, outcome.fits
    _require(counts_of(trace) == counted, "the trace has other generations, restarts or fits than the outcome")
    check_plain([text for name in TEXTS for text in np.unique(trace[name]).tolist()])


_OF_VERSION = re.compile(
    r", coco_version = '[\w.+-]{1,40}', logger = '([\w-]+)', data_format = '([\w-]+)'(?:, settings = '')?", re.ASCII
)
_ENTRY = re.compile(r"(\d+):(\d+)\|[-+0-9.einfa]{1,20}", re.ASCII)
_COLUMNS = re.compile(r"% f evaluations \| [ -<>-~]{1,300}", re.ASCII)  # cocopp takes "=" for an attribute
_ROW = re.compile(r"(\d{1,15}) 0 ([-+0-9.einfa]{1,30})((?: [-+0-9.einfa]{1,30}){2,})", re.ASCII)


def check_coco(spec: TrialSpec, outcome: Outcome, coco: CocoFiles) -> None:
    """Check the COCO files against spec and outcome."""
    # cocopp believes any attribute, also paths of data and their format.
    begin = header_of(spec.suite, spec.function, spec.dimension, spec.name)
    rest = _OF_VERSION.fullmatch(coco.header.removeprefix(begin))
    ours = coco.header.startswith(begin) and rest is not None and rest.groups() == (spec.suite, DATA_FORMAT)
    _require(ours, "COCO's header is of another trial")
    entry = _ENTRY.fullmatch(coco.entry)
    of_trial = (str(spec.instance), str(outcome.evaluations))
    _require(entry is not None and entry.group(1, 2) == of_trial, "COCO's entry is of another trial")
    heads = {text.partition("\n")[0] for text in coco.data.values()}
    _require(
        tuple(coco.data) == SUFFIXES and len(heads) == 1 and all(map(_COLUMNS.fullmatch, heads)),
        "COCO's files are not those of a trial",
    )
    improved_at, best = np.array([0, *outcome.improved_at]), np.array([np.inf, *outcome.improved_to])
    for suffix, text in coco.data.items():
        at, to = _table(text, suffix)
        if suffix not in {"dat", "tdat"}:  # of restarts, which no trial reports
            _require(not len(at), f"COCO's .{suffix} file has rows")
            continue
        complete = len(at) and at[0] == 1 and at[-1] == outcome.evaluations and (np.diff(at) > 0).all()
        _require(bool(complete), f"COCO's .{suffix} file is not complete")
        known = best[improved_at.searchsorted(at, side="right") - 1]
        huge = (known >= LARGEST_LOGGED) & (to >= LARGEST_LOGGED)
        same = np.isclose(to, known, rtol=1e-8, atol=ROUNDING) | huge
        _require(bool(same.all()), f"COCO's .{suffix} file has another Δf than the outcome")


def _table(text: str, suffix: str) -> tuple[Array, Array]:
    """Return evaluation numbers and best Δf of a data file that holds nothing but numbers."""
    lines = text.split("\n")[1:]
    rows = [_ROW.fullmatch(line) for line in lines[:-1]]
    _require(lines[-1:] == [""] and all(rows), f"COCO's .{suffix} file is not a data file")
    found = np.array([row.group(1, 2) for row in rows if row]).reshape(-1, 2)
    _require(len({row[3].count(" ") for row in rows if row}) <= 1, f"COCO's .{suffix} file has odd rows")
    return found[:, 0].astype(float), found[:, 1].astype(float)


def check_provenance(provenance: Provenance, fingerprint: str) -> None:
    """Check printable texts and the fingerprint of the environment."""
    check_plain([provenance.host, provenance.started, provenance.ended, provenance.environment.content])
    _require(provenance.environment.fingerprint == fingerprint, "its environment has another fingerprint")


def _require(condition: bool, otherwise: str) -> None:  # noqa: FBT001 what is required
    if not condition:
        raise ValueError(otherwise)
