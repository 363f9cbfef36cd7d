"""The headers of journals: calls as JSON and back, and the versions that computed."""

import contextlib
import json
import math
from dataclasses import asdict, astuple
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sacma import __version__
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.files.printable import shown
from sacma.files.untrusted import first_problem
from sacma.optimize.call import (
    LARGEST_KEPT,
    Call,
    Tolerance,
    check_size,
    checked_call,
    checked_limits,
    checked_sigma,
    with_noise,
)
from sacma.optimize.constraints import MOST_CONSTRAINTS, Constraints
from sacma.optimize.methods import LONGEST_CLASS, Method, method_of, registered
from sacma.optimize.space import space_as_json, space_of
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array

FORMAT = "sacma-journal-7"  # format of the header; a reader of another refuses it

COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")  # packages of which another version may ask for other points
KINDS = ("<= 0", "== 0")  # of constraints in a header, inequalities and equalities

_NOT_OF_A_CALL = {"sampling": {"sigma0"}, "restarts": {"initial_range"}}
"""Settings of a strategy that follow from a call, or have no effect there."""

Text = Annotated[str, Field(max_length=100)]
Vector = Annotated[list[float], Field(max_length=LARGEST_KEPT)]


class Strict(BaseModel):
    """Content of a line: each key is there, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class LimitsContent(Strict):
    """Limits of a call; null where there is none."""

    budget: int | None
    target: float | None
    time_limit: float | None
    max_failures: int | None
    restarts: int | None


class CallContent(Strict):
    """All of a call but its limits."""

    x0: Annotated[Vector, Field(min_length=1)]
    guesses: list[Vector]
    sigma0: float
    lower: Annotated[list[float | None], Field(max_length=LARGEST_KEPT)]
    upper: Annotated[list[float | None], Field(max_length=LARGEST_KEPT)]
    scale: Vector
    algorithm: Text
    own_class: Annotated[str, Field(max_length=LONGEST_CLASS)] | None
    settings: dict[str, Any]
    seed: int
    known: list[list[Vector] | list[float]] | None
    space: list[dict[str, Any]] | None
    noisy: bool
    tolerance: Annotated[list[float], Field(min_length=3, max_length=3)] | None
    constraints: Annotated[list[Literal["<= 0", "== 0"]], Field(max_length=MOST_CONSTRAINTS)]


class Header(Strict):
    """The first line of a journal."""

    format: Literal["sacma-journal-7"]
    sacma: Text
    versions: Annotated[dict[Text, Text], Field(max_length=100)]
    limits: LimitsContent
    call: CallContent


def header_of(call: Call) -> dict[str, Any]:
    """Return the content of the header of a call with a seed."""
    check_size(call)
    limits = {name: value if math.isfinite(value) else None for name, value in asdict(call.limits).items()}
    return {"format": FORMAT, "sacma": __version__, "versions": versions(), "limits": limits, "call": as_json(call)}


def as_json(call: Call) -> dict[str, Any]:
    """Return all of a call but its limits: floats come back from JSON to the bit."""
    method = call.method
    unwritten: Any = {"sigma0"} if method.composed is None else _NOT_OF_A_CALL
    return {
        "x0": call.x0.tolist(),
        "guesses": [guess.tolist() for guess in call.guesses],
        "sigma0": call.sigma0,
        "lower": _open(call.box.lower),
        "upper": _open(call.box.upper),
        "scale": call.box.scale.tolist(),
        "algorithm": method.algorithm,
        "own_class": method.own_class,
        "settings": method.settings.model_dump(mode="json", exclude=unwritten),
        "seed": call.seed,
        "known": None if call.known is None else [part.tolist() for part in call.known],
        "space": None if call.space is None else space_as_json(call.space),
        "noisy": call.noisy,
        "tolerance": None if call.tolerance is None else [float(part) for part in astuple(call.tolerance)],
        "constraints": [KINDS[equal] for equal in call.equalities],
    }


def _open(bounds: Array) -> list[float | None]:
    return [float(bound) if math.isfinite(bound) else None for bound in bounds]


def call_of(header: Header) -> Call:
    """Return the call of a header; a TypeError or ValueError names what is damaged."""
    given = header.call
    limits = checked_limits(**header.limits.model_dump())
    sigma0 = checked_sigma(given.sigma0)
    bounded = any(bound is not None for bound in given.lower + given.upper)
    if given.own_class is None:
        method = method_in(given, sigma0, bounded)
    else:  # settings of a class of the user's own cannot be read without it: sacma's defaults stand in for them
        if registered(given.algorithm) is not surrogate_cmaes:
            allowed = f"{surrogate_cmaes.name}, which alone takes settings of a user's own class"
            _refuse_key("algorithm", given.algorithm, allowed)
        method = method_of(StrategySettings(), sigma0=sigma0, bounded=bounded)
    chosen: dict[str, Any] = {
        "method": method,
        "population_size": None,
        "seed": given.seed,
        "known": given.known,
        "constraints": Constraints(tuple(kind == KINDS[True] for kind in given.constraints)),
        "tolerance": None if given.tolerance is None else _tolerance(given.tolerance),
        "bounds": list(zip(given.lower, given.upper, strict=False)),
        "scale": given.scale,
    }
    if given.space is not None:
        chosen |= {"space": space_of(given.space), "bounds": None, "scale": None}
    points = [np.array(each, dtype=float) for each in (given.guesses or [given.x0])]
    call = with_noise(checked_call(points if given.guesses else points[0], sigma0, limits, **chosen), given.noisy)
    check_size(call)
    written = as_json(call)
    for key in ("x0", "lower", "upper", "scale", "space"):
        if written[key] != getattr(given, key):
            _refuse_key(key, getattr(given, key), "what follows from the rest of the call")
    return call


def method_in(
    given: CallContent,
    sigma0: float,
    bounded: bool,  # noqa: FBT001 one of our own
    kind: type[BaseModel] | None = None,
) -> Method:
    """Return the method of a header's call, with settings of a class of the user's own if ``kind`` is given."""
    algorithm = registered(given.algorithm)
    kind = kind or algorithm.settings
    parts = dict(given.settings)
    try:
        if issubclass(kind, StrategySettings):
            parts["sampling"] = {**parts["sampling"], "sigma0": sigma0}
        elif "sigma0" in kind.model_fields:
            parts["sigma0"] = sigma0
        settings = kind.model_validate_json(json.dumps(parts))  # of JSON: an Enum, or a Path, is a text there
    except ValidationError as error:
        _refuse_key("settings", given.settings, f"settings: {first_problem(error)}")
    except (KeyError, TypeError):
        _refuse_key("settings", given.settings, "those of a strategy")
    method = Method(algorithm.name, settings)
    if method_of(method, sigma0=sigma0, bounded=bounded) != method:
        _refuse_key("settings", given.settings, "those that follow from these bounds")
    return method


def _tolerance(written: list[float] | None) -> Tolerance | None:
    return None if written is None else Tolerance(written[0], written[1], int(written[2]))


def _refuse_key(key: str, value: object, allowed: str) -> NoReturn:
    raise ValueError(f"{key} is {shown(value)}, not {allowed}")


def versions() -> dict[str, str]:
    """Return the versions that are installed here, by package."""
    found = {}
    for package in COMPUTED_WITH:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
