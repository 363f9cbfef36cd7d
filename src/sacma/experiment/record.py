"""The record of one trial: what it found, what it cost, its trace and its COCO files, in one checksummed file.

A record file has three lines' worth of parts:

1. ``sacma-record 1 SHA256`` with the checksum of all that follows,
2. the trial's spec and outcome as one line of JSON,
3. trace and COCO files as deflated JSON.

So the outcome of thousands of trials is read without inflating what only merging needs.
"""

import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from sacma.experiment.coco_data import CocoFiles
from sacma.experiment.plan import TrialSpec

MAGIC = b"sacma-record 1 "


class Status(StrEnum):
    """How a trial ended."""

    TARGET_HIT = "target hit"
    BUDGET_USED = "budget used"
    STOPPED = "stopped by itself"


class DamagedRecordError(ValueError):
    """A file is not a record, or not all of one."""


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
        improvements: (evaluation number, Δf) of each improvement of the best Δf, in order.
        true_generations: evaluated with f; the last may be cut short by the end of the trial.
        model_generations: evaluated with the model.
        restarts: of the strategy.
        fits: number of trainings by how they ended.
        cpu: CPU seconds.
    """

    status: Status
    evaluations: int
    best_delta_f: float
    improvements: tuple[tuple[int, float], ...]
    true_generations: int
    model_generations: int
    restarts: int
    fits: Mapping[str, int]
    cpu: CPUSeconds

    def best_after(self, evaluations: float) -> float:
        """Return the best Δf after that many evaluations; inf before the first."""
        made = [number for number, _ in self.improvements]
        position = int(np.searchsorted(made, evaluations, side="right"))
        return self.improvements[position - 1][1] if position else math.inf


Trace = Mapping[str, Sequence[Any]]
"""Columns of the per-generation trace, by name."""


@dataclass(frozen=True)
class TrialRecord:
    """All that is kept of one finished trial."""

    spec: TrialSpec
    outcome: Outcome
    trace: Trace
    coco: CocoFiles


def encode(record: TrialRecord) -> bytes:
    """Return ``record`` as the bytes of its file."""
    head = json.dumps({"spec": asdict(record.spec), "outcome": asdict(record.outcome)}, separators=(",", ":"))
    payload = json.dumps({"trace": record.trace, "coco": asdict(record.coco)}, separators=(",", ":"))
    body = head.encode() + b"\n" + zlib.compress(payload.encode(), level=6)
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _checked_body(content: bytes) -> bytes:
    first, _, body = content.partition(b"\n")
    if first != MAGIC + hashlib.sha256(body).hexdigest().encode():
        raise DamagedRecordError("its checksum does not match its content")
    return body


def decode_outcome(content: bytes) -> tuple[TrialSpec, Outcome]:
    """Return spec and outcome of a record file.

    Raises:
        DamagedRecordError: the file is not a complete record.
    """
    head, _, _ = _checked_body(content).partition(b"\n")
    try:
        fields = json.loads(head)
        outcome = fields["outcome"]
        return TrialSpec(**fields["spec"]), Outcome(
            **{
                **outcome,
                "status": Status(outcome["status"]),
                "improvements": tuple((number, delta_f) for number, delta_f in outcome["improvements"]),
                "cpu": CPUSeconds(**outcome["cpu"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedRecordError(f"it is not a record of this version of sacma: {error}") from None


def decode_outcome_of(spec: TrialSpec, content: bytes) -> Outcome:
    """Return the outcome in a record file that must be that of ``spec``.

    Raises:
        DamagedRecordError: the file is not a complete record, or one of another trial.
    """
    found, outcome = decode_outcome(content)
    if found != spec:
        raise DamagedRecordError(f"it is the record of {found}")
    return outcome


def decode(content: bytes) -> TrialRecord:
    """Return the whole record of a record file.

    Raises:
        DamagedRecordError: the file is not a complete record.
    """
    spec, outcome = decode_outcome(content)
    _, _, payload = _checked_body(content).partition(b"\n")
    try:
        fields = json.loads(zlib.decompress(payload))
        return TrialRecord(spec, outcome, fields["trace"], CocoFiles(**fields["coco"]))
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise DamagedRecordError(f"it is not a record of this version of sacma: {error}") from None
