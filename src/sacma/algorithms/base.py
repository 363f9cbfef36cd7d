"""The interface of algorithms: the problem to solve, and the entry in the registry."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from pydantic import BaseModel

from sacma.errors import SacmaError
from sacma.strategy.generation import Generation
from sacma.types import Array


class Problem(Protocol):
    """An objective function that counts its evaluations and ends the trial when the budget is used up.

    Algorithms may simply call it for ever; those that must not be interrupted within a population check
    ``evaluations_left`` and ``target_hit`` and return.
    """

    @property
    def dimension(self) -> int:
        """D, the number of variables."""

    @property
    def lower_bounds(self) -> Array:
        """Lower bounds of the region of interest, shape (D,). Points outside can be evaluated."""

    @property
    def upper_bounds(self) -> Array:
        """Upper bounds of the region of interest, shape (D,)."""

    @property
    def evaluations_left(self) -> int:
        """Number of evaluations left in the budget."""

    @property
    def target_hit(self) -> bool:
        """True if the target is reached and the trial over; never true with noise."""

    def __call__(self, point: Array) -> float:
        """Return f(point) and count the evaluation; ``point`` is finite and has shape (D,)."""

    def initial_point(self, half_width: float) -> Array:
        """Draw the next initial point, uniform in [−half_width, half_width]^D.

        All algorithms draw the same initial points on a problem, so that comparisons are paired.
        """

    def log(self, **values: float) -> None:
        """Keep numbers of the algorithm's state, such as ``sigma``, which the report draws. Optional."""

    def trace(self, generation: Generation) -> None:
        """Add a generation to the trial's trace. Optional."""


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """An algorithm that a config can name: a function with settings. Calling it calls the function.

    Args:
        name: name in the registry.
        summary: description in one line.
        settings: model that validates the settings.
        function: ``function(problem, rng, settings)`` or ``function(problem, rng, **settings)``.
        takes_model: the function takes the settings as one object.
    """

    name: str
    summary: str
    settings: type[BaseModel]
    function: Callable[..., None] = field(repr=False)
    takes_model: bool = False

    def __call__(self, problem: Problem, rng: np.random.Generator, *settings: object, **more: object) -> None:
        """Minimise ``problem``."""
        self.function(problem, rng, *settings, **more)

    def run(self, problem: Problem, settings: BaseModel, rng: np.random.Generator) -> None:
        """Minimise ``problem`` with validated settings."""
        if self.takes_model:
            self.function(problem, rng, settings)
        else:
            self.function(problem, rng, **{name: getattr(settings, name) for name in type(settings).model_fields})

    @staticmethod
    def missing(settings: BaseModel) -> str | None:
        """Return a message about a package that these settings need and that is not installed, or None."""
        for module, extra in getattr(settings, "needs", ()):
            if find_spec(module) is None:
                return f"{module} is not installed; install it with: pip install 'sacma[{extra}]'"
        return None

    def check(self, settings: BaseModel) -> None:
        """Raise SacmaError if a package that these settings need is not installed."""
        if (missing := self.missing(settings)) is not None:
            raise SacmaError(f"{self.summary}: {missing}")

    def prepare(self, settings: BaseModel) -> None:
        """Load and compile code for these settings, before the first trial of a process."""
        prepare = getattr(settings, "prepare", None)
        if callable(prepare):
            prepare()
