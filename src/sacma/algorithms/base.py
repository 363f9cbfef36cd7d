"""The interface of harness and algorithms: the problem that an algorithm is given, and the algorithm."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from pydantic import BaseModel

from sacma.errors import SacmaError
from sacma.files.import_object import import_object
from sacma.strategy.generation import Generation
from sacma.surrogate.whitening import Array


class Problem(Protocol):
    """An objective function that counts its evaluations and ends the trial when they are used up.

    An algorithm may call it until it ends the trial by itself; one that must not be interrupted in the middle of a
    population looks at ``evaluations_left`` and ``target_hit`` and returns.
    """

    @property
    def dimension(self) -> int:
        """D, the number of variables."""

    @property
    def lower_bounds(self) -> Array:
        """Lower bounds of the region of interest, shape (D,). Points beyond can be evaluated."""

    @property
    def upper_bounds(self) -> Array:
        """Upper bounds of the region of interest, shape (D,)."""

    @property
    def evaluations_left(self) -> int:
        """How many evaluations the budget still holds."""

    @property
    def target_hit(self) -> bool:
        """Whether the final target has been reached: no further evaluation will be made. Never where f is noisy."""

    def __call__(self, point: Array) -> float:
        """Return f(point) and count the evaluation.

        Args:
            point: shape (D,), finite.
        """

    def initial_point(self, half_width: float) -> Array:
        """Draw the next initial point, uniform in [−half_width, half_width]^D.

        All algorithms draw the same initial points on the same problem: comparisons are paired.
        """

    def trace(self, generation: Generation) -> None:
        """Keep a generation for the trial's trace. Optional."""


Minimize = Callable[[Problem, Any, np.random.Generator], None]
"""An algorithm: minimises a problem with its settings and its own random numbers."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that a config can name.

    Args:
        summary: one line for people.
        settings: what validates its settings.
        location: ``module:function``, imported only where the algorithm runs.
        preparation: idem, of what a process does once before its first trial, and outside of its time; or empty.
        needs: a module that it imports, and the extra of sacma that brings it; or None.
    """

    summary: str
    settings: type[BaseModel]
    location: str
    preparation: str = ""
    needs: tuple[str, str] | None = None

    def check(self) -> None:
        """Complain where something is not installed that the algorithm needs.

        Raises:
            SacmaError: what, and how to install it.
        """
        if self.needs is not None and find_spec(self.needs[0]) is None:
            module, extra = self.needs
            raise SacmaError(
                f"{self.summary}: {module} is not installed; install it with: pip install 'sacma[{extra}]'"
            )

    def load(self) -> Minimize:
        """Import and return the algorithm.

        Raises:
            SacmaError: it needs something that is not installed.
        """
        self.check()
        function: Minimize = import_object(self.location)
        return function

    def prepare(self) -> None:
        """Do what comes before the first trial of a process."""
        if self.preparation:
            import_object(self.preparation)()
