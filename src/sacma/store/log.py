"""The log of a trial: numbers that its algorithm keeps by ``problem.log``, a row a call, columns in the record."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real

from sacma.files.untrusted import check_plain

DIGITS = 4  # significant, of values
MOST_NAMES = 20
LONGEST_NAME = 40
EVALUATIONS = "evaluations"  # of f, before the call

# Columns of equal length by name; None where a call had no such value, or one that is not finite.
Log = Mapping[str, Sequence[float | None]]


def log_row(evaluations: int, values: Mapping[str, object]) -> dict[str, float]:
    """Return a row of the log after so many evaluations; raise ValueError for a name or value that cannot be kept."""
    for name, value in values.items():
        if name == EVALUATIONS or len(name) > LONGEST_NAME or not isinstance(value, Real):
            allowed = f"allowed: numbers, by names of {LONGEST_NAME} letters at most other than {EVALUATIONS}"
            raise ValueError(f"log: {name[:LONGEST_NAME]} is {value!r:.80}; {allowed}")
    return {EVALUATIONS: evaluations, **{name: float(value) for name, value in values.items()}}  # type: ignore[arg-type]


def log_of(rows: Sequence[Mapping[str, float]]) -> Log:
    """Return the columns of rows; raise ValueError if there are more names than can be kept."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    if len(names) > MOST_NAMES:
        raise ValueError(f"log: there are {len(names)} names; allowed: {MOST_NAMES} at most")
    return {name: [_kept(row.get(name, math.nan)) for row in rows] for name in names}


def _kept(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.{DIGITS}g}")


def check_log(log: Log, evaluations: int) -> None:
    """Raise ValueError where no trial of so many evaluations can have the log."""
    check_plain(list(log))
    at = log.get(EVALUATIONS, [])
    known = [number for number in at if number is not None]
    if (
        len(log) > MOST_NAMES
        or any(len(name) > LONGEST_NAME or len(values) != len(at) for name, values in log.items())
        or known != sorted(known)
        or len(known) < len(at)
        or (known and not 0 <= known[0] <= known[-1] <= evaluations)
        or any(value is not None and not math.isfinite(value) for values in log.values() for value in values)
    ):
        raise ValueError("the log is of another trial")
