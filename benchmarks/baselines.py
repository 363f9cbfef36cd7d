"""lq-CMA-ES beside ADA-Kendall, and each without or with what the other has not: active update and injection.

Runs what is missing into a results folder that can be interrupted and continued like any other, and prints
log₁₀ of the median Δf by function: where the one surrogate leads, and where the other. lq-CMA-ES has the active update.
"""

import argparse
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import cma
import numpy as np
import pandas as pd

from benchmarks.report import ROOT, print_table, write
from benchmarks.studies import campaign_of, changed, run_with
from sacma.algorithms.pycma import run_for_ever
from sacma.analysis.tables import mean_ranks
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study, load_study
from sacma.store.completeness import completeness_of
from sacma.store.store import Store

CONFIGS = ("cmaes", "baselines/acma_es", "ada_kendall", "baselines/ada_kendall_active", "baselines/lq_cma_es")
BUDGETS = (25.0, 50.0, 125.0, 250.0)
CLEARLY = 0.5
"""Decades of the median Δf by which one leads the other."""


def main() -> None:
    """Run what is missing, print the tables and write ``out/baselines.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    campaign, _ = campaign_of(parser, "baselines", dimensions="5", instances="1-5,41-50", functions="1,8")

    studies = [load_study(ROOT.parent / "configs" / f"{name}.yaml", campaign.protocol) for name in CONFIGS]
    _, _, ada_kendall, active, lq = studies
    without = changed(lq, "no-injection", {"inject": False})
    medians = campaign.medians_of([*studies, without], BUDGETS)
    for dimension, group in medians.groupby("dimension"):
        for budget, at_budget in group.groupby("budget"):
            print(f"\n{dimension}-D, {budget:g}·D: log10 of the median Δf")
            print(by_function(at_budget).to_string())
    ranks = mean_ranks(medians).pivot_table(
        index=["dimension", "scenario"], columns="algorithm", values="mean_rank", sort=False
    )
    print("\nmean rank (1 is best)")
    print(ranks.round(2).to_string())
    print("\nhow lq-CMA-ES, on two instances, and ADA-Kendall, on all, evaluate: per cent of points with f; and runs")
    shares = [
        {**row, "ADA-Kendall %": share}
        for row, share in zip(lq_shares(lq), ada_kendall_shares(ada_kendall, campaign.store), strict=True)
    ]
    print_table(shares)
    rows = [
        {"D": dimension, "evaluations/D": budget, **lead(by_function(at_budget), other)}
        for (dimension, budget), at_budget in medians.groupby(["dimension", "budget"])
        for other in (ada_kendall.name, active.name, without.name)
    ]
    print(f"\nfunctions on which lq-CMA-ES leads, or is behind, by {CLEARLY} decades or more")
    print_table(rows)
    write("baselines", campaign.protocol, leads=rows, shares=shares, medians=medians.to_dict("records"))


def by_function(medians: pd.DataFrame) -> pd.DataFrame:
    """Return log₁₀ of the median Δf at one budget, algorithms side by side."""
    table = medians.pivot(index="function", columns="algorithm", values="median_delta_f")
    return table.map(np.log10).round(1)


def lead(table: pd.DataFrame, other: str) -> dict[str, str]:
    """Return the functions on which lq-CMA-ES and another algorithm lead one another."""
    decades = (table[other] - table["lq-CMA-ES"]).round(1)
    return {
        "than": other,
        "leads": ",".join(map(str, decades.index[decades >= CLEARLY])) or "-",
        "behind": ",".join(map(str, decades.index[decades <= -CLEARLY])) or "-",
    }


def lq_shares(lq: Study) -> Iterator[dict[str, Any]]:
    """Yield, of each function, the share of its points that lq-CMA-ES has evaluated with f, and its runs."""
    specs = [spec for spec in plan([lq]) if spec.instance in lq.protocol.instances[:2]]
    for (dimension, function), group in groupby(specs, lambda spec: (spec.dimension, spec.function)):
        populations = [ranked for spec in group for ranked in _populations(spec, lq)]
        evaluated, asked = np.sum([ranked[2:] for ranked in populations], axis=0)
        yield {
            "D": dimension,
            "function": function,
            "runs": len({ranked[:2] for ranked in populations}) / len({ranked[0] for ranked in populations}),
            "lq-CMA-ES %": 100.0 * evaluated / asked,
        }


def _populations(spec: TrialSpec, lq: Study) -> list[tuple[str, int, int, int]]:
    """Run a trial and return trial, run, points evaluated and points of each population that its surrogate ranked."""
    populations: list[tuple[str, int, int, int]] = []
    runs: list[cma.CMAEvolutionStrategy] = []

    def watch(run: cma.CMAEvolutionStrategy) -> None:
        if run not in runs:
            runs.append(run)
        populations.append((spec.key, len(runs), run.surrogate.evals.evaluations, run.popsize))

    options = {"inject": lq.settings.inject, "callback": watch}
    run_with(spec, lambda problem, rng: run_for_ever(cma.fmin_lq_surr2, problem, lq.settings, rng, **options))
    return populations


def ada_kendall_shares(ada_kendall: Study, store: Store) -> Iterator[float]:
    """Yield, of each function, the share of its generations that ADA-Kendall has evaluated with f, in per cent."""
    trials = completeness_of(store, plan([ada_kendall])).trials
    for _, group in groupby(trials, lambda trial: (trial[0].dimension, trial[0].function)):
        outcomes = [outcome for _, outcome in group]
        true = sum(outcome.true_generations for outcome in outcomes)
        yield 100.0 * true / (true + sum(outcome.model_generations for outcome in outcomes))


if __name__ == "__main__":
    main()
