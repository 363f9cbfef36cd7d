"""The paper's four tables, of whatever algorithms, dimensions and budgets there are.

Each function takes the data frames that the numbers come from and returns a ``Sheet``, or None where there is nothing
to show.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sacma.analysis.lookup import lookup
from sacma.analysis.tables import ALPHA, PLACE, decisive
from sacma.analysis.trials import THIRD_OF_IT, UNTIL_TARGET
from sacma.analysis.page.table_format import Block, Cell, Head, Row, FormattedTable, lowest, number

BUDGETS = (
    f"{UNTIL_TARGET} of a function is the fewest evaluations after which the median trial of some algorithm is at the "
    "target, or the whole budget."
)


FIXED = "_at_fixed_budgets"
"""Behind the name of tables that are not of the paper's scenarios."""


def settings_sheet(settings: Mapping[str, Mapping[str, object]], changed: Collection[str]) -> Sheet | None:
    """Return in what the algorithms differ from each other, and from the defaults.

    Args:
        settings: of each algorithm, its name in the registry among them.
        changed: names of the settings that some config changes.
    """
    keys = list(dict.fromkeys(key for values in settings.values() for key in values))
    values_of = {key: {repr(values[key]) for values in settings.values() if key in values} for key in keys}
    differing = [key for key in keys if key in changed or len(values_of[key]) > 1]
    if not differing:
        return None
    header = ((Head("setting"), *map(Head, settings)),)
    rows = tuple(
        (Cell(key), *(Cell(_shown(values[key]) if key in values else "") for values in settings.values()))
        for key in differing
    )
    return FormattedTable(
        "table1_settings",
        1,
        "Settings",
        "Those that differ between algorithms or from the defaults; empty where an algorithm has no such setting.",
        (Block(header, rows),),
    )


def grid_sheet(grid: Mapping[str, Sequence[object]]) -> Sheet:
    """Return the values that a sweep tries (Table 1 of the paper)."""
    rows = tuple((Cell(key), Cell(", ".join(map(_shown, values)))) for key, values in grid.items())
    block = Block(((Head("setting"), Head("values")),), rows)
    return FormattedTable("table1_grid", 1, "Values of the settings", "Every combination is tried.", (block,))


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def cpu_sheet(cpu: pd.DataFrame) -> Sheet | None:
    """Return CPU time per true evaluation (Table 2), from ``cpu_per_evaluation``."""
    if cpu.empty:
        return None
    total = cpu[cpu["part"] == "total"].assign(ms=lambda frame: 1e3 * frame["seconds_per_evaluation"])
    table = _pivot(total, "algorithm", "dimension", "ms")
    rows = tuple((Cell(str(name)), *(number(value, ".3f") for value in values)) for name, values in _rows(table))
    return FormattedTable(
        "table2_cpu",
        2,
        "CPU time",
        "Milliseconds per true evaluation, one thread: CPU time of all trials over all their evaluations.",
        (Block(((Head("algorithm"), *(Head(f"{D}-D") for D in table.columns)),), rows),),
    )


