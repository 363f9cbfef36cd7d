"""Search for a third hyperparameter, on a scale of levels, beside ℓ and η.

At each training the level of the last model is kept, and one neighbour is tried: above or below, on the side that was
better last. The likelihood changes little from one training to the next, so that the level follows it at the
price of a few evaluations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, Search, SearchedFrom
from sacma.surrogate.model import FitStatus

MOST_AT_NEIGHBOUR = 1
"""Most evaluations of the likelihood at a neighbouring level after the first."""


@dataclass(frozen=True)
class Leveled:
    """A start of the search: ℓ and η, the level, and the direction in which the next neighbour lies."""

    stationary: Hyperparameters
    level: int
    direction: int = 1  # 1 or −1

    def stretched(self, log_factor: float) -> "Leveled":
        """Return the same in a space in which all lengths are exp(``log_factor``) times as long."""
        return Leveled(self.stationary.stretched(log_factor), self.level, self.direction)


@dataclass(frozen=True)
class LeveledFit:
    """The most likely model found; models with a third hyperparameter are made of it."""

    process: GaussianProcess
    hyperparameters: Leveled  # start of the next search
    evaluations: int  # of the likelihood, in all searches

    def search(self) -> Mapping[str, int | str]:
        """Return the cost of all searches for hyperparameters, by column of the trace."""
        return {**self.process.costs, "likelihood_evaluations": self.evaluations}


def search_levels(
    searched: Callable[[int], tuple[Search, float]],
    *,
    last: int,
    first: Sequence[int],
    start: Hyperparameters,
    warm: Leveled | None,
    warm_evaluations: int,
) -> LeveledFit | FitStatus:
    """Maximise the likelihood over ℓ, η and the level.

    Args:
        searched: returns a search at a level, and a constant to be added to its log likelihood.
        last: highest level; the lowest is 0.
        first: levels that are tried where there is no earlier model, or where it explains nothing any more.
        start: ℓ and η of the first search there; see ``Search.run_from_several``.
        warm: the last model's optimum.
        warm_evaluations: most evaluations of the likelihood in a search from there.
    """
    best, best_level, direction, evaluations = None, 0, 1, 0
    highest = float("-inf")

    def settle(level: int, run: Callable[[Search], object]) -> bool:
        nonlocal best, best_level, evaluations, highest
        search, constant = searched(level)
        run(search)
        evaluations += search.evaluations
        better = best is None or search.log_likelihood + constant > highest
        if better:
            best, best_level, highest = search, level, search.log_likelihood + constant
        return better

    if warm is not None:
        direction, level = warm.direction, min(warm.level, last)
        settle(level, lambda search: search.run(SearchedFrom.WARM, [warm.stationary], warm_evaluations))
        assert best is not None  # noqa: S101 the first is the best so far
        found, other = best.model(), level + direction
        if not isinstance(found, GaussianProcess) or not 0 <= other <= last:
            direction = -direction
        else:
            near = [found.hyperparameters]
            if not settle(other, lambda search: search.run(SearchedFrom.WARM, near, MOST_AT_NEIGHBOUR)):
                direction = -direction
    if best is None or not best.explains:
        for level in first:
            settle(level, lambda search: search.run_from_several(start))
    assert best is not None  # noqa: S101 several were tried
    model = best.model()
    if isinstance(model, FitStatus):
        return model
    return LeveledFit(model, Leveled(model.hyperparameters, best_level, direction), evaluations)
