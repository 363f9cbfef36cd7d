"""Figures as files: SVG for pages, PDF for print; the same data give the same bytes."""

from collections.abc import Callable, Mapping
from pathlib import Path

from joblib import Parallel, delayed
from matplotlib.figure import Figure

from sacma.analysis.figures.style import styled
from sacma.files.scratch import noted_semaphores, scratch

Written = tuple[Path, ...]  # SVG of a figure, and PDF
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # what would not be the same the next time

FIGURES_A_PROCESS = 16
"""Fewer are drawn before another process has started."""


def write(figure: Figure, stem: Path, *, pdf: bool = True) -> Written:
    """Write a figure as SVG, and PDF, below a path without ending, make its folder, and return the paths."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = tuple(stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "pdf")[: 1 + pdf])
    for path in written:
        with styled():
            figure.savefig(path, format=path.suffix[1:], metadata=METADATA[path.suffix[1:]])
    return written


def render(
    figures: Mapping[Path, Callable[[], Figure]],
    *,
    jobs: int = 1,
    pdf: bool = True,
    on_written: Callable[[Written], object] = lambda _paths: None,
) -> list[Written]:
    """Make many figures in up to ``jobs`` processes, write them, and return the paths of all in the given order.

    ``figures`` has by stem what makes each, which is pickled with its data for another process. ``on_written`` is
    called here with the paths of each figure. A ValueError says which cannot be drawn from its data.
    """
    written = {}
    tasks = (delayed(_make)(stem, make, pdf=pdf) for stem, make in figures.items())
    jobs = min(jobs, max(1, len(figures) // FIGURES_A_PROCESS))
    with scratch() as folder:
        with noted_semaphores(folder):  # if this process is killed, another one of ours removes them
            # Data go through pipes: files in shared memory would stay behind if this process was killed.
            parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", max_nbytes=None, temp_folder=str(folder))
            made = parallel(tasks)
        for stem, paths in made:
            written[stem] = paths
            on_written(paths)
    return [written[stem] for stem in figures]


def _make(stem: Path, make: Callable[[], Figure], *, pdf: bool) -> tuple[Path, Written]:
    try:
        figure = make()
    except ValueError as error:
        raise ValueError(f"figure {stem.name}: {error}") from error
    return stem, write(figure, stem, pdf=pdf)
