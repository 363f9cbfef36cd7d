"""Ablation of sacma: one part left out, or one constant changed, at a time.

Prints for each dimension the area under the distribution of run lengths and its difference from that of
``configs/sacma.yaml``, with Wilcoxon's test over problems, and the mean log₁₀ of median Δf. An interrupted run
continues. Run by ``make ablation``; ``--show FILE`` prints the tables of docs/sacma_algorithm.md from rows that
``--csv FILE`` has kept, and runs nothing.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from benchmarks.common import ROOT, campaign_of, changed, end, markdown, markdown_head, named, print_table, shown
from sacma.analysis.areas import trial_areas
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import Trial, fixed_budgets
from sacma.config.study import Study, load_study
from sacma.surrogate.models import Competition
from sacma.types import Array

PROCESS, WARPED, QUADRATIC = (model.model_dump() for model in Competition().members)  # the models of sacma

PARTS: Mapping[str, dict[str, Any]] = {
    "no trust-region search": {"start": None},
    "one Gaussian process": {"model": PROCESS},
    "without the warped process": {"model": {"name": "competition", "members": [PROCESS, QUADRATIC]}},
    "without the quadratic process": {"model": {"name": "competition", "members": [PROCESS, WARPED]}},
    "models from 3 D points": {"training_set.n_req_factor": 3, "training_set.n_req_offset": 0},
    "no proposals": {"proposals": {"name": "none"}},
    "a proposal in each population": {"proposals.follows_success": False},
    "no populations by the model": {"control.model_generations": 0},
    "points by expected ranking error": {"control.criterion": {"name": "ranking-difference"}},
    "no least number of points": {"control.least_factor": 0.0},
    "half of the population": {"sampling.population_multiple": 1.0},
    "no active update": {"sampling.active": False},
    "a first run no larger": {"restarts.first_factor": 1.0},
    "IPOP restarts and a first run no larger": {
        "restarts": {"name": "ipop", "max_restarts": 4, "evaluates_initial_points": True}
    },
    "x0 not evaluated": {"restarts.evaluates_initial_points": False},
    "no searches of other optima": {"start.elsewhere": False},
    "absolute tolerances": {"sampling.tolerances": "absolute"},
    "implausible values learnt": {"training_set.plausible": False},
}

# Halved and doubled, whole numbers rounded up.
CONSTANTS: Mapping[str, tuple[Any, Any]] = {
    "start.evaluations_factor": (2.5, 10.0),
    "start.step_share": (0.125, 0.5),
    "control.largest_change": (0.1, 0.4),
    "control.growth": (0.1, 0.4),
    "control.least_factor": (0.25, 1.0),
    "control.wrong_error": (0.3875, 1.55),
    "control.model_generations": (2, 6),
    "control.quick_factor": (2, 6),
    "proposals.radius": (1.5, 6.0),
    "model.update_rate": (0.15, 0.6),
    "training_set.radius": (32.0, 128.0),
    "training_set.n_req_offset": (1, 4),
    "training_set.n_max_factor": (8, 30),
    "sampling.population_multiple": (1.0, 4.0),
    "restarts.first_factor": (1.0, 4.0),
    "restarts.population_factor": (1.0, 4.0),
    "restarts.max_restarts": (2, 8),
    "restarts.smallest_step": (0.005, 0.02),
}

PROBLEMS = ("functions", "instances", "budget")  # of the protocol: on these a variant is compared with sacma
AFTER = (5, 10, 25, 50, 125, 250)  # evaluations/D


def main() -> None:
    """Run missing trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", choices=("parts", "constants"), default="parts")
    parser.add_argument("--variants", help="names, like no proposals; default: all")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows into FILE beside those of others")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print the tables of these rows, and run nothing")
    campaign, given = campaign_of(parser, "ablation", dimensions="2,3,5", instances="131-145")
    if given.show:
        show(rows_in(given.show), given.of)
        return

    if given.csv and given.csv.exists():
        rows_in(given.csv)  # wrong ones are refused before the trials are run
    sacma = load_study(ROOT / "configs" / "sacma.yaml", campaign.protocol)
    known = parts_of(sacma) if given.of == "parts" else constants_of(sacma)
    variants = {"sacma": sacma, **{name: known[name] for name in named("--variants", given.variants, known)}}
    trials = campaign.trials_of(variants.values())
    rows = list(rows_of(variants, trials, sacma.protocol.budget))
    print(f"\narea under the distribution of run lengths to {sacma.protocol.budget:g} D, targets from 100 to 1e-8; its")
    print("difference from sacma's with p of Wilcoxon's test; and mean log10 of median Δf after evaluations/D")
    print_table(rows)
    if given.csv:
        problems = given.functions, given.instances, f"{sacma.protocol.budget:g}"
        of = dict(zip(PROBLEMS, problems, strict=True))
        merge_rows(given.csv, pd.DataFrame(rows).assign(of=given.of, **of))


