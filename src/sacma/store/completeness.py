"""Completeness of planned trials: done, failed, damaged or missing."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.store.outcome import Outcome, TrialFailure
from sacma.store.provenance import Manifest
from sacma.store.record import RecordHead, TrialRecord, decode, decode_head
from sacma.store.store import Damage, Store
from sacma.store.stored_study import StoredStudy

if TYPE_CHECKING:
    from sacma.store.kept import KeptStudy


@dataclass(frozen=True)
class Completeness:
    """The state of trials in a results folder: intact records and failures by the trials' keys, damaged records."""

    specs: tuple[TrialSpec, ...]
    heads: Mapping[str, RecordHead]
    failures: Mapping[str, TrialFailure]
    damaged: tuple[Damage, ...]
    manifest: Manifest | None = None  # of kept outcomes alone, which have no records to derive it from

    @cached_property
    def missing(self) -> tuple[TrialSpec, ...]:
        """Trials without an intact record, including failed ones."""
        return tuple(spec for spec in self.specs if spec.key not in self.heads)

    @property
    def failed(self) -> tuple[TrialSpec, ...]:
        """Trials whose last attempt failed."""
        return tuple(spec for spec in self.missing if spec.key in self.failures)

    @property
    def complete(self) -> bool:
        """True if no trial is missing."""
        return not self.missing

    @property
    def trials(self) -> Iterator[tuple[TrialSpec, Outcome]]:
        """Finished trials and their outcomes, in the order of the plan."""
        return ((spec, self.heads[spec.key].outcome) for spec in self.specs if spec.key in self.heads)

    @property
    def counts(self) -> tuple[int, int, int, int, int, int, float]:
        """Numbers of trials, and of finished, missing, failed and damaged ones; evaluations and CPU seconds in all."""
        outcomes = [outcome for _, outcome in self.trials]
        trials = len(self.specs), len(outcomes), len(self.missing), len(self.failed), len(self.damaged)
        return *trials, sum(outcome.evaluations for outcome in outcomes), sum(outcome.cpu.total for outcome in outcomes)


def completeness_of(store: Store, specs: Sequence[TrialSpec], *, whole: bool = False) -> Completeness:
    """Return the completeness of ``specs`` in ``store``; ``whole``: check all of each record, not only its head.

    Raises SacmaError if a record cannot be read.
    """
    heads, damaged = {}, []
    decoder: Callable[[bytes, TrialSpec], RecordHead | TrialRecord] = decode if whole else decode_head
    for found in store.read(specs, decoder):
        if isinstance(found, Damage):
            damaged.append(found)
        else:
            heads[found.spec.key] = found.head if isinstance(found, TrialRecord) else found
    failures = {failure.spec.key: failure for failure in store.failures(specs) if failure.spec.key not in heads}
    return Completeness(tuple(specs), heads, failures, tuple(damaged))


def completeness_of_studies(
    store: Store, *, needed: bool = True, whole: bool = False
) -> tuple[tuple[StoredStudy, Completeness], ...]:
    """Return the studies in ``store`` with their completeness; raise SacmaError if there are none but ``needed``."""
    if store.kept_file.exists():
        from sacma.store.kept import read_kept  # noqa: PLC0415 pyarrow is slow to import

        return tuple(covered_by(kept, kept.study.specs()) for kept in read_kept(store.kept_file))
    studies = store.studies()
    if needed and not studies:
        if store.root.is_file():
            raise SacmaError(f"{store.root} is no folder; name a folder with results")
        command = f"sacma run CONFIG… --results {shlex.quote(str(store.root))}"
        there = "holds no results" if store.root.exists() else "does not exist"
        raise SacmaError(f"{store.root} {there}; name a folder with results, or make some with: {command}")
    return tuple((study, completeness_of(store, study.specs(), whole=whole)) for study in studies)


def covered_by(kept: "KeptStudy", planned: Iterable[TrialSpec] = ()) -> tuple[StoredStudy, Completeness]:
    """Return a kept study and its completeness: of the planned trials, or of those that are there."""
    heads = {t.spec.key: RecordHead(t.spec, t.outcome, t.environment.fingerprint) for t in kept.trials}
    specs = tuple(planned) or tuple(trial.spec for trial in kept.trials)
    return kept.study, Completeness(specs, heads, {}, (), kept.manifest)


def to_run(completeness: Completeness, *, failed_only: bool = False) -> tuple[TrialSpec, ...]:
    """Return the missing trials in the order of their content hashes, failed ones last.

    This shuffle is always the same and mixes short and long trials, so that finished trials tell the time left.
    """
    chosen = completeness.failed if failed_only else completeness.missing
    return tuple(sorted(chosen, key=lambda spec: (spec.key in completeness.failures, spec.key)))


def shard(specs: Iterable[TrialSpec], number: int, of: int) -> tuple[TrialSpec, ...]:
    """Return shard ``number`` (from 1) of ``of``; the shards do not depend on finished trials."""
    return tuple(sorted(specs, key=lambda spec: spec.key)[number - 1 :: of])


def resuming(root: Path, covered: Iterable[tuple[StoredStudy, Completeness]]) -> list[str]:
    """Return the words of the command that runs the missing trials of studies.

    It names the algorithm files that the results name: running it trusts them.
    """
    lacking = [(study, completeness) for study, completeness in covered if completeness.missing]
    only_failed = bool(lacking) and all(completeness.failed == completeness.missing for _, completeness in lacking)
    origins = {study.parts[-1].origin for study, _ in lacking}
    files = sorted(origin.source for origin in origins if origin and origin.is_file)
    command = ["sacma", "run", *(["--failed-only"] if only_failed else []), "--results", str(root)]
    for file in files:
        command += ["--algorithm-file", file]
    return command
