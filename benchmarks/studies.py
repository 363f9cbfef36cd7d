"""Shared by benchmarks of studies: variants of a study, results of its trials, and records that stand for others."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import cpu_count

from benchmarks.report import ROOT, parsed
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import Trial, fixed_budgets, our_trial
from sacma.cli.progress import Tally
from sacma.config.nested import merged
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment.backends import make_backend
from sacma.experiment.cost import CostModel
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.run import RunObserver, run_campaign
from sacma.experiment.seeding import sampling
from sacma.experiment.trial import suite_of
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


def run_with(spec: TrialSpec, algorithm: Callable[[BudgetedProblem, np.random.Generator], object]) -> None:
    """Run a trial, point for point that of the harness, by an algorithm that no config can name."""
    suite = suite_of(spec)
    problem = BudgetedProblem(spec, suite[0], optimal_value(spec))
    with suppress(TrialEnd):
        algorithm(problem, sampling(spec))


@dataclass(frozen=True)
class Campaign:
    """Where trials are run, which, and how."""

    store: Store
    protocol: dict[str, Any]
    jobs: int
    backend: str

    def trials_of(self, studies: Iterable[Study]) -> list[Trial]:
        """Run the trials that are missing, and return all."""
        specs = plan(studies)
        todo = to_run(completeness_of(self.store, specs))
        self.store.prepare()
        print(f"{len(specs)} trials, {len(todo)} to run")
        backend = make_backend(self.backend, jobs=self.jobs)
        run_campaign(todo, self.store, backend=backend, retries=1, observer=_Lines(todo))
        return [our_trial(*trial) for trial in completeness_of(self.store, specs).trials]

    def medians_of(self, studies: Iterable[Study], budgets: Sequence[float]) -> pd.DataFrame:
        """Run the trials that are missing, and return the median Δf at the budgets, in evaluations by D."""
        return median_delta_f(self.trials_of(studies), fixed_budgets(budgets))


def campaign_of(
    parser: argparse.ArgumentParser, results: str, *, dimensions: str, instances: str, **tiny: str
) -> tuple[Campaign, argparse.Namespace]:
    """Return the campaign that the arguments of a benchmark describe, and all of them.

    Args:
        parser: of options of its own; those of a campaign are added.
        results: name of the folder of results, where none is given.
        dimensions: those where none are given.
        instances: those where none are given.
        tiny: defaults of a tiny run, where others than f1, 2-D, instance 1, 25·D are needed.
    """
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default=dimensions)
    parser.add_argument("--instances", default=instances)
    parser.add_argument("--budget", type=float, help="evaluations divided by D; default: the configs'")
    parser.add_argument("--results", type=Path, default=ROOT.parent / "results" / results)
    parser.add_argument("--jobs", type=int, default=cpu_count())
    parser.add_argument("--backend", default="loky")
    small: dict[str, Any] = {"functions": "1", "dimensions": "2", "instances": "1", "budget": 25, "backend": "serial"}
    given = parsed(parser, **small | tiny)
    protocol = {key: getattr(given, key) for key in ("functions", "dimensions", "instances", "budget")}
    return Campaign(Store(given.results), protocol, given.jobs, given.backend), given
