"""Trials at the resolution that all data have, where some are known from COCO's files only.

COCO's files tell Δf at two kinds of evaluation numbers: those that their observer was told to log, which differ between
data sets, and those at which Δf passed a level. Between them the best Δf may have been lower than the last line says:
of two identical trials, the one that is known at every evaluation would look better. So all trials of a function are
reduced to what one logger would have told of each: Δf at the numbers that every file tells, and where it passes one of
``LEVELS``, which every version of COCO logs.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sacma.analysis.trials import Trial
from sacma.surrogate.whitening import Array

LEVELS: Array = 10.0 ** (np.arange(-40, 101) / 5)
"""Of Δf, five a decade from 1e-8: of BBOB in 2009 to 2015; COCO's own are these and others between them."""


def at_common_resolution(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Return trials as far as all data of their function and dimension tell: identical trials are identical then.

    Args:
        trials: of any algorithms, functions and dimensions. Where all of a function are known at every evaluation
            number, they stay as they are.
    """
    files = defaultdict(list)
    for trial in trials:
        if trial.told is not None:
            files[trial.dimension, trial.function].append(trial)
    groups = [files[trial.dimension, trial.function] for trial in trials]
    return tuple(_reduced(trial, group) if group else trial for trial, group in zip(trials, groups, strict=True))


def _reduced(trial: Trial, files: Sequence[Trial]) -> Trial:
    numbers, end = _told_by_all(files)
    to = np.array([float(f"{value:.9e}") for value in trial.to])  # the digits of COCO's files
    level = np.searchsorted(LEVELS, to)
    passes = trial.at[np.append(True, level[1:] < level[:-1])[: len(level)]]
    at = np.unique(np.concatenate([passes, numbers, trial.at[trial.at > end]]))
    at = at[at >= trial.at[0]] if len(trial.at) else at[:0]
    best = to[np.searchsorted(trial.at, at, side="right") - 1]
    falls = np.append(True, best[1:] < best[:-1])[: len(best)]
    return replace(trial, at=at[falls], to=best[falls])


def _told_by_all(files: Sequence[Trial]) -> tuple[Array, int]:
    """Return the evaluation numbers at which each trial that is not over is told, and when all are over."""
    told = [np.unique(trial.told) for trial in files if trial.told is not None]
    numbers, count = np.unique(np.concatenate(told), return_counts=True)
    ends = np.sort([trial.evaluations for trial in files])
    over = np.searchsorted(ends, numbers, side="left")
    return numbers[count + over == len(files)], int(ends[-1])
