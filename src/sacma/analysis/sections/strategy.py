"""Strategy: the state of each algorithm by generation, as its trials have kept it: σ, axis ratio, evaluations."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sacma.analysis.charts import Axis, Chart, Lines
from sacma.analysis.section import Findings, Report, Section
from sacma.store.record import TrialRecord, decode
from sacma.store.store import Damage, Store
from sacma.types import Array

MOST_POINTS = 250_000  # of all lines in the page
POINTS = 48  # of a line, at most
BY = ("dimension", "function", "quantity", "instance")
SIGMA, AXES, OF_F, OF_MODEL = "σ", "axis ratio", "evaluations of f", "evaluations of the model"
WORDS = {"sigma": SIGMA, "axis_ratio": AXES, "evaluations": OF_F, "model_evaluations": OF_MODEL}


def quantities(record: TrialRecord) -> dict[str, Array]:
    """Return the numbers of a trial by generation: of its trace, and of its log, in which each call is one.

    Evaluations of f are of all before and in a generation; those of the model are of points without a value of f.
    """
    found: dict[str, Array] = {}
    if len(trace := record.trace):
        true = trace["true_evaluations"].astype(float)
        without = np.maximum(0.0, np.cumsum(trace["population_size"].astype(float)) - true)
        found = {SIGMA: trace["sigma"], AXES: trace["axis_ratio"], OF_F: true, OF_MODEL: np.maximum.accumulate(without)}
        if not without[:-1].any():  # a last population, which was not finished
            del found[OF_MODEL]
    for name, values in record.log.items():
        found[WORDS.get(name, name.replace("_", " "))] = np.array([np.nan if v is None else v for v in values], float)
    return {name: values for name, values in found.items() if np.nan_to_num(values, nan=0.0).any()}


def traces(store: Store, findings: Findings) -> pd.DataFrame:
    """Return the quantities of trials by generation, of as many instances as a page can hold.

    Columns are algorithm, dimension, function, quantity, instance, generation and value.
    """
    covered = findings.comparison.covered if (store.root / "records").is_dir() else ()  # else of kept outcomes alone
    specs = {study.name: [head.spec for head in of.heads.values()] for study, of in covered if not of.manifest}
    cells = {(name, spec.dimension, spec.function) for name, of in specs.items() for spec in of}
    instances = sorted({spec.instance for of in specs.values() for spec in of})
    wanted = instances[: max(1, MOST_POINTS // (4 * POINTS * max(1, len(cells))))]
    parts = []
    for name, of in specs.items():
        for record in store.read([spec for spec in of if spec.instance in wanted], decode):
            if isinstance(record, Damage):
                continue
            spec = record.spec
            for quantity, values in quantities(record).items():
                at = np.unique(np.round(np.geomspace(1, len(values), POINTS)).astype(int))
                place = {"dimension": spec.dimension, "function": spec.function, "instance": spec.instance}
                numbers = {"generation": at, "value": values[at - 1].astype(float)}
                parts.append(pd.DataFrame({"algorithm": name, **place, "quantity": quantity, **numbers}))
    if not parts:
        return pd.DataFrame(columns=["algorithm", *BY, "generation", "value"])
    found = pd.concat(parts, ignore_index=True)
    shared = list(WORDS.values())
    order = [*(name for name in found["quantity"].unique() if name not in shared), *shared]
    found["quantity"] = pd.Categorical(found["quantity"], order)  # the page begins with the first: of one's own log
    return found.sort_values(list(BY), kind="stable").astype({"quantity": str})


def _charts(report: Report) -> Iterator[Chart]:
    found = traces(report.store, report.findings)
    positive = found.groupby("quantity")["value"].transform("min") >= 0
    yield _lines("strategy", found[positive], "quantity", log=True)
    yield _lines("strategy_linear", found[~positive], "further", log=False)


def _lines(name: str, data: pd.DataFrame, column: str, *, log: bool) -> Chart:
    return Lines(
        name=name,
        caption="The state of the strategy by generation, or by call of problem.log, in the trial of an instance.",
        data=data.rename(columns={"quantity": column}),
        by=("dimension", "function", column, "instance"),
        x=Axis("generation", "generation or call", log=True),
        y=Axis("value", column, log=log),
        figures=False,
    )


SECTION = Section(
    key="strategy",
    title="Strategy",
    heading="State of the strategy",
    charts=_charts,
    template="strategy.html",
    shown=lambda findings: any(c.heads and not c.manifest for _, c in findings.comparison.covered),
    scoped=False,
)
