"""Requests of a run: the trials of studies, or a shard of them, and the results folder that they belong to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.store.completeness import shard
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy, check_names, check_one_suite


@dataclass(frozen=True)
class RunRequest:
    """Trials to be run.

    Args:
        studies: all of the request.
        specs: their trials, or a shard of them.
        store: the results.
        is_new: the studies are to be registered in the results, which they do not come from.
    """

    studies: tuple[StoredStudy, ...]
    specs: tuple[TrialSpec, ...]
    store: Store
    is_new: bool

    @classmethod
    def of_studies(cls, studies: Sequence[Study], results: Path, shard: str | None = None) -> "RunRequest":
        """Return the trials of studies, like those of configs; ``shard`` is written as ``"2/10"``.

        Raises:
            SacmaError: the results hold studies that do not go with them, or the shard is none.
        """
        stored, store = tuple(StoredStudy((study,)) for study in studies), Store(results)
        there = tuple(store.readable_studies())
        check_names(stored, there, results)
        check_one_suite([*there, *stored], results)
        return cls(stored, _specs(stored, shard), store, is_new=True)

    @classmethod
    def of_results(cls, results: Path, shard: str | None = None) -> "RunRequest":
        """Return the trials of the studies in ``results``.

        Raises:
            SacmaError: there are none, or of several suites, or the shard is none.
        """
        store = Store(results)
        studies = store.studies()
        if not studies:
            raise SacmaError(f"{results} holds no study to continue; name at least one CONFIG")
        check_one_suite(studies, results)
        return cls(studies, _specs(studies, shard), store, is_new=False)


def _specs(studies: Sequence[StoredStudy], given: str | None) -> tuple[TrialSpec, ...]:
    specs = tuple(spec for study in studies for spec in study.specs())
    if given is None:
        return specs
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", given)
    if match is None or int(match[1]) > int(match[2]):
        raise SacmaError(f"--shard: {given!r} is not allowed; give K/N with 1 <= K <= N, like 2/10")
    return shard(specs, int(match[1]), int(match[2]))