def mean_rank_sheet(
    ranks: pd.DataFrame, tests: pd.DataFrame, scenarios: Sequence[str], *, fixed: bool = False
) -> Sheet | None:
    """Return mean ranks and the tests of whether they differ (Table 3), from ``mean_ranks`` and ``rank_tests``."""
    ranks = ranks[ranks["scenario"].isin(scenarios)]
    if ranks.empty:
        return None
    scenarios = [scenario for scenario in scenarios if scenario in set(ranks["scenario"])]
    dimensions = sorted(ranks["dimension"].unique())
    columns = [(D, scenario) for D in dimensions for scenario in scenarios]
    table = lookup(ranks, ["algorithm", *PLACE], "mean_rank")
    algorithms = ranks["algorithm"].unique()
    values = {(a, *c): table.get((a, *c), np.nan) for a in algorithms for c in columns}
    best = {c: lowest([values[a, *c] for a in algorithms], ".2f") for c in columns}
    rows: list[Row] = [
        (Cell(a), *(number(values[a, *c], ".2f", bold=best[c][position]) for c in columns))
        for position, a in enumerate(algorithms)
    ]
    F_F, differ, critical = (lookup(tests, PLACE, name) for name in ("F_F", "significant", "critical_value"))
    statistics = (number(F_F.get(c, np.nan), ".2f", star=differ.get(c, False)) for c in columns)
    rows.append((Cell("F_F"), *statistics))
    functions = lookup(ranks, PLACE, "functions")
    rows.append((Cell("functions"), *(number(functions.get(c, np.nan), ".0f") for c in columns)))
    ranked = ranks.groupby(PLACE).size().to_dict()
    if len(set(ranked.values())) > 1:
        rows.append((Cell("algorithms"), *(number(ranked.get(c, np.nan), ".0f") for c in columns)))
    header = (
        (Head("D"), *(Head(f"{D}-D", len(scenarios)) for D in dimensions)),
        (Head("evaluations"), *(Head(scenario) for _, scenario in columns)),
    )
    thresholds = [f"{value:.2f}" for value in sorted(critical[c] for c in columns if c in critical)]
    return FormattedTable(
        f"table3_mean_ranks{FIXED * fixed}",
        3,
        f"Mean ranks{' at fixed budgets' * fixed}",
        "Of Δf_med over functions, 1 is best; the lowest is bold. F_F is Iman's and Davenport's statistic, with an "
        f"asterisk where the ranks differ at the level {ALPHA:g}"
        + (f" (critical value {' to '.join(dict.fromkeys([thresholds[0], thresholds[-1]]))}). " if thresholds else ". ")
        + (BUDGETS if {THIRD_OF_IT, UNTIL_TARGET} & set(scenarios) else ""),
        (Block(header, tuple(rows)),),
    )


def duel_sheet(table: pd.DataFrame, scenarios: Sequence[str], *, fixed: bool = False) -> Sheet | None:
    """Return on how many functions the row's algorithm beats the column's (Table 4), from ``pairwise_table``."""
    if table.empty or not table["scenario"].isin(scenarios).any():
        return None
    table = table[table["scenario"].isin(scenarios)]
    scenarios = [scenario for scenario in scenarios if scenario in set(table["scenario"])]
    algorithms = table["winner"].unique()
    wins, significant = (lookup(table, [*PLACE, "winner", "loser"], name) for name in ("wins", "significant"))
    blocks = []
    for D in sorted(table["dimension"].unique()):
        pairs = [(loser, scenario) for loser in algorithms for scenario in scenarios]
        keys = {winner: [(D, scenario, winner, loser) for loser, scenario in pairs] for winner in algorithms}
        header = (
            (Head(f"{D}-D"), *(Head(name, len(scenarios)) for name in algorithms)),
            (Head("evaluations"), *(Head(scenario) for _ in algorithms for scenario in scenarios)),
        )
        rows = tuple(
            (Cell(winner), *(number(wins.get(key, np.nan), ".0f", star=significant.get(key, False)) for key in row))
            for winner, row in keys.items()
        )
        blocks.append(Block(header, rows))
    correction = {"p_bergmann_hommel": "Bergmann and Hommel", "p_shaffer": "Shaffer"}[decisive(table)]
    return FormattedTable(
        f"table4_duels{FIXED * fixed}",
        4,
        f"Duels{' at fixed budgets' * fixed}",
        "On how many functions the algorithm of the row has the lower Δf_med than that of the column. An asterisk: its "
        f"mean rank is significantly lower, by Friedman's post-hoc test with the correction of {correction} at the "
        f"family-wise level {ALPHA:g}, where the ranks differ at all. "
        + (BUDGETS if {THIRD_OF_IT, UNTIL_TARGET} & set(scenarios) else ""),
        tuple(blocks),
    )


