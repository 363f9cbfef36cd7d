"""Algorithm configs: YAML files, and the validated, frozen studies that they describe.

A file names an algorithm and those of its settings and protocol that differ from the defaults, the paper's. Unknown
keys, wrong types and values out of range are errors that name file, line, key and what is allowed.
"""

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.algorithms.settings import SettingsError, validated
from sacma.coco.ranges import format_ranges, parse_ranges
from sacma.coco.suites import BBOB, SUITES
from sacma.config.yaml_file import explain, read_document
from sacma.errors import SacmaError
from sacma.files.printable import shown
from sacma.surrogate.part import Settings

# Names of our own folders, and of devices of some systems, with anything after a dot.
RESERVED_NAMES = frozenset({"coco", "records", "studies", "traces", "cocopp", "report", "con", "nul", "aux", "prn"}) | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(10)
}

MOST_TRIALS = 500_000  # largest study: a hundred times the paper's

Numbers = Annotated[tuple[int, ...], BeforeValidator(parse_ranges)]


class Protocol(Settings):
    """The protocol of a study; the defaults are the paper's, or another suite's."""

    suite: Annotated[str, Field(description=f"COCO suite: {', '.join(SUITES)}")] = BBOB.name
    functions: Annotated[Numbers, Field(description="functions, like 1-24")] = BBOB.functions
    dimensions: Annotated[Numbers, Field(description="dimensions D, like 2,3,5,10,20")] = BBOB.usual_dimensions
    instances: Annotated[Numbers, Field(description="instances, one trial each")] = BBOB.usual_instances
    budget: Annotated[float, Field(gt=0, le=1e7, description="true evaluations of a trial, divided by D")] = 250
    target: Annotated[float, Field(gt=0, allow_inf_nan=False, description="Δf at and below which a trial stops")] = 1e-8
    seed: Annotated[int, Field(ge=0, lt=2**63, description="seed of the whole study")] = 1

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_the_suite(cls, given: object) -> object:
        if not isinstance(given, dict) or not isinstance(given.get("suite"), str) or given["suite"] not in SUITES:
            return given
        suite = SUITES[given["suite"]]
        usual = {"functions": suite.functions, "dimensions": suite.usual_dimensions, "instances": suite.usual_instances}
        return usual | given

    @field_validator("suite")
    @classmethod
    def _suite_is_known(cls, suite: str) -> str:
        if suite not in SUITES:
            raise ValueError(f"unknown suite {shown(suite)}; known: {', '.join(SUITES)}")
        return suite

    @field_validator("functions", "dimensions")
    @classmethod
    def _there_in_the_suite(cls, numbers: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        suite = SUITES.get(info.data.get("suite", ""))
        known = getattr(suite, str(info.field_name), numbers)
        unknown = [number for number in numbers if number not in known]
        if suite and unknown:
            kind = str(info.field_name).removesuffix("s")
            raise ValueError(f"{suite.name} has no {kind} {format_ranges(unknown)}; it has {format_ranges(known)}")
        return numbers

    @field_validator("instances")
    @classmethod
    def _not_too_many_trials(cls, instances: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        trials = len(instances) * math.prod(len(info.data.get(key, ())) for key in ("functions", "dimensions"))
        if trials > MOST_TRIALS:
            raise ValueError(f"these are {trials:,} trials; a study takes at most {MOST_TRIALS:,}; leave some out")
        return instances

    @property
    def trials(self) -> int:
        """Number of trials."""
        return len(self.functions) * len(self.dimensions) * len(self.instances)

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


def check_name(name: str) -> str:
    """Return ``name`` if it can name a folder of results, else raise ValueError."""
    fits = re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._+-]{0,62}[A-Za-z0-9_+-])?", name)
    reserved = name.partition(".")[0].lower() in RESERVED_NAMES
    if not fits or reserved:
        raise ValueError(
            f"{shown(name)} cannot name a folder of results; use letters, digits, '.', '_', '+' and '-' (at most 64)"
            f"{', no reserved name as this one is' if fits else ''}"
        )
    return name


FolderName = Annotated[str, AfterValidator(check_name)]


