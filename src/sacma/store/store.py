"""The results folder: records, failures, studies and what is derived from them. Only the coordinating process writes.

    RESULTS/studies/NAME.json       what the study of an algorithm consists of
    RESULTS/records/NAME/*.record   one committed record a trial
    RESULTS/failures/NAME/*.json    trials that failed at last, until they are finished
    RESULTS/coco/NAME/              canonical COCO folder, derived
    RESULTS/traces/NAME.parquet     per-generation traces, derived
    RESULTS/provenance/NAME.json    where, when and with what the trials ran, derived
    RESULTS/*.lock                  held by the process that writes records, and by one that derives

A record is committed by writing a temporary file, syncing it and renaming it: what is there is complete.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from sacma.coco.writer import PlacedFiles, merge
from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.files.atomic import atomic_file, atomic_folder, remove, remove_left_behind, write_atomically
from sacma.files.printable import one_line
from sacma.files.untrusted import UnfitFileError, parse_json, read_file
from sacma.store.failure import TrialFailure, decode_failure, encode_failure
from sacma.store.lock import Holder, holder, locked
from sacma.store.outcome import DamagedRecordError
from sacma.store.provenance import Manifest
from sacma.store.record import FinishedTrial, RecordHead, TrialRecord, decode
from sacma.store.stored_study import StoredStudy

_RECORDS_LOCK, _DERIVED_LOCK = "records.lock", "derived.lock"

_WRITTEN = ("studies", "records", "failures")
_DERIVED = ("coco", "traces", "provenance", "export", "sweep", "report", "cocopp")
"""Folders that are written to under one lock and the other."""

_LARGEST_STUDY, _LARGEST_FAILURE = 4 << 20, 1 << 20
"""Bytes of a file."""


@dataclass(frozen=True)
class Damage:
    """A file that is where the record of ``spec`` should be, and is not it.

    Args:
        spec: of the trial.
        path: of the file.
        reason: what is wrong with it.
    """

    spec: TrialSpec
    path: Path
    reason: str


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

    @contextlib.contextmanager
    def lock_records(self, command: str) -> Iterator[None]:
        """Be the one process that writes studies and records; what a dead one left half-written is removed.

        Raises:
            FolderInUseError: another is.
        """
        with locked(self.root / _RECORDS_LOCK, command):
            for folder in self._own_folders(_WRITTEN):
                remove_left_behind(folder)
            yield

    @contextlib.contextmanager
    def lock_derived(self, command: str, on_wait: Callable[[str], None] | None = None) -> Iterator[None]:
        """Be the one process that writes what is derived from records; see ``locked``."""
        with locked(self.root / _DERIVED_LOCK, command, on_wait=on_wait):
            for folder in self._own_folders(_DERIVED):
                remove_left_behind(folder)
            yield

    def _own_folders(self, names: Iterable[str]) -> list[Path]:
        """Return the folders of these names and those in them; refuse links, which lead out of the results.

        Raises:
            SacmaError: one of them is a link.
        """
        there = [self.root / name for name in names if os.path.lexists(self.root / name)]
        below = [folder / name for folder in there if not folder.is_symlink() for name in _names(folder)]
        found = [*there, *(path for path in below if path.is_symlink() or path.is_dir())]
        for path in found:
            if path.is_symlink() and (path in there or path.is_dir()):
                raise SacmaError(f"{path} is a link: results are kept in folders of their own; move it away")
        return [path for path in found if path.is_dir() and not path.is_symlink()]

    def writer(self) -> Holder | None:
        """Return which process writes records now, if any."""
        return holder(self.root / _RECORDS_LOCK)

    def path_of(self, spec: TrialSpec) -> Path:
        """Return where the record of ``spec`` is, or would be."""
        return self.root / "records" / spec.name / f"{_stem(spec)}.record"

    def commit(self, trial: FinishedTrial) -> None:
        """Write the record of ``trial`` so that it is there wholly or not at all, and forget its failures.

        Raises:
            RunError: it cannot be written.
        """
        write_atomically(self.path_of(trial.spec), trial.content)
        remove(self._failure_of(trial.spec))

    def commit_failure(self, failure: TrialFailure) -> TrialFailure:
        """Keep ``failure``, count how often its trial has failed, and return it with that number.

        Raises:
            RunError: it cannot be written.
        """
        path = self._failure_of(failure.spec)
        before = _failure_at(path)
        counted = replace(failure, attempts=failure.attempts + (before.attempts if before else 0))
        write_atomically(path, encode_failure(counted))
        return counted

    def heads(self, specs: Iterable[TrialSpec]) -> Iterator[RecordHead | Damage]:
        """Yield the heads of the sound records of ``specs``, and the damaged ones.

        Raises:
            SacmaError: a record cannot be read.
        """
        for found in self.records(specs):
            yield found if isinstance(found, Damage) else found.head

    def count(self, specs: Iterable[TrialSpec]) -> int:
        """Return how many of ``specs`` have a file in the place of their record."""
        return sum(1 for _ in self._there(specs))

    def records(self, specs: Iterable[TrialSpec]) -> Iterator[TrialRecord | Damage]:
        """Yield the sound records of ``specs``, and the damaged ones.

        Raises:
            SacmaError: a record cannot be read.
        """
        for spec, path in self._there(specs):
            try:
                yield decode(read_file(path), spec)
            except FileNotFoundError:
                continue
            except UnfitFileError as error:
                yield Damage(spec, path, str(error.strerror))
            except DamagedRecordError as error:
                yield Damage(spec, path, str(error))
            except OSError as error:
                raise SacmaError(
                    f"record {path} cannot be read: {error.strerror}; see to its permissions, or move it away: "
                    "its trial is then run again"
                ) from None

    def failures(self, specs: Iterable[TrialSpec]) -> Iterator[TrialFailure]:
        """Yield the failures that are kept of ``specs``."""
        there = {name: set(_names(self.root / "failures" / name)) for name in _names(self.root / "failures")}
        for spec in specs:
            if f"{_stem(spec)}.json" in there.get(spec.name, ()):
                failure = _failure_at(self._failure_of(spec))
                if failure is not None and failure.spec == spec:
                    yield failure

    def set_aside(self, damaged: Damage) -> Path:
        """Rename a damaged record, so that its trial is run again; return its new path."""
        for number in range(1, 1_000_000):
            path = damaged.path.with_suffix(f".damaged-{number}")
            if not os.path.lexists(path):
                break
        return damaged.path.replace(path)

    def _failure_of(self, spec: TrialSpec) -> Path:
        return self.root / "failures" / spec.name / f"{_stem(spec)}.json"

    def _there(self, specs: Iterable[TrialSpec]) -> Iterator[tuple[TrialSpec, Path]]:
        # One look at a folder is quicker than one at each of the files that are not there.
        folders: dict[str, tuple[Path, set[str]]] = {}
        for spec in specs:
            if spec.name not in folders:
                folder = self.path_of(spec).parent
                folders[spec.name] = folder, set(_names(folder))
            folder, names = folders[spec.name]
            name = f"{_stem(spec)}.record"
            if name in names:
                yield spec, folder / name

    def register(self, study: Study) -> bool:
        """Note that ``study`` is part of these results; return whether it replaces one that it cannot extend."""
        known = self.study(study.name)
        stored = known.extended_by(study) if known else StoredStudy((study,))
        write_atomically(self.root / "studies" / f"{study.name}.json", json.dumps(stored.dump(), indent=1).encode())
        return known is not None and not known.mixes_with(study)

    def studies(self) -> tuple[StoredStudy, ...]:
        """Return the studies in these results, by name."""
        paths = sorted((self.root / "studies").glob("*.json"))
        return tuple(study for path in paths if (study := self.study(path.stem)) is not None)

    def readable_studies(self) -> Iterator[StoredStudy]:
        """Yield the studies in these results, without those whose files are broken: they are their own problem."""
        for path in sorted((self.root / "studies").glob("*.json")):
            with contextlib.suppress(SacmaError):
                study = self.study(path.stem)
                if study is not None:
                    yield study

    def study(self, name: str) -> StoredStudy | None:
        """Return the study of algorithm ``name``, if there is one.

        Raises:
            SacmaError: its file is not one.
        """
        path = self.root / "studies" / f"{name}.json"
        try:
            return StoredStudy.load(parse_json(read_file(path, _LARGEST_STUDY)), name)
        except FileNotFoundError:
            return None
        except (UnfitFileError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            reason = str(error.strerror if isinstance(error, UnfitFileError) else error)
            if isinstance(error, ValidationError):
                first = error.errors(include_input=False, include_url=False)[0]
                reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise SacmaError(
                f"{path}: not a study of this version of sacma ({one_line(reason, 200)}); "
                "delete it and run the config again: finished trials are kept"
            ) from None

    def coco_folder(self, name: str) -> Path:
        """Return where the canonical COCO folder of algorithm ``name`` is."""
        return self.root / "coco" / name

    def trace_file(self, name: str) -> Path:
        """Return where the traces of algorithm ``name`` are."""
        return self.root / "traces" / f"{name}.parquet"

    def provenance_file(self, name: str) -> Path:
        """Return where the manifest of algorithm ``name`` is."""
        return self.root / "provenance" / f"{name}.json"

    def derive(self, study: StoredStudy, on_damage: Callable[[Damage], None] = lambda _: None) -> Manifest:
        """Write COCO folder, traces and manifest of ``study`` from those of its records that are there.

        Args:
            study: with some records.
            on_damage: called with each record that is damaged.

        Returns:
            The manifest.

        Raises:
            RunError: it cannot be written.
        """
        from sacma.store.trace import write_traces  # noqa: PLC0415 comes with pyarrow, slow to import

        traces, placed = [], []
        manifest = Manifest(study.name, study.dump())
        for record in self.records(study.specs()):
            if isinstance(record, Damage):
                on_damage(record)
                continue
            traces.append((record.spec, record.trace))
            placed.append(PlacedFiles(*record.spec.place, record.coco))
            manifest.add(record.provenance, record.outcome.cpu.total)
        _replace_folder(self.coco_folder(study.name), merge(placed, study.description))
        write_atomically(self.provenance_file(study.name), manifest.encode())
        with atomic_file(self.trace_file(study.name)) as file:
            write_traces(file, traces)
        return manifest


def _stem(spec: TrialSpec) -> str:
    return f"f{spec.function:03d}-d{spec.dimension:02d}-i{spec.instance:03d}-{spec.key}"


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 names, of which there may be 100,000
    except (FileNotFoundError, NotADirectoryError):
        return []


def _failure_at(path: Path) -> TrialFailure | None:
    try:
        return decode_failure(read_file(path, _LARGEST_FAILURE))
    except OSError:
        return None


def _replace_folder(folder: Path, contents: dict[str, str]) -> None:
    """Replace ``folder`` by one with ``contents``, or by nothing where there are none."""
    if not contents:
        remove(folder)
        return
    with atomic_folder(folder) as new:
        for name, content in contents.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content.encode())
