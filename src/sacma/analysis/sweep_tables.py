"""From the trials of a sweep to its tables: who won, by how much, and all numbers behind it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sacma.analysis.sections.data import grid_table
from sacma.analysis.sweep import (
    RANKING,
    BestSetting,
    decide,
    firsts,
    main_effects,
    rank_settings,
    signed_rank_tests,
    standings,
    win_shares,
)
from sacma.analysis.table_format import csv_of, renderings
from sacma.analysis.tables import long_form, median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial
from sacma.config.sweep import Sweep, SweptAlgorithm
from sacma.errors import SacmaError
from sacma.files.atomic import write_atomically
from sacma.store.completeness import Completeness
from sacma.store.store import Store

BOOTSTRAP_SEED = 1


@dataclass(frozen=True)
class SweepTables:
    """Tables of a sweep; a column ``partial`` says where trials are missing from what a row is of."""

    ranking: pd.DataFrame  # a row an algorithm and setting, the best first, with its values by key of the grid
    comparisons: pd.DataFrame  # a row an algorithm and what its winner is compared with, runner-up or reference
    effects: pd.DataFrame  # a row an algorithm, key and value, as from ``main_effects``
    ranks: pd.DataFrame  # a row a setting, dimension, function and budget; no rank where another setting has no trial
    decisions: dict[str, BestSetting]  # by algorithm


def rank_sweep(sweep: Sweep, completeness: Completeness) -> SweepTables:
    """Rank the settings of each algorithm of a sweep by its trials; a SacmaError where no function has all of them."""
    medians = median_delta_f((our_trial(*trial) for trial in completeness.trials), fixed_budgets(sweep.rank_at))
    medians["partial"] = medians["trials"] < len(sweep.protocol.instances)
    missing = {spec.name for spec in completeness.missing}
    frames: dict[str, list[pd.DataFrame]] = {"ranking": [], "comparisons": [], "effects": [], "ranks": []}
    decisions = {}
    for algorithm in sweep.algorithms:
        names = [setting.name for setting in algorithm.settings]
        own = medians[medians["algorithm"].isin(names)]
        ranks = rank_settings(own, names)
        if ranks.empty:
            without = [name for name in names if name not in set(own["algorithm"])]
            where = "leave out --rank-only, to run what is missing"
            if 0 < len(without) < len(names):
                where = f"{without[0]} has none: run it, or take it out of the grid"
            raise SacmaError(f"{algorithm.name}: no function has trials of all its settings to rank them by; {where}")
        table = standings(ranks)
        decisions[algorithm.name] = decision = decide(table)
        values = pd.DataFrame([setting.labels for setting in algorithm.settings], index=names)
        parts = {
            "ranking": _ranking(table, values, ranks, algorithm.reference),
            "comparisons": _comparisons(table, decision, ranks, algorithm),
            "effects": main_effects(ranks, values),
            "ranks": _with_ranks(own, ranks),
        }
        for kind, part in parts.items():
            part.insert(0, "algorithm", algorithm.name)
            if "partial" not in part:
                part["partial"] = not missing.isdisjoint(names)
            frames[kind].append(part)
    whole = {kind: pd.concat(parts, ignore_index=True) for kind, parts in frames.items()}
    return SweepTables(**whole, decisions=decisions)


def _ranking(table: pd.DataFrame, values: pd.DataFrame, ranks: pd.DataFrame, reference: str | None) -> pd.DataFrame:
    """Return a row a setting: its values, those of keys that are called like another column as ``setting.KEY``."""
    found = table.join(win_shares(ranks, rng=np.random.default_rng(BOOTSTRAP_SEED)))
    found["reference"] = found.index == reference
    found["rankings"] = len(ranks)
    found["functions"] = ranks.index.get_level_values("function").nunique()
    taken = {"algorithm", "setting", "partial", *found.columns}
    own = values.rename(columns=lambda key: f"setting.{key}" if key in taken else key)
    return own.join(found, how="right").rename_axis(index="setting").reset_index()


def _comparisons(
    table: pd.DataFrame, decision: BestSetting, ranks: pd.DataFrame, algorithm: SweptAlgorithm
) -> pd.DataFrame:
    winner, reference = decision.winner, algorithm.reference
    against = {"runner-up": decision.runner_up}
    if reference is not None and reference != winner:
        against["reference"] = reference
    margins = table.loc[[winner], ["first_ranks", "rank_sum"]]
    rows = []
    for role, setting in against.items():
        row = signed_rank_tests(ranks, setting).loc[[winner]]
        if role == "runner-up":
            row["p_holm"] = np.nan
        difference = (margins - table.loc[setting, ["first_ranks", "rank_sum"]]).add_prefix("margin_")
        labels = {"against": role, "setting": setting, "decided_by": decision.decided_by}
        rows.append(difference.assign(**labels).join(row).rename_axis(index="winner").reset_index())
    return pd.concat(rows)


def _with_ranks(medians: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return medians with the rank of each, and True where it is a first one."""
    long = long_form(ranks, "rank").assign(first=long_form(firsts(ranks), "first")["first"])
    merged = medians.merge(long, "left", [*RANKING, "algorithm"]).rename(columns={"algorithm": "setting"})
    return merged.assign(first=merged["first"].eq(other=True))


def write_tables(tables: SweepTables, sweep: Sweep, store: Store) -> tuple[Path, ...]:
    """Write the tables as CSV and return where: ``RESULTS/sweep/NAME_ranking.csv`` and so on.

    Numbers are written in full: rounded medians would not give the same ranks. Beside them is the grid, as in the
    paper's Table 1: ``NAME_grid.tex``, and in other forms.
    """
    folder, files = store.root / "sweep", []
    for kind in ("ranking", "comparisons", "effects", "ranks"):
        files.append(folder / f"{sweep.name}_{kind}.csv")
        write_atomically(files[-1], csv_of(getattr(tables, kind)).encode())
    for ending, content in renderings(grid_table(sweep)).items():
        write_atomically(folder / f"{sweep.name}_grid.{ending}", content.encode())
    return tuple(files)
