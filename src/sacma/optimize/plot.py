"""The plot that follows a run, in a window or a file."""

import io
import os
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sacma.files.atomic import write_atomically
from sacma.files.drawing import load_matplotlib
from sacma.files.printable import one_line
from sacma.optimize.arguments import named, number, refuse
from sacma.optimize.result import History, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_REASON = 300  # characters of why a plot is not drawn


class LivePlot:
    """A ``callback`` that draws the run so far, again and again, and at its end: in a window, or into a file.

    In ask and tell, call it with ``es.result`` after each ``tell``, and ``draw`` at the end. Where the file cannot be
    written, it warns.

    Args:
        path: of an image file, whose ending says which kind; each drawing replaces it whole. None: a window.
        every: fewest seconds between two drawings; 0: at each call.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, every: float = 1.0) -> None:
        if path is not None and not isinstance(path, str | os.PathLike):
            refuse("path", path, "the path of an image file, or None for a window", of_type=True)
        self._path = None if path is None else _image(Path(path)).absolute()  # f may change the folder
        self._every = number("every", every, "seconds ≥ 0", least=0.0)
        self._drawn: float | None = None
        self._shown: History | None = None
        self._figure: Figure | None = None

    def __call__(self, result: Result) -> None:
        """Draw, if it is time to."""
        if self._drawn is not None and time.monotonic() - self._drawn < self._every:
            return
        self.draw(result)
        self._drawn = time.monotonic()

    def at_end(self, result: Result) -> None:
        """Draw the end of a run, if it has come since the last drawing."""
        if self._shown is None or not _same(self._shown, result.history):
            self.draw(result)

    def draw(self, result: Result) -> None:
        """Draw now."""
        self._shown = result.history
        if self._path is None:
            self._draw_window(result)
        else:
            self._draw_file(result, self._path)

    def _draw_file(self, result: Result, path: Path) -> None:
        from matplotlib.figure import Figure  # noqa: PLC0415 matplotlib is slow, and not everybody draws

        if self._figure is None:
            self._figure = Figure(figsize=(7.0, 5.0), layout="constrained")
        result.plot(figure=self._figure)
        image = io.BytesIO()
        try:
            self._figure.savefig(image, format=_kind(path))
            write_atomically(path, image.getvalue())
        except Exception as error:  # noqa: BLE001 of matplotlib, as where a format needs LaTeX: the run goes on
            warnings.warn(f"the plot is not drawn: {one_line(str(error), LONGEST_REASON)}", stacklevel=2)

    def _draw_window(self, result: Result) -> None:
        from matplotlib import pyplot as plt  # noqa: PLC0415 idem

        if self._figure is None:
            plt.ion()
        self._figure = result.plot(figure=self._figure)
        self._figure.canvas.draw_idle()
        self._figure.canvas.flush_events()


def _same(one: History, other: History) -> bool:
    return np.array_equal(one.points, other.points) and np.array_equal(one.values, other.values, equal_nan=True)


def _image(path: Path) -> Path:
    """Return the path of an image that can be drawn and written."""
    load_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase  # noqa: PLC0415 idem

    kinds = FigureCanvasBase.get_supported_filetypes()
    if _kind(path) not in kinds:
        refuse("path", named(path), f"an image file that ends in {', '.join(f'.{kind}' for kind in sorted(kinds))}")
    if path.exists() and not path.is_file():
        refuse("path", named(path), "the path of an image file; this is something else")
    return path


def _kind(path: Path) -> str:
    return path.suffix[1:].lower() or "png"
