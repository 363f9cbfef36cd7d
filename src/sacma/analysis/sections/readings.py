"""The paper's algorithms in each reading, among themselves: what its claims, tables and figures are made from."""

from collections.abc import Callable
from functools import partial

import pandas as pd

from sacma.analysis.comparison import Compared, Comparison
from sacma.analysis.notes import protocol_differences
from sacma.analysis.paper.evidence import Evidence, budgets_of_claims
from sacma.analysis.paper.readings import AS_PRINTED, READINGS, Reading
from sacma.analysis.paper.resampling import Resamples, resampled_control, resampled_proportions, resampled_ranks
from sacma.analysis.run_lengths import by_group
from sacma.analysis.section import Findings, Make
from sacma.analysis.sections.control import control_frequencies
from sacma.analysis.sections.cpu import comparable_costs
from sacma.analysis.sections.ecdf import all_run_lengths, distributions_from, run_lengths_of
from sacma.analysis.tables import mean_ranks, medians_of, pairwise_table, rank_tests
from sacma.analysis.trials import OF_TARGET, best_delta_f, budgets_to_target, evaluations_to_target
from sacma.coco.function_names import BEST_2009


def names_of(comparison: Comparison, reading: Reading) -> list[str]:
    """Return which of the compared algorithms are the paper's in a reading."""
    return [name for name in comparison.names if name in reading.names and comparison.of_paper]


def as_in_paper(frame: pd.DataFrame, comparison: Comparison, reading: Reading) -> pd.DataFrame:
    """Return the rows of the paper's algorithms in a reading, and of the reference, with the names in the paper."""
    there = [*names_of(comparison, reading), BEST_2009]
    return frame[frame["algorithm"].isin(there)].replace({"algorithm": reading.names})


def costs_of(findings: Findings, reading: Reading) -> pd.DataFrame:
    """Return the costs of comparable trials of the paper's algorithms in a reading, with the names in the paper."""
    comparison = findings.comparison
    return as_in_paper(comparable_costs(findings, names_of(comparison, reading)), comparison, reading)


def _compared_of(findings: Findings, reading: Reading) -> Compared:
    """Return the trials of the paper's algorithms in a reading."""
    comparison = findings.comparison
    names = names_of(comparison, reading)
    return comparison.compared if len(names) == len(comparison.names) else comparison.among(names)


def _best_of(findings: Findings, reading: Reading) -> pd.DataFrame:
    """Return the best Δf of the trials of the paper's algorithms in a reading, on the functions that all of them have.

    Columns as from ``best_delta_f``, with the algorithms as the paper names them.
    """
    comparison, theirs = findings.comparison, findings.once(THEIRS[reading])
    if theirs is comparison.compared:
        best = findings.best[findings.best["scenario"].isin(OF_TARGET)]
    else:
        scenarios = budgets_to_target(evaluations_to_target(theirs.trials, comparison.budget))
        best = best_delta_f(theirs.trials, scenarios)
    return theirs.overlap.shared(best).replace({"algorithm": reading.names})


def _evidence(findings: Findings, reading: Reading) -> Evidence:
    """Return what the paper's claims are judged by: its algorithms in a reading among themselves, as it names them."""
    comparison, theirs = findings.comparison, findings.once(THEIRS[reading])
    names = names_of(comparison, reading)
    ours = [trial for trial in comparison.compared.shared if trial.algorithm in names]
    if list(map(id, theirs.shared)) == list(map(id, ours)):  # the same trials have the same curves
        ecdf, lengths = findings["ecdf"], findings.once(all_run_lengths)
    else:
        lengths = run_lengths_of(comparison, theirs)
        ecdf = by_group(distributions_from(lengths, comparison))
    best, costs = findings.once(BEST[reading]), costs_of(findings, reading)
    shared, budgets = medians_of(best), budgets_of_claims(comparison.budget)
    there = (as_in_paper(of, comparison, reading) for of in lengths)
    resampled = resampled_proportions((of for of in there if len(of)), budgets)
    return Evidence(
        mean_ranks(shared),
        rank_tests(shared),
        pairwise_table(shared),
        control_frequencies(costs),
        as_in_paper(ecdf, comparison, reading),
        Resamples(resampled_ranks(best), resampled, resampled_control(costs)),
        comparison.budget,
        not protocol_differences(comparison, reading),
    )


THEIRS = {reading: partial(_compared_of, reading=reading) for reading in READINGS}
BEST = {reading: partial(_best_of, reading=reading) for reading in READINGS}
EVIDENCE = {reading: partial(_evidence, reading=reading) for reading in READINGS}
"""Functions that find the comparable trials of a reading, their best Δf, and the evidence."""


def of_readings(make: Callable[[Findings, Reading], pd.DataFrame]) -> Make:
    """Return what makes a data frame of each reading that there is, with a column ``reading``."""

    def frames(findings: Findings) -> pd.DataFrame:
        parts = []
        for reading in findings.comparison.readings or [AS_PRINTED]:
            part = make(findings, reading)
            part.insert(0, "reading", reading.title)
            parts.append(part)
        # An empty one, of a single algorithm, has no types of its columns, and would take those of others.
        return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)

    return frames


def of_evidence(make: Callable[[Evidence], pd.DataFrame]) -> Make:
    """Return what makes a data frame of the evidence of each reading that there is."""
    return of_readings(lambda findings, reading: make(findings.once(EVIDENCE[reading])))
