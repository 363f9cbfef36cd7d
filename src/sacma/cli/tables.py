"""Tables of the commands, 80 columns wide or less."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sacma.analysis.paper.published import READINGS
from sacma.cli.common import counted, duration
from sacma.coco.ranges import format_ranges
from sacma.config.nested import all_kinds, kinds_of
from sacma.experiment.cost import CostModel, work_in
from sacma.store.completeness import Completeness
from sacma.store.stored_study import StoredStudy
from sacma.surrogate.part import Part

if TYPE_CHECKING:
    import pandas as pd

    from sacma.analysis.sweep import BestSetting


LONGEST_NAME = 26
"""Columns of names; longer ones are folded."""


def plan_table(completeness: Completeness, costs: CostModel, group: Callable[[str], str] = lambda name: name) -> Table:
    """Return the numbers of trials by row and dimension, and the cost of missing ones; ``group`` names the row.

    Where there are algorithms of both readings of the paper, each reading has a row of its sums.
    """
    names = list(dict.fromkeys(group(spec.name) for spec in completeness.specs))
    dimensions = sorted({spec.dimension for spec in completeness.specs})
    table = _table("done / all", *(f"{D}-D" for D in dimensions), "missing", "failed", "CPU")
    rows = [(name, {name}) for name in names]
    readings = [(reading.title, there) for reading in READINGS if (there := set(names) & set(reading.names))]
    rows += readings if len(readings) > 1 else []
    rows += [("all", set(names))] if len(names) > 1 else []
    for title, of in rows:
        specs = [spec for spec in completeness.specs if group(spec.name) in of]
        cells = [[spec for spec in specs if spec.dimension == D] for D in dimensions]
        counts = [f"{sum(spec.key in completeness.heads for spec in cell)}/{len(cell)}" for cell in cells]
        missing = [spec for spec in specs if spec.key not in completeness.heads]
        failed = sum(spec.key in completeness.failures for spec in missing)
        table.add_row(title, *counts, str(len(missing)), str(failed), duration(costs.seconds(work_in(missing))))
    return table


def status_table(covered: Sequence[tuple[StoredStudy, Completeness]]) -> Table:
    """Return how complete the studies are and what they took."""
    table = _table("algorithm", "trials", "done", "missing", "failed", "damaged", "evaluations", "CPU")
    for study, completeness in covered:
        outcomes = [outcome for _, outcome in completeness.trials]
        table.add_row(
            study.name,
            *map(str, (len(completeness.specs), len(outcomes), len(completeness.missing))),
            *map(str, (len(completeness.failed), len(completeness.damaged))),
            f"{sum(outcome.evaluations for outcome in outcomes):,}",
            duration(sum(outcome.cpu.total for outcome in outcomes)),
        )
    return table


def missing_lines(completeness: Completeness) -> list[str]:
    """Return the missing trials, a line an algorithm and dimension: ``ADA-RD 5-D: f3,8 instances 1-5``."""
    groups: dict[tuple[str, int], dict[int, list[int]]] = {}
    for spec in completeness.missing:
        by_function = groups.setdefault((spec.name, spec.dimension), {})
        by_function.setdefault(spec.function, []).append(spec.instance)
    lines = []
    for (name, dimension), by_function in groups.items():
        together: dict[str, list[int]] = {}
        for function, instances in sorted(by_function.items()):
            together.setdefault(format_ranges(sorted(instances)), []).append(function)
        parts = [f"f{format_ranges(functions)} instances {instances}" for instances, functions in together.items()]
        lines.append(f"{name} {dimension}-D: {'; '.join(parts)}")
    return lines


FieldRow = tuple[str, str, str, str]
"""Key, default, what is allowed, and meaning."""


def field_rows(model: type[BaseModel]) -> list[FieldRow]:
    """Return the rows of a model's fields."""
    return [
        (name, _default(info), _allowed(info), info.description or _type(info))
        for name, info in model.model_fields.items()
        if not (issubclass(model, Part) and name == "name")
    ]


def part_models(model: type[BaseModel]) -> list[tuple[str, str, type[BaseModel]]]:
    """Return title, summary and model of each part that settings can hold: ``control: {name: generations}``."""
    return [
        (f"{key}: {{name: {name}}}" if name else key, (kind.__doc__ or "").partition("\n")[0].rstrip("."), kind)
        for key, name, kind in all_kinds(model)
    ]


