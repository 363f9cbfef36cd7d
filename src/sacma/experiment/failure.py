"""A trial that did not end as it should: what went wrong, kept beside the records until it goes right."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache

from pydantic import TypeAdapter, ValidationError

from sacma.experiment.plan import TrialSpec


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


def failed(spec: TrialSpec, kind: FailureKind, error: str, traceback: str) -> TrialFailure:
    """Return a failure of this moment, its texts fit for a terminal and a file: an algorithm may say anything."""
    line = " ".join(_plain(error).split())
    words = _plain(traceback)
    half = LONGEST_TRACEBACK // 2
    return TrialFailure(
        spec,
        kind,
        line if len(line) <= LONGEST_ERROR else f"{line[:LONGEST_ERROR]} …",
        words if len(words) <= LONGEST_TRACEBACK else f"{words[:half]}\n…\n{words[-half:]}",
        when=now(),
    )


def _plain(text: str) -> str:
    """Return ``text`` without what cannot be encoded or would steer a terminal."""
    encodable = text.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in encodable)


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
    """Return the failure that ``content`` holds, or nothing where it does not hold one."""
    try:
        return _adapter().validate_json(content, strict=True)
    except ValidationError:
        return None
