"""Progress of a campaign: a live line on a terminal, now and then a plain line elsewhere."""

import time
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as RichProgress

SECONDS_BETWEEN_LINES = 15.0


class ProgressDisplay(Protocol):
    """Shows how far a campaign is."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""

    def advance(self, *, evaluations: int, failed: bool) -> None:
        """Count one more trial."""


class _Counts:
    """What both displays show."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.failed = 0
        self.evaluations = 0
        self.start = time.monotonic()

    def advance(self, evaluations: int, *, failed: bool) -> None:
        self.done += 1
        self.failed += failed
        self.evaluations += evaluations

    def __str__(self) -> str:
        elapsed = max(time.monotonic() - self.start, 1e-9)
        parts = [f"{self.evaluations / elapsed:,.0f} evaluations/s"]
        if 0 < self.done < self.total:
            parts.append(f"{clock(elapsed * (self.total - self.done) / self.done)} left")
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


class LiveProgress:
    """A bar that redraws itself."""

    def __init__(self, total: int, console: Console) -> None:
        self._counts = _Counts(total)
        self._bar = RichProgress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("trials  {task.fields[counts]}"),
            console=console,
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=total, counts="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, *, evaluations: int, failed: bool) -> None:
        """Count one more trial."""
        self._counts.advance(evaluations, failed=failed)
        self._bar.update(self._task, completed=self._counts.done, counts=str(self._counts))


class PlainProgress:
    """A line every quarter of a minute, and one at the end."""

    def __init__(self, total: int, console: Console) -> None:
        self._counts = _Counts(total)
        self._console = console
        self._last = self._counts.start

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def advance(self, *, evaluations: int, failed: bool) -> None:
        """Count one more trial."""
        counts = self._counts
        counts.advance(evaluations, failed=failed)
        now = time.monotonic()
        if counts.done == counts.total or now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self._console.print(f"{counts.done}/{counts.total} trials, {counts}", highlight=False)


def progress_display(total: int, console: Console) -> ProgressDisplay:
    """Return the display that suits ``console``."""
    return LiveProgress(total, console) if console.is_terminal else PlainProgress(total, console)
