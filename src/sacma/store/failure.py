"""Failed trials: what went wrong, kept beside the records until the trial succeeds."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from pydantic import TypeAdapter

from sacma.config.plan import TrialSpec
from sacma.files.printable import one_line, printable
from sacma.files.untrusted import parse_json_as


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


LONGEST_ERROR, LONGEST_TRACEBACK = 500, 20_000
"""Characters kept of each."""

MOST_ATTEMPTS = 1_000_000
"""Largest number of attempts that a file may state."""


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
