"""Distributions of run lengths: the share of targets reached over evaluations, Figure 3 of the paper."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines
from sacma.analysis.run_lengths import Distributions, by_function, by_group, distributions, run_lengths, targets
from sacma.analysis.section import Findings, Report, Section, of_one

SHARES = (1 / 10, 1 / 3, 1.0)  # of the budget: points of every curve

CAPTION = (
    "Proportion of targets reached, bootstrapped, over evaluations. The targets of a function are those that the best "
    "algorithm of BBOB 2009 just did not reach within k·D evaluations, 31 values of k in 0.5 … 50; best 2009 is its "
    "average run length. Beyond the budget curves are those of simulated restarts."
)


def all_run_lengths(findings: Findings) -> list[pd.DataFrame]:
    """Return the run lengths of each dimension, as from ``run_lengths``; none where there are no targets."""
    comparison = findings.comparison
    trials = comparison.compared.shared if comparison.suite.of_2009 else ()
    dimensions = sorted({trial.dimension for trial in trials})
    return [run_lengths([trial for trial in trials if trial.dimension == D], targets(D)) for D in dimensions]


def _distributions(findings: Findings) -> list[Distributions]:
    told_at = [share * findings.comparison.budget for share in SHARES]
    return [
        found
        for of in findings.once(all_run_lengths)
        for found in distributions(of, np.random.default_rng(int(of["dimension"].iloc[0])), told_at=told_at)
    ]


def _charts(report: Report) -> Iterator[Chart]:
    yield Lines(
        name="ecdf",
        caption=CAPTION,
        data=report.findings["ecdf"],
        by=("dimension", "group"),
        x=Axis("evaluations_per_dimension", "true evaluations / D", log=True),
        y=Axis("proportion", "proportion of targets", limits=(0.0, 1.0)),
        stepped=True,
    )


SECTION = Section(
    key="ecdf",
    title="Run lengths",
    frames={
        "ecdf": of_one(lambda findings: by_group(findings.once(_distributions))),
        "ecdf_functions": of_one(lambda findings: by_function(findings.once(_distributions))),
    },
    charts=_charts,
    template="ecdf.html",
    shown=lambda findings: not findings["ecdf"].empty,
    applies=lambda comparison: comparison.suite.of_2009,
)
