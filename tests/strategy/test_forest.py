"""S-CMA-ES with a random forest: the same strategy, another regression."""

import math
from itertools import pairwise

import numpy as np

from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.settings import ForestSCMAESSettings
from sacma.surrogate.gaussian_process import FitStatus
from tests.strategy.test_scmaes import pattern, run, sphere

SETTINGS = ForestSCMAESSettings(training_radius=64.0, model_generations=2, trees=10)


def without_times(generations: list[Generation]) -> list[dict[str, object]]:
    return [
        {name: value for name, value in vars(g).items() if not name.endswith("_seconds") and value == value}  # noqa: PLR0124 not NaN
        for g in generations
    ]


def test_forests_stand_in_for_f() -> None:
    """After each trained forest come g_m model generations, which cost no evaluation; the trace knows of no search."""
    generations = run(SETTINGS, sphere, 3, 120)
    untrained = sum(g.fit_status == FitStatus.TOO_FEW_POINTS for g in generations)
    assert untrained == 1
    assert pattern(generations)[untrained:].startswith("Tmm" * 4)
    for before, after in pairwise(generations):
        model = after.evaluated_by == EvaluatedBy.MODEL
        assert after.true_evaluations - before.true_evaluations == (0 if model else after.population_size)
    assert {g.likelihood_evaluations for g in generations} == {0}
    assert {g.searched_from for g in generations} == {""}


def test_forests_are_deterministic() -> None:
    """The same seed gives the same generations, to the last bit."""
    assert without_times(run(SETTINGS, sphere, 3, 100)) == without_times(run(SETTINGS, sphere, 3, 100))


def test_forests_help_on_the_sphere() -> None:
    """With as many evaluations the forest comes closer than CMA-ES alone, by the median of nine seeds."""
    gains = []
    for seed in range(9):
        ours = run(SETTINGS, sphere, 3, 150, seed)[-1].best_value
        alone = run(ForestSCMAESSettings(model_generations=0, trees=1), sphere, 3, 150, seed)[-1].best_value
        gains.append(math.log10(alone / ours))
    assert np.median(gains) > 0.5
