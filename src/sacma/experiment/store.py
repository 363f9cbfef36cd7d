"""The results folder: records, studies and what is derived from them. Only the coordinating process writes.

    RESULTS/studies/NAME.json       what the study of an algorithm consists of
    RESULTS/records/NAME/*.record   one committed record a trial
    RESULTS/coco/NAME/              canonical COCO folder, derived
    RESULTS/traces/NAME.parquet     per-generation traces, derived

A record is committed by writing a temporary file, syncing it and renaming it: what is there is complete.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from sacma.algorithms.registry import ALGORITHMS
from sacma.config import Protocol, Study
from sacma.errors import SacmaError
from sacma.experiment.coco_data import PlacedFiles, merge
from sacma.experiment.plan import TrialSpec, plan_study
from sacma.experiment.record import DamagedRecordError, Outcome, TrialRecord, decode, decode_outcome_of, encode


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
    def budget(self) -> float:
        """True evaluations of a trial, divided by D."""
        return self.parts[0].protocol.budget

    def specs(self) -> tuple[TrialSpec, ...]:
        """Return all its trials, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(plan_study(part) for part in self.parts)))

    def extended_by(self, study: Study) -> "StoredStudy":
        """Return the study that covers ``study`` too, or ``study`` alone where its trials would not mix."""
        if any(_identity(part) != _identity(study) for part in self.parts):
            return StoredStudy((study,))
        kept, covered = [study], {spec.key for spec in plan_study(study)}
        for part in reversed(self.parts):
            keys = {spec.key for spec in plan_study(part)}
            if not keys <= covered:
                kept.append(part)
                covered |= keys
        return StoredStudy(tuple(reversed(kept)))


def _identity(study: Study) -> Any:
    """All of a study but what it covers and how it is described."""
    covered = {"functions", "dimensions", "instances"}
    return study.model_dump(exclude={"description": True, "protocol": covered, "settings": True}) | {
        "settings": study.settings.model_dump()
    }


class Store:
    """The results folder at ``root``; nothing is created before ``prepare``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def prepare(self) -> None:
        """Create the folder.

        Raises:
            SacmaError: it cannot be written to.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise SacmaError(
                f"results folder {self.root} cannot be written to ({error.strerror}); give another with --results"
            ) from None

    def path_of(self, spec: TrialSpec) -> Path:
        """Return where the record of ``spec`` is, or would be."""
        place = f"f{spec.function:03d}-d{spec.dimension:02d}-i{spec.instance:03d}"
        return self.root / "records" / spec.name / f"{place}-{spec.key}.record"

    def commit(self, record: TrialRecord) -> None:
        """Write ``record`` so that it is there wholly or not at all."""
        _write(self.path_of(record.spec), encode(record))

    def outcomes(self, specs: Iterable[TrialSpec]) -> Iterator[tuple[TrialSpec, Outcome]]:
        """Yield those of ``specs`` that have an intact record, with their outcomes.

        Raises:
            SacmaError: a record cannot be read.
        """
        for spec, content in self._contents(specs):
            try:
                outcome = decode_outcome_of(spec, content)
            except DamagedRecordError:
                continue
            yield spec, outcome

    def missing(self, specs: Iterable[TrialSpec]) -> tuple[TrialSpec, ...]:
        """Return those of ``specs`` that have no intact record."""
        specs = tuple(specs)
        there = {spec.key for spec, _ in self.outcomes(specs)}
        return tuple(spec for spec in specs if spec.key not in there)

    def set_aside_damaged(self, specs: Iterable[TrialSpec]) -> tuple[Path, ...]:
        """Rename the records of ``specs`` that are there but not intact; return their new paths."""
        damaged = [path for spec in self.missing(specs) if (path := self.path_of(spec)).exists()]
        return tuple(path.replace(path.with_suffix(".damaged")) for path in damaged)

    def records(self, specs: Iterable[TrialSpec]) -> Iterator[TrialRecord]:
        """Yield the intact records of ``specs``, whole.

        Raises:
            SacmaError: a record cannot be read.
        """
        for spec, content in self._contents(specs):
            try:
                record = decode(content)
            except DamagedRecordError:
                continue
            if record.spec == spec:
                yield record

    def _contents(self, specs: Iterable[TrialSpec]) -> Iterator[tuple[TrialSpec, bytes]]:
        for spec in specs:
            path = self.path_of(spec)
            try:
                content = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise SacmaError(f"record {path} cannot be read: {error.strerror}") from None
            yield spec, content

    def register(self, study: Study) -> bool:
        """Note that ``study`` is part of these results; return whether it replaces one that it cannot extend."""
        known = self._study(study.name)
        stored = known.extended_by(study) if known else StoredStudy((study,))
        parts = [_dump(part) for part in stored.parts]
        _write(self.root / "studies" / f"{study.name}.json", json.dumps(parts, indent=1).encode())
        return known is not None and _identity(known.parts[0]) != _identity(study)

    def studies(self) -> tuple[StoredStudy, ...]:
        """Return the studies in these results, by name."""
        paths = sorted((self.root / "studies").glob("*.json"))
        return tuple(study for path in paths if (study := self._study(path.stem)) is not None)

    def _study(self, name: str) -> StoredStudy | None:
        path = self.root / "studies" / f"{name}.json"
        try:
            parts = tuple(_load(part) for part in json.loads(path.read_bytes()))
            if not parts:
                raise ValueError("it is empty")  # noqa: TRY301
            return StoredStudy(parts)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise SacmaError(
                f"{path}: not a study of this version of sacma ({str(error).splitlines()[0]}); "
                "delete it and run the config again: finished trials are kept"
            ) from None

    def coco_folder(self, name: str) -> Path:
        """Return where the canonical COCO folder of algorithm ``name`` is."""
        return self.root / "coco" / name

    def trace_file(self, name: str) -> Path:
        """Return where the traces of algorithm ``name`` are."""
        return self.root / "traces" / f"{name}.parquet"

    def derive(self, study: StoredStudy) -> None:
        """Write COCO folder and traces of ``study`` from those of its records that are there."""
        from sacma.experiment.trace import trace_frame, write_traces  # noqa: PLC0415 pandas is slow to import

        folder, trace_file = self.coco_folder(study.name), self.trace_file(study.name)
        traces, placed = [], []
        for record in self.records(study.specs()):
            traces.append(trace_frame(record.spec, record.trace))
            placed.append(PlacedFiles(*record.spec.place, record.coco))
        contents = merge(placed, study.description)
        new = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        for name, content in contents.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(content)
        shutil.rmtree(folder, ignore_errors=True)
        if contents:
            new.replace(folder)
        trace_file.parent.mkdir(parents=True, exist_ok=True)
        write_traces(trace_file, traces)


def _dump(study: Study) -> dict[str, Any]:
    return study.model_dump(exclude={"settings"}) | {"settings": study.settings.model_dump()}


def _load(fields: dict[str, Any]) -> Study:
    protocol = {key: tuple(value) if isinstance(value, list) else value for key, value in fields["protocol"].items()}
    settings = ALGORITHMS[fields["algorithm"]].settings.model_validate(fields["settings"])
    return Study.model_validate({**fields, "protocol": Protocol.model_validate(protocol), "settings": settings})


def _write(path: Path, content: bytes) -> None:
    """Write a file that is there wholly or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