class NamedAlgorithm(Settings):
    """A named algorithm."""

    name: Annotated[FolderName, Field(description="what the algorithm is called in files, tables and figures")]
    description: Annotated[str, Field(description="one line of ASCII for COCO's data files", max_length=200)] = ""
    algorithm: Annotated[str, Field(description="what `sacma algorithms` lists")]

    @field_validator("description")
    @classmethod
    def _description_fits_coco(cls, description: str) -> str:
        if not description.isascii() or not description.isprintable() or '"' in description:
            raise ValueError("COCO's files take one line of ASCII without double quotes")
        return description

    @field_validator("algorithm")
    @classmethod
    def _algorithm_is_registered(cls, algorithm: str, info: ValidationInfo) -> str:
        if algorithm not in ALGORITHMS and not info.context:
            raise ValueError(
                f"unknown algorithm {shown(algorithm)}; known: {', '.join(ALGORITHMS)}; --algorithm-file adds your own"
            )
        return algorithm


class StoredSettings(RootModel[dict[str, Any]]):
    """Settings from results of an algorithm that may not be available now."""

    model_config = ConfigDict(frozen=True)


class Config(NamedAlgorithm):
    """The keys of a config file."""

    settings: Annotated[
        Any, Field(description="of the algorithm; where they differ from its defaults", validate_default=True)
    ] = None
    protocol: Annotated[Protocol, Field(description="where it differs from the defaults, which are the paper's")] = (
        Protocol()
    )

    @field_validator("settings")
    @classmethod
    def _settings_of_the_algorithm(cls, settings: object, info: ValidationInfo) -> object:
        algorithm = info.data.get("algorithm")
        if isinstance(settings, StoredSettings):
            return settings
        if algorithm is not None and not isinstance(settings, ALGORITHMS[algorithm].settings):
            raise ValueError(f"{shown(settings)} is not a mapping of settings of {algorithm}")
        return settings


class Study(Config):
    """An algorithm with all its settings under one protocol; ``origin`` is None for our own algorithms."""

    origin: Origin | None = None


def load_study(path: Path, overrides: Mapping[str, object] | None = None) -> Study:
    """Read a config file; ``overrides`` replace keys of its protocol. A SacmaError says what is wrong, and where."""
    document = read_document(path, "config", ["name", "algorithm"])
    if document.content.keys() >= {"algorithms", "grid"}:
        raise SacmaError(f"{path}: this is a sweep, not a config; run it with: sacma sweep {shlex.quote(str(path))}")
    content = with_overrides(document.content, overrides or {})
    if content.get("settings") is None:  # absent, or a key with nothing but comments below it
        content["settings"] = {}
    algorithm, settings = content.get("algorithm"), content["settings"]
    if isinstance(algorithm, str) and algorithm in ALGORITHMS and isinstance(settings, dict):
        model = ALGORITHMS[algorithm].settings
        try:
            content["settings"] = validated(model, settings)
        except SettingsError as error:
            raise document.error(("settings",), error) from None
        except ValidationError as error:
            raise SacmaError(explain(error, document, model, place=lambda within: ("settings", *within))) from None
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        raise SacmaError(explain(error, document, Config, options=overrides or ())) from None
    return Study(**dict(config), origin=ALGORITHMS.origin(config.algorithm))


def load_studies(paths: Sequence[Path], overrides: Mapping[str, object] | None = None) -> tuple[Study, ...]:
    """Read several config files; raise SacmaError as ``load_study``, and if two give the same name."""
    studies = tuple(load_study(path, overrides) for path in paths)
    seen: dict[str, Path] = {}
    for path, study in zip(paths, studies, strict=True):
        # Some file systems ignore the case of names.
        if study.name.lower() in seen:
            raise SacmaError(
                f"{path}: name {study.name} is also that of {seen[study.name.lower()]}; give each config its own"
            )
        seen[study.name.lower()] = path
    return studies


def with_overrides(content: Mapping[str, Any], overrides: Mapping[str, object]) -> dict[str, Any]:
    """Return the content of a file with ``overrides`` in its protocol; those that are None replace nothing."""
    given = content.get("protocol")
    if given is None or isinstance(given, dict):
        return {**content, "protocol": (given or {}) | {key: of for key, of in overrides.items() if of is not None}}
    return dict(content)
