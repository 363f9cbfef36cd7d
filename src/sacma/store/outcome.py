"""The end of a trial: its outcome with improvements of Δf and CPU time, or its failure.

Failures are kept beside the records until the trial succeeds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, PositiveInt, TypeAdapter

from sacma.config.plan import TrialSpec
from sacma.files.printable import one_line, printable
from sacma.files.untrusted import parse_json_as

Count = Annotated[int, Field(ge=0, lt=1 << 32)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]


class TrialStatus(StrEnum):
    """The end of a trial. With noise a trial goes on at its target: TARGET_HIT says that it was reached."""

    TARGET_HIT = "target hit"
    BUDGET_USED = "budget used"
    STOPPED = "stopped by itself"


class DamagedRecordError(ValueError):
    """A file is not a complete record of its trial."""


@dataclass(frozen=True)
class CPUSeconds:
    """CPU time of a trial by purpose."""

    objective: Seconds
    fit: Seconds
    predict: Seconds
    strategy: Seconds
    other: Seconds

    @property
    def total(self) -> float:
        """The sum."""
        return self.objective + self.fit + self.predict + self.strategy + self.other


@dataclass(frozen=True)
class Outcome:
    """Result and cost of a trial; with noise, improvements are of COCO's noise-free Δf."""

    status: TrialStatus
    evaluations: PositiveInt  # of f
    best_delta_f: float
    improved_at: tuple[int, ...]  # number of the evaluation, from 1, of each improvement of the best Δf
    improved_to: tuple[float, ...]  # Δf of each improvement
    true_generations: Count  # evaluated with f; the end of the trial may cut the last short
    model_generations: Count  # evaluated with the model
    restarts: Count
    fits: Mapping[str, Count]  # number of trainings by fit status
    cpu: CPUSeconds


class FailureKind(StrEnum):
    """The kind of a failure."""

    EXCEPTION = "exception"
    OUT_OF_MEMORY = "out of memory"
    WORKER_DIED = "worker died"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class TrialFailure:
    """A trial that failed, and its error in one line."""

    spec: TrialSpec
    kind: FailureKind
    error: str
    traceback: str  # or last output of the process that died
    attempts: int = 1  # failures of the trial so far
    when: str = ""  # of the last one: UTC, ISO 8601


LONGEST_ERROR, LONGEST_TRACEBACK = 500, 20_000  # characters kept of each
MOST_ATTEMPTS = 1_000_000  # largest number of attempts that a file may state


def failed(spec: TrialSpec, kind: FailureKind, error: str, traceback: str) -> TrialFailure:
    """Return a failure that happened now, with printable texts of bounded length."""
    return TrialFailure(spec, kind, one_line(error, LONGEST_ERROR), _shortened(traceback), when=now())


def _shortened(traceback: str) -> str:
    lines = printable(traceback, keep="\n\t")
    half = LONGEST_TRACEBACK // 2
    return lines if len(lines) <= LONGEST_TRACEBACK else f"{lines[:half]}\n…\n{lines[-half:]}"


def now() -> str:
    """Return the current time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def encode_failure(failure: TrialFailure) -> bytes:
    """Return ``failure`` as JSON."""
    return TypeAdapter(TrialFailure).dump_json(failure, indent=1)


def decode_failure(content: bytes) -> TrialFailure | None:
    """Return the failure in a JSON text, with printable texts of bounded length; None if it is invalid."""
    try:
        found = parse_json_as(TrialFailure, content)
    except ValueError:
        return None
    return replace(
        found,
        error=one_line(found.error, LONGEST_ERROR),
        traceback=_shortened(found.traceback),
        attempts=min(max(found.attempts, 1), MOST_ATTEMPTS),
        when=one_line(found.when, LONGEST_ERROR),
    )
