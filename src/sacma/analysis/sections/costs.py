"""Costs: control frequencies, and CPU time by part; Figure 2 and Table 2 of the paper."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Bars, Chart, Rows
from sacma.analysis.section import Findings, Report, Section, of_one
from sacma.config.plan import TrialSpec
from sacma.store.outcome import Outcome

PLACE = ("dimension", "function", "instance")
COUNTS = ("evaluations", "true_generations", "model_generations", "restarts")
PARTS = ("objective", "fit", "predict", "strategy", "other")  # of CPU time


def comparable_costs(findings: Findings, *, of_functions: bool = False) -> pd.DataFrame:
    """Return the costs of our trials on instances, or also ``of_functions``, that all our algorithms have."""
    comparison, costs = findings.comparison, findings["trial_costs"]
    there = comparison.among([study.name for study, _ in comparison.covered]).overlap
    of_them = costs[costs["algorithm"].isin(there.there)]
    places = zip(of_them["dimension"], of_them["function"], of_them["instance"], strict=True)
    kept = of_them[pd.Series([there.has(*place) for place in places], of_them.index, dtype=bool)]
    return there.shared(kept) if of_functions else kept


def trial_costs(trials: Iterable[tuple[TrialSpec, Outcome]]) -> pd.DataFrame:
    """Return the evaluations, generations and CPU seconds by part of each trial.

    The control frequency is true over model-evaluated generations, Figure 2 of the paper; inf where there are none of
    the latter.
    """
    rows = [
        {"algorithm": spec.name}
        | {name: getattr(spec, name) for name in PLACE}
        | {name: getattr(outcome, name) for name in COUNTS}
        | asdict(outcome.cpu)
        for spec, outcome in trials
    ]
    columns = ["algorithm", *PLACE, *COUNTS[:-1], "control_frequency", COUNTS[-1], *PARTS]
    frame = pd.DataFrame(rows, columns=columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequency = frame["true_generations"].to_numpy(float) / frame["model_generations"].to_numpy(float)
    return frame.assign(control_frequency=frequency)


def cpu_per_evaluation(costs: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, one thread: the sum of all trials over all evaluations (Table 2).

    Columns are algorithm, dimension, trials, part (as in ``PARTS``, and total) and seconds_per_evaluation.
    """
    groups = costs.groupby(["algorithm", "dimension"], sort=False)
    sums = groups[["evaluations", *PARTS]].sum()
    per_evaluation = sums[list(PARTS)].div(sums["evaluations"], axis="index")
    per_evaluation = per_evaluation.assign(total=per_evaluation.sum(axis="columns"), trials=groups.size())
    keys = ["algorithm", "dimension", "trials"]
    return per_evaluation.reset_index().melt(keys, var_name="part", value_name="seconds_per_evaluation")


def control_frequencies(costs: pd.DataFrame) -> pd.DataFrame:
    """Return quartiles over trials of the control frequency, of algorithms with model-evaluated generations.

    ``without_model`` counts the trials of which no generation was model-evaluated: quartiles are of the others, NaN
    where there are none.
    """
    with_model = costs.groupby("algorithm")["model_generations"].transform("sum") > 0
    keys = ["algorithm", "dimension", "function"]
    rows = []
    for place, group in costs[with_model].groupby(keys, sort=False):
        ratios = group["control_frequency"].to_numpy()
        finite = ratios[np.isfinite(ratios)]
        quartiles = np.quantile(finite, [0.25, 0.5, 0.75]) if finite.size else np.full(3, np.nan)
        rows.append((*place, len(ratios), len(ratios) - finite.size, *quartiles))
    return pd.DataFrame(rows, columns=[*keys, "trials", "without_model", "lower_quartile", "median", "upper_quartile"])


def _charts(report: Report) -> Iterator[Chart]:
    yield Rows(
        name="control",
        caption="Control frequency: true generations per model-evaluated one of the median trial, with quartiles, over "
        "whole trials.",
        data=report.findings["control_frequency"].sort_values(["dimension", "function"], kind="stable"),
        by=("dimension", "function"),
        x=Axis("median", "true / model generations"),
        bar=("lower_quartile", "upper_quartile"),
    )
    cpu = report.findings["cpu"]
    yield Bars(
        name="cpu",
        caption="What the CPU time of a true evaluation is spent on, in whole trials on one thread.",
        data=cpu[cpu["part"] != "total"].assign(milliseconds=1e3 * cpu["seconds_per_evaluation"]),
        by=("dimension",),
        series="part",
        x=Axis("milliseconds", "CPU milliseconds per true evaluation"),
    )


SECTION = Section(
    key="costs",
    title="Costs",
    heading="Evolution control and CPU time",
    frames={
        "trial_costs": of_one(lambda found: trial_costs(t for _, c in found.comparison.covered for t in c.trials)),
        "control_frequency": of_one(lambda found: control_frequencies(comparable_costs(found))),
        "cpu": of_one(lambda found: cpu_per_evaluation(comparable_costs(found, of_functions=True))),
    },
    charts=_charts,
    template="costs.html",
    shown=lambda findings: not findings["cpu"].empty,
)
