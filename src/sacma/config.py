"""Algorithm configs: YAML files to validated, frozen studies.

A file names one algorithm, its settings where they differ from the defaults, and its protocol where that differs
from the paper's. Everything is strict: an unknown key, a wrong type or a value out of range is an error that
names file, line, key and what is allowed.
"""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sacma.algorithms.registry import ALGORITHMS
from sacma.errors import SacmaError
from sacma.ranges import format_ranges, parse_ranges

BBOB_FUNCTIONS = tuple(range(1, 25))
BBOB_DIMENSIONS = (2, 3, 5, 10, 20, 40)
RESERVED_NAMES = frozenset({"coco", "records", "studies", "traces", "cocopp", "report", "con", "nul", "aux", "prn"}) | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(10)
}
"""Names of our own folders, and of what some systems take for devices, whatever follows the first dot."""

Numbers = Annotated[tuple[int, ...], BeforeValidator(parse_ranges)]


class Protocol(BaseModel):
    """What is run: the defaults are the protocol of the paper."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    suite: Annotated[Literal["bbob"], Field(description="COCO suite")] = "bbob"
    functions: Annotated[Numbers, Field(description="functions, like 1-24")] = BBOB_FUNCTIONS
    dimensions: Annotated[Numbers, Field(description="dimensions D, like 2,3,5,10,20")] = (2, 3, 5, 10, 20)
    instances: Annotated[Numbers, Field(description="instances, one trial each")] = (
        *range(1, 6),
        *range(41, 51),
    )
    budget: Annotated[float, Field(gt=0, le=1e7, description="true evaluations of a trial, divided by D")] = 250
    target: Annotated[float, Field(gt=0, allow_inf_nan=False, description="Δf at and below which a trial stops")] = 1e-8
    seed: Annotated[int, Field(ge=0, lt=2**63, description="seed of the whole study")] = 1

    @field_validator("functions")
    @classmethod
    def _functions_of_bbob(cls, functions: tuple[int, ...]) -> tuple[int, ...]:
        return _known("function", functions, BBOB_FUNCTIONS)

    @field_validator("dimensions")
    @classmethod
    def _dimensions_of_bbob(cls, dimensions: tuple[int, ...]) -> tuple[int, ...]:
        return _known("dimension", dimensions, BBOB_DIMENSIONS)

    @model_validator(mode="after")
    def _at_least_one_evaluation(self) -> "Protocol":
        if self.evaluations(min(self.dimensions)) < 1:
            raise ValueError(
                f"budget {self.budget:g} allows no evaluation in {min(self.dimensions)}-D; give at least 1"
            )
        return self

    def evaluations(self, dimension: int) -> int:
        """Return the budget of a trial in true evaluations, rounded down."""
        return math.floor(self.budget * dimension)


def _known(kind: str, given: tuple[int, ...], known: tuple[int, ...]) -> tuple[int, ...]:
    unknown = [number for number in given if number not in known]
    if unknown:
        raise ValueError(f"bbob has no {kind} {format_ranges(unknown)}; it has {format_ranges(known)}")
    return given


def check_name(name: str) -> str:
    """Return ``name`` if an algorithm can be called so in files.

    Raises:
        ValueError: says what is allowed.
    """
    fits = re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._+-]{0,62}[A-Za-z0-9_+-])?", name)
    if not fits or name.partition(".")[0].lower() in RESERVED_NAMES:
        raise ValueError(
            f"{name!r} cannot name a folder of results; use letters, digits, '.', '_', '+' and '-' (at most 64)"
        )
    return name


class Study(BaseModel):
    """One algorithm with its settings under one protocol: a config file, defaults filled in."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, Field(description="what the algorithm is called in files, tables and figures")]
    description: Annotated[str, Field(description="one line of ASCII for COCO's data files", max_length=200)] = ""
    algorithm: Annotated[str, Field(description="what `sacma algorithms` lists")]
    settings: Annotated[
        Any, Field(description="of the algorithm; where they differ from its defaults", validate_default=True)
    ] = None
    protocol: Annotated[Protocol, Field(description="where it differs from the defaults, which are the paper's")] = (
        Protocol()
    )

    @field_validator("name")
    @classmethod
    def _name_is_a_folder(cls, name: str) -> str:
        return check_name(name)

    @field_validator("description")
    @classmethod
    def _description_fits_coco(cls, description: str) -> str:
        if not description.isascii() or not description.isprintable() or '"' in description:
            raise ValueError("COCO's files take one line of ASCII without double quotes")
        return description

    @field_validator("algorithm")
    @classmethod
    def _algorithm_is_registered(cls, algorithm: str) -> str:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"unknown algorithm {algorithm!r}; known: {', '.join(ALGORITHMS)}")
        return algorithm

    @field_validator("settings")
    @classmethod
    def _settings_of_the_algorithm(cls, settings: object, info: ValidationInfo) -> object:
        algorithm = info.data.get("algorithm")
        if algorithm is not None and not isinstance(settings, ALGORITHMS[algorithm].settings):
            raise ValueError(f"{settings!r} is not a mapping of settings of {algorithm}")
        return settings


