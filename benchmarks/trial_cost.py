"""CPU milliseconds a true evaluation, by algorithm and dimension.

Whole trials on one function of each of bbob's groups, in one process and on one core; of the study's algorithms, or of
configs that are given, like ``configs/baselines/*.yaml``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import config_paths, parsed, print_table
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_studies
from sacma.experiment.trial import run_trial

PARTS = ("objective", "fit", "predict", "strategy", "other")


def main() -> None:
    """Run the sample and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="*", type=Path, default=config_paths(), help="instead of those of the study")
    protocol = {"suite": "bbob", "functions": "1,8,13,15,21", "dimensions": "2,3,5,10,20", "instances": "1"}
    given = parsed(parser, {"functions": "1,8", "dimensions": "2", "budget": 30}, **protocol, budget=None)
    chosen = {name: getattr(given, name) for name in (*protocol, "budget")}
    cells: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in plan(load_studies(given.configs, chosen)):
        cells.setdefault((spec.name, spec.dimension), []).append(spec)
    for name in dict.fromkeys(name for name, _ in cells):
        run_trial(next(spec for spec in cells[name, min(d for _, d in cells)]))  # imported and compiled from here on
    print(f"CPU ms a true evaluation, functions {given.functions}, instances {given.instances}")
    print_table([{"algorithm": name, "D": D, **cost(specs)} for (name, D), specs in cells.items()])


def cost(specs: Sequence[TrialSpec]) -> dict[str, float]:
    """Run trials and return CPU milliseconds a true evaluation, in all and by part."""
    outcomes = [run_trial(spec).outcome for spec in specs]
    scale = 1e3 / sum(outcome.evaluations for outcome in outcomes)
    of_parts = {part: scale * sum(getattr(outcome.cpu, part) for outcome in outcomes) for part in PARTS}
    return {"total": sum(of_parts.values()), **of_parts}


if __name__ == "__main__":
    main()
