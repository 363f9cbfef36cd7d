"""Searches in trust regions: before the first run, and elsewhere where a run has become narrow."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

import numpy as np

from sacma.strategy.cma_es import CMAES
from sacma.strategy.exploration import DRAWN, LONGER, Exploration
from sacma.strategy.restarts import Start
from sacma.strategy.settings import StrategySettings
from sacma.strategy.trust_region import Search
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Context, numbers_of
from sacma.types import Array

Searched = Generator[Sequence[Array], Array, CMAES]  # yields points for f, takes their values, and returns a run
# Evaluates points of a distribution that have no value yet; their number beside others is given.
Evaluated = Callable[[CMAES, Array, int], Generator[Sequence[Array], Array, Array]]


class Searches:
    """The searches of a strategy, each of which leads to a run of CMA-ES.

    There are none where interpolation is misled: by noise, cells in which f is the same, or a merit that changes.

    Args:
        settings: those of the strategy.
        context: of its parts.
        initial_point: draws the initial point of the next run, shape (D,).
        evaluated: evaluates points.
        spent: returns the number of true evaluations so far.
        constrained: there are constraints.
    """

    def __init__(
        self,
        settings: StrategySettings,
        context: Context,
        *,
        initial_point: Callable[[], Array],
        evaluated: Evaluated,
        spent: Callable[[], int],
        constrained: bool,
    ) -> None:
        self._search, self._sampling, self._context = settings.start, settings.sampling, context
        self._initial_point, self._evaluated, self._spent = initial_point, evaluated, spent
        self._misled = context.noisy or context.grid is not None or constrained
        self._exploration = Exploration(settings.sampling.sigma0)

    def before(self, run: CMAES, start: Start, archive: Archive) -> Searched:
        """Evaluate the points of a search, and return the first run, begun where that ends.

        It begins at x₀ or a better known point. Evaluations beside those of the search shorten it; as many as it has
        itself end it, whichever of its points have no value yet.
        """
        known, sigma0 = len(archive) > 0, self._sampling.sigma0
        if self._search is None or (self._misled and not known):
            return run
        x0, most = run.whitening().mean, self._search.evaluations(self._context.dimension)
        last = self._spent() + most
        if known:
            yield from self._evaluated(run, x0[None], last - self._spent())
        if not self._misled:
            begins = _best_point(run, archive) if known else x0
            yield from self._searched(run, self._search.search(begins, sigma0, self._context, most), last)
        if not len(archive):
            return run
        shorter = start if self._misled else replace(start, step=start.step * self._search.step_share)
        return self._begun(shorter, _best_point(run, archive))

    def elsewhere(self, run: CMAES, archive: Archive) -> Searched:
        """Evaluate the points of a search far from all optima where one is due, and return the run that goes on.

        It begins at the best point of the search if that is better than all before.
        """
        if self._search is None or not self._search.elsewhere or self._misled or not len(archive):
            return run
        before, sigma0 = self._spent(), self._sampling.sigma0
        if not self._exploration.due(before, run.largest_deviation):
            return run
        best, most = float(archive.values[archive.best]), LONGER * self._search.evaluations(self._context.dimension)
        drawn = np.array([self._initial_point() for _ in range(DRAWN)])
        x0 = self._exploration.start(_best_point(run, archive), drawn)
        search = self._search.search(x0, sigma0, self._context, most, best)
        found = yield from self._searched(run, search, before + most)
        self._exploration.learn(found, self._spent())
        if archive.values[archive.best] >= best:
            return run
        return self._begun(Start(1.0, step=self._search.step_share), _best_point(run, archive))

    def _begun(self, start: Start, point: Array) -> CMAES:
        """Return a run, begun at a point."""
        run: CMAES = self._sampling.start(start, point, self._context)
        return run

    def _searched(self, run: CMAES, search: Search, last: int) -> Generator[Sequence[Array], Array, Array | None]:
        """Evaluate the points of a search, up to so many true evaluations in all; return its end, if it has one."""
        given = next(search)
        try:
            while self._spent() < last:
                points = numbers_of(self._search, given, (-1, self._context.dimension))
                values = yield from self._evaluated(run, points, last - self._spent())
                given[:] = points  # where f has been evaluated
                if np.isnan(values).any():
                    break
                given = search.send(values)
        except StopIteration as end:
            found: Array | None = end.value
            return found
        return None


def _best_point(run: CMAES, archive: Archive) -> Array:
    """Return the best point of the archive, as f is to see it."""
    return np.asarray(run.place(archive.points[[archive.best]])[0][0])