def load_study(path: Path, overrides: Mapping[str, object] | None = None) -> Study:
    """Read a config file.

    Args:
        path: of the YAML file.
        overrides: keys of the protocol that replace the file's, by name.

    Raises:
        SacmaError: what is wrong, where, and what is allowed.
    """
    document = _read(path)
    content = dict(document.content)
    given = content.get("protocol")
    replaced = {key: value for key, value in (overrides or {}).items() if value is not None}
    if replaced and (given is None or isinstance(given, dict)):
        content["protocol"] = {**(given or {}), **replaced}
    for section in ("settings", "protocol"):
        if content.get(section) is None:  # absent, or a key with nothing but comments below it
            content[section] = {}
    algorithm, settings = content.get("algorithm"), content["settings"]
    try:
        if isinstance(algorithm, str) and algorithm in ALGORITHMS and isinstance(settings, dict):
            content["settings"] = ALGORITHMS[algorithm].settings.model_validate(settings)
        return Study.model_validate(content)
    except ValidationError as error:
        raise SacmaError(_explain(error, document, replaced)) from None


def load_studies(paths: Sequence[Path], overrides: Mapping[str, object] | None = None) -> tuple[Study, ...]:
    """Read several config files; their names must differ.

    Raises:
        SacmaError: as ``load_study``, and where two files give the same name.
    """
    studies = tuple(load_study(path, overrides) for path in paths)
    seen: dict[str, Path] = {}
    for path, study in zip(paths, studies, strict=True):
        # Folders of names that differ only in case are one folder on some file systems.
        if study.name.lower() in seen:
            raise SacmaError(
                f"{path}: name {study.name} is also that of {seen[study.name.lower()]}; give each config its own"
            )
        seen[study.name.lower()] = path
    return studies


@dataclass(frozen=True)
class _Document:
    """A parsed YAML file and the lines on which its keys stand."""

    path: Path
    content: dict[str, Any]
    lines: Mapping[tuple[str, ...], int]


class _Loader(yaml.SafeLoader):
    """YAML with numbers as YAML 1.2 reads them.

    YAML 1.1, PyYAML's, takes 1e-8 for a text, 010 for 8 and 1:30 for 90.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 PyYAML's way
        first: [(tag, form) for tag, form in resolvers if tag.rpartition(":")[2] not in {"int", "float"}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_FIRST = list("-+.0123456789")
_INTEGER = r"[-+]?(0|[1-9][0-9]*)$"
_FLOAT = r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$|[-+]?\.(inf|Inf|INF)$|\.(nan|NaN|NAN)$"
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(_INTEGER), _FIRST)
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(_FLOAT), _FIRST)


def _read(path: Path) -> _Document:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SacmaError(f"{path}: no such config file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SacmaError(f"{path}: cannot be read: {error}") from None
    try:
        root = yaml.compose(text, Loader=_Loader)
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 derived from SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise SacmaError(f"{path}{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise SacmaError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(content, dict):
        raise SacmaError(f"{path}: a config is a mapping with at least the keys name and algorithm")
    lines: dict[tuple[str, ...], int] = {}
    _index(path, root, (), lines)
    return _Document(path, content, lines)


def _index(path: Path, node: yaml.Node | None, prefix: tuple[str, ...], lines: dict[tuple[str, ...], int]) -> None:
    """Note the line of every key below ``node`` and refuse duplicates, of which YAML keeps the last."""
    if not isinstance(node, yaml.MappingNode):
        return
    for key_node, value_node in node.value:
        key = (*prefix, str(key_node.value))
        line = key_node.start_mark.line + 1
        if key in lines:
            raise SacmaError(f"{path}:{line}: {'.'.join(key)}: given twice, first on line {lines[key]}")
        lines[key] = line
        _index(path, value_node, key, lines)


def _explain(error: ValidationError, document: _Document, overrides: Mapping[str, object]) -> str:
    """One line for people: where, which key, what was given, what is allowed."""
    # An unknown key first: it may be the misspelling of one that is missing.
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    first = details[0]
    within = ("settings",) if error.title not in {"Study", "Protocol"} else ()
    location = within + tuple(str(part) for part in first["loc"])
    key = ".".join(location)
    blamed = location[1] if len(location) > 1 else "budget"  # the one rule that binds several keys is the budget's
    if location[:1] == ("protocol",) and blamed in overrides:
        where = f"--{blamed}"
    else:
        line = next(
            (document.lines[location[:n]] for n in range(len(location), 0, -1) if location[:n] in document.lines),
            None,
        )
        where = f"{document.path}:{line}: {key}" if line else f"{document.path}: {key}"
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{where.removesuffix(': ')}: {_reason(first, location, document.content)}{more}"


def _reason(detail: Any, location: tuple[str, ...], content: Mapping[str, Any]) -> str:
    match detail["type"]:
        case "extra_forbidden":
            valid = _valid_keys(location, content)
            (nearest,) = difflib.get_close_matches(location[-1], valid, n=1, cutoff=0.0)
            near = difflib.SequenceMatcher(None, location[-1], nearest).ratio() > 0.6  # noqa: PLR2004 difflib's own
            others = "" if near else f" (of {', '.join(valid)})"
            return f"unknown key; the nearest valid key is {nearest}{others}"
        case "missing":
            return "is missing"
        case "value_error":
            return str(detail["ctx"]["error"])
        case _:
            message = detail["msg"].removeprefix("Input ")
            return f"{detail['input']!r} is not allowed: {message}"


def _valid_keys(location: tuple[str, ...], content: Mapping[str, Any]) -> list[str]:
    match location:
        case ("protocol", _):
            model: type[BaseModel] = Protocol
        case ("settings", _):
            model = ALGORITHMS[content["algorithm"]].settings
        case _:
            model = Study
    return list(model.model_fields)
