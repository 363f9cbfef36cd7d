"""Comparisons of studies whose trials are made up, without running any."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sacma.analysis.comparison import Comparison, Covered, compare
from sacma.analysis.trials import Trial
from sacma.config.plan import TrialSpec
from sacma.config.study import load_study
from sacma.store.completeness import Completeness
from sacma.store.outcome import CPUSeconds, Outcome, TrialStatus
from sacma.store.record import RecordHead
from sacma.store.stored_study import StoredStudy
from tests.conftest import CONFIGS

Improvements = Sequence[tuple[int, float]]  # evaluation numbers and the Δf that they bring


def trial(name: str, function: int, *improvements: tuple[float, float], D: int = 2, ended: int = 500) -> Trial:
    """Make up a trial from its improvements."""
    at, to = (np.array(values, float) for values in zip(*improvements, strict=True))
    return Trial(name, D, function, 1, ended, 1e-8, math.inf, at, to)


def made(
    config: str,
    found: Callable[[TrialSpec], Improvements | None],
    protocol: Mapping[str, object],
    *,
    name: str = "",
    generations: tuple[int, int] = (10, 0),
) -> Covered:
    """Make up a study.

    Args:
        config: a shipped one, without its ending.
        found: what a trial finds; None: it is missing.
        protocol: as in configs.
        name: of the algorithm, instead of the config's.
        generations: true-evaluated and model-evaluated ones of each trial.
    """
    study = load_study(CONFIGS / f"{config}.yaml", dict(protocol))
    stored = StoredStudy((study.model_copy(update={"name": name or study.name}),))
    specs = stored.specs()
    heads = {}
    for spec in specs:
        improvements = found(spec)
        if improvements is not None:
            at, to = zip(*improvements, strict=True)
            hit = to[-1] <= spec.target
            heads[spec.key] = RecordHead(
                spec,
                Outcome(
                    TrialStatus.TARGET_HIT if hit else TrialStatus.BUDGET_USED,
                    at[-1] if hit else spec.budget,
                    to[-1],
                    at,
                    to,
                    *generations,
                    0,
                    {},
                    CPUSeconds(0.1, 0.2, 0.3, 0.4, 0.5),
                ),
                "",
            )
    return stored, Completeness(specs, heads, {}, ())


def compared(*covered: Covered) -> Comparison:
    """Compare made-up studies."""
    return compare(covered)
