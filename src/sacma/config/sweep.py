"""Sweeps: YAML files with algorithms and a grid of settings, and the study of each combination.

They are as strict as configs: errors name file, line, key and what is allowed.
"""

import hashlib
import itertools
import json
import math
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from sacma.algorithms.registry import ALGORITHMS
from sacma.algorithms.settings import SettingsError, validated
from sacma.config.former import former_keys
from sacma.config.nested import Location, merged, resolve, value_at
from sacma.config.study import FolderName, NamedAlgorithm, Protocol, Study, with_overrides
from sacma.config.yaml_file import DEEPEST, Document, explain, read_document, unknown_key
from sacma.errors import SacmaError
from sacma.files.printable import one_line, shown
from sacma.surrogate.part import Settings

MOST_SETTINGS = 1000  # largest number of settings of all algorithms of a sweep


def _values(given: object) -> object:
    if not isinstance(given, list) or not given:
        raise ValueError(f"{shown(given)} is not a list of values; write it like [0.2, 0.5]")
    return tuple(given)


def _ascending(given: tuple[float, ...]) -> tuple[float, ...]:
    if len(set(given)) < len(given):
        raise ValueError(f"{', '.join(f'{number:g}' for number in given)}: give each number once")
    return tuple(sorted(given))


def _nothing_is_empty(given: object) -> object:
    return {} if given is None else given  # a key with nothing but comments below it


Values = Annotated[tuple[Any, ...], BeforeValidator(_values)]
Budgets = Annotated[
    tuple[Annotated[float, Field(gt=0, le=1e7)], ...], BeforeValidator(_values), AfterValidator(_ascending)
]
SomeSettings = Annotated[dict[str, Any], BeforeValidator(_nothing_is_empty)]


