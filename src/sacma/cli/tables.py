"""Tables of the commands, 80 columns wide or less."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sacma.cli.console import duration
from sacma.coco.ranges import format_ranges
from sacma.config.nested import all_kinds, kinds_of, setting_text
from sacma.experiment.cost import CostModel, work_in
from sacma.store.completeness import Completeness
from sacma.store.stored_study import StoredStudy
from sacma.surrogate.part import Part

if TYPE_CHECKING:
    import pandas as pd

    from sacma.store.catalogue import KeptAlgorithm

LONGEST_NAME = 26  # columns of names; longer ones are folded


def table_of(first: str, *others: str, right: bool = True) -> Table:
    """Return an empty table with these columns; the first is of names."""
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(first, justify="left", overflow="fold", max_width=LONGEST_NAME)
    for other in others:
        table.add_column(other, justify="right" if right else "left", overflow="fold")
    return table


def frame(table: "pd.DataFrame") -> Table:
    """Return a data frame, fractions with two digits."""
    shown = table_of(*(str(column).replace("_", " ").replace("#FE t", "#FE_t") for column in table.columns))
    for row in table.itertuples(index=False):
        cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row)
        shown.add_row(*("-" if cell == "nan" else cell for cell in cells))
    return shown


def plan_table(completeness: Completeness, costs: CostModel, group: Callable[[str], str] = lambda name: name) -> Table:
    """Return the numbers of trials by row and dimension, and the cost of missing ones; ``group`` names the row."""
    names = list(dict.fromkeys(group(spec.name) for spec in completeness.specs))
    dimensions = sorted({spec.dimension for spec in completeness.specs})
    table = table_of("done / all", *(f"{D}-D" for D in dimensions), "missing", "failed", "CPU")
    rows = [(name, {name}) for name in names] + [("all", set(names))] * (len(names) > 1)
    for title, of in rows:
        specs = [spec for spec in completeness.specs if group(spec.name) in of]
        cells = [[spec for spec in specs if spec.dimension == D] for D in dimensions]
        counts = [f"{sum(spec.key in completeness.heads for spec in cell)}/{len(cell)}" for cell in cells]
        missing = [spec for spec in specs if spec.key not in completeness.heads]
        failed = sum(spec.key in completeness.failures for spec in missing)
        table.add_row(title, *counts, str(len(missing)), str(failed), duration(costs.seconds(work_in(missing))))
    return table


def status_table(covered: Sequence[tuple[StoredStudy, Completeness]]) -> Table:
    """Return completeness and costs of studies."""
    table = table_of("algorithm", "trials", "done", "missing", "failed", "damaged", "evaluations", "CPU")
    for study, completeness in covered:
        *trials, evaluations, seconds = completeness.counts
        table.add_row(study.name, *map(str, trials), f"{evaluations:,}", duration(seconds))
    return table


def kept_tables(algorithms: Iterable["KeptAlgorithm"]) -> RenderableType:
    """Return problems, budget and folders of kept algorithms, a table a suite."""
    tables: dict[str, Table] = {}
    for each in algorithms:
        specs, study = [trial.spec for trial in each.kept.trials], each.kept.study
        table = tables.setdefault(study.suite, table_of(study.suite, "D", "instances", "budget", "from", right=False))
        numbers = (sorted({getattr(spec, name) for spec in specs}) for name in ("dimension", "instance"))
        table.add_row(each.name, *map(format_ranges, numbers), f"{study.budget:g}·D", ", ".join(each.folders))
    return Group(*tables.values())


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


FieldRow = tuple[str, str, str, str]  # key, default, what is allowed, and meaning


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
        table = table_of("  key", "default", "meaning", right=False)
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
    if default in ("", {}) or (isinstance(default, BaseModel) and not isinstance(default, Part)):
        return "-"
    return setting_text(getattr(default, "name", default))


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


TIED = 1e-9  # apart


def rank_table(ranks: "pd.DataFrame", own: Collection[str] = ()) -> RenderableType:
    """Return mean ranks by dimension and algorithm, lowest first, a column a number of evaluations; own with *."""
    from sacma.analysis.terms import TERMS

    scenarios = list(ranks["scenario"].unique())
    wide = ranks.pivot(index=["dimension", "algorithm"], columns="scenario", values="mean_rank").reset_index()
    wide = wide.sort_values(["dimension", *_last_fixed(ranks), "algorithm"])
    wide["algorithm"] = [f"{name}{'*' * (name in own)}" for name in wide["algorithm"]]
    mark = "PARTIAL (trials are missing): " if ranks["partial"].any() else ""
    shown = wide[["algorithm", "dimension", *scenarios]].rename(columns={"dimension": "D"})
    title = f"{mark}mean rank over functions after so many evaluations (1 is best{'; * yours' if own else ''})"
    below = f"#FE_t: {TERMS['#FE_t']}\n" if own else ""
    return Group(Text(title, style="bold"), frame(shown), below)


def own_places(ranks: "pd.DataFrame", areas: "pd.DataFrame", own: Collection[str]) -> Iterator[str]:
    """Yield the places of one's own algorithms in each dimension: by mean rank at the last budget, and by area."""
    there = ranks[ranks["scenario"].isin(_last_fixed(ranks))]
    for at in there[there["algorithm"].isin(own)].to_dict("records"):
        D, name = at["dimension"], at["algorithm"]
        here = there.loc[there["dimension"] == D, "mean_rank"]
        line = f"{name}* in {D}-D: {_place(here < at['mean_rank'] - TIED)} by mean rank after {at['scenario']}"
        beside = areas[areas["dimension"] == D]
        for of in beside[beside["algorithm"] == name].to_dict("records"):
            interval = f" [{of['lower']:.3f}, {of['upper']:.3f}]"
            line += f"; area under the run lengths {of['area']:.3f}{'' if 'nan' in interval else interval}, "
            line += _place(beside["area"] > of["area"] + TIED)
        yield line


def _last_fixed(ranks: "pd.DataFrame") -> list[str]:
    return [scenario for scenario in ranks["scenario"].unique() if scenario.endswith("D")][-1:]


def _place(before: "pd.Series[bool]") -> str:
    return f"{1 + int(before.sum())} of {len(before)}"
