"""Costs of trials beside their evaluations: CPU time and model-evaluated generations.

Both are only known of trials that sacma ran: COCO data do not tell.
"""

from collections.abc import Iterable
from dataclasses import asdict, fields

import numpy as np
import pandas as pd

from sacma.config.plan import TrialSpec
from sacma.store.outcome import CPUSeconds, Outcome

PARTS = tuple(field.name for field in fields(CPUSeconds))  # where CPU time goes

COLUMNS = [
    *("algorithm", "dimension", "function", "instance", "evaluations"),
    *("true_generations", "model_generations", "control_frequency", "restarts", *PARTS),
]


def trial_costs(trials: Iterable[tuple[TrialSpec, Outcome]]) -> pd.DataFrame:
    """Return what each trial took: a row a trial, columns ``COLUMNS``, CPU seconds by part.

    The control frequency is true over model-evaluated generations, Figure 2 of the paper; inf where there are none of
    the latter.
    """
    rows = [
        {"algorithm": spec.name, **{name: getattr(spec, name) for name in COLUMNS[1:4]}}
        | {name: getattr(outcome, name) for name in COLUMNS[4:9] if name != "control_frequency"}
        | asdict(outcome.cpu)
        for spec, outcome in trials
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequency = frame["true_generations"].to_numpy(float) / frame["model_generations"].to_numpy(float)
    return frame.assign(control_frequency=frequency)


def cpu_per_evaluation(costs: pd.DataFrame) -> pd.DataFrame:
    """Return CPU seconds per true evaluation, one thread: those of all trials over all their evaluations (Table 2).

    Returns:
        Columns algorithm, dimension, trials, part (as in ``PARTS``, and total) and seconds_per_evaluation.
    """
    groups = costs.groupby(["algorithm", "dimension"], sort=False)
    sums = groups[["evaluations", *PARTS]].sum()
    per_evaluation = sums[list(PARTS)].div(sums["evaluations"], axis="index")
    per_evaluation["total"] = per_evaluation.sum(axis="columns")
    per_evaluation["trials"] = groups.size()
    keys = ["algorithm", "dimension", "trials"]
    return per_evaluation.reset_index().melt(keys, var_name="part", value_name="seconds_per_evaluation")


def control_frequencies(costs: pd.DataFrame) -> pd.DataFrame:
    """Return quartiles over trials of the control frequency, of algorithms with model-evaluated generations.

    Returns:
        Columns algorithm, dimension, function, trials, without_model (trials of which no generation was
        model-evaluated), lower_quartile, median and upper_quartile of the others, NaN where there are none.
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
