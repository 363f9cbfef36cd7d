"""What the commands show as tables, 80 columns wide or less."""

from collections.abc import Sequence
from typing import get_args

import pandas as pd
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sacma.experiment.plan import TrialSpec
from sacma.ranges import format_ranges


def plan_table(names: Sequence[str], specs: Sequence[TrialSpec], missing: Sequence[TrialSpec]) -> Table:
    """Return how many trials are there, by algorithm and dimension, and how many evaluations are left to make."""
    keys = {spec.key for spec in missing}
    dimensions = sorted({spec.dimension for spec in specs})
    table = _table("trials there / all", *(f"{D}-D" for D in dimensions), "all", "evaluations left")
    groups = [(name, [spec for spec in specs if spec.name == name]) for name in names]
    for name, group in [*groups, ("all", list(specs))] if len(names) > 1 else groups:
        cells = [[spec for spec in group if spec.dimension == D] for D in dimensions]
        counts = [f"{sum(spec.key not in keys for spec in cell)}/{len(cell)}" for cell in [*cells, group]]
        table.add_row(name, *counts, f"{sum(spec.budget for spec in group if spec.key in keys):,}")
    return table


def description(title: str, summary: str, model: type[BaseModel], known: set[str]) -> RenderableType:
    """Return a model's fields with defaults and ranges; those in ``known`` by name only."""
    fields = model.model_fields
    table = _table("  key", "default", "meaning", right=False)
    for name, info in fields.items():
        if name not in known:
            allowed = _allowed(info)
            table.add_row(f"  {name}", _default(info), f"{info.description}{f' ({allowed})' if allowed else ''}")
    again = ", ".join(name for name in fields if name in known)
    parts = [Text(f"{title}  {summary}", style="bold")]
    return Group(*parts, *([Padding(f"as above: {again}", (0, 0, 0, 2))] if again else []), table, "")


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    default = info.default
    if isinstance(default, tuple):
        return format_ranges(default)
    if isinstance(default, float):
        return f"{default:.6g}"
    if default == "" or isinstance(default, BaseModel):
        return "-"
    if default is None or isinstance(default, bool):
        return {None: "null", True: "true", False: "false"}[default]
    return str(default)


def _allowed(info: FieldInfo) -> str:
    """Return the range or the choices of a field in words."""
    symbols = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    bounds = [
        f"{symbol} {getattr(constraint, name):g}"
        for constraint in info.metadata
        for name, symbol in symbols.items()
        if getattr(constraint, name, None) is not None
    ]
    choices = [choice for choice in get_args(info.annotation) if isinstance(choice, str)]
    return ", ".join(bounds) or " | ".join(choices)


def median_table(medians: pd.DataFrame) -> RenderableType:
    """Return Δf_med at the largest budget, by dimension and function, the best in bold."""
    budget = medians["budget"].max()
    final = medians[medians["budget"] == budget]
    names = list(medians["algorithm"].unique())
    title = Text(f"median Δf after {budget:g}·D evaluations", style="bold")
    table = _table("D", "f", *names)
    for (dimension, function), group in final.groupby(["dimension", "function"]):
        by_name = group.set_index("algorithm")["median_delta_f"]
        table.add_row(str(dimension), str(function), *_cells(by_name, names, "{:.1e}"))
    return Group(title, table, "")


def rank_table(ranks: pd.DataFrame) -> RenderableType:
    """Return mean ranks by dimension and budget, the best in bold."""
    names = list(ranks["algorithm"].unique())
    title = Text("mean rank over functions after so many evaluations/D (1 is best)", style="bold")
    table = _table("D", "evals/D", *names)
    for (dimension, budget), group in ranks.groupby(["dimension", "budget"]):
        by_name = group.set_index("algorithm")["mean_rank"]
        table.add_row(str(dimension), f"{budget:.4g}", *_cells(by_name, names, "{:.2f}"))
    return Group(title, table, "")


def _cells(values: "pd.Series[float]", names: Sequence[str], form: str) -> list[Text]:
    """Format values by name, the lowest in bold."""
    shown = [form.format(values[name]) if name in values else "-" for name in names]
    lowest = form.format(values.min())
    return [Text(cell, style="bold" if cell == lowest else "") for cell in shown]


def _table(first: str, *others: str, right: bool = True) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(first, justify="left", no_wrap=True)
    for other in others:
        table.add_column(other, justify="right" if right else "left", overflow="fold")
    return table
