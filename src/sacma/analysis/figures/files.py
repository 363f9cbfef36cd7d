"""Figures as files: SVG for pages, PDF for print; the same data give the same bytes."""

import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from itertools import starmap
from pathlib import Path

from matplotlib.figure import Figure

from sacma.analysis.figures.style import styled
from sacma.child import DeathError, Pool
from sacma.errors import RunError
from sacma.process_wide import threads

Written = tuple[Path, ...]  # SVG of a figure, and PDF
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # what would not be the same the next time

COORDINATES = re.compile(r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*')
DIGITS = re.compile(r"(\.\d\d)\d+")  # of hundredths of a point, and finer
UNSEEN = re.compile(r'^ +|(?<=<g) id="[^"]*"', re.MULTILINE)
POLYLINE = re.compile(r"(?:[ML] \S+ \S+\s*)+")

FIGURES_A_PROCESS = 16  # fewer are drawn before another process has started


def write(figure: Figure, stem: Path, *, pdf: bool = True) -> Written:
    """Write a figure as SVG, and PDF, below a path without ending, make its folder, and return the paths."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = tuple(stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "pdf")[: 1 + pdf])
    for path in written:
        file = BytesIO()
        with styled():
            figure.savefig(file, format=path.suffix[1:], metadata=METADATA[path.suffix[1:]])
        content = file.getvalue()
        if path.suffix == ".svg":
            content = UNSEEN.sub("", COORDINATES.sub(lambda found: _shorter(found[0]), content.decode())).encode()
        path.write_bytes(content)
    return written


def _shorter(coordinates: str) -> str:
    """Return coordinates of SVG in hundredths of a point, and those of a line relative to the point before.

    >>> _shorter("M 1.23456 2 L 3 2.001 L 3.5 4 L 5 6")
    'M1.23 2h1.77l.5 2l1.5 2'
    """
    rounded = DIGITS.sub(r"\1", coordinates).replace(".00", "")
    if not POLYLINE.fullmatch(rounded):
        return rounded
    parts = []
    before_x = before_y = 0
    for command, *point in re.findall(r"([ML]) (\S+) (\S+)", rounded):
        new_x, new_y = (round(100 * float(each)) for each in point)
        x, y = _hundredths(new_x - before_x), _hundredths(new_y - before_y)
        if command == "M":
            parts.append(f"M{' '.join(point)}")
        else:
            parts.append(f"h{x}" if y == "0" else f"v{y}" if x == "0" else f"l{x} {y}")
        before_x, before_y = new_x, new_y
    return "".join(parts)


def _hundredths(number: int) -> str:
    return re.sub(r"^(-?)0(?=\.)", r"\1", f"{number / 100:g}")


def render(figures: Mapping[Path, Callable[[], Figure]], *, jobs: int = 1, pdf: bool = True) -> Iterator[Written]:
    """Make many figures in up to ``jobs`` processes, write them, and yield the paths of each as they come.

    ``figures`` has by stem what makes each, which is pickled with its data for another process. A ValueError says which
    cannot be drawn from its data.
    """
    jobs = min(jobs, max(1, len(figures) // FIGURES_A_PROCESS))
    tasks = [(stem, make, pdf) for stem, make in figures.items()]
    try:
        for written in Pool(jobs, threads(1)).each(_make, tasks) if jobs > 1 else starmap(_make, tasks):
            if isinstance(written, Exception):
                raise written
            yield written
    except DeathError as death:
        raise RunError(f"a worker has gone: {death}; use fewer processes") from None


def _make(stem: Path, make: Callable[[], Figure], pdf: bool) -> Written | Exception:  # noqa: FBT001
    """Return the paths of a figure that is made and written, or the error, which may be of another process."""
    try:
        return write(make(), stem, pdf=pdf)
    except ValueError as error:
        return ValueError(f"figure {stem.name}: {error}")
    except Exception as error:  # noqa: BLE001 it is raised where it is received
        return error
