"""Progress of a campaign: a live line on a terminal, lines in a log, JSON lines for programs, or nothing."""

import json
import math
import time
from collections.abc import Sequence
from typing import Any

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from sacma.cli.common import redraws
from sacma.config.plan import TrialSpec
from sacma.experiment.cost import CostModel, shipped_seconds, work_in
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial

SECONDS_BETWEEN_LINES = 15.0

BAR_WIDTH = 20


class Tally:
    """Progress of a campaign, and the time that it will still take by ``costs``, which learn from finished trials."""

    def __init__(self, specs: Sequence[TrialSpec], costs: CostModel) -> None:
        self.total = len(specs)
        self.done = self.failed = self.retried = self.evaluations = 0
        self._costs = costs
        self._start = time.monotonic()
        self._left = work_in(specs)
        self._ready = self._finished_seconds = 0.0

    def count(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Count one more attempt; ``last`` if the trial is not tried again."""
        spec = result.spec
        if isinstance(result, TrialFailure):
            self.failed += last
            self.retried += not last
        else:
            seconds = result.outcome.cpu.total
            self._costs.learn(spec, seconds)
            self._finished_seconds += seconds
            self.evaluations += result.outcome.evaluations
            self._ready = self._ready or max(1e-9, self.elapsed - seconds)
        if last:
            self.done += 1
            self._left[spec.name, spec.dimension] -= shipped_seconds(spec)

    @property
    def elapsed(self) -> float:
        """Wall-clock seconds since the start."""
        return time.monotonic() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Wall-clock seconds until the end, at the speed since the workers were ready; None before a trial is done."""
        if self.done == self.total:
            return 0.0
        if not self._ready:
            return None
        passed = self.elapsed - self._ready
        return max(0.0, self._costs.seconds(self._left)) * passed / max(self._finished_seconds, 1e-9)

    def __str__(self) -> str:
        return ", ".join([f"{self.evaluations / max(self.elapsed, 1e-9):,.0f} evaluations/s", *self._essentials])

    @property
    def brief(self) -> str:
        """Time left and failures, for a narrow window."""
        return ", ".join(self._essentials)

    @property
    def _essentials(self) -> list[str]:
        parts = []
        left = self.seconds_left
        if left:
            parts.append(f"{clock(left)} left")
        if self.retried:
            parts.append(f"{self.retried} to retry" if self.done < self.total else f"{self.retried} retried")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return parts


def clock(seconds: float) -> str:
    """Return a duration for people.

    >>> clock(75), clock(3700)
    ('1:15', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Progress:
    """Shows nothing; the other displays of a tally that has counted an attempt derive from it."""

    def __init__(self, tally: Tally, console: Console) -> None:
        self.tally, self.console = tally, console

    def show(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Show an attempt; ``last`` if its trial is not tried again."""

    def close(self) -> None:
        """End the display."""


class BarProgress(Progress):
    """A bar that redraws itself; in a narrow window time left and failures remain longest."""

    def __init__(self, tally: Tally, console: Console) -> None:
        super().__init__(tally, console)
        self._columns = BarColumn(bar_width=BAR_WIDTH), TextColumn("{task.fields[counts]}", markup=False)
        self._bar = rich.progress.Progress(*self._columns, console=console, refresh_per_second=4)
        self._task = self._bar.add_task("", total=tally.total, counts=f"0/{tally.total} trials")
        self._bar.start()

    def show(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:  # noqa: ARG002
        """Redraw the bar."""
        tally, room = self.tally, self.console.width
        done = f"{tally.done}/{tally.total} trials"
        counts = f"{done}  {tally}"
        if len(counts) > room:
            counts = f"{done}  {tally.brief}"
        bar, text = self._columns
        self._bar.columns = (bar, text) if BAR_WIDTH + 1 + len(counts) <= room else (text,)
        self._bar.update(self._task, completed=tally.done, counts=counts)

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.stop()


class LineProgress(Progress):
    """A line every quarter of a minute, and one at the end."""

    _next = SECONDS_BETWEEN_LINES

    def show(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:  # noqa: ARG002
        """Print a line if it is time."""
        tally = self.tally
        if (last and tally.done == tally.total) or tally.elapsed >= self._next:
            self._next = tally.elapsed + SECONDS_BETWEEN_LINES
            self.console.print(f"{tally.done}/{tally.total} trials, {tally}", highlight=False, soft_wrap=True)


class JSONProgress(Progress):
    """A line of JSON for each attempt."""

    def show(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Print the line."""
        tally, spec, left = self.tally, result.spec, self.tally.seconds_left
        place = {"function": spec.function, "dimension": spec.dimension, "instance": spec.instance}
        outcome: dict[str, Any]
        if isinstance(result, TrialFailure):
            outcome = {"kind": str(result.kind), "error": result.error, "retried": not last}
        else:
            best = result.outcome.best_delta_f
            outcome = {
                "status": str(result.outcome.status),
                "evaluations": result.outcome.evaluations,
                "best_delta_f": best if math.isfinite(best) else None,
                "cpu_seconds": round(result.outcome.cpu.total, 6),
            }
        totals = {
            "done": tally.done,
            "total": tally.total,
            "failed": tally.failed,
            "elapsed": round(tally.elapsed, 3),
            "seconds_left": None if left is None else round(left, 3),
        }
        kind = "failure" if isinstance(result, TrialFailure) else "trial"
        print_event(self.console, kind, algorithm=spec.name, **place, **outcome, **totals)


def print_event(console: Console, event: str, **fields: Any) -> None:
    """Print one line of JSON, whatever the width of the terminal."""
    console.print(json.dumps({"event": event, **fields}), soft_wrap=True)


PROGRESS = {"bar": BarProgress, "lines": LineProgress, "json": JSONProgress, "quiet": Progress}


def progress_display(mode: str, tally: Tally, console: Console) -> Progress:
    """Return the display for one of ``PROGRESS_MODES``; auto is a bar where ``console`` can redraw it, or lines."""
    if mode == "auto":
        mode = "bar" if redraws(console) else "lines"
    return PROGRESS[mode](tally, console)
