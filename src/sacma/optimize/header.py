"""A call as JSON, the first line of its journal, and back: there, whatever is not as it was written is refused."""

import contextlib
import json
import math
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

from pydantic import ValidationError

from sacma import __version__
from sacma.config.nested import resolve
from sacma.files.printable import one_line, shown
from sacma.optimize.arguments import initial_point
from sacma.optimize.call import Call, Limits, checked_call, checked_limits, checked_sigma
from sacma.optimize.surrogates import settings_of
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array

FORMAT = "sacma-journal-2"  # format of the header; a reader of another refuses it
COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")  # packages of which another version may ask for other points
LONGEST_VERSION = 100  # characters of a version, or of a package's name
LONGEST_VERSIONS = 300  # characters of what is said about versions

CALL = ("x0", "sigma0", "lower", "upper", "scale", "settings", "seed", "archive")
_NOT_OF_A_CALL = {"sampling": {"sigma0"}, "restarts": {"initial_range"}}

LIMITS = ("budget", "target", "time_limit", "max_failures")


def header_of(call: Call) -> dict[str, Any]:
    """Return the header of a call: floats come back from its JSON to the bit."""
    limits = {name: value if math.isfinite(value) else None for name, value in asdict(call.limits).items()}
    return {"format": FORMAT, "sacma": __version__, "versions": _versions(), "limits": limits, "call": as_json(call)}


def as_json(call: Call) -> dict[str, Any]:
    """Return all of a call but its limits."""
    return {
        "x0": call.x0.tolist(),
        "sigma0": call.settings.sampling.sigma0,
        "lower": _open(call.space.lower),
        "upper": _open(call.space.upper),
        "scale": call.space.scale.tolist(),
        "settings": call.settings.model_dump(exclude=_NOT_OF_A_CALL),
        "seed": call.seed,
        "archive": None if call.archive is None else [part.tolist() for part in call.archive],
    }


def _open(bounds: Array) -> list[float | None]:
    return [float(bound) if math.isfinite(bound) else None for bound in bounds]


def call_of(header: object) -> Call:
    """Return the call of a header; a ValueError names the key that is damaged."""
    try:
        top = _keys("the header", header, ("format", "sacma", "versions", "limits", "call"))
        if top["format"] != FORMAT:
            _refuse("format", top["format"], FORMAT)
        _check_text("sacma", top["sacma"])
        _check_versions(top["versions"])
        limits = checked_limits(**_keys("limits", top["limits"], LIMITS))
        return _call_of(_keys("call", top["call"], CALL), limits)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _call_of(given: Mapping[str, Any], limits: Limits) -> Call:
    x0 = initial_point(_vector("x0", given["x0"]))
    scale = _vector("scale", given["scale"], len(x0))
    lower, upper = (_vector(side, given[side], len(x0), or_none=True) for side in ("lower", "upper"))
    sigma0 = checked_sigma(real("sigma0", given["sigma0"]))
    bounded = any(bound is not None for bound in lower + upper)
    settings = _settings(given["settings"], sigma0, bounded=bounded)
    seed, archive = given["seed"], given["archive"]
    if type(seed) is not int:
        _refuse("seed", seed, "an integer")
    if archive is not None:
        X, y = _list("archive", archive, 2)
        y = _vector("archive[1]", y)
        X = [_vector(f"archive[0][{i}]", x, len(x0)) for i, x in enumerate(_list("archive[0]", X, len(y)))]
        archive = X, y
    bounds, strategy = list(zip(lower, upper, strict=True)), {"surrogate": settings, "population_size": None}
    return checked_call(x0, sigma0, limits, bounds=bounds, scale=scale, seed=seed, archive=archive, **strategy)


def _settings(given: object, sigma0: float, *, bounded: bool) -> StrategySettings:
    if not isinstance(given, dict):
        _refuse("settings", given, "those of a strategy")
    sampling, restarts = given.get("sampling"), given.get("restarts")
    if not isinstance(sampling, dict) or not isinstance(restarts, dict):
        _refuse("settings", given, "those of a strategy")
    if "sigma0" in sampling or "initial_range" in restarts:
        _refuse("settings", given, "without sigma0 and initial_range")
    try:
        settings = StrategySettings.model_validate({**given, "sampling": {**sampling, "sigma0": sigma0}})
    except ValidationError as error:
        first = error.errors()[0]
        within, _ = resolve(StrategySettings, tuple(map(str, first["loc"])))
        key = ".".join(["settings", *within])
        reason = one_line(first["msg"], LONGEST_VERSIONS)
        _refuse(one_line(key, LONGEST_VERSION), first["input"], f"a setting: {reason}")
    if settings_of(settings, sigma0=sigma0, bounded=bounded).model_dump() != settings.model_dump():
        _refuse("settings.sampling.bounds", settings.sampling.bounds, "what there is for these bounds")
    return settings


def other_versions(header: Mapping[str, Any]) -> str:
    """Name the packages that have another version than in a header that was checked; empty where none has."""
    here = _versions()
    others = {name: was for name, was in header["versions"].items() if here.get(name) != was}
    words = ", ".join(f"{name} {was}, here {here.get(name, 'none')}" for name, was in others.items())
    return one_line(words, LONGEST_VERSIONS)


def _versions() -> dict[str, str]:
    found = {}
    for package in COMPUTED_WITH:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _check_versions(given: object) -> None:
    if not isinstance(given, dict) or len(given) > LONGEST_VERSION:
        _refuse("versions", given, "versions of packages, by name")
    for name, was in given.items():
        _check_text("a name of versions", name)
        _check_text(one_line(f"versions.{name}"), was)


def _check_text(key: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_VERSION:
        _refuse(key, value, f"text of at most {LONGEST_VERSION} characters")


def _keys(what: str, given: object, keys: Collection[str]) -> dict[str, Any]:
    """Return a JSON object that has ``keys`` and no others."""
    if not isinstance(given, dict):
        _refuse(what, given, f"an object with {', '.join(keys)}")
    if missing := [key for key in keys if key not in given]:
        raise ValueError(f"{what} has no {missing[0]}")
    if more := [key for key in given if key not in keys]:
        _refuse(f"a key of {what}", more[0], ", ".join(keys))
    return given


def _list(key: str, given: object, length: int | None = None) -> list[Any]:
    if not isinstance(given, list) or length not in {None, len(given)}:
        _refuse(key, given, "a list" if length is None else f"a list of {length}")
    return given


def _vector(key: str, given: object, length: int | None = None, *, or_none: bool = False) -> list[Any]:
    """Return a list of finite numbers."""
    numbers = list(_list(key, given, length))
    for i, value in enumerate(numbers):
        if not ((type(value) is float and math.isfinite(value)) or (or_none and value is None)):
            numbers[i] = real(f"{key}[{i}]", value)
    return numbers


def real(key: str, value: object) -> float:
    """Return a JSON number as a finite float; refuse anything else, such as a truth value or text."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= sys.float_info.max:
        _refuse(key, value, "a finite number")
    return float(value)


def _refuse(key: str, value: object, allowed: str) -> NoReturn:
    raise ValueError(f"{key} is {shown(value)}, not {allowed}")


def to_line(content: Mapping[str, Any]) -> bytes:
    """Return a line of a journal."""
    return json.dumps(content).encode() + b"\n"
