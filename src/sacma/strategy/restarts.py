"""IPOP restarts: when a run has stopped, another begins elsewhere with a larger population."""

from collections.abc import Callable

import numpy as np

from sacma.strategy.cma_es import CMAES, default_population_size
from sacma.strategy.settings import CMAESSettings
from sacma.surrogate.whitening import Array


class RestartedCMAES:
    """A sequence of CMA-ES runs (Auger and Hansen, CEC 2005).

    The population grows by ``population_factor`` at each of ``max_restarts`` restarts. After the last of them the
    sequence starts over with the first population size and a new initial point, or ends, as ``after_last_restart``
    says.

    Args:
        settings: of the strategy.
        initial_point: draws x₀ of the next run, shape (D,).
        box: lower and upper bounds of the problem.
        rng: source of all samples.
    """

    def __init__(
        self,
        settings: CMAESSettings,
        initial_point: Callable[[], Array],
        box: tuple[Array, Array],
        rng: np.random.Generator,
    ) -> None:
        self._settings = settings
        self._initial_point = initial_point
        self._box = box
        self._rng = rng
        self.restarts = 0
        self.ended = False
        self.run = self._new_run()

    def restart(self) -> bool:
        """Begin the next run, or end; return whether the sequence has come to its last run and starts over."""
        s = self._settings
        over = (self.restarts + 1) % (s.max_restarts + 1) == 0
        if over and s.after_last_restart == "stop":
            self.ended = True
            return True
        self.restarts += 1
        self.run = self._new_run(None if over or s.restart_from == "new" else self.run.initial_point)
        return over

    def _new_run(self, initial_point: Array | None = None) -> CMAES:
        s = self._settings
        x0 = self._initial_point() if initial_point is None else initial_point
        first = s.population_size or default_population_size(len(x0))
        growth = s.population_factor ** (self.restarts % (s.max_restarts + 1))
        return CMAES(x0, round(first * growth), s, self._box, self._rng)
