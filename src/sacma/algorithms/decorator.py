"""The decorator that turns a function into an algorithm, and its keyword parameters into validated settings."""

import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError

from sacma.algorithms.base import Algorithm
from sacma.algorithms.settings import ALLOWED
from sacma.errors import SacmaError
from sacma.files.printable import shown

FIRST = 2  # number of parameters before the settings: the problem and the random generator


@overload
def algorithm(given: Callable[..., None]) -> Algorithm: ...
@overload
def algorithm(given: str) -> Callable[[Callable[..., None]], Algorithm]: ...
def algorithm(given: Callable[..., None] | str) -> Algorithm | Callable[[Callable[..., None]], Algorithm]:
    """Turn a function ``function(problem, rng, **settings)`` into an algorithm that a config can name.

    The name is that of the function with hyphens, or a given one: ``@algorithm("my-es")``. The other parameters are
    settings: type hints say what is allowed, defaults make them optional, and ``typing.Annotated[float,
    pydantic.Field(gt=0, description="…")]`` adds range and meaning. A single parameter ``settings`` whose type hint is
    a pydantic model takes all settings as one object. The first line of the docstring is the summary.

    Raises:
        SacmaError: it is no function, or a parameter cannot be a setting.

    >>> @algorithm
    ... def coin_tosses(problem, rng, *, width: float = 5.0):
    ...     '''Uniform random search.'''
    ...     while problem.evaluations_left:
    ...         problem(rng.uniform(-width, width, problem.dimension))
    >>> coin_tosses.name, coin_tosses.summary, coin_tosses.settings().width
    ('coin-tosses', 'Uniform random search', 5.0)
    """
    if isinstance(given, str):
        return lambda function: _made(given, function)
    return _made(getattr(given, "__name__", "").replace("_", "-"), given)


def _made(name: str, function: Callable[..., None]) -> Algorithm:
    if not inspect.isroutine(function):
        raise SacmaError(f"{shown(function)} is no function; put @sacma.algorithm before a function (problem, rng)")
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?", name):
        raise SacmaError(f"{name!r} cannot name an algorithm; use small letters, digits, '.' and '-' (at most 64)")
    summary = next(iter((inspect.getdoc(function) or "").splitlines()), "").rstrip(".")
    model = _model_of(function)
    return Algorithm(
        name=name,
        summary=summary,
        settings=model or _settings_of(function),
        function=function,
        takes_model=model is not None,
    )


def _model_of(function: Callable[..., None]) -> type[BaseModel] | None:
    """Return the pydantic model of a third parameter ``settings``, None if there is none."""
    parameters = list(inspect.signature(function).parameters)
    hint = getattr(function, "__annotations__", {}).get("settings")
    if len(parameters) == FIRST + 1 and parameters[FIRST] == "settings":
        hint = get_type_hints(function)["settings"] if isinstance(hint, str) else hint
        if isinstance(hint, type) and issubclass(hint, BaseModel):
            return _without_aliases(hint)
    return None


def _settings_of(function: Callable[..., None]) -> type[BaseModel]:
    """Return a model that validates the settings of ``function``."""
    parameters = list(inspect.signature(function).parameters.values())
    first = parameters[:FIRST]
    if len(first) < FIRST or any(p.kind not in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD} for p in first):
        raise SacmaError(f"{function.__name__} takes no problem and rng; write it as {function.__name__}(problem, rng)")
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise SacmaError(f"a type hint of {function.__name__} is not defined: {error}") from None
    config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True, protected_namespaces=())
    fields: dict[str, Any] = {}
    for parameter in parameters[FIRST:]:
        what = f"parameter {parameter.name} of {function.__name__}"
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise SacmaError(f"{what} takes any number of arguments; a setting is one, with a name and a type hint")
        if parameter.name not in hints:
            raise SacmaError(f"{what} has no type hint; a setting needs one, like {parameter.name}: float = 1.0")
        if parameter.name.startswith("_") or hasattr(BaseModel, parameter.name):
            raise SacmaError(f"{what} cannot name a setting; call it otherwise")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    try:
        return _without_aliases(create_model(function.__name__, __config__=config, **fields))
    except PydanticUserError as error:
        reason = str(error).splitlines()[0].partition(". ")[0]
        raise SacmaError(f"a type hint of {function.__name__} cannot be validated: {reason}; {ALLOWED}") from None


def _without_aliases(model: type[BaseModel]) -> type[BaseModel]:
    for name, field in model.model_fields.items():
        if field.alias or field.validation_alias:
            raise SacmaError(f"setting {name} has an alias, which a config and stored results could not both use")
    return model
