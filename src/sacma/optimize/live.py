"""A plot that follows a run."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.optimize.arguments import number, refuse
from sacma.optimize.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class LivePlot:
    """A ``callback`` that draws the run so far, again and again: in a window, or into a file.

    Args:
        path: of an image file, whose ending says which kind; each drawing replaces it whole. None: a window.
        every: fewest seconds between two drawings; 0: after each generation.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, every: float = 1.0) -> None:
        if path is not None and not isinstance(path, str | os.PathLike):
            refuse("path", path, "the path of an image file, or None for a window", of_type=True)
        self._path = None if path is None else Path(path)
        self._every = number("every", every, "seconds ≥ 0", least=0.0)
        self._drawn: float | None = None
        self._figure: Figure | None = None

    def __call__(self, result: Result) -> None:
        """Draw, if it is time to."""
        if self._drawn is not None and time.monotonic() - self._drawn < self._every:
            return
        self.draw(result)
        self._drawn = time.monotonic()

    def draw(self, result: Result) -> None:
        """Draw now: the end of a run, which may have come between two drawings."""
        if self._path is None:
            self._draw_window(result)
        else:
            self._draw_file(result, self._path)

    def _draw_file(self, result: Result, path: Path) -> None:
        from matplotlib.figure import Figure  # noqa: PLC0415 matplotlib is slow, and not everybody draws

        if self._figure is None:
            self._figure = Figure(figsize=(7.0, 7.5), layout="constrained")
        result.plot(self._figure)
        unfinished = path.with_name(f".unfinished-{path.name}")
        self._figure.savefig(unfinished)
        unfinished.replace(path)

    def _draw_window(self, result: Result) -> None:
        from matplotlib import pyplot as plt  # noqa: PLC0415 idem

        if self._figure is None:
            plt.ion()
        self._figure = result.plot(self._figure)
        self._figure.canvas.draw_idle()
        self._figure.canvas.flush_events()
