"""Charts of every kind, of any algorithms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Bars, Chart, Lines, Rows, Scatter

SIX = ["CMA-ES", "GP-1", "GP-5", "ADA-KL", "ADA-Kendall", "ADA-RD"]

# Hostile: long, alike but for the end, markup of several languages, characters that the font lacks.
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

PLACE = ("dimension", "function")
FUNCTIONS = (1, 8, 16, 19, 24)


def lines(algorithms: Sequence[str], functions: Sequence[int] = FUNCTIONS, **options: Any) -> Lines:
    """Return Δf that comes down to 1e-8 on some functions and stays above on others."""
    rng = np.random.default_rng(1)
    x = np.unique(np.round(np.geomspace(1, 5000, 60))) / 20
    parts = []
    for function in functions:
        for algorithm in algorithms:
            y = rng.uniform(0, 5) - rng.uniform(0.5, 12) * (x / 250) ** rng.uniform(0.3, 1)
            logs = {name: np.maximum(y + shift, -8) for name, shift in (("low", -0.6), ("median", 0.0), ("high", 0.4))}
            values = {name: 10.0**of for name, of in logs.items()}
            parts.append(
                pd.DataFrame({"algorithm": algorithm, "dimension": 20, "function": function, "x": x, **values})
            )
    usual = {"by": PLACE, "x": Axis("x", "true evaluations / D", log=True), "y": Axis("median", "best Δf", log=True)}
    data = pd.concat(parts, ignore_index=True)
    return Lines(name="lines", caption="Lines.", data=data, **{**usual, "band": ("low", "high"), **options})


def steps(algorithms: Sequence[str]) -> Lines:
    """Return shares that keep their value until the next, with a reference."""
    share = Axis("median", "share", limits=(0.0, 1.0))
    return lines([*algorithms, "best 2009"], (1, 8), y=share, band=None, stepped=True)


def falling(algorithms: Sequence[str]) -> Lines:
    """Return values over targets, from the largest down, some of which are infinite."""
    chart = lines(algorithms, x=Axis("x", "target Δf", log=True, falls=True), band=None)
    chart.data.loc[::7, "median"] = np.inf
    return chart


def rows(algorithms: Sequence[str]) -> Rows:
    """Return mean ranks with intervals; the better half of the algorithms are alike."""
    rng = np.random.default_rng(7)
    places = [(D, scenario) for D in (2, 20) for scenario in ("#FE_t/3", "#FE_t", "250·D")]
    parts = [
        pd.DataFrame(
            {"algorithm": algorithms, "rank": rng.permutation(len(algorithms)) + 1.0, "dimension": D, "scenario": s}
        )
        for D, s in places
    ]
    data = pd.concat(parts, ignore_index=True)
    best = {
        place: [list(of.sort_values("rank")["algorithm"][: len(of) // 2 + 1])]
        for place, of in zip(places, parts, strict=True)
    }
    return Rows(
        name="rows",
        caption="Rows.",
        data=data.assign(low=data["rank"] - 0.3, high=data["rank"] + 0.3, least=1.0, most=data["rank"] + 0.5),
        by=("dimension", "scenario"),
        x=Axis("rank", "mean rank"),
        bar=("low", "high"),
        whisker=("least", "most"),
        alike=best,
    )


def bars(algorithms: Sequence[str]) -> Bars:
    """Return times by part; the first algorithm lacks one, and one is negative by the resolution of clocks."""
    rng = np.random.default_rng(6)
    parts = {"objective": 0.01, "fit": 0.4, "predict": 0.1, "other": 0.05}
    rows = [
        (name, D, part, -1e-6 if (n, part) == (1, "other") else D * most * rng.uniform(0.5, 1.5))
        for D in (2, 20)
        for n, name in enumerate(algorithms)
        for part, most in parts.items()
        if n or part != "fit"
    ]
    data = pd.DataFrame(rows, columns=["algorithm", "dimension", "part", "ms"])
    return Bars(name="bars", caption="Bars.", data=data, by=("dimension",), series="part", x=Axis("ms", "milliseconds"))


def scatter(algorithms: Sequence[str]) -> Scatter:
    """Return pairs of values, a panel an algorithm, some infinite."""
    rng = np.random.default_rng(5)
    rows = [
        (name, D, f"f{f}", *10 ** rng.uniform(0, 3, 2)) for name in algorithms for D in (2, 20) for f in range(1, 9)
    ]
    data = pd.DataFrame(rows, columns=["algorithm", "dimension", "problem", "other", "own"])
    data.loc[data.index % 5 == 0, "own"] = np.inf
    x, y = Axis("other", "ERT / D of another", log=True), Axis("own", "ERT / D", log=True)
    by = ("algorithm",)
    return Scatter(name="scatter", caption="", data=data, by=by, series="dimension", label="problem", x=x, y=y)


KINDS = {"lines": lines, "steps": steps, "falling": falling, "rows": rows, "bars": bars, "scatter": scatter}


def of_one_file(chart: Chart) -> Chart:
    """Return what the last file of a chart shows."""
    return list(chart.files())[-1][1]
