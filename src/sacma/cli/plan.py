"""sacma plan: what a run would run, and what it will cost."""

from pathlib import Path

from sacma.cli.common import (
    AlgorithmFiles,
    Budget,
    Configs,
    Dimensions,
    Functions,
    Instances,
    Jobs,
    Results,
    Seed,
    Shard,
    Suite,
    Target,
)
from sacma.cli.trials import print_plan, protocol_overrides, requested_trials

EXAMPLES = (
    "sacma plan configs/ada_kendall.yaml configs/cmaes.yaml --jobs 8",
    "sacma plan --results results/study",
)


def plan(
    configs: Configs = None,
    suite: Suite = None,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
    jobs: Jobs = None,
    shard: Shard = None,
    algorithm_file: AlgorithmFiles = None,
) -> None:
    """Show which trials the same run command would run, which are there, and what time and space the rest will take.

    Runs nothing. Costs are those of finished trials in RESULTS, and of shipped figures where there are none.
    """
    from sacma.store.completeness import completeness_of  # noqa: PLC0415

    overrides = protocol_overrides(suite, functions, dimensions, instances, budget, target, seed)
    request = requested_trials(configs, results, overrides, shard, algorithm_file)
    completeness = completeness_of(request.store, request.specs)
    print_plan(completeness, request.store, jobs)
