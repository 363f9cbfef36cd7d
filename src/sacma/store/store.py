"""The results folder: records, failures, studies and derived files. Only the coordinating process writes.

    RESULTS/studies/NAME.json       the study of an algorithm
    RESULTS/records/NAME/*.record   one record per finished trial
    RESULTS/failures/NAME/*.json    trials whose last attempt failed, until they are finished
    RESULTS/coco/NAME/              canonical COCO folder, derived
    RESULTS/traces/NAME.parquet     per-generation traces, derived
    RESULTS/provenance/NAME.json    environments, hosts and times of the trials, derived
    RESULTS/*.lock                  held by the process that writes records, and by the one that derives

or RESULTS/outcomes.parquet, in the place of the first three: see ``sacma.store.kept``.

Records are written to a temporary file, synced and renamed: those in place are complete.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from sacma.coco.writer import merge
from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.files.atomic import atomic_file, atomic_folder, remove, remove_left_behind, write_atomically
from sacma.files.printable import one_line
from sacma.files.untrusted import UnfitFileError, first_problem, parse_json, read_file
from sacma.store.lock import holder, locked
from sacma.store.outcome import DamagedRecordError, TrialFailure, decode_failure, encode_failure
from sacma.store.provenance import Manifest
from sacma.store.record import FinishedTrial, decode
from sacma.store.stored_study import StoredStudy

Kind = TypeVar("Kind")

_RECORDS_LOCK, _DERIVED_LOCK = "records.lock", "derived.lock"

# Folders that each lock protects.
_WRITTEN = ("studies", "records", "failures")
_DERIVED = ("coco", "traces", "provenance", "export", "sweep", "report", "cocopp")

_LARGEST_STUDY, _LARGEST_FAILURE = 4 << 20, 1 << 20  # largest files, in bytes


@dataclass(frozen=True)
class Damage:
    """A damaged record: its trial, its file and the reason."""

    spec: TrialSpec
    path: Path
    reason: str


class Store:
    """The results folder at ``root``, which ``prepare`` creates."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def prepare(self, instead: str = "give another with --results") -> None:
        """Create the folder; raise SacmaError with the advice ``instead`` if it is not writable."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise SacmaError(f"results folder {self.root} cannot be written to ({error.strerror}); {instead}") from None

    @contextlib.contextmanager
    def lock_records(self, command: str) -> Iterator[None]:
        """Hold the lock for writing studies, records and failures, whose folders are there from then on.

        Raises FolderInUseError if another process holds it.
        """
        if self.kept_file.exists():
            raise SacmaError(f"{self.root} holds kept outcomes, to which no trial can be added; give another folder")
        with locked(self.root / _RECORDS_LOCK, command):
            self._clean(_WRITTEN)
            for name in _WRITTEN:  # also of a shard without trials, so that all shards are copied by the same command
                with contextlib.suppress(OSError):  # writers will report a full disk, or a file in its place
                    (self.root / name).mkdir(exist_ok=True)
            yield

    @contextlib.contextmanager
    def lock_derived(self, command: str, *, wait: bool = False) -> Iterator[None]:
        """Hold the lock for writing derived files; see ``locked``."""
        with locked(self.root / _DERIVED_LOCK, command, wait=wait):
            self._clean(_DERIVED)
            yield

    def _clean(self, names: Iterable[str]) -> None:
        """Remove temporary files of killed processes; refuse links to folders, which lead out of the results."""
        there = [self.root / name for name in names if os.path.lexists(self.root / name)]
        below = [folder / name for folder in there if not folder.is_symlink() for name in _names(folder)]
        found = [*there, *(path for path in below if path.is_symlink() or path.is_dir())]
        for path in found:
            if path.is_symlink() and (path in there or path.is_dir()):
                raise SacmaError(f"{path} is a link: results are kept in folders of their own; move it away")
        for path in found:
            remove_left_behind(path)

    @property
    def kept_file(self) -> Path:
        """The path of kept outcomes."""
        return self.root / "outcomes.parquet"

    def writer(self) -> str | None:
        """Return the process that writes records now, in words, if there is one."""
        return holder(self.root / _RECORDS_LOCK)

    def deriver(self) -> str | None:
        """Return the process that writes derived files now, in words, if there is one."""
        return holder(self.root / _DERIVED_LOCK)

    def path_of(self, spec: TrialSpec) -> Path:
        """Return the path of the record of ``spec``."""
        return self.root / "records" / spec.name / f"{_stem(spec)}.record"

    def commit(self, trial: FinishedTrial) -> None:
        """Write a record atomically and remove the trial's failure; raise RunError if it cannot be written."""
        write_atomically(self.path_of(trial.spec), trial.content)
        remove(self._failure_of(trial.spec))

    def commit_failure(self, failure: TrialFailure) -> TrialFailure:
        """Write ``failure`` and return it with the number of attempts so far; raise RunError as ``commit``."""
        path = self._failure_of(failure.spec)
        before = _failure_at(path)
        counted = replace(failure, attempts=failure.attempts + (before.attempts if before else 0))
        write_atomically(path, encode_failure(counted))
        return counted

    def count(self, specs: Iterable[TrialSpec]) -> int:
        """Return how many of ``specs`` have a record file, intact or not."""
        return sum(1 for _ in self._there(specs, "records", ".record"))

    def read(self, specs: Iterable[TrialSpec], decoder: Callable[[bytes, TrialSpec], Kind]) -> Iterator[Kind | Damage]:
        """Yield the records of ``specs``, intact or damaged; raise SacmaError if a file cannot be read.

        ``decoder`` is ``decode``, or ``decode_head``, which inflates no body.
        """
        for spec, path in self._there(specs, "records", ".record"):
            try:
                yield decoder(read_file(path), spec)
            except FileNotFoundError:
                continue
            except UnfitFileError as error:
                yield Damage(spec, Path(path), str(error.strerror))
            except DamagedRecordError as error:
                yield Damage(spec, Path(path), str(error))
            except OSError as error:
                raise SacmaError(
                    f"record {path} cannot be read: {error.strerror}; see to its permissions, or move it away: "
                    "its trial is then run again"
                ) from None

    def failures(self, specs: Iterable[TrialSpec]) -> Iterator[TrialFailure]:
        """Yield the failures of ``specs``."""
        for spec, path in self._there(specs, "failures", ".json"):
            failure = _failure_at(path)
            if failure is not None and failure.spec == spec:
                yield failure

    def set_aside(self, damaged: Damage) -> Path:
        """Rename a damaged record so that its trial runs again; return the new path."""
        paths = (damaged.path.with_suffix(f".damaged-{number}") for number in count(1))
        return damaged.path.replace(next(path for path in paths if not os.path.lexists(path)))

    def _failure_of(self, spec: TrialSpec) -> Path:
        return self.root / "failures" / spec.name / f"{_stem(spec)}.json"

    def _there(self, specs: Iterable[TrialSpec], kind: str, suffix: str) -> Iterator[tuple[TrialSpec, str]]:
        # Listing a folder once is faster than looking for each file, a text than a path.
        names = cache(lambda name: set(_names(self.root / kind / name)))
        for spec in specs:
            there = names(spec.name)
            if there and (name := f"{_stem(spec)}{suffix}") in there:
                yield spec, f"{self.root}/{kind}/{spec.name}/{name}"

    def register(self, study: Study) -> bool:
        """Add ``study`` to the results; return True if it replaces one that it cannot extend."""
        for name in self._study_names():
            if name != study.name and name.lower() == study.name.lower():  # some file systems ignore the case of names
                raise SacmaError(
                    f"{self.root} has results of {name}, which differs from {study.name} in case only; "
                    "give the config that name, another one, or another folder"
                )
        known = self.study(study.name)
        stored = known.extended_by(study) if known else StoredStudy((study,))
        write_atomically(self.root / "studies" / f"{study.name}.json", json.dumps(stored.dump(), indent=1).encode())
        return known is not None and not known.mixes_with(study)

    def studies(self) -> tuple[StoredStudy, ...]:
        """Return the studies in these results, by name."""
        return tuple(study for name in self._study_names() if (study := self.study(name)) is not None)

    def readable_studies(self) -> Iterator[StoredStudy]:
        """Yield the studies in these results except those whose files are broken."""
        for name in self._study_names():
            with contextlib.suppress(SacmaError):
                yield from filter(None, [self.study(name)])

    def _study_names(self) -> list[str]:
        there = (name for name in _names(self.root / "studies") if not name.startswith("."))  # as macOS's copies do
        return sorted(name.removesuffix(".json") for name in there if name.endswith(".json"))

    def study(self, name: str) -> StoredStudy | None:
        """Return the study of algorithm ``name``, if there is one; raise SacmaError if its file is invalid."""
        path = self.root / "studies" / f"{name}.json"
        try:
            return StoredStudy.load(parse_json(read_file(path, _LARGEST_STUDY)), name)
        except FileNotFoundError:
            return None
        except (UnfitFileError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            reason = str(error.strerror if isinstance(error, UnfitFileError) else error)
            if isinstance(error, ValidationError):
                reason = first_problem(error)
            raise SacmaError(
                f"{path}: not a study of this version of sacma ({one_line(reason, 200)}); "
                "delete it and run the config again: finished trials are kept"
            ) from None

    def coco_folder(self, name: str) -> Path:
        """Return the path of the canonical COCO folder of algorithm ``name``."""
        return self.root / "coco" / name

    def derive(self, study: StoredStudy) -> Manifest:
        """Write COCO folder, traces and manifest of ``study`` from its intact records; return the manifest.

        Raises RunError if something cannot be written.
        """
        from sacma.store.trace import write_traces  # noqa: PLC0415 comes with pyarrow, slow to import

        records = [found for found in self.read(study.specs(), decode) if not isinstance(found, Damage)]
        placed = ((record.spec.place, record.coco) for record in records)
        _replace_folder(self.coco_folder(study.name), merge(placed, study.description))
        trials = [(record.provenance, record.outcome.cpu.total) for record in records]
        manifest = Manifest(study.name, study.dump(), trials)
        write_atomically(self.root / "provenance" / f"{study.name}.json", manifest.encode())
        with atomic_file(self.root / "traces" / f"{study.name}.parquet") as file:
            write_traces(file, [(record.spec, record.trace) for record in records])
        return manifest


def _stem(spec: TrialSpec) -> str:
    return f"f{spec.function:03d}-d{spec.dimension:02d}-i{spec.instance:03d}-{spec.key}"


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 names, of which there may be 100,000
    except (FileNotFoundError, NotADirectoryError):
        return []


def _failure_at(path: Path | str) -> TrialFailure | None:
    try:
        return decode_failure(read_file(path, _LARGEST_FAILURE))
    except OSError:
        return None


def _replace_folder(folder: Path, contents: dict[str, str]) -> None:
    """Replace ``folder`` by one with ``contents``; remove it if there are none."""
    if not contents:
        remove(folder)
        return
    with atomic_folder(folder) as new:
        for name, content in contents.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content.encode())
