"""Sweeps: YAML files with algorithms and a grid of settings, and the study of each combination."""

import hashlib
import itertools
import json
import math
import re
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from sacma.algorithms.registry import ALGORITHMS
from sacma.algorithms.settings import SettingsError, validated
from sacma.config.nested import Location, merged, value_at
from sacma.config.study import FolderName, NamedAlgorithm, Protocol, Study, with_overrides
from sacma.config.yaml_file import Document, explain, read_document
from sacma.errors import SacmaError
from sacma.files.printable import one_line, shown
from sacma.surrogate.part import Settings

MOST_SETTINGS = 1000  # largest number of settings of all algorithms of a sweep


def _values(given: object) -> object:
    if not isinstance(given, list) or not given:
        raise ValueError(f"{shown(given)} is not a list of values; write it like [0.2, 0.5]")
    return tuple(given)


Values = Annotated[tuple[Any, ...], BeforeValidator(_values)]
Budgets = Annotated[tuple[Annotated[float, Field(gt=0, le=1e7)], ...], BeforeValidator(_values)]
SomeSettings = Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)]


class AlgorithmEntry(NamedAlgorithm):
    """An algorithm of a sweep file."""

    settings: Annotated[SomeSettings, Field(default_factory=dict, description="that all its combinations share")]


class SweepFile(Settings):
    """The keys of a sweep file; the default of ``rank_at`` and the protocol are the paper's."""

    name: Annotated[FolderName, Field(description="what the tables of the sweep are called")]
    protocol: Annotated[Protocol, Field(description="of all its algorithms")] = Protocol()
    rank_at: Annotated[Budgets, Field(description="evaluations/D after which settings are ranked")] = (25, 50, 125, 250)
    algorithms: Annotated[
        tuple[AlgorithmEntry, ...], BeforeValidator(_values), Field(description="each is ranked by itself")
    ]
    grid: Annotated[dict[str, Values], Field(min_length=1, description="settings, each with the values that it takes")]


@dataclass(frozen=True)
class Setting:
    """A combination of the values of a grid, as text by key, and its study."""

    combination: Mapping[str, str]
    study: Study


@dataclass(frozen=True)
class Sweep:
    """A sweep file with all combinations of its grid."""

    name: str
    grid: Mapping[str, tuple[str, ...]]  # values by key, as text
    rank_at: tuple[float, ...]  # evaluations/D at which settings are ranked, up to the budget
    settings: Mapping[str, tuple[Setting, ...]]  # by algorithm; the values of the last key vary fastest

    @property
    def studies(self) -> tuple[Study, ...]:
        """The studies of all settings of all algorithms."""
        return tuple(setting.study for settings in self.settings.values() for setting in settings)


def load_sweep(path: Path, overrides: Mapping[str, object] | None = None) -> Sweep:
    """Read a sweep file; ``overrides`` replace keys of its protocol. A SacmaError says what is wrong, and where."""
    document = read_document(path, "sweep", ["name", "algorithms", "grid"])
    if "algorithm" in document.content and "grid" not in document.content:
        raise SacmaError(f"{path}: this is a config, not a sweep; run it with: sacma run {shlex.quote(str(path))}")
    try:
        file = SweepFile.model_validate(with_overrides(document.content, overrides or {}))
    except ValidationError as error:
        raise SacmaError(explain(error, document, SweepFile, options=overrides or ())) from None
    for key, outer in itertools.permutations(file.grid, 2):
        if key.startswith(f"{outer}."):
            raise document.error(("grid", key), f"is set by {outer} of the grid as well; leave one of them out")
    combinations = math.prod(map(len, file.grid.values()))
    count = len(file.algorithms) * combinations
    if count > MOST_SETTINGS:
        raise document.error(("grid",), f"{count:,} settings; a sweep takes at most {MOST_SETTINGS:,}")
    settings: dict[str, tuple[Setting, ...]] = {}
    for number, entry in enumerate(file.algorithms):
        each = (dict(zip(file.grid, values, strict=True)) for values in itertools.product(*file.grid.values()))
        settings[entry.name] = tuple(_setting(number, values, file, document) for values in each)
    grid = {key: tuple(map(_as_written, values)) for key, values in file.grid.items()}
    rank_at = sorted({min(float(budget), file.protocol.budget) for budget in file.rank_at})
    sweep = Sweep(file.name, grid, tuple(rank_at), settings)
    if combinations == 1:
        raise document.error(("grid",), "it has a single combination; a sweep ranks two or more of an algorithm")
    # Some file systems ignore the case of names.
    (name, times), *_ = Counter(study.name.lower() for study in sweep.studies).most_common(1)
    if times > 1 or len(settings) < len(file.algorithms):
        raise document.error(("grid",), f"several settings would be called {name}; leave all but one out")
    return sweep


def _setting(number: int, values: Mapping[str, Any], file: SweepFile, document: Document) -> Setting:
    """Return a combination of the values of the grid; raise SacmaError where its algorithm refuses it."""
    entry = file.algorithms[number]
    model, within = ALGORITHMS[entry.algorithm].settings, ("algorithms", str(number), "settings")

    def place(location: Location) -> Location:
        for key in file.grid:
            if location[: len(steps := tuple(key.split(".")))] == steps:
                return ("grid", key, *location[len(steps) :])
        if within + location in document.lines:
            return within + location
        return next((("grid", key) for key in file.grid if key.startswith(".".join(location))), ("grid",))

    combination = one_line(", ".join(f"{key}: {_as_written(value)}" for key, value in values.items()), 400)
    try:
        valid = validated(model, merged(entry.settings, values))
    except SettingsError as error:
        raise document.error(within, error) from None
    except ValidationError as error:
        reason = explain(error, document, model, place=place)
        raise SacmaError(f"{reason} ({entry.name} with {combination})") from None
    dumped = valid.model_dump()
    try:
        study = Study(
            name=f"{entry.name}.{'-'.join(_label(value, value_at(dumped, key)) for key, value in values.items())}",
            description=entry.description,
            algorithm=entry.algorithm,
            settings=valid,
            protocol=file.protocol,
            origin=ALGORITHMS.origin(entry.algorithm),
        )
    except ValidationError as error:
        raise document.error(("grid",), error.errors()[0]["ctx"]["error"]) from None
    return Setting({key: _as_written(value) for key, value in values.items()}, study)


def _as_written(value: Any) -> str:
    """Return a value as YAML on one line; text without quotation marks."""
    if isinstance(value, str):
        return value
    text: str = yaml.safe_dump([value], default_flow_style=True, sort_keys=False, allow_unicode=True, width=sys.maxsize)
    return text.strip()[1:-1]


def _label(given: object, value: object) -> str:
    """Return a value in the name of a setting: a number, a word or a hash."""
    match value:
        case {"name": str(text)} if given == {"name": text}:
            pass
        case str():
            text = value
        case float():
            text = str(value).removesuffix(".0")
        case _:
            text = json.dumps(value, sort_keys=True, default=str)
    fits = re.fullmatch(r"[A-Za-z0-9._+-]+", text)
    return text if fits else hashlib.sha256(text.encode()).hexdigest()[:6]
