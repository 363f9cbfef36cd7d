"""Figures: one style for screen and print, drawings of charts, and files, all without a window."""

import os
import sys
from contextlib import suppress


def _load_matplotlib() -> None:
    """Import matplotlib, which refuses to be where MPLBACKEND names a backend that it has not: files need none.

    A backend that it has is that of pyplot afterwards.
    """
    if "matplotlib" in sys.modules:
        return
    given = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib as mpl  # noqa: PLC0415 slow, and not everybody draws
    finally:
        if given is not None:
            os.environ["MPLBACKEND"] = given
    if given:
        with suppress(ValueError):
            mpl.rcParams["backend"] = given


_load_matplotlib()
