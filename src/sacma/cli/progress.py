"""Progress of a run: a bar on a terminal, lines in a log."""

import time
from collections.abc import Sequence
from typing import Self

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from sacma.cli.console import redraws
from sacma.config.plan import TrialSpec
from sacma.experiment.cost import CostModel, shipped_seconds, work_in
from sacma.experiment.run import Attempt
from sacma.store.outcome import TrialFailure

SECONDS_BETWEEN_LINES = 15.0


class Tally:
    """Counts of trials, and the time that the rest will take by ``costs``, which learn from finished trials."""

    def __init__(self, specs: Sequence[TrialSpec], costs: CostModel) -> None:
        self.total = len(specs)
        self.done = self.failed = self.retried = self.evaluations = 0
        self._costs = costs
        self._start = time.monotonic()
        self._left = work_in(specs)
        self._ready = self._finished_seconds = 0.0

    def count(self, attempt: Attempt) -> None:
        """Count one more attempt."""
        result, last, spec = attempt.result, attempt.last, attempt.result.spec
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
        parts = [f"{self.done}/{self.total} trials"]
        if left := self.seconds_left:
            parts.append(f"{clock(left)} left")
        if self.retried:
            parts.append(f"{self.retried} to retry" if self.done < self.total else f"{self.retried} retried")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return ", ".join(parts)


def clock(seconds: float) -> str:
    """Return a duration for people.

    >>> clock(75), clock(3700)
    ('1:15', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Progress:
    """Shows a tally: by a bar where ``console`` can redraw it, elsewhere by a line every quarter of a minute."""

    def __init__(self, tally: Tally, console: Console) -> None:
        self.tally, self.console = tally, console
        self._next = SECONDS_BETWEEN_LINES
        columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=20)
        narrow = console.width < 60  # noqa: PLR2004 columns
        self._bar = rich.progress.Progress(
            *columns[: 1 if narrow else 2], console=console, disable=not redraws(console)
        )
        self._task = self._bar.add_task(str(tally), total=tally.total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def show(self, attempt: Attempt) -> None:
        """Count an attempt, and show the tally as it is now."""
        tally = self.tally
        tally.count(attempt)
        self._bar.update(self._task, completed=tally.done, description=str(tally))
        if self._bar.disable and (tally.done == tally.total or tally.elapsed >= self._next):
            self._next = tally.elapsed + SECONDS_BETWEEN_LINES
            speed = tally.evaluations / max(tally.elapsed, 1e-9)  # of all workers
            self.console.print(f"{tally}, {speed:,.0f} evaluations/s", highlight=False, soft_wrap=True)
        if tally.done == tally.total:
            self._bar.stop()

    def __exit__(self, *_: object) -> None:
        """End the display; a bar stays as it is."""
        self._bar.stop()
