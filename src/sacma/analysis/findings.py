"""All that is found in a comparison, as data frames: what tables, figures and the report are made from."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from sacma.analysis.paper import published
from sacma.analysis.paper.claims import Evidence, checks, judge, told_at
from sacma.analysis.comparison import Compared, Comparison
from sacma.analysis.run_lengths import COLUMNS, bootstrapped_ecdf, run_lengths, targets
from sacma.analysis.trial_costs import control_frequencies, cpu_per_evaluation, trial_costs
from sacma.analysis.notes import protocol_differences
from sacma.analysis.paper.beside import correlations, cpu_beside, mean_ranks_beside
from sacma.analysis.tables import pairwise_table, function_ranks, gains, mean_ranks, medians_of, rank_tests
from sacma.analysis.trials import (
    THIRD_OF_IT,
    UNTIL_TARGET,
    best_delta_f,
    budgets_to_target,
    convergence,
    evaluations_to_target,
)

OF_TARGET = (THIRD_OF_IT, UNTIL_TARGET)

BASELINE = "CMA-ES"
"""What others are compared with, where it is there."""


@dataclass(frozen=True)
class Findings:
    """Data frames, each a CSV file of the same name.

    Args:
        best_delta_f: of each trial in each scenario, as from ``best_delta_f``.
        evaluations_to_target: #FE_t of each function, as from ``evaluations_to_target``.
        median_delta_f: as from ``median_delta_f``; also of what has no trial.
        function_ranks: rank of each algorithm on each function.
        mean_ranks: as from ``mean_ranks``.
        rank_tests: as from ``rank_tests``.
        duels: as from ``pairwise_table``.
        gains: decades gained over the baseline, as from ``gains``.
        convergence: as from ``convergence``.
        ecdf: as from ``bootstrapped_ecdf``.
        efforts: of each trial, as from ``efforts``.
        control_frequency: as from ``control_frequencies``.
        cpu: as from ``cpu_per_evaluation``, of functions that all have whose CPU time is known.
        paper_mean_ranks: as from ``mean_ranks_beside``.
        paper_correlation: as from ``correlations``.
        paper_cpu: as from ``cpu_beside``.
        paper_claims: as from ``judge``.
        paper_checks: as from ``checks``.
    """

    best_delta_f: pd.DataFrame
    evaluations_to_target: pd.DataFrame
    median_delta_f: pd.DataFrame
    function_ranks: pd.DataFrame
    mean_ranks: pd.DataFrame
    rank_tests: pd.DataFrame
    duels: pd.DataFrame
    gains: pd.DataFrame
    convergence: pd.DataFrame
    ecdf: pd.DataFrame
    efforts: pd.DataFrame
    control_frequency: pd.DataFrame
    cpu: pd.DataFrame
    paper_mean_ranks: pd.DataFrame
    paper_correlation: pd.DataFrame
    paper_cpu: pd.DataFrame
    paper_claims: pd.DataFrame
    paper_checks: pd.DataFrame

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """All of them, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def baseline_of(comparison: Comparison) -> str:
    """Return the algorithm that others are compared with: CMA-ES, or the first where it is not there."""
    return BASELINE if BASELINE in comparison.names else comparison.names[0]


def find(comparison: Comparison, on_step: Callable[[str], None] = lambda _: None) -> Findings:
    """Compute all of it.

    Args:
        comparison: of at least one algorithm with a finished trial.
        on_step: called with what is computed next.
    """
    on_step("median Δf")
    compared, overlap = comparison.compared, comparison.compared.overlap
    best = best_delta_f(compared.trials, comparison.scenarios)
    medians = medians_of(best)
    shared = overlap.shared(medians)
    on_step("ranks and tests")
    ranks, tests, duels = mean_ranks(shared), rank_tests(shared), pairwise_table(shared)
    gained = gains(best[best["scenario"].isin(OF_TARGET)], baseline_of(comparison), overlap.shares)
    on_step("convergence")
    curves = convergence(compared.trials, comparison.budget)
    on_step("run lengths")
    ecdf = _ecdf(comparison, compared)
    on_step("effort")
    taken = trial_costs(trial for _, completeness in comparison.covered for trial in completeness.trials)
    control, cpu = _costs(comparison, taken, comparison.names)
    on_step("the publication")
    evidence = _evidence(comparison, best, taken, ecdf)
    beside = mean_ranks_beside(evidence.ranks)
    of_one = {
        "best_delta_f": best,
        "median_delta_f": comparison.with_empty_cells(medians),
        "convergence": curves,
        "ecdf": ecdf,
        "efforts": taken,
        "control_frequency": control,
        "cpu": cpu,
        "paper_cpu": cpu_beside(cpu if comparison.suite.of_the_paper else cpu[:0]),
    }
    of_all = {
        "evaluations_to_target": comparison.to_target,
        "function_ranks": function_ranks(shared),
        "mean_ranks": ranks,
        "rank_tests": tests,
        "duels": duels,
        "gains": gained,
        "paper_mean_ranks": beside,
        "paper_correlation": correlations(beside),
    }
    return Findings(
        **{name: comparison.marked(frame, compares=False) for name, frame in of_one.items()},
        **{name: comparison.marked(frame, compares=True) for name, frame in of_all.items()},
        paper_claims=judge(evidence),
        paper_checks=checks(evidence),
    )


def _ecdf(comparison: Comparison, compared: Compared) -> pd.DataFrame:
    if not comparison.suite.of_2009:
        return pd.DataFrame(columns=COLUMNS)
    dimensions = sorted({trial.dimension for trial in compared.shared})
    parts = []
    for D in dimensions:
        trials = [trial for trial in compared.shared if trial.dimension == D]
        lengths, rng = run_lengths(trials, targets(D)), np.random.default_rng(D)
        parts.append(bootstrapped_ecdf(lengths, rng, told_at=told_at(comparison.budget)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _costs(comparison: Comparison, taken: pd.DataFrame, names: Collection[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return control frequencies and CPU time of some of our algorithms, of what all of these have."""
    there = comparison.among([study.name for study, _ in comparison.covered if study.name in names]).overlap
    of_them = taken[taken["algorithm"].isin(there.there)]
    places = zip(of_them["dimension"], of_them["function"], of_them["instance"], strict=True)
    kept = of_them[pd.Series([there.has(*place) for place in places], of_them.index, dtype=bool)]
    return control_frequencies(kept), cpu_per_evaluation(there.shared(kept))


def _evidence(comparison: Comparison, best: pd.DataFrame, taken: pd.DataFrame, ecdf: pd.DataFrame) -> Evidence:
    """Return what the paper's claims are judged by: its own algorithms among themselves, at budgets that they set."""
    names = [name for name in comparison.names if name in published.ALGORITHMS and comparison.suite.of_the_paper]
    theirs = comparison.among(names)
    if len(names) == len(comparison.names):
        best = best[best["scenario"].isin(OF_TARGET)]
    else:
        best = best_delta_f(theirs.trials, budgets_to_target(evaluations_to_target(theirs.trials, comparison.budget)))
        ours = [trial for trial in comparison.compared.shared if trial.algorithm in names]
        if list(map(id, theirs.shared)) != list(map(id, ours)):  # the same trials have the same curves
            ecdf = _ecdf(comparison, theirs)
    medians = theirs.overlap.shared(medians_of(best))
    ranked = mean_ranks(medians), rank_tests(medians), pairwise_table(medians)
    control, _ = _costs(comparison, taken, names)
    return Evidence(*ranked, control, ecdf, comparison.budget, as_in_paper=not protocol_differences(comparison))