def description(title: str, summary: str, model: type[BaseModel], known: Collection[FieldRow]) -> RenderableType:
    """Return a model's fields with defaults and ranges; fields whose row is ``known`` by name only."""
    rows = field_rows(model)
    again = [row[0] for row in rows if row in known]
    parts: list[RenderableType] = [Text(f"{title}  {summary}".replace("``", ""), style="bold")]
    if again:
        parts.append(Padding(f"as above: {', '.join(again)}", (0, 0, 0, 2)))
    if len(again) < len(rows):
        table = _table("  key", "default", "meaning", right=False)
        for name, default, allowed, meaning in rows:
            if name not in again:
                table.add_row(f"  {name}", default, f"{meaning}{f' ({allowed})' if allowed else ''}")
        parts.append(table)
    if not rows:
        parts.append(Padding("no settings", (0, 0, 0, 2)))
    return Group(*parts, "")


def _type(info: FieldInfo) -> str:
    if get_origin(info.annotation) is Literal:
        return "one of"
    return str(info.annotation if get_args(info.annotation) else getattr(info.annotation, "__name__", ""))


def _default(info: FieldInfo) -> str:
    """Return the default of a field as people write it."""
    if info.is_required():
        return "required"
    default = info.get_default(call_default_factory=True, validated_data={})
    if isinstance(default, tuple):
        parts = [part.name for part in default if hasattr(part, "name")]
        return ", ".join(parts) if parts else format_ranges(default)
    if isinstance(default, float):
        return f"{default:.6g}"
    if default in ("", {}) or (isinstance(default, BaseModel) and not isinstance(default, Part)):
        return "-"
    if default is None or isinstance(default, bool):
        return {None: "null", True: "true", False: "false"}[default]
    return str(getattr(default, "name", default))


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
    choices += [name for name in kinds_of(info) if name]
    choices += ["true", "false"] * (info.annotation is bool)
    return ", ".join(bounds) or " | ".join(choices)


MOST_COLUMNS = 6
"""Algorithms that are columns of the mean ranks; more of them are rows."""


def rank_table(ranks: "pd.DataFrame") -> RenderableType:
    """Return mean ranks by dimension and scenario, the best in bold, and how many functions they are over."""
    names = list(ranks["algorithm"].unique())
    many = len(names) > MOST_COLUMNS
    title = Text(f"{_partial(ranks)}mean rank over N functions after so many evaluations (1 is best)", style="bold")
    columns = ("algorithm", *map(str, ranks["scenario"].unique())) if many else ("evaluations", "N", *names)
    table = _table("D", *columns)
    table.columns[1].justify = "left" if many else "right"
    for dimension, group in ranks.groupby("dimension", sort=False):
        values = group.pivot(index="scenario", columns="algorithm", values="mean_rank")
        values = values.reindex(index=group["scenario"].unique(), columns=names)
        of_scenario = group.groupby("scenario", observed=True)
        partial = of_scenario["partial"].any()
        counts = of_scenario["functions"].first().reindex(values.index).map(str)
        for number, (label, cells) in enumerate(_rows(values.T, by_column=True) if many else _rows(values)):
            mark = PARTIAL_MARK if (partial.any() if many else partial[label]) else ""
            over = [] if many else [counts[label]]
            table.add_row("" if many and number else f"{dimension}{mark}", str(label), *over, *cells)
        if many:
            table.add_row("", "N", *counts)
    return Group(title, table, "")


MOST_STANDINGS = 5
"""Settings of a sweep that are shown of each algorithm, beside the reference."""


def standings_table(algorithm: str, ranking: "pd.DataFrame") -> RenderableType:
    """Return the best settings of one algorithm of a sweep, and the reference."""
    rows = ranking.to_dict("records")
    mark = "PARTIAL: " if rows[0]["partial"] else ""
    over = f"{counted(rows[0]['rankings'], 'ranking')} on {counted(rows[0]['functions'], 'function')}"
    title = Text(f"{mark}{algorithm}: {len(rows)} settings in {over}", style="bold")
    table = _table("setting", "place", "first ranks", "rank sum", "mean rank", "resamples won")
    for number, row in enumerate(rows):
        if number < MOST_STANDINGS or row["reference"]:
            name = f"{_short(row['setting'], algorithm)}{' (reference)' * row['reference']}"
            share = "-" if math.isnan(row["win_share"]) else f"{100 * row['win_share']:.0f} %"
            ranks = f"{row['rank_sum']:g}", f"{row['mean_rank']:.2f}"
            table.add_row(name, str(row["place"]), str(row["first_ranks"]), *ranks, share)
    return Group(title, table)


