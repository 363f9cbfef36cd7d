"""Replay of a trial from its record, to see that it gives the same bits."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from sacma.experiment.trial import run_trial
from sacma.files.scratch import scratch
from sacma.store.provenance import differences
from sacma.store.record import TrialRecord
from sacma.store.trace import COLUMNS

if TYPE_CHECKING:
    import numpy as np

NOT_COMPARED = ("fit_seconds", "predict_seconds")  # columns of the trace that hold times


@dataclass(frozen=True)
class Replay:
    """Outcome of a replay."""

    difference: str | None  # the first between the records, in words; None where all bits are the same
    environment: tuple[str, ...]  # differences of the environments, a phrase each


def replay(record: TrialRecord) -> Replay:
    """Run the trial of ``record`` again in this process and compare; raise whatever the algorithm raises."""
    with scratch() as folder:
        again = run_trial(record.spec, folder)
    environments = record.provenance.environment, again.provenance.environment
    return Replay(next(_differences(record, again), None), tuple(differences(*environments)))


def _differences(old: TrialRecord, new: TrialRecord) -> Iterator[str]:
    """Yield differences in the order of the trial's own time, then of derived values."""
    for row in range(max(len(old.trace), len(new.trace))):
        for name in COLUMNS:
            if name not in NOT_COMPARED:
                then, now = _at(old.trace[name], row), _at(new.trace[name], row)
                if not _same(then, now):
                    yield f"generation {row + 1}: {name} was {then}, is {now}"
    improvements = (zip(o.improved_at, o.improved_to, strict=True) for o in (old.outcome, new.outcome))
    for then, now in zip_longest(*improvements):
        if then != now:
            number = min(at for at, _ in filter(None, (then, now)))
            yield f"evaluation {number}: improvement (evaluation, Δf) was {then}, is {now}"
    for field in fields(old.outcome):
        then, now = getattr(old.outcome, field.name), getattr(new.outcome, field.name)
        if field.name != "cpu" and not _same(then, now):
            yield f"outcome: {field.name} was {then}, is {now}"
    yield from _coco_differences(old, new)


def _coco_differences(old: TrialRecord, new: TrialRecord) -> Iterator[str]:
    texts = [{"info": f"{record.coco.header}\n{record.coco.entry}", **record.coco.data} for record in (old, new)]
    for name in dict.fromkeys([*texts[0], *texts[1]]):
        lines = [text.get(name, "").splitlines() for text in texts]
        for number, (then, now) in enumerate(zip_longest(*lines), 1):
            if then != now:
                yield f"COCO's .{name}, line {number}: was {then!r}, is {now!r}"


def _at(column: "np.ndarray[Any, Any]", row: int) -> Any:
    return column[row].item() if row < len(column) else None


def _same(then: Any, now: Any) -> bool:
    return bool(then == now or (then != then and now != now))  # noqa: PLR0124 NaN is the same as NaN here
