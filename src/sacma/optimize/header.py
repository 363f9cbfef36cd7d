"""The headers of journals: calls as JSON and back, and the versions that computed."""

import json
import math
from dataclasses import asdict
from importlib.metadata import version
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sacma import __version__
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import first_problem
from sacma.optimize.call import Call, Tolerance, check_size, checked_call, checked_limits, with_noise
from sacma.optimize.constraints import MOST_CONSTRAINTS, Constraints
from sacma.optimize.methods import LONGEST_CLASS, Method, registered
from sacma.optimize.space import space_as_json, space_of
from sacma.strategy.settings import StrategySettings

FORMAT: Final = "sacma-journal-8"
COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")  # packages of which another version may ask for other points

Text = Annotated[str, Field(max_length=100)]


class Strict(BaseModel):
    """Content of a line: nothing else is there."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class MethodContent(Strict):
    """The method of a call in a header."""

    algorithm: Text  # of the registry
    own_class: Annotated[str, Field(max_length=LONGEST_CLASS)] | None  # of settings of a class of the user's own
    settings: dict[str, Any]


class CallContent(Strict):
    """Arguments of a call in a header, all but its limits: they are checked as those of any call."""

    space: dict[Any, dict[Any, Any]] | None  # first, as most others differ where it does
    x0: list[Any]  # a point, or several first guesses
    sigma0: float
    bounds: list[list[float | None]] | None
    scale: list[float] | None
    method: MethodContent
    seed: int
    known: list[list[Any]] | None
    noisy: bool
    tolerance: Annotated[list[float], Field(min_length=3, max_length=3)] | None
    constraints: Annotated[list[Literal["<= 0", "== 0"]], Field(max_length=MOST_CONSTRAINTS)]


class Header(Strict):
    """The first line of a journal."""

    format: Literal["sacma-journal-8"] = FORMAT
    sacma: Text = __version__
    versions: Annotated[dict[Text, Text], Field(max_length=100)]
    limits: dict[Literal["budget", "target", "time_limit", "max_failures", "restarts"], int | float]
    call: CallContent


def header_of(call: Call) -> Header:
    """Return the header of a call with a seed: floats come back from JSON to the bit."""
    check_size(call)
    box, space, method = call.box, call.space, call.method
    pairs = np.column_stack([box.lower, box.upper]).astype(object)
    pairs[~np.isfinite(pairs.astype(float))] = None
    settings = method.settings.model_dump(mode="json")
    content = CallContent(
        space=None if space is None else space_as_json(space),
        x0=[guess.tolist() for guess in call.guesses] or call.x0.tolist(),
        sigma0=call.sigma0,
        bounds=pairs.tolist() if space is None else None,
        scale=box.scale.tolist() if space is None else None,
        method=MethodContent(algorithm=method.algorithm, own_class=method.own_class, settings=settings),
        seed=call.seed or 0,
        known=None if call.known is None else [part.tolist() for part in call.known],
        noisy=call.noisy,
        tolerance=None if call.tolerance is None else [float(part) for part in asdict(call.tolerance).values()],
        constraints=["== 0" if equal else "<= 0" for equal in call.equalities],
    )
    limits: Any = {name: limit for name, limit in asdict(call.limits).items() if math.isfinite(limit)}
    return Header(versions={name: version(name) for name in COMPUTED_WITH}, limits=limits, call=content)


def call_of(header: Header, own: type[StrategySettings] | None = None) -> Call:
    """Return the call of a header; a TypeError or ValueError names what is damaged.

    Args:
        header: of a journal.
        own: the user's class of the settings; where they are of one that is not given, defaults stand in for them.
    """
    given, tolerance = header.call, header.call.tolerance
    method: object = StrategySettings()
    if own is not None or given.method.own_class is None:
        algorithm = registered(given.method.algorithm)
        try:  # of JSON: an Enum, or a Path, is a text there
            settings = (own or algorithm.settings).model_validate_json(json.dumps(given.method.settings))
        except ValidationError as error:
            raise ValueError(f"call.method.settings: {first_problem(error)}") from None
        method = Method(algorithm.name, settings)
    call = checked_call(
        limits=checked_limits(**header.limits),
        method=method,
        space=None if given.space is None else space_of(given.space),
        tolerance=None if tolerance is None else Tolerance(tolerance[0], tolerance[1], int(tolerance[2])),
        constraints=Constraints(tuple(kind == "== 0" for kind in given.constraints)),
        **given.model_dump(include={"x0", "sigma0", "bounds", "scale", "seed", "known"}),
    )
    check_size(call)
    return with_noise(call, given.noisy)


def difference(there: Header, here: Header) -> str:
    """Return, for people, the first value of an argument in which two calls differ; empty where none does."""
    one, other = there.call.model_dump(), here.call.model_dump()
    if json.dumps(one) == json.dumps(other):  # where 1 is not True
        return ""
    pairs = zip_longest(_values(one), _values(other), fillvalue=("", None))
    before, now = next(pair for pair in pairs if json.dumps(pair[0]) != json.dumps(pair[1]))
    return f"{_as_words(*before)} there, {_as_words(*now)} here"


def _as_words(place: str, value: Any) -> str:
    return f"{one_line(place, 200)} = {shown(value)}" if place else "nothing more"


def _values(content: Any, *keys: object) -> list[tuple[str, Any]]:
    """Return all values of nested JSON with their places."""
    if not content or not isinstance(content, dict | list):
        return [(".".join(map(str, keys)), content)]
    parts: Any = content.items() if isinstance(content, dict) else enumerate(content)
    return [value for key, part in parts for value in _values(part, *keys, key)]