def verdict(algorithm: str, ranking: "pd.DataFrame", comparisons: "pd.DataFrame", decision: "BestSetting") -> list[str]:
    """Return lines on the setting that won: what decided it, and tests against the runner-up and the reference."""
    from sacma.analysis.tables import ALPHA, FEWEST_FUNCTIONS, is_tested

    winner = _short(decision.winner, algorithm)
    match decision.decided_by:
        case "first ranks":
            lines = [f"{winner} wins, by {counted(decision.margin, 'first rank')}"]
        case "rank sum":
            equals = ", ".join(_short(name, algorithm) for name in decision.tied if name != decision.winner)
            lines = [f"tie in first ranks with {equals}; {winner} wins by the lower rank sum"]
        case "nothing":
            equals = ", ".join(_short(name, algorithm) for name in ranking.loc[ranking["place"] == 1, "setting"])
            lines = [f"tie: {equals} have the same first ranks and rank sum"]
    few = (
        "" if is_tested(ranking["functions"].iloc[0]) else f"; fewer than {FEWEST_FUNCTIONS} functions cannot show one"
    )
    for row in comparisons.to_dict("records"):
        corrected = not math.isnan(row["p_holm"])
        p, how = (row["p_holm"], ", Holm's correction") if corrected else (row["p_raw"], "")
        lines.append(
            f"against the {row['against']}, {_short(row['setting'], algorithm)}: better on {row['better']} of "
            f"{row['functions']} functions, worse on {row['worse']}; {'a' if p < ALPHA else 'no'} significant "
            f"difference (p = {p:.2g}{how}{few})"
        )
    if ranking["reference"].iloc[0]:
        lines.append("the winner is the reference")
    return lines


def effects_table(effects: "pd.DataFrame") -> RenderableType:
    """Return the mean rank of the settings that have a value, by key and value, an algorithm a column."""
    algorithms = list(effects["algorithm"].unique())
    mark = "PARTIAL: " if effects["partial"].any() else ""
    title = Text(f"{mark}mean rank of all settings that have a value (1 is best)", style="bold")
    table = _table("key", "value", *algorithms)
    table.columns[0].max_width = None  # dotted keys are longer than names
    for key, group in effects.groupby("key", sort=False):
        ranks = group.pivot(index="value", columns="algorithm", values="mean_rank")
        ranks = ranks.reindex(index=group["value"].unique(), columns=algorithms)
        for number, (value, cells) in enumerate(_rows(ranks, by_column=True)):
            table.add_row("" if number else str(key), str(value), *cells)
    return Group(title, table, "")


def _short(setting: str, algorithm: str) -> str:
    return setting.removeprefix(f"{algorithm}.")


PARTIAL_MARK = "*"
"""Marks numbers of which trials are missing."""


def _partial(table: "pd.DataFrame") -> str:
    return f"PARTIAL (trials are missing where there is a {PARTIAL_MARK}): " if table["partial"].any() else ""


def _rows(values: "pd.DataFrame", *, by_column: bool = False) -> Iterator[tuple[Any, list[Text]]]:
    """Yield label and cells of each row, the lowest number of the row, or of each column, in bold."""
    shown = [["-" if math.isnan(value) else f"{value:.2f}" for value in row] for row in values.to_numpy()]
    lowest = values.min(axis=0 if by_column else 1).map("{:.2f}".format).to_list()
    for number, (label, row) in enumerate(zip(values.index, shown, strict=True)):
        best = lowest if by_column else [lowest[number]] * len(row)
        yield label, [Text(cell, "bold" if cell == low else "") for cell, low in zip(row, best, strict=True)]


def _table(first: str, *others: str, right: bool = True) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(first, justify="left", overflow="fold", max_width=LONGEST_NAME)
    for other in others:
        table.add_column(other, justify="right" if right else "left", overflow="fold")
    return table
