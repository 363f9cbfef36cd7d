"""Parts of a strategy that a config chooses by name.

Each kind of a part is one file: a frozen settings model whose field ``name`` is the kind's name, with its code. A
registry has one line for each kind and becomes the type of a field: a union that pydantic tells apart by ``name``.
Importing a kind must be cheap: SciPy, Numba and pycma are imported when they are used.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, ClassVar, Union

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sacma.surrogate.whitening import Grid
from sacma.types import Array


class Settings(BaseModel):
    """Settings that a config holds: frozen, strict, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Part(Settings):
    """Settings of one kind of a part."""

    needs: ClassVar[tuple[str, str] | None] = None
    """A module that this kind imports, and the extra of sacma that installs it."""

    def prepare(self) -> None:
        """Import and compile the code of the part, before any trial is timed."""


@dataclass(frozen=True)
class Context:
    """Problem and random numbers that a part is built with."""

    dimension: int  # D
    box: tuple[Array, Array]  # lower and upper bounds of the problem, each of shape (D,)
    rng: np.random.Generator  # source of all samples
    grid: Grid | None = None  # cells of points in which f is the same
    noisy: bool = False  # f differs from evaluation to evaluation


def kinds(*locations: str) -> Mapping[str, Any]:
    """Import the kinds of a part at ``module:class`` and return them by name."""
    found = {}
    for location in locations:
        module, _, name = location.partition(":")
        kind = getattr(import_module(module), name)
        found[kind.model_fields["name"].default] = kind
    return found


def one_of(registry: Mapping[str, Any], usual: str = "") -> Any:
    """Return the type of a field that holds one of the kinds in ``registry``.

    ``usual`` is the kind of settings without a name; empty: the name is required.
    """

    def named(given: object) -> object:
        return {"name": usual, **given} if usual and isinstance(given, dict) and "name" not in given else given

    return Annotated[Union[tuple(registry.values())], Field(discriminator="name"), BeforeValidator(named)]  # noqa: UP007 of a tuple
