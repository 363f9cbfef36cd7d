"""CPU milliseconds a true evaluation, for each algorithm of the study and each dimension, and where they go.

Run by ``make bench``. Trials are whole trials of the study's protocol on one function of each of bbob's groups.
"""

import argparse
import json
from pathlib import Path

from joblib import cpu_count

from sacma.config import load_studies
from sacma.experiment.backends import BACKENDS
from sacma.experiment.plan import plan
from sacma.experiment.trial import TrialFailure

ROOT = Path(__file__).parent
CONFIGS = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
PARTS = ("objective", "fit", "predict", "strategy", "other")


def main() -> None:
    """Run the sample, print the table and write it to ``out/trial_cost.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1,8,13,15,21")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--jobs", type=int, default=cpu_count())
    arguments = vars(parser.parse_args())
    jobs = arguments.pop("jobs")
    studies = load_studies([ROOT.parent / "configs" / f"{name}.yaml" for name in CONFIGS], arguments)

    seconds: dict[tuple[str, int], dict[str, float]] = {}
    for result in BACKENDS["loky"](plan(studies), jobs):
        if isinstance(result, TrialFailure):
            raise SystemExit(result.traceback)
        cell = seconds.setdefault(
            (result.spec.name, result.spec.dimension), dict.fromkeys(("evaluations", *PARTS), 0.0)
        )
        cell["evaluations"] += result.outcome.evaluations
        for part in PARTS:
            cell[part] += getattr(result.outcome.cpu, part)

    rows = []
    print(f"CPU ms a true evaluation, functions {arguments['functions']}, instances {arguments['instances']}")
    print(f"{'algorithm':12} {'D':>3} {'total':>7} " + " ".join(f"{part:>9}" for part in PARTS))
    for study in studies:
        for dimension in studies[0].protocol.dimensions:
            cell = seconds[study.name, dimension]
            cost = {part: 1e3 * cell[part] / cell["evaluations"] for part in PARTS}
            total = sum(cost.values())
            rows.append({"algorithm": study.name, "dimension": dimension, "total": total, **cost})
            print(f"{study.name:12} {dimension:3d} {total:7.3f} " + " ".join(f"{cost[part]:9.3f}" for part in PARTS))
    output = ROOT / "out" / "trial_cost.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps({"sample": arguments, "milliseconds": rows}, indent=1))


if __name__ == "__main__":
    main()
