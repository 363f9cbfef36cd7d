"""The method of a call as a header has it: name, settings, and whose class of settings it is."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.config.nested import resolve
from sacma.files.printable import one_line
from sacma.optimize.evaluation_lines import refuse_key
from sacma.optimize.methods import LONGEST_CLASS, Method, method_of, registered
from sacma.strategy.settings import StrategySettings

METHOD = ("algorithm", "own_class", "settings")
"""Keys of a header's call."""

LONGEST_KEY = 100  # characters of a key
LONGEST_REASON = 300  # characters of what is said about a setting

_NOT_OF_A_CALL = {"sampling": {"sigma0"}, "restarts": {"initial_range"}}
"""Settings of a strategy that follow from a call, or have no effect there."""


def method_as_json(method: Method) -> dict[str, Any]:
    """Return a method as a header has it."""
    unwritten: Any = {"sigma0"} if method.composed is None else _NOT_OF_A_CALL
    return {
        "algorithm": method.algorithm,
        "own_class": method.own_class,
        "settings": method.settings.model_dump(mode="json", exclude=unwritten),
    }


def method_in(given: Mapping[str, Any], sigma0: float, *, bounded: bool) -> Method:
    """Return the method of a header's call; a ValueError names the key that is damaged.

    Settings of a class of the user's own cannot be read without it: sacma's defaults stand in for them.
    """
    algorithm, own_class = registered(given["algorithm"]), given["own_class"]
    if own_class is None:
        return _checked(algorithm.name, algorithm.settings, given["settings"], sigma0, bounded=bounded)
    if not isinstance(own_class, str) or len(own_class) > LONGEST_CLASS:
        refuse_key("own_class", own_class, "the name of a class, or null")
    if algorithm is not surrogate_cmaes:
        refuse_key(
            "algorithm", algorithm.name, f"{surrogate_cmaes.name}, which alone takes settings of a user's own class"
        )
    _check_parts(given["settings"])
    return method_of(StrategySettings(), sigma0=sigma0, bounded=bounded)


def own_method(given: Mapping[str, Any], kind: type[StrategySettings], sigma0: float, *, bounded: bool) -> Method:
    """Return the method of a header's call whose settings are of a class of the user's own, ``kind``."""
    return _checked(given["algorithm"], kind, given["settings"], sigma0, bounded=bounded)


def _checked(algorithm: str, kind: type[BaseModel], given: object, sigma0: float, *, bounded: bool) -> Method:
    """Return an algorithm with the settings ``given`` by a header, of class ``kind``."""
    parts = given if isinstance(given, dict) else {}
    if issubclass(kind, StrategySettings):
        _check_parts(given)
        parts = {**parts, "sampling": {**parts["sampling"], "sigma0": sigma0}}
    elif not isinstance(given, dict) or "sigma0" in given:
        refuse_key("settings", given, "those of an algorithm, without sigma0")
    elif "sigma0" in kind.model_fields:
        parts = {**parts, "sigma0": sigma0}
    try:
        settings = kind.model_validate_json(json.dumps(parts))  # of JSON: an Enum, or a Path, is a text there
    except ValidationError as error:
        first = error.errors()[0]
        within, _ = resolve(kind, tuple(map(str, first["loc"])))
        key = ".".join(["settings", *within])
        reason = one_line(first["msg"], LONGEST_REASON)
        refuse_key(one_line(key, LONGEST_KEY), first["input"], f"a setting: {reason}")
    method = Method(algorithm, settings)
    if method_of(method, sigma0=sigma0, bounded=bounded) != method:
        key, value = "within_box", parts.get("within_box")
        if method.composed is not None:
            key, value = "sampling.bounds", parts["sampling"].get("bounds")
        refuse_key(f"settings.{key}", value, "what there is for these bounds")
    return method


def _check_parts(given: object) -> None:
    """Refuse what are no settings of a strategy, or have what follows from a call."""
    parts = given if isinstance(given, dict) else {}
    sampling, restarts = parts.get("sampling"), parts.get("restarts")
    if not isinstance(sampling, dict) or not isinstance(restarts, dict):
        refuse_key("settings", given, "those of a strategy")
    if "sigma0" in sampling or "initial_range" in restarts:
        refuse_key("settings", given, "without sigma0 and initial_range")
