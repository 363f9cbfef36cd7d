"""Failed trials: what went wrong, kept beside the records until the trial succeeds."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache

from pydantic import TypeAdapter, ValidationError

from sacma.config.plan import TrialSpec
from sacma.files.printable import one_line, printable


class FailureKind(StrEnum):
    """In which way a trial failed."""

    EXCEPTION = "exception"
    OUT_OF_MEMORY = "out of memory"
    WORKER_DIED = "worker died"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class TrialFailure:
    """A trial that failed.

    Args:
        spec: of the trial.
        kind: of failure.
        error: one line for people.
        traceback: of the exception, or what the process said before it died.
        attempts: how often the trial has failed so far.
        when: UTC, ISO 8601, of the last time.
    """

    spec: TrialSpec
    kind: FailureKind
    error: str
    traceback: str
    attempts: int = 1
    when: str = ""


LONGEST_ERROR, LONGEST_TRACEBACK = 500, 20_000
"""Characters that are kept."""

MOST_ATTEMPTS = 1_000_000
"""That are counted."""


def failed(spec: TrialSpec, kind: FailureKind, error: str, traceback: str) -> TrialFailure:
    """Return a failure of this moment, its texts fit for a terminal and a file: an algorithm may say anything."""
    return TrialFailure(spec, kind, one_line(error, LONGEST_ERROR), _shortened(traceback), when=now())


def _shortened(traceback: str) -> str:
    lines = printable(traceback, keep="\n\t")
    half = LONGEST_TRACEBACK // 2
    return lines if len(lines) <= LONGEST_TRACEBACK else f"{lines[:half]}\n…\n{lines[-half:]}"


def now() -> str:
    """Return this moment in UTC as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@cache
def _adapter() -> TypeAdapter[TrialFailure]:
    return TypeAdapter(TrialFailure)


def encode_failure(failure: TrialFailure) -> bytes:
    """Return ``failure`` as JSON."""
    return _adapter().dump_json(failure, indent=1)


def decode_failure(content: bytes) -> TrialFailure | None:
    """Return the failure that ``content`` holds, its texts fit for a terminal, or nothing where it holds none."""
    try:
        found = _adapter().validate_json(content, strict=True)
    except ValidationError:
        return None
    return replace(
        found,
        error=one_line(found.error, LONGEST_ERROR),
        traceback=_shortened(found.traceback),
        attempts=min(max(found.attempts, 1), MOST_ATTEMPTS),
        when=one_line(found.when, LONGEST_ERROR),
    )