def median_sheet(medians: pd.DataFrame, scenario: str) -> Sheet | None:
    """Return Δf_med by dimension and function in one scenario, from ``median_delta_f``."""
    medians = medians[medians["scenario"] == scenario]
    if medians.empty:
        return None
    algorithms = list(medians["algorithm"].unique())
    blocks = []
    for D, group in medians.groupby("dimension"):
        table = _pivot(group, "function", "algorithm", "median_delta_f").reindex(columns=algorithms)
        rows = [
            (
                Cell(f"f{function}", value=float(str(function))),
                *(number(v, ".1e", bold=b) for v, b in zip(values, lowest(values, ".1e"), strict=True)),
            )
            for function, values in _rows(table)
        ]
        blocks.append(Block(((Head(f"{D}-D"), *map(Head, algorithms)),), tuple(rows)))
    return FormattedTable(
        "median_at_target" if scenario == UNTIL_TARGET else "median_at_budget",
        None,
        "Median Δf",
        f"Best Δf of the median trial after {scenario} evaluations, the lowest is bold. "
        + (BUDGETS if scenario in {THIRD_OF_IT, UNTIL_TARGET} else ""),
        tuple(blocks),
    )


def _pivot(frame: pd.DataFrame, index: str, columns: str, values: str) -> pd.DataFrame:
    """Return a table with rows in the order of their first appearance and columns sorted."""
    return frame.pivot(index=index, columns=columns, values=values).reindex(frame[index].unique())


def _rows(table: pd.DataFrame) -> list[tuple[object, list[float]]]:
    return [
        (name, [float(value) for value in values]) for name, values in zip(table.index, table.to_numpy(), strict=True)
    ]


def cell_of(value: object, *, text: bool = False) -> Cell:
    """Return a cell of any value of a data frame.

    >>> cell_of(12345).text, cell_of(0.123456).text, cell_of(float("nan")).text
    ('12345', '0.1235', '–')
    """
    if text or not isinstance(value, int | float | np.number) or isinstance(value, bool | np.bool_):
        return Cell(str(value))
    return number(float(value), ".4g" if isinstance(value, float | np.floating) else ".0f")


def publication_rank_sheet(beside: pd.DataFrame, correlation: pd.DataFrame) -> Sheet | None:
    """Return our mean ranks beside the paper's, and their correlation, from ``mean_ranks_beside``."""
    if beside.empty:
        return None
    algorithms = list(beside["algorithm"].unique())
    both = [lookup(beside, [*PLACE, "algorithm"], whose) for whose in ("paper", "ours")]
    rows = []
    for (D, scenario), rho in lookup(correlation, PLACE, "spearman_rho").items():
        pairs = [tuple(values.get((D, scenario, name), np.nan) for values in both) for name in algorithms]
        best = [lowest(values, ".2f") for values in zip(*pairs, strict=True)]
        cells = [
            number(value, ".2f", bold=best[of][position])
            for position, pair in enumerate(pairs)
            for of, value in enumerate(pair)
        ]
        rows.append((Cell(f"{D}-D, {scenario}"), *cells, number(rho, ".2f")))
    header = (
        (Head(""), *(Head(name, 2) for name in algorithms), Head("")),
        (Head("scenario"), *(Head(text) for _ in algorithms for text in ("paper", "ours")), Head("ρ")),
    )
    return FormattedTable(
        "table3_beside_paper",
        None,
        "Mean ranks beside the paper's",
        "The lowest of each is bold. ρ is Spearman's correlation of the two.",
        (Block(header, tuple(rows)),),
    )


def publication_cpu_sheet(beside: pd.DataFrame) -> Sheet | None:
    """Return CPU seconds per true evaluation beside the paper's, from ``cpu_beside``."""
    if beside.empty:
        return None
    columns = (beside[name].tolist() for name in ("algorithm", "dimension", "paper", "ours", "ratio"))
    rows = tuple(
        (Cell(f"{name}, {D}-D"), number(paper, ".2f"), number(ours, ".5f"), number(ratio, ",.0f"))
        for name, D, paper, ours, ratio in zip(*columns, strict=True)
    )
    header = ((Head("CPU seconds per evaluation"), Head("paper"), Head("ours"), Head("times less")),)
    return FormattedTable(
        "table2_beside_paper",
        None,
        "CPU time beside the paper's",
        "Both on one thread, each on its own machines.",
        (Block(header, rows),),
    )
