"""Nested settings: the models of parts below a settings model, and dotted keys of their values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sacma.surrogate.part import Kinds

Location = tuple[str, ...]  # keys from the top of a file down to one of them; entries of lists by number


def kinds_of(info: FieldInfo) -> Mapping[str, type[BaseModel]]:
    """Return the models that a field can hold by name; the name is empty where there is no choice."""
    within = [kind for annotation in (info.annotation, *info.metadata) for kind in _within(annotation)]
    found = [kind for kind in within if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return {name_of(kind): kind for kind in found}


def name_of(kind: type[BaseModel]) -> str:
    """Return the name by which a kind of part is chosen; empty for other models."""
    default = kind.model_fields["name"].default if "name" in kind.model_fields else ""
    return default if isinstance(default, str) else ""


def _within(annotation: Any) -> Iterator[Any]:
    yield annotation
    for argument in annotation.values() if isinstance(annotation, Kinds) else get_args(annotation):
        yield from _within(argument)


def resolve(model: type[BaseModel], location: Sequence[str]) -> tuple[Location, list[str]]:
    """Return a location of pydantic's as in the file, and the valid keys at its last level.

    pydantic's locations have the name of a part after the part's key.
    """
    kept: list[str] = []
    kind: type[BaseModel] | None = model
    choices: Mapping[str, type[BaseModel]] = {}
    valid: list[str] = []
    for step in location:
        if kind is None and step in choices:
            kind = choices[step]
            continue
        kept.append(step)
        if step.isdigit():
            continue
        valid = list(kind.model_fields) if kind is not None else []
        choices = kinds_of(kind.model_fields[step]) if kind is not None and step in kind.model_fields else {}
        kind = next(iter(choices.values())) if len(choices) == 1 else None
    return tuple(kept), valid


def all_kinds(model: type[BaseModel]) -> Iterator[tuple[str, str, type[BaseModel]]]:
    """Yield key, name and model of each part below ``model``, each once: ``control.error``, ``kendall``, its model."""
    seen: set[tuple[str, str]] = set()

    def below(prefix: str, owner: type[BaseModel]) -> Iterator[tuple[str, str, type[BaseModel]]]:
        for key, info in owner.model_fields.items():
            for name, kind in kinds_of(info).items():
                if (f"{prefix}{key}", name) not in seen:
                    seen.add((f"{prefix}{key}", name))
                    yield f"{prefix}{key}", name, kind
                    yield from below(f"{prefix}{key}.", kind)

    return below("", model)


def merged(settings: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with values set at dotted keys: ``control.transfer``."""
    result = dict(settings)
    for key, value in values.items():
        first, _, rest = key.partition(".")
        inner = result.get(first)
        result[first] = merged(inner if isinstance(inner, Mapping) else {}, {rest: value}) if rest else value
    return result


def flattened(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by dotted keys; the key of a part has its name.

    >>> flattened({"control": {"name": "generations", "model_generations": 5}, "model": None})
    {'control': 'generations', 'control.model_generations': 5, 'model': None}
    """
    result: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            inner = flattened(value)
            if "name" in inner:
                result[key] = inner.pop("name")
            result.update({f"{key}.{below}": found for below, found in inner.items()})
        else:
            result[key] = value
    return result


def value_at(settings: Mapping[str, Any], key: str) -> Any:
    """Return the value at a dotted key; raise KeyError if there is none."""
    found: Any = settings
    for part in key.split("."):
        if not isinstance(found, Mapping):
            raise KeyError(key)
        found = found[part]
    return found


def setting_text(value: object) -> str:
    """Return the value of a setting as configs have it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:.6g}" if isinstance(value, float) else str(value)
