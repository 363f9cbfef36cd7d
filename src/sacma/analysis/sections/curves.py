"""Curves: the best Δf over evaluations and at the end of the budget, and the share of targets reached (Figure 3)."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from sacma.analysis.areas import areas
from sacma.analysis.charts import Axis, Chart, Lines, Rows
from sacma.analysis.ert_details import best_2009
from sacma.analysis.run_lengths import Distributions, by_function, by_group, distributions, run_lengths, targets
from sacma.analysis.section import Findings, Report, Section, of_one
from sacma.analysis.trials import convergence_curves, single_trials
from sacma.coco.suites import BEST_2009

SHARES = (1 / 10, 1 / 3, 1.0)  # of the budget: points of every curve

CAPTION = (
    "Proportion of targets reached, bootstrapped, over evaluations. The targets of a function are those that the best "
    "algorithm of BBOB 2009 just did not reach within k·D evaluations, 31 values of k in 0.5 … 50; best 2009 is its "
    "average run length. Beyond the cross, where data end, curves are those of simulated restarts."
)


def all_run_lengths(findings: Findings) -> list[pd.DataFrame]:
    """Return the run lengths of each dimension, as from ``run_lengths``; none for a suite without targets."""
    comparison = findings.comparison
    trials = comparison.compared.shared if comparison.suite.of_2009 else ()
    dimensions = sorted({trial.dimension for trial in trials})
    return [run_lengths([trial for trial in trials if trial.dimension == D], targets(D)) for D in dimensions]


def _distributions(findings: Findings) -> list[Distributions]:
    return _of(findings.once(all_run_lengths), findings.comparison.budget)


def _of(lengths: Iterable[pd.DataFrame], budget: float) -> list[Distributions]:
    told_at = [share * budget for share in SHARES]
    return [
        found
        for of in lengths
        for found in distributions(of, np.random.default_rng(int(of["dimension"].iloc[0])), told_at=told_at)
    ]


def _to_own_targets(findings: Findings) -> pd.DataFrame:
    """Return the distributions of run lengths to the targets that were asked for; no columns where none were."""
    comparison = findings.comparison
    wanted = [target for target in comparison.own_targets if target not in comparison.targets_below]
    if not wanted:
        return pd.DataFrame()
    of_2009 = comparison.suite.of_2009
    lengths = []
    for D in sorted({trial.dimension for trial in comparison.compared.shared}):
        trials = [trial for trial in comparison.compared.shared if trial.dimension == D]
        functions = sorted({trial.function for trial in trials})
        rows = [(f, D, k, t, best_2009(D, f, t)) for f in functions for k, t in enumerate(wanted)]
        lengths.append(run_lengths(trials, pd.DataFrame(rows, columns=TARGET_COLUMNS)))
    found = by_group(_of(lengths, comparison.budget), comparison.suite.groups)
    known = found[of_2009 | (found["algorithm"] != BEST_2009)]
    return comparison.marked(known.reset_index(drop=True), compares=False)


TARGET_COLUMNS = ["function", "dimension", "k", "target", "best_2009_art"]
KEYS = ["algorithm", "dimension", "function"]
QUANTILES = {"best": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "worst": 1.0}
PLACE, GROUP = ("dimension", "function"), ("dimension", "group")
EVALUATIONS = Axis("evaluations_per_dimension", "true evaluations / D", log=True)
QUARTILES = ("lower_quartile", "upper_quartile")


def final_quantiles(findings: Findings) -> pd.DataFrame:
    """Return quantiles, on the log scale, of the best Δf of the trials at the largest fixed budget, where it is known.

    Columns are algorithm, dimension, function, trials, best, lower_quartile, median, upper_quartile and worst.
    """
    last = findings.best[findings.best["scenario"] == findings.comparison.fixed_budgets[-1]]
    known = last[np.isfinite(last["delta_f"].to_numpy(float))]
    logs = known.assign(log=np.log10(known["delta_f"].to_numpy(float))).groupby(KEYS, sort=False)["log"]
    found = {name: 10.0 ** logs.quantile(share) for name, share in QUANTILES.items()}
    return pd.DataFrame({"trials": logs.size(), **found}).reset_index()


def _single_trials(findings: Findings) -> pd.DataFrame:
    return single_trials(findings.comparison.compared.trials, findings.comparison.budget)


def _proportions(name: str, caption: str, data: pd.DataFrame, by: tuple[str, ...], **more: Any) -> Lines:
    """Return a chart of proportions of targets over evaluations."""
    y = Axis("proportion", "proportion of targets", limits=(0.0, 1.0))
    steps: dict[str, Any] = {"stepped": True, "end": "largest_length"}
    return Lines(name=name, caption=caption, data=data, by=by, x=EVALUATIONS, y=y, **steps, **more)


def _charts(report: Report) -> Iterator[Chart]:
    yield _proportions("ecdf", CAPTION, report.findings["ecdf"], GROUP, single="ecdf_functions")
    single = report.findings["ecdf_functions"]
    if len(single):
        ends = report.findings["ecdf"].groupby(["algorithm", "dimension"])["largest_length"].max().reset_index()
        proportions = single.assign(proportion=single["reached"] / single["targets"]).merge(ends)
        yield _proportions("ecdf_functions", CAPTION, proportions, PLACE, figures=False)
    if len(to_targets := report.findings["ecdf_targets"]):
        caption = "Proportion of the targets Δf of --targets that are reached, bootstrapped, over evaluations."
        yield _proportions("ecdf_targets", caption, to_targets, GROUP)
    delta_f = Axis("median", "best Δf", log=True)
    yield Lines(
        name="convergence",
        caption="Best Δf of the median trial over evaluations, with quartiles.",
        data=report.findings["convergence"].sort_values(list(PLACE), kind="stable"),
        by=PLACE,
        x=EVALUATIONS,
        y=delta_f,
        band=QUARTILES,
        trials=report.findings.once(_single_trials),
    )
    yield Rows(
        name="final_values",
        caption=f"Best Δf after {report.comparison.fixed_budgets[-1]} evaluations: median trial, quartiles, best "
        "and worst.",
        data=report.findings["final_values"].sort_values(list(PLACE), kind="stable"),
        by=PLACE,
        x=delta_f,
        bar=QUARTILES,
        whisker=("best", "worst"),
    )


SECTION = Section(
    key="convergence",
    title="Convergence",
    heading="Convergence and run lengths",
    frames={
        "convergence": of_one(
            lambda findings: convergence_curves(findings.comparison.compared.trials, findings.comparison.budget)
        ),
        "final_values": of_one(final_quantiles),
        "areas": of_one(lambda findings: areas(findings.comparison.compared.shared, findings.comparison.budget)),
        "ecdf": of_one(lambda findings: by_group(findings.once(_distributions))),
        "ecdf_targets": _to_own_targets,
        "ecdf_functions": of_one(lambda findings: by_function(findings.once(_distributions))),
    },
    charts=_charts,
    template="curves.html",
)
