"""Shared by benchmarks of studies: variants of a study, results of its trials, and records that stand for others."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import Trial, fixed_budgets, our_trial
from sacma.cli.progress import Tally
from sacma.config.nested import merged
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment.backends import make_backend
from sacma.experiment.cost import CostModel
from sacma.experiment.run import RunObserver, run_campaign
from sacma.store.completeness import completeness_of, to_run
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial, TrialRecord
from sacma.store.store import Store


class _Lines(RunObserver):
    """Prints a line every 200 trials."""

    def __init__(self, todo: Sequence[TrialSpec]) -> None:
        self._tally = Tally(todo, CostModel())

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Count the attempt."""
        self._tally.count(result, last=last)
        if self._tally.done % 200 == 0:
            print(f"{self._tally.done}/{self._tally.total}, {self._tally}", flush=True)


def changed(base: Study, suffix: str, settings: Mapping[str, Any]) -> Study:
    """Return a study with other settings, by dotted keys, and a name that says so."""
    valid = type(base.settings).model_validate(merged(base.settings.model_dump(exclude_unset=True), settings))
    return base.model_copy(update={"name": f"{base.name}-{suffix}", "settings": valid})


def moved(record: TrialRecord, spec: TrialSpec) -> TrialRecord:
    """Return a record as if it were of another trial with the same dimension and budget, its files too."""
    header = re.sub(r"funcId = \d+", f"funcId = {spec.function}", record.coco.header)
    header = header.replace(f"algId = '{record.spec.name}'", f"algId = '{spec.name}'")
    entry = f"{spec.instance}:{record.coco.entry.partition(':')[2]}"
    return replace(record, spec=spec, coco=replace(record.coco, header=header, entry=entry))


def trials_of(studies: Iterable[Study], store: Store, jobs: int, backend: str) -> list[Trial]:
    """Run the trials that are missing in ``store``, and return all."""
    specs = plan(studies)
    todo = to_run(completeness_of(store, specs))
    store.prepare()
    print(f"{len(specs)} trials, {len(todo)} to run")
    run_campaign(todo, store, backend=make_backend(backend, jobs=jobs), retries=1, observer=_Lines(todo))
    return [our_trial(*trial) for trial in completeness_of(store, specs).trials]


def medians_of(
    studies: Iterable[Study], store: Store, jobs: int, budgets: Sequence[float], backend: str = "loky"
) -> pd.DataFrame:
    """Run the trials that are missing in ``store``, and return the median Δf at the budgets, in evaluations by D."""
    return median_delta_f(trials_of(studies, store, jobs, backend), fixed_budgets(budgets))
