"""Validated settings that mean the same once they are stored as JSON and read back."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from sacma.files.printable import one_line, shown
from sacma.files.untrusted import check_plain

# Advice on type hints of settings.
ALLOWED = "use bool, int, float, str, Literal, lists of these, or one of them | None"

MOST_CHARACTERS = 1 << 20  # of one algorithm's settings as JSON: a thousand times those of any of ours


class SettingsError(Exception):
    """Settings are valid, but cannot be stored, or their validation fails by an error of its own."""


def canonical_json(settings: Mapping[str, Any]) -> str:
    """Return ``settings`` as the JSON text whose hash identifies them."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"))


def validated(model: type[BaseModel], given: object) -> BaseModel:
    """Return the settings that a config gives, as a trial will have them.

    A trial, in another process or years later, validates what was stored. So values are those that a second validation
    leaves unchanged: a default of 2 for a float is 2.0.

    Raises:
        ValidationError: they are not allowed.
        SettingsError: no file can hold them, each validation changes them, or a validator of the model fails.
    """
    settings = _validated(model, given)
    first = _as_json(settings)
    again = _read_back(model, first)
    second = _as_json(again)
    if first == second:
        return settings
    if second != _as_json(_read_back(model, second)):
        raise SettingsError(
            f"each validation changes these settings, {one_line(first, 200)} to {one_line(second, 200)}; they are "
            "validated when they are read and again when a trial runs: convert them in the algorithm"
        )
    return again


def _validated(model: type[BaseModel], given: object) -> BaseModel:
    try:
        return model.model_validate(given)
    except ValidationError:
        raise
    except Exception as error:  # of a validator of the user's
        what = one_line(f"{type(error).__name__}: {error}", 200)
        raise SettingsError(f"a validator of {model.__name__} fails by {what}; raise ValueError") from error


def _as_json(settings: BaseModel) -> str:
    """Return settings as canonical JSON, which a file can hold."""
    fields = settings.model_dump()
    for key, value in fields.items():
        try:
            text = canonical_json({key: value})
            check_plain(json.loads(text))
        except (TypeError, OverflowError):
            raise SettingsError(f"{key}: {shown(value)} cannot be stored; {ALLOWED}") from None
        except ValueError as error:
            raise SettingsError(f"{key}: {error}; results could not be read again") from None
    text = canonical_json(fields)
    if len(text) > MOST_CHARACTERS:
        raise SettingsError(f"these are {len(text):,} characters as JSON; at most {MOST_CHARACTERS:,} are allowed")
    return text


def _read_back(model: type[BaseModel], text: str) -> BaseModel:
    try:
        return _validated(model, json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or model.__name__
        reason = first["msg"].removeprefix("Input ")
        what = f"stored as JSON it cannot be read back: {one_line(reason, 200)}"
        raise SettingsError(f"{key}: {what}; {ALLOWED}") from error
