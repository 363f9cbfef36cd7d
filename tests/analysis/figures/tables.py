"""Small tables of every kind that figures draw, of any algorithms."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sacma.analysis.sections.critical_differences import Ranking
from sacma.analysis.statistics import critical_difference, friedman_posthoc, rank_rows, shaffer
from sacma.coco.suites import BBOB

SIX = ["CMA-ES", "GP-1", "GP-5", "ADA-KL", "ADA-Kendall", "ADA-RD"]

TWELVE = [
    "CMA-ES",
    "ADA_Kendall_radius_64_transfer_T2_k=2.0a",
    "ADA_Kendall_radius_64_transfer_T2_k=2.0b",
    r"$\sigma$-less & <b>bold</b> 100% \alpha_1",
    "_underscore_first_$x^2$",
    "GP-5",
    "lq-CMA-ES",
    "Ünïcödé-Δf-λμσ-naïve-čeština-žluťoučký",
    "W" * 40,
    "算法-🎉-x",
    "#&;%~^{}",
    "two\nlines",
]
"""Hostile: long, alike but for the end, markup of several languages, characters that the font lacks."""

DIMENSIONS = (2, 20)


def convergence_curves(
    algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS, functions: Sequence[int] = range(1, 25)
) -> pd.DataFrame:
    """Δf that comes down to 1e-8 on some functions and stays above on others."""
    rng = np.random.default_rng(1)
    parts = []
    for D in dimensions:
        x = np.unique(np.round(np.geomspace(1, 250 * D, 60))) / D
        for function in functions:
            for algorithm in algorithms:
                decades = rng.uniform(0.5, 12)
                y = rng.uniform(0, 5) - decades * (x / 250) ** rng.uniform(0.3, 1)
                y = np.minimum.accumulate(y + rng.normal(0, 0.05, len(x)))
                parts.append(
                    pd.DataFrame(
                        {
                            "algorithm": algorithm,
                            "dimension": D,
                            "function": function,
                            "evaluations_per_dimension": x,
                            "lower_quartile": 10 ** np.maximum(y - 0.6, -8),
                            "median": 10 ** np.maximum(y, -8),
                            "upper_quartile": 10 ** np.maximum(y + 0.4, -8),
                        }
                    )
                )
    return pd.concat(parts, ignore_index=True)


def running_times(algorithms: Sequence[str], functions: Sequence[int] = (1, 8, 18, 19, 24)) -> pd.DataFrame:
    """ERT/D that grows to targets and with dimensions, until no trial reaches them, and the lowest of all."""
    rng = np.random.default_rng(4)
    places = [(a, D, f, 10.0**e) for a in algorithms for D in DIMENSIONS for f in functions for e in range(2, -9, -1)]
    frame = pd.DataFrame(places, columns=["algorithm", "dimension", "function", "target"])
    frame["ert_per_dimension"] = 10 ** (rng.uniform(0, 0.5, len(frame)) + (2 - np.log10(frame["target"])) / 3)
    frame.loc[frame["target"] < 10.0 ** -rng.uniform(1, 12, len(frame)), "ert_per_dimension"] = np.inf
    keys = ["dimension", "function", "target"]
    best: pd.DataFrame = frame.groupby(keys)["ert_per_dimension"].min().reset_index()
    return pd.concat([frame, best.assign(algorithm="virtual best")], ignore_index=True)


def running_times_alone(algorithms: Sequence[str]) -> pd.DataFrame:
    """The same without the lowest of all, and with an algorithm more, the baseline."""
    table: pd.DataFrame = running_times([*algorithms, "baseline"]).query("algorithm != 'virtual best'")
    return table


def final_values(algorithms: Sequence[str], functions: Sequence[int] = (1, 8, 18, 19, 24)) -> pd.DataFrame:
    """Δf of seven trials, some at 1e-8."""
    rng = np.random.default_rng(5)
    places = [(a, D, f) for a in algorithms for D in DIMENSIONS for f in functions for _ in range(7)]
    frame = pd.DataFrame(places, columns=["algorithm", "dimension", "function"])
    return frame.assign(delta_f=np.maximum(1e-8, 10.0 ** rng.uniform(-10, 3, len(frame))))


def curves_on_five(algorithms: Sequence[str]) -> pd.DataFrame:
    """Δf on five functions, so that a row of panels is not full."""
    return convergence_curves(algorithms, functions=(1, 8, 18, 19, 24))


def proportions(algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS) -> pd.DataFrame:
    """Run-length distributions of all groups, with the reference."""
    rng = np.random.default_rng(2)
    parts = [
        pd.DataFrame(
            {
                "algorithm": algorithm,
                "dimension": D,
                "group": group,
                "functions": f"f{functions.start}–f{functions.stop - 1}",
                "evaluations_per_dimension": np.sort(10 ** rng.uniform(-0.5, np.log10(250), 50)),
                "proportion": np.sort(rng.random(50)),
            }
        )
        for D in dimensions
        for group, functions in BBOB.groups.items()
        for algorithm in [*algorithms, "best 2009"]
    ]
    return pd.concat(parts, ignore_index=True)


def control_trials(algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS) -> pd.DataFrame:
    """Generations of 15 trials on f8: the first algorithm never used a model, the second did in 12 of them."""
    rng = np.random.default_rng(3)
    rows = []
    for D in dimensions:
        for n, algorithm in enumerate(algorithms):
            for instance in range(15):
                true = int(rng.integers(100, 400))
                model = 0 if n == 0 or (n == 1 and instance < 3) else int(true / rng.uniform(0.3, 1.5))
                rows.append((algorithm, D, 8, instance, true, model, true / model if model else np.inf))
    columns = ["algorithm", "dimension", "function", "instance", "true_generations", "model_generations"]
    return pd.DataFrame(rows, columns=[*columns, "control_frequency"])


def generations(algorithms: Sequence[str]) -> pd.DataFrame:
    """One trial of each algorithm, with a restart and with model-evaluated generations among the rows."""
    rng = np.random.default_rng(4)
    rows: list[tuple[str, int, int, int, float, float]] = []
    for algorithm in algorithms:
        smoothed = np.nan
        for step in range(60):
            error = float(rng.random()) if step > 1 and step % 7 else np.nan
            if not np.isnan(error):
                smoothed = error if np.isnan(smoothed) else 0.8 * smoothed + 0.2 * error
            model = int(rng.integers(0, 6))
            evaluations = 12 * (step + 1)
            rows.append((algorithm, step // 40, evaluations, model, error, smoothed))
            rows += [(algorithm, step // 40, evaluations, 0, np.nan, np.nan)] * model
    columns = ["algorithm", "restart", "true_evaluations", "model_generations", "error", "smoothed_error"]
    return pd.DataFrame(rows, columns=columns)


def cells(
    algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS, functions: Sequence[int] = range(1, 25)
) -> pd.DataFrame:
    """Ranks and decades gained over the first algorithm."""
    rng = np.random.default_rng(5)
    rows = []
    for D in dimensions:
        for function in functions:
            decades = np.round(rng.normal(0, 3, len(algorithms)), 2)
            decades[0] = 0
            ranks = pd.Series(-decades).rank()
            rows += [(a, D, function, r, d) for a, r, d in zip(algorithms, ranks, decades, strict=True)]
    return pd.DataFrame(rows, columns=["algorithm", "dimension", "function", "rank", "decades"])


def cpu_parts(algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS) -> pd.DataFrame:
    """CPU seconds by part; the first algorithm has no surrogate."""
    rng = np.random.default_rng(6)
    rows = [
        (algorithm, D, part, seconds * D * rng.uniform(0.5, 1.5))
        for D in dimensions
        for n, algorithm in enumerate(algorithms)
        for part, seconds in {"objective": 1e-5, "fit": 4e-4, "predict": 1e-4, "strategy": 2e-4, "other": 5e-5}.items()
        if n or part not in {"fit", "predict"}
    ]
    return pd.DataFrame(rows, columns=["algorithm", "dimension", "part", "seconds_per_evaluation"])


def mean_ranks(algorithms: Sequence[str], dimensions: Sequence[int] = DIMENSIONS) -> pd.DataFrame:
    """Mean ranks with intervals at three budgets."""
    rng = np.random.default_rng(7)
    rows = [
        (scenario, D, algorithm, rank, rank - rng.uniform(0.1, 0.4), rank + rng.uniform(0.1, 0.4))
        for scenario in ("#FE_t/3", "#FE_t", "250·D")
        for D in dimensions
        for algorithm, rank in zip(algorithms, rng.permutation(len(algorithms)) + 1.0, strict=True)
    ]
    return pd.DataFrame(rows, columns=["scenario", "dimension", "algorithm", "mean_rank", "low", "high"])


def ranking(algorithms: Sequence[str], spread: float = 1.0, title: str = "20-D, #FE_t", seed: int = 8) -> Ranking:
    """Algorithms on 24 functions, the later the worse."""
    k = len(algorithms)
    values = np.random.default_rng(seed).normal(size=(24, k)) + np.linspace(0, spread, k)
    table = pd.DataFrame(values, columns=list(algorithms))
    p_values = shaffer(friedman_posthoc(table))
    return Ranking(rank_rows(table).mean(), p_values, critical_difference(k, 24, 0.05), title)
