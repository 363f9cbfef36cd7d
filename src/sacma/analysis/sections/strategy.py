"""Strategy: the state of each algorithm as its trials have kept it: σ, axis ratio, evaluations of the model."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines
from sacma.analysis.section import Findings, Report, Section, of_one
from sacma.store.log import EVALUATIONS
from sacma.store.record import TrialRecord, decode
from sacma.store.store import Damage
from sacma.types import Array

MOST_POINTS = 250_000  # of all lines in the page
POINTS = 48  # of a line, at most
BY = ("dimension", "function", "quantity", "instance")
SIGMA, AXES, OF_MODEL = "σ", "axis ratio", "evaluations of the model"
WORDS = {"sigma": SIGMA, "axis_ratio": AXES, "model_evaluations": OF_MODEL}


def quantities(record: TrialRecord) -> Iterator[tuple[str, Array, Array]]:
    """Yield name, evaluations of f and values of the numbers of a trial: of each generation, and of calls of its log.

    Evaluations of f are of all before and in a generation, or before a call; those of the model are of points without
    a value of f.
    """
    if len(trace := record.trace):
        true = trace["true_evaluations"].astype(float)
        without = np.maximum(0.0, np.cumsum(trace["population_size"].astype(float)) - true)
        yield SIGMA, true, trace["sigma"]
        yield AXES, true, trace["axis_ratio"]
        if without[:-1].any():  # not of a last population alone, which was not finished
            yield OF_MODEL, true, np.maximum.accumulate(without)
    for name, column in record.log.items():
        values = np.array([np.nan if value is None else value for value in column], float)
        if name != EVALUATIONS and np.isfinite(values).any():
            yield WORDS.get(name, name.replace("_", " ")), np.array(record.log[EVALUATIONS], float), values


def states(findings: Findings) -> pd.DataFrame:
    """Return the quantities of trials by evaluations of f, of as many instances as a page can hold.

    Columns are algorithm, dimension, function, quantity, instance, evaluations and value. Of generations or calls after
    the same number of evaluations the last one counts.
    """
    store, nothing = findings.store, pd.DataFrame(columns=["algorithm", *BY, "evaluations", "value"])
    if store is None or not (store.root / "records").is_dir():  # of kept outcomes alone
        return nothing
    covered = [(study.name, of) for study, of in findings.comparison.covered if not of.manifest]
    specs = {name: [head.spec for head in of.heads.values()] for name, of in covered}
    cells = {(name, spec.dimension, spec.function) for name, of in specs.items() for spec in of}
    instances = sorted({spec.instance for of in specs.values() for spec in of})
    wanted = instances[: max(1, MOST_POINTS // (4 * POINTS * max(1, len(cells))))]
    parts = []
    for name, of in specs.items():
        for record in store.read([spec for spec in of if spec.instance in wanted], decode):
            if isinstance(record, Damage):
                continue
            spec = record.spec
            for quantity, evaluations, values in quantities(record):
                last = np.flatnonzero(np.diff(evaluations, append=np.inf))
                kept = last[np.unique(np.round(np.geomspace(1, len(last), POINTS)).astype(int)) - 1]
                place = {"dimension": spec.dimension, "function": spec.function, "instance": spec.instance}
                numbers = {"evaluations": evaluations[kept].astype(int), "value": values[kept].astype(float)}
                parts.append(pd.DataFrame({"algorithm": name, **place, "quantity": quantity, **numbers}))
    if not parts:
        return nothing
    found = pd.concat(parts, ignore_index=True)
    shared = list(WORDS.values())
    order = [*(name for name in found["quantity"].unique() if name not in shared), *shared]
    found["quantity"] = pd.Categorical(found["quantity"], order)  # the page begins with the first: of one's own log
    return found.sort_values(list(BY), kind="stable").astype({"quantity": str})[list(nothing.columns)]


def _charts(report: Report) -> Iterator[Chart]:
    found = report.findings["strategy"]
    found = found[found["evaluations"] > 0].assign(evaluations_per_dimension=found["evaluations"] / found["dimension"])
    of_each = found.groupby("quantity")["value"]
    positive = (of_each.transform("min") >= 0) & (of_each.transform("max") > 0)
    yield _lines("strategy", found[positive], "quantity", log=True)
    yield _lines("strategy_linear", found[~positive], "further", log=False)


def _lines(name: str, data: pd.DataFrame, column: str, *, log: bool) -> Chart:
    return Lines(
        name=name,
        caption="The state of the strategy, or at calls of problem.log, in the trial of an instance.",
        data=data.rename(columns={"quantity": column}),
        by=("dimension", "function", column, "instance"),
        x=Axis("evaluations_per_dimension", "true evaluations / D", log=True),
        y=Axis("value", column, log=log),
        figures=False,
    )


SECTION = Section(
    key="strategy",
    title="Strategy",
    heading="State of the strategy",
    frames={"strategy": of_one(states)},
    charts=_charts,
    template="strategy.html",
    shown=lambda findings: any(c.heads and not c.manifest for _, c in findings.comparison.covered),
)
