"""sacma run: run the trials that are not there yet."""

import shlex
from pathlib import Path

from sacma.cli.campaign import RunOptions, after_a_shard, run_trials
from sacma.cli.common import (
    AlgorithmFiles,
    Backend,
    Budget,
    Configs,
    Dimensions,
    FailedOnly,
    Functions,
    Instances,
    Jobs,
    Progress,
    Results,
    Retries,
    Scheduler,
    Seed,
    Shard,
    Suite,
    Target,
    TrialTimeout,
)
from sacma.cli.trials import protocol_overrides, requested_trials

EXAMPLES = (
    "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
    "sacma run configs/gp1.yaml --functions 1,8 --instances 1-5 --budget 50",
    "sacma run --results results/study                # go on with what is there",
    "sacma run --failed-only --trial-timeout 600",
)


def run(
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
    backend: Backend = "loky",
    scheduler: Scheduler = None,
    shard: Shard = None,
    algorithm_file: AlgorithmFiles = None,
    retries: Retries = 1,
    trial_timeout: TrialTimeout = None,
    failed_only: FailedOnly = False,
    progress: Progress = "auto",
) -> None:
    """Run the trials of one or more configs that are not there yet, and merge their COCO data.

    Options of the protocol replace what the configs say. The same command continues after an interruption. Without a
    config, the studies that are in the results are continued.
    """
    overrides = protocol_overrides(suite, functions, dimensions, instances, budget, target, seed)
    request = requested_trials(configs, results, overrides, shard, algorithm_file)
    options = RunOptions(jobs, backend, scheduler, retries, trial_timeout, failed_only, progress)
    following = f"next: sacma postprocess {shlex.quote(str(results))}"
    run_trials(request, options, after_a_shard(results, shard, "sacma", "postprocess") if shard else following)