class AlgorithmEntry(NamedAlgorithm):
    """An algorithm of a sweep file."""

    settings: Annotated[SomeSettings, Field(default_factory=dict, description="that all its combinations share")]
    reference: Annotated[
        dict[str, Any] | None, Field(description="a combination of the grid that the winner is compared with")
    ] = None


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
    """A combination of the values of a grid: their labels by key, and the study with these values.

    ``meanings`` are the values, as in the file, that are labelled by a hash.
    """

    labels: Mapping[str, str]
    study: Study
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the study: ``ADA-Kendall.T2-0.5-5-0.2``."""
        return self.study.name


@dataclass(frozen=True)
class SweptAlgorithm:
    """An algorithm with all combinations of the values of a grid; the values of the last key vary fastest.

    ``reference`` is the name of the setting that the winner is compared with.
    """

    name: str
    settings: tuple[Setting, ...]
    reference: str | None


@dataclass(frozen=True)
class Sweep:
    """A validated sweep file with all combinations of its grid."""

    name: str  # name of the sweep
    keys: tuple[str, ...]  # keys of the grid in the order of the file
    protocol: Protocol  # protocol of all settings
    # Evaluations/D at which settings are ranked: those of the file up to the budget, or the budget.
    rank_at: tuple[float, ...]
    algorithms: tuple[SweptAlgorithm, ...]  # algorithms with all their settings

    @property
    def studies(self) -> tuple[Study, ...]:
        """The studies of all settings of all algorithms."""
        return tuple(setting.study for algorithm in self.algorithms for setting in algorithm.settings)

    @property
    def meanings(self) -> dict[str, str]:
        """The values, as in the file, that are labelled by a hash, by their labels."""
        found: dict[str, str] = {}
        for algorithm in self.algorithms:
            for setting in algorithm.settings:
                found |= setting.meanings
        return found


def load_sweep(path: Path, overrides: Mapping[str, object] | None = None) -> Sweep:
    """Read a sweep file; ``overrides`` replace keys of its protocol. A SacmaError says what is wrong, and where."""
    document = read_document(path, "sweep", ["name", "algorithms", "grid"])
    if "algorithm" in document.content and "grid" not in document.content:
        raise SacmaError(f"{path}: this is a config, not a sweep; run it with: sacma run {shlex.quote(str(path))}")
    replaced = {key: value for key, value in (overrides or {}).items() if value is not None}
    try:
        file = SweepFile.model_validate(with_overrides(document.content, replaced))
    except ValidationError as error:
        raise SacmaError(explain(error, document, SweepFile, options=replaced)) from None
    if max(file.rank_at) > file.protocol.budget and "rank_at" in document.content and "budget" not in replaced:
        beyond = f"{max(file.rank_at):g} evaluations/D are beyond the budget, {file.protocol.budget:g}"
        raise document.error(("rank_at",), f"{beyond}; raise the budget, or rank at less")
    _check_keys(file, document)
    combinations = math.prod(len(values) for values in file.grid.values())
    settings = len(file.algorithms) * combinations
    if settings > MOST_SETTINGS:
        each = f", {combinations:,} for each of {len(file.algorithms)} algorithms" if len(file.algorithms) > 1 else ""
        most = f"a sweep takes at most {MOST_SETTINGS:,}; leave values out"
        raise document.error(("grid",), f"{settings:,} settings{each}; {most}")
    if combinations == 1:
        raise document.error(("grid",), "there is one combination only; give a key two values or more")
    end = file.protocol.budget
    rank_at = tuple(dict.fromkeys(min(budget, end) for budget in file.rank_at))
    algorithms = tuple(_expand(number, file, document) for number in range(len(file.algorithms)))
    _check_names(algorithms, document)
    return Sweep(file.name, tuple(file.grid), file.protocol, rank_at, algorithms)


def _check_keys(file: SweepFile, document: Document) -> None:
    """Refuse malformed keys of the grid, and keys that are set twice."""
    for key in file.grid:
        steps = key.split(".")
        if not all(steps) or len(steps) > DEEPEST:
            raise document.error(("grid", key), "names no setting; write it like control.transfer")
        for outer in itertools.accumulate(steps[:-1], "{}.{}".format):
            if outer in file.grid:
                raise document.error(("grid", key), f"is set by {outer} of the grid as well; leave one of them out")
        for number, entry in enumerate(file.algorithms):
            _check_not_given(key, entry.settings, ("algorithms", str(number), "settings"), document)


def _check_not_given(key: str, settings: Mapping[str, Any], within: Location, document: Document) -> None:
    """Refuse a key of the grid that ``settings`` contain, or that cannot be set in them."""
    *outer, last = key.split(".")
    inner: Any = settings
    for depth, step in enumerate(outer):
        inner = inner.get(step)
        if inner is None:
            return
        if not isinstance(inner, Mapping):
            reason = f"{shown(inner)} is not a mapping, and {key} of the grid is within it"
            raise document.error((*within, *outer[: depth + 1]), reason)
    if last in inner:
        raise document.error((*within, *outer, last), "is a key of the grid as well; leave it out here or there")


def _expand(number: int, file: SweepFile, document: Document) -> SweptAlgorithm:
    """Return an algorithm of the file with all combinations; raise SacmaError if it refuses one."""
    entry = file.algorithms[number]
    model = ALGORITHMS[entry.algorithm].settings
    settings, refused = [], []
    for values in _combinations(file):
        try:
            valid = validated(model, merged(entry.settings, values))
        except SettingsError as error:
            raise document.error(("algorithms", str(number), "settings"), error) from None
        except ValidationError as error:
            of_values = [detail for detail in error.errors() if _is_of_a_combination(detail, model, file.grid)]
            if not of_values:
                raise SacmaError(_explain_setting(error, number, file, document)) from None
            refused.append((values, of_values[0]))
            continue
        dumped = valid.model_dump()
        labels = {key: _in_a_name(value, value_at(dumped, key)) for key, value in values.items()}
        name = f"{entry.name}.{'-'.join(labels.values())}"
        try:
            study = Study(
                name=name,
                description=entry.description,
                algorithm=entry.algorithm,
                settings=valid,
                protocol=file.protocol,
                origin=ALGORITHMS.origin(entry.algorithm),
            )
        except ValidationError as error:
            raise document.error(("grid",), error.errors()[0]["ctx"]["error"]) from None
        meanings = {labels[key]: _as_written(value) for key, value in values.items() if _is_hashed(labels[key], value)}
        settings.append(Setting(labels, study, meanings))
    if refused:
        values, detail = refused[0]
        reason = detail["ctx"]["error"] if "ctx" in detail else detail["msg"]
        more = f" (and {len(refused) - 1} more combinations)" if len(refused) > 1 else ""
        raise document.error(("grid",), f"{entry.name} refuses the combination {_described(values)}: {reason}{more}")
    reference = _reference(number, file, document)
    return SweptAlgorithm(entry.name, tuple(settings), None if reference is None else settings[reference].name)


def _combinations(file: SweepFile) -> Iterator[dict[str, Any]]:
    return (dict(zip(file.grid, values, strict=True)) for values in itertools.product(*file.grid.values()))


def _is_of_a_combination(detail: Any, model: type[BaseModel], grid: Mapping[str, Values]) -> bool:
    """Return True if an error concerns several settings together, among them settings of the grid."""
    within, _ = resolve(model, tuple(str(part) for part in detail["loc"]))
    several = not within or (detail["type"] == "value_error" and isinstance(detail["input"], Mapping))
    return several and any(tuple(key.split("."))[: len(within)] == within for key in grid)


def _explain_setting(error: ValidationError, number: int, file: SweepFile, document: Document) -> str:
    entry = file.algorithms[number]
    model = ALGORITHMS[entry.algorithm].settings

    def place(location: Location) -> Location:
        for length in range(1, len(location) + 1):
            if ".".join(location[:length]) in file.grid:
                return ("grid", ".".join(location[:length]), *location[length:])
        within = ("algorithms", str(number), "settings", *location)
        is_a_part = location[0] in model.model_fields and len(location) == 1
        deeper = [key for key in file.grid if key.startswith(f"{'.'.join(location)}.")]
        return ("grid", deeper[0]) if deeper and not is_a_part and within not in document.lines else within

    return explain(error, document, model, place=place, moved=former_keys(entry.algorithm))


def _reference(number: int, file: SweepFile, document: Document) -> int | None:
    """Return the index of the reference among the combinations."""
    given = file.algorithms[number].reference
    if given is None:
        return None
    within = ("algorithms", str(number), "reference")
    for key, value in given.items():
        if key not in file.grid:
            raise document.error((*within, key), unknown_key(key, list(file.grid)))
        if value not in file.grid[key]:
            allowed = one_line(", ".join(map(_as_written, file.grid[key])), 400)
            raise document.error((*within, key), f"{shown(value)} is not in the grid, which has {allowed}")
    missing = [key for key in file.grid if key not in given]
    if missing:
        raise document.error(within, f"{missing[0]} is missing; give a value of each key of the grid")
    return next(n for n, values in enumerate(_combinations(file)) if values == given)


def _check_names(algorithms: tuple[SweptAlgorithm, ...], document: Document) -> None:
    """Refuse equal names, and names that differ only in case, which some file systems ignore."""
    counts = Counter(algorithm.name.lower() for algorithm in algorithms)
    for number, algorithm in enumerate(algorithms):
        if counts[algorithm.name.lower()] > 1:
            reason = f"{algorithm.name} is there twice; give each algorithm a name of its own"
            raise document.error(("algorithms", str(number), "name"), reason)
    seen: dict[str, Setting] = {}
    for setting in (setting for algorithm in algorithms for setting in algorithm.settings):
        other = seen.setdefault(setting.name.lower(), setting)
        if other is not setting:
            both = " and ".join(_described(each.labels) for each in (other, setting))
            raise document.error(("grid",), f"{both} would both be called {setting.name}; leave one out")


def _described(values: Mapping[str, Any]) -> str:
    return one_line(", ".join(f"{key}: {_as_written(value)}" for key, value in values.items()), 400)


def _as_written(value: Any) -> str:
    """Return a value as YAML on one line; text without quotation marks."""
    if isinstance(value, str):
        return value
    text: str = yaml.safe_dump([value], default_flow_style=True, sort_keys=False, allow_unicode=True, width=sys.maxsize)
    return text.strip()[1:-1]


def _is_hashed(label: str, given: object) -> bool:
    return isinstance(given, dict | list | str) and given not in (label, {"name": label})


def _in_a_name(given: object, value: object) -> str:
    """Return the label of a value in the name of a setting: a number, a word or a hash."""
    match value:
        case {"name": str(text)} if given == {"name": text}:
            pass
        case str():
            text = value
        case float():
            text = str(value).removesuffix(".0")
        case _:
            text = json.dumps(value, sort_keys=True, default=str)
    if re.fullmatch(r"[A-Za-z0-9._+-]+", text):
        return text
    return hashlib.sha256(text.encode()).hexdigest()[:6]
