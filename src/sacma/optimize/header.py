"""Header of a journal: the call, its limits and versions."""

import json
import math
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sacma import __version__
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import first_problem
from sacma.optimize.call import Call, Tolerance, check_size, checked_call
from sacma.optimize.constraints import MOST_CONSTRAINTS, Constraints
from sacma.optimize.methods import Method, registered
from sacma.optimize.space import Space, space_as_json, space_of

FORMAT: Final = "sacma-journal-9"
COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")  # packages of which another version may ask for other points

Text = Annotated[str, Field(max_length=100)]
Point = Annotated[list[float], Field(min_length=1)]


class Strict(BaseModel):
    """Content of a line: nothing else is there."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class MethodContent(Strict):
    """The method of a call in a header."""

    algorithm: Text | None  # of the registry; None: settings of a class of the user's own, which no file brings
    settings: dict[str, Any]


class CallContent(Strict):
    """Arguments of a call in a header, all but its limits."""

    space: dict[Any, dict[Any, Any]] | None  # first, as most others differ where it does
    bounds: list[list[float | None]] | None  # before what is derived from them, and the scale
    scale: list[float] | None
    x0: Point | Annotated[list[Point], Field(min_length=1)]  # a point, or several first guesses
    sigma0: float
    method: MethodContent
    seed: int
    known: list[list[Any]] | None
    noisy: bool
    tolerance: Annotated[list[float], Field(min_length=3, max_length=3)] | None
    constraints: Annotated[list[Literal["<= 0", "== 0"]], Field(max_length=MOST_CONSTRAINTS)]


class Header(Strict):
    """The first line of a journal."""

    format: Literal["sacma-journal-9"] = FORMAT
    sacma: Text = __version__
    versions: Annotated[dict[Text, Text], Field(max_length=100)]
    limits: dict[Literal["budget", "target", "time_limit", "max_failures", "restarts"], int | float]
    call: CallContent

    @classmethod
    def of(cls, call: Call) -> "Header":
        """Return the header of a call with a seed: floats come back from JSON to the bit."""
        check_size(call)
        box, space, method = call.box, call.space, call.method
        pairs = np.column_stack([box.lower, box.upper]).astype(object)
        pairs[~np.isfinite(pairs.astype(float))] = None
        name = method.algorithm if type(method.settings) is registered(method.algorithm).settings else None
        content = CallContent(
            space=None if space is None else space_as_json(space),
            x0=[guess.tolist() for guess in call.guesses] or call.x0.tolist(),
            sigma0=call.sigma0,
            bounds=pairs.tolist() if space is None else None,
            scale=box.scale.tolist() if space is None else None,
            method=MethodContent(algorithm=name, settings=method.settings.model_dump(mode="json")),
            seed=call.seed or 0,
            known=None if call.known is None else [part.tolist() for part in call.known],
            noisy=call.noisy,
            tolerance=None if call.tolerance is None else [float(part) for part in asdict(call.tolerance).values()],
            constraints=["== 0" if equal else "<= 0" for equal in call.equalities],
        )
        limits: Any = {name: limit for name, limit in asdict(call.limits).items() if math.isfinite(limit)}
        return cls(versions={name: version(name) for name in COMPUTED_WITH}, limits=limits, call=content)

    def restored(self) -> Call:
        """Return the call; TypeError or ValueError where an argument is wrong."""
        given, tolerance = self.call, self.call.tolerance
        if given.method.algorithm is None:
            raise ValueError("its method is of a class of the user's own, which no file brings")
        algorithm = registered(given.method.algorithm)
        try:  # of JSON: an Enum, or a Path, is a text there
            settings = algorithm.settings.model_validate_json(json.dumps(given.method.settings))
        except ValidationError as error:
            raise ValueError(f"call.method.settings: {first_problem(error)}") from None
        call = checked_call(
            **self.limits,
            method=Method(algorithm.name, settings),
            space=None if given.space is None else space_of(given.space),
            tolerance=None if tolerance is None else Tolerance(tolerance[0], tolerance[1], int(tolerance[2])),
            constraints=Constraints(tuple(kind == "== 0" for kind in given.constraints)),
            **given.model_dump(include={"x0", "sigma0", "bounds", "scale", "seed", "known", "noisy"}),
        )
        check_size(call)
        return call


def dimension_of(header: Header, space: Space | None) -> int:
    """Return D, the number of coordinates of a point."""
    return len(np.atleast_2d(header.call.x0)[0]) if space is None else space.dimension


def difference(there: Any, here: Any, place: str = "") -> str:
    """Return, for people, the first value in which two calls differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**there, **here}:
            one, other = there.get(name), here.get(name)
            if json.dumps(one) != json.dumps(other):  # where 1 is not True
                return difference(one, other, f"{place}.{name}")
        there, here = list(there), list(here)  # in another order
    if isinstance(there, list) and isinstance(here, list) and _is_nested(there) and _is_nested(here):
        if len(there) != len(here):
            return f"{one_line(place[1:], 200)} has {len(there)} points there, {len(here)} here"
        i = next((i for i, pair in enumerate(zip(there, here, strict=True)) if pair[0] != pair[1]), 0)
        return difference(there[i], here[i], f"{place}[{i}]")
    return f"{one_line(place[1:], 200)} = {shown(there)} there, {shown(here)} here"


def _is_nested(values: list[Any]) -> bool:
    """Recognize lists of lists, such as points, of which the beginnings alone would be shown."""
    return all(isinstance(value, list) for value in values)