def rows_in(path: Path) -> pd.DataFrame:
    """Return the rows of a file; end where it has none."""
    try:
        rows = pd.read_csv(path, dtype=dict.fromkeys(PROBLEMS, str))
    except (OSError, ValueError) as error:
        end(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")
    if lacking := {"D", "variant", "area", "difference", "p", "of", *PROBLEMS} - set(rows):
        end(f"{path} lacks columns that --csv writes: {', '.join(sorted(lacking))}")
    return rows


def merge_rows(path: Path, rows: pd.DataFrame) -> None:
    """Write rows into a file beside its others; those of the same variant and problems are replaced."""
    former = [rows_in(path)] if path.exists() else []
    key = ["D", "of", *PROBLEMS]
    merged = pd.concat([*former, rows]).drop_duplicates([*key, "variant"], keep="last")
    merged.sort_values(key, kind="stable").to_csv(path, index=False, float_format="%.4g")


def show(rows: pd.DataFrame, of: str) -> None:
    """Print two Markdown tables for each set of problems: differences from sacma of areas, and of mean log₁₀ Δf.

    The second is over the dimensions with all variants.
    """
    for problems, group in rows[rows["of"] == of].groupby(list(PROBLEMS), sort=False):
        functions, instances, budget = problems
        print(f"\nfunctions {functions}, instances {instances}, {budget} D\n")
        dimensions = sorted(group["D"].unique())
        variants = [name for name in group["variant"].unique() if name != "sacma"]
        cells = group.set_index(["variant", "D"])
        print(markdown_head("area", *(f"{D}-D" for D in dimensions)))
        print(markdown("sacma", *(f"{cells.loc[('sacma', D), 'area']:.3f}" for D in dimensions)))
        for name in variants:
            print(markdown(name, *(_difference(cells, name, D) for D in dimensions)))
        whole = [D for D in dimensions if all((name, D) in cells.index for name in variants)]
        after = [name for name in group if name.endswith("·D") and group[name].notna().all()]
        means = group[group["D"].isin(whole)].groupby("variant")[after].mean()
        if means.empty:
            continue
        print(f"\nover {', '.join(f'{D}-D' for D in whole)}\n")
        print(markdown_head("mean log₁₀ Δf", *after))
        print(markdown("sacma", *map(shown, means.loc["sacma"])))
        for name in variants:
            print(markdown(name, *(_signed(value, 2) for value in means.loc[name] - means.loc["sacma"])))


def _difference(cells: pd.DataFrame, name: str, D: int) -> str:
    """Return the difference of a variant's area and its p, bold if significant."""
    if (name, D) not in cells.index:
        return ""
    row = cells.loc[(name, D)]
    p = "p < .001" if row["p"] < 0.001 else f"p {row['p']:.3f}".replace("0.", ".", 1)
    text = f"{_signed(row['difference'], 3)}, {p}"
    return f"**{text}**" if row["p"] <= 0.05 else text


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else text[1:]  # what rounds to zero has no sign


def parts_of(sacma: Study) -> dict[str, Study]:
    """Return variants with one part out or exchanged."""
    return {name: changed(sacma, f"part-{i}", settings) for i, (name, settings) in enumerate(PARTS.items())}


def constants_of(sacma: Study) -> dict[str, Study]:
    """Return variants with one constant halved or doubled."""
    return {
        f"{key} {value:g}": changed(sacma, f"{key.replace('.', '-').replace('_', '-')}-{value:g}", {key: value})
        for key, values in CONSTANTS.items()
        for value in values
    }


def rows_of(variants: Mapping[str, Study], trials: Iterable[Trial], budget: float) -> Iterable[dict[str, Any]]:
    """Yield a row for each dimension and variant."""
    by_name: dict[tuple[int, str], list[Trial]] = {}
    for trial in trials:
        by_name.setdefault((trial.dimension, trial.algorithm), []).append(trial)
    for D in sorted({D for D, _ in by_name}):
        reference = areas(by_name[D, variants["sacma"].name], budget)
        for name, study in variants.items():
            theirs = by_name[D, study.name]
            area = areas(theirs, budget)
            difference = area - reference
            yield {
                "D": D,
                "variant": name,
                "area": float(np.mean(area)),
                "difference": float(np.mean(difference)),
                "p": float(wilcoxon(difference).pvalue) if np.any(difference) else 1.0,
                **mean_logs(theirs, [after for after in AFTER if after <= budget]),
            }


def areas(trials: Sequence[Trial], budget: float) -> Array:
    """Return the area of each trial in the order of their problems."""
    return trial_areas(sorted(trials, key=_problem), budget)


def mean_logs(trials: Sequence[Trial], after: Sequence[float]) -> dict[str, float]:
    """Return the means over functions of log₁₀ Δf_med after evaluations/D, by the names of these scenarios."""
    medians = median_delta_f(trials, fixed_budgets(after))
    return dict(np.log10(medians["median_delta_f"]).groupby(medians["scenario"], sort=False).mean())


def _problem(trial: Trial) -> tuple[int, int]:
    return trial.function, trial.instance


if __name__ == "__main__":
    main()
