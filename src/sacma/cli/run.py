"""sacma run: run the missing trials."""

import shlex
from pathlib import Path

from sacma.cli.options import ProtocolOptions
from sacma.experiment.options import RunOptions

EXAMPLES = (
    "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
    "sacma run configs/gp1.yaml --functions 1,8 --instances 1-5 --budget 50",
    "sacma run --results results/study                # go on with what is there",
    "sacma run --failed-only --trial-timeout 600",
)


def run(
    configs: list[Path] | None = None,
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
    options: RunOptions,
    progress: str = "auto",
) -> None:
    """Run the missing trials of one or more configs, and merge their COCO data.

    Options of the protocol replace what the configs say. The same command continues after an interruption. Without a
    config, the studies that are in the results are continued.
    """
    from sacma.cli.common import as_argument, counted
    from sacma.cli.plan import requested_trials
    from sacma.cli.running import after_a_shard, show_run

    request = requested_trials(configs, results, protocol, shard, algorithm_file)
    following = f"next: sacma postprocess {shlex.quote(as_argument(results))}"
    if shard:
        following = after_a_shard(results, shard, "sacma", "postprocess")
    studies = counted(len(request.studies), "algorithm")
    show_run(request, options, mode=progress, studies=studies, shard=shard, following=following)
