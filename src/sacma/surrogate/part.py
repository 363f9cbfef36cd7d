"""Parts of a strategy that a config chooses by name.

A kind of a part is a frozen settings class with a field ``name``. A kind without memory follows its part's protocol
itself; one with a memory has a ``build``. A registry has one line for each kind, and is the type of a field.
Importing a kind must be cheap: SciPy, Numba and pycma are imported when they are used.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol, Union

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from sacma.types import Array, Indices


class Settings(BaseModel):
    """Settings that a config holds: frozen, strict, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Part(Settings):
    """Settings of one kind of a part."""

    # A module that this kind imports, and the extra of sacma that installs it.
    needs: ClassVar[tuple[str, str] | None] = None

    uses_model: ClassVar[bool] = True  # False for a control that evaluates all points with f

    def build(self, context: "Context") -> Any:  # noqa: ARG002 of kinds with a memory
        """Return the part of one strategy: itself, if it has no memory."""
        return self

    def prepare(self) -> None:
        """Import and compile the code of the part, before any trial is timed."""


class Grid(Protocol):
    """Cells of points in which f is the same, as where it takes integers."""

    def centred(self, points: Array) -> Array:
        """Return points, shape (…, D), moved to the centres of their cells."""

    def widths(self, point: Array) -> Array:
        """Return the widths of the cell around a point, shape (D,): 0 where f differs from coordinate to coordinate."""


@dataclass(frozen=True)
class Context:
    """Problem and random numbers that a part is built with."""

    dimension: int  # D
    box: tuple[Array, Array]  # lower and upper bounds of the problem, each of shape (D,)
    rng: np.random.Generator  # source of all samples
    grid: Grid | None = None  # cells of points in which f is the same
    noisy: bool = False  # f differs from evaluation to evaluation


class Kinds(dict[str, Any]):
    """Registry of the kinds of a part by name; ``Annotated[Any, kinds]`` is the type of a field that holds one.

    Args:
        kinds: settings classes.
        usual: name of the kind of settings without a name; empty: the name is required.
    """

    __hash__ = object.__hash__  # type: ignore[assignment]  # for annotations

    def __init__(self, *kinds: type[Part], usual: str = "") -> None:
        super().__init__({kind.model_fields["name"].default: kind for kind in kinds})
        self._usual = usual

    def __get_pydantic_core_schema__(self, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds: Any = Union[tuple(self.values())]  # noqa: UP007 of a tuple
        return handler.generate_schema(Annotated[kinds, Field(discriminator="name"), BeforeValidator(self._named)])

    def _named(self, given: object) -> object:
        unnamed = self._usual and isinstance(given, dict) and "name" not in given
        return {"name": self._usual, **given} if unnamed else given  # type: ignore[dict-item]


def complete(part: Any, protocol: type) -> Any:
    """Return a part that was built; raise ValueError where it lacks a method of its protocol."""
    for name in vars(protocol):
        if not name.startswith("_") and not hasattr(part, name):
            raise ValueError(f"{type(part).__name__} has no method {name}, which each {protocol.__name__} needs")
    return part


def numbers_of(part: object, given: Any, shape: tuple[int, ...], *, allowed: str = "finite") -> Array:
    """Return the numbers that a part gave; raise ValueError for another shape, or numbers that are not allowed.

    Args:
        part: named in the message.
        given: by the part, which may be a user's own: a wrong value would show much later, or never.
        shape: −1 stands for any length.
        allowed: "finite", "not NaN", or "any" numbers.
    """
    found = np.asarray(given, dtype=float)
    right = found.ndim == len(shape) and all(n in {-1, m} for n, m in zip(shape, found.shape, strict=True))
    wrong = allowed != "any" and (np.isnan(found).any() or (allowed == "finite" and np.isinf(found).any()))
    if not right or wrong:
        said = f"shape {found.shape}" if not right else f"shape {found.shape}, not all of them {allowed}"
        raise ValueError(f"{type(part).__name__} gave numbers of {said}; allowed: shape {shape}, {allowed}")
    return found


def indices_of(part: object, given: Any, size: int) -> Indices:
    """Return indices that a part gave, ascending, each once; raise ValueError where one is not of ``size`` points."""
    found = np.asarray(given)
    if found.shape == (0,):
        return np.empty(0, dtype=np.intp)
    if found.ndim != 1 or found.dtype.kind != "i" or found.min() < 0 or found.max() >= size:
        raise ValueError(f"{type(part).__name__} chose {given!r}; allowed: indices from 0 to {size - 1}")
    return np.unique(found)


def parts_within(settings: BaseModel) -> Iterable[Part]:
    """Yield all parts below some settings, parts of parts included."""
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Part):
                yield each
            if isinstance(each, BaseModel):
                yield from parts_within(each)
