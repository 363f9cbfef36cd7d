"""Studies in a results folder: one algorithm each, under one protocol that may be extended later."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.algorithms.settings import canonical_json
from sacma.config.plan import TrialSpec, plan_study
from sacma.config.study import MOST_TRIALS, StoredSettings, Study
from sacma.errors import SacmaError
from sacma.files.untrusted import check_plain, parse_json_as

MOST_OF_PARTS = 4 * MOST_TRIALS  # trials of all parts of a study, which may have some of them in common


@dataclass(frozen=True)
class StoredStudy:
    """A study and its extensions (``parts``), which differ only in functions, dimensions and instances."""

    parts: tuple[Study, ...]

    @property
    def name(self) -> str:
        """The algorithm's name."""
        return self.parts[0].name

    @property
    def description(self) -> str:
        """The algorithm's latest description."""
        return self.parts[-1].description

    @property
    def suite(self) -> str:
        """Name of its COCO suite."""
        return self.parts[0].protocol.suite

    @property
    def budget(self) -> float:
        """True evaluations of a trial divided by D."""
        return self.parts[0].protocol.budget

    def specs(self) -> tuple[TrialSpec, ...]:
        """Return all trials, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(plan_study(part) for part in self.parts)))

    def mixes_with(self, study: Study) -> bool:
        """Return True if ``study`` differs from all parts only in its description and the problems that it covers."""
        return all(_identity(part) == _identity(study) for part in self.parts)

    def extended_by(self, study: Study) -> "StoredStudy":
        """Return this study extended by ``study``, or ``study`` alone if they do not mix."""
        if not self.mixes_with(study):
            return StoredStudy((study,))
        kept, covered = [study], {spec.key for spec in plan_study(study)}
        for part in reversed(self.parts):
            keys = {spec.key for spec in plan_study(part)}
            if not keys <= covered:
                kept.append(part)
                covered |= keys
        return StoredStudy(tuple(reversed(kept)))

    def dump(self) -> tuple[dict[str, Any], ...]:
        """Return the parts for JSON."""
        return tuple(
            part.model_dump(exclude={"settings"}) | {"settings": part.settings.model_dump()} for part in self.parts
        )

    @classmethod
    def load(cls, content: Iterable[dict[str, Any]], name: str) -> "StoredStudy":
        """Return the study of algorithm ``name`` from the result of ``dump``; raise an error for anything else.

        The error is a ValueError, TypeError, KeyError, AttributeError or IndexError.
        """
        parts = tuple(_load(part) for part in content)
        if not parts:
            raise ValueError("it is empty")
        if {part.name for part in parts} != {name}:
            raise ValueError(f"it is of {parts[0].name}")
        first = _identity(parts[0])
        if not all(_identity(part) == first for part in parts):
            raise ValueError("its parts differ in more than functions, dimensions and instances")
        if (trials := sum(part.protocol.trials for part in parts)) > MOST_OF_PARTS:
            raise ValueError(f"its parts have {trials:,} trials; allowed: {MOST_OF_PARTS:,}")
        return cls(parts)


def _identity(study: Study) -> Any:
    """Return a study without its description and the problems that it covers."""
    covered = {"functions", "dimensions", "instances"}
    dump = study.model_dump(exclude={"description": True, "protocol": covered, "settings": True, "origin": True})
    settings = canonical_json(study.settings.model_dump())  # as in the keys of trials: 2 and 2.0 differ
    return dump | {"settings": settings, "version": study.origin and study.origin.version}


def check_one_suite(studies: Iterable[StoredStudy], where: Path) -> None:
    """Raise SacmaError for studies of several suites in one results folder: they cannot be compared."""
    names: dict[str, str] = {}
    for study in studies:
        names.setdefault(study.suite, study.name)
    if len(names) > 1:
        found = ", ".join(f"{suite} (like {name})" for suite, name in names.items())
        raise SacmaError(f"{where} would hold studies of several suites: {found}; give each suite a folder of its own")


def _load(fields: dict[str, Any]) -> Study:
    check_plain(fields)
    origin = parse_json_as(Origin, json.dumps(fields["origin"]).encode()) if fields.get("origin") else None
    # Results of somebody else's algorithm can be read without having the algorithm.
    settings: object = (
        StoredSettings(fields["settings"])
        if origin
        else ALGORITHMS[fields["algorithm"]].settings.model_validate(fields["settings"])
    )
    return Study.model_validate({**fields, "settings": settings, "origin": origin}, context={"stored": True})
