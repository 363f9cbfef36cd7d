"""Studies as a results folder holds them: one algorithm each, run under one protocol or extended later."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.config.plan import TrialSpec, plan_study
from sacma.config.study import Protocol, StoredSettings, Study
from sacma.errors import SacmaError
from sacma.files.untrusted import check_plain

_ORIGIN = TypeAdapter(Origin)


@dataclass(frozen=True)
class StoredStudy:
    """An algorithm under one protocol, or under several that differ only in what they cover.

    Args:
        parts: the study as it was run at each time.
    """

    parts: tuple[Study, ...]

    @property
    def name(self) -> str:
        """The algorithm's name."""
        return self.parts[0].name

    @property
    def description(self) -> str:
        """The algorithm's description, as last given."""
        return self.parts[-1].description

    @property
    def suite(self) -> str:
        """COCO's suite that it runs on."""
        return self.parts[0].protocol.suite

    @property
    def budget(self) -> float:
        """True evaluations of a trial, divided by D."""
        return self.parts[0].protocol.budget

    def specs(self) -> tuple[TrialSpec, ...]:
        """Return all its trials, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(plan_study(part) for part in self.parts)))

    def mixes_with(self, study: Study) -> bool:
        """Return whether ``study`` differs from all parts in nothing but what it covers and how it is described."""
        return all(_identity(part) == _identity(study) for part in self.parts)

    def extended_by(self, study: Study) -> "StoredStudy":
        """Return the study that covers ``study`` too, or ``study`` alone where its trials would not mix."""
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
        """Return the parts as JSON holds them."""
        return tuple(
            part.model_dump(exclude={"settings"}) | {"settings": part.settings.model_dump()} for part in self.parts
        )

    @classmethod
    def load(cls, content: Iterable[dict[str, Any]], name: str) -> "StoredStudy":
        """Return the study of algorithm ``name`` that JSON holds.

        Raises:
            ValueError, TypeError, KeyError, AttributeError, IndexError: it holds none.
        """
        parts = tuple(_load(part) for part in content)
        if not parts:
            raise ValueError("it is empty")
        if {part.name for part in parts} != {name}:
            raise ValueError(f"it is of {parts[0].name}")
        return cls(parts)


def _identity(study: Study) -> Any:
    """All of a study but what it covers and how it is described."""
    covered = {"functions", "dimensions", "instances"}
    dump = study.model_dump(exclude={"description": True, "protocol": covered, "settings": True, "origin": True})
    return dump | {"settings": study.settings.model_dump(), "version": study.origin and study.origin.version}


def check_one_suite(studies: Iterable[StoredStudy], where: Path) -> None:
    """Refuse studies of several suites in one results folder: they cannot be compared.

    Raises:
        SacmaError: which is of which suite.
    """
    names: dict[str, str] = {}
    for study in studies:
        names.setdefault(study.suite, study.name)
    if len(names) > 1:
        found = ", ".join(f"{suite} (like {name})" for suite, name in names.items())
        raise SacmaError(f"{where} would hold studies of several suites: {found}; give each suite a folder of its own")


def check_names(new: Iterable[StoredStudy], there: Iterable[StoredStudy], where: Path) -> None:
    """Refuse a study of which the name differs from that of one in the results by nothing but upper and lower case.

    Their folders would be one on some file systems.

    Raises:
        SacmaError: which is like which.
    """
    names = {study.name.lower(): study.name for study in there}
    for study in new:
        other = names.get(study.name.lower(), study.name)
        if other != study.name:
            raise SacmaError(
                f"name {study.name} is also that of {other} in {where}, but for upper and lower case, which some file "
                "systems do not tell apart; give each config its own"
            )


def _load(fields: dict[str, Any]) -> Study:
    check_plain(fields)
    protocol = {key: tuple(value) if isinstance(value, list) else value for key, value in fields["protocol"].items()}
    origin = _ORIGIN.validate_json(json.dumps(fields["origin"]), strict=True) if fields.get("origin") else None
    # What somebody else's algorithm did can be looked at without it.
    settings: object = (
        StoredSettings(fields["settings"])
        if origin
        else ALGORITHMS[fields["algorithm"]].settings.model_validate(fields["settings"])
    )
    content = {**fields, "protocol": Protocol.model_validate(protocol), "settings": settings, "origin": origin}
    return Study.model_validate(content, context={"stored": True})
