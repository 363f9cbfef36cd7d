"""sacma run, plan and sweep: trials of configs or of results."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sacma.cli.console import as_argument, counted
from sacma.cli.options import ProtocolOptions, RunOptions
from sacma.errors import SacmaError


def run(
    configs: list[Path] | None = None,
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
    options: RunOptions,
) -> None:
    """Run the missing trials of one or more configs, and merge their COCO data.

    Options of the protocol replace keys of the configs. The same command continues after an interruption. Without a
    config, the studies in the results are continued.
    """
    from sacma.cli.display import requested_trials, show_run

    request = requested_trials(configs, results, protocol, shard, algorithm_file)
    following = f"next: sacma postprocess {shlex.quote(as_argument(results))}{' --against all' * bool(algorithm_file)}"
    if shard:
        following = _after_a_shard(results, shard, "sacma", "postprocess")
    show_run(request, options, counted(len(request.studies), "algorithm"), shard, following)


def plan(
    configs: list[Path] | None = None,
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    jobs: int | None = None,
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
) -> None:
    """Show which trials the same run command would run, and the time and space that they will take.

    Nothing is run. Costs are estimated from finished trials in RESULTS, or from shipped figures.
    """
    from sacma.cli.display import print_plan, requested_trials

    print_plan(requested_trials(configs, results, protocol, shard, algorithm_file), jobs)


def sweep(
    file: Annotated[Path, typer.Argument(help="YAML file: algorithms and a grid.", metavar="SWEEP")],
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
    options: RunOptions,
    plan: Annotated[bool, typer.Option("--plan", help="Show the trials and their cost; run nothing.")] = False,
    rank_only: Annotated[bool, typer.Option("--rank-only", help="Rank finished trials; run nothing.")] = False,
) -> None:
    """Run all combinations of a grid of settings, and rank them for each algorithm.

    Missing trials are run as by sacma run. Settings are ranked by median Δf: the best has the most first ranks over
    functions, dimensions and numbers of evaluations. All numbers are in RESULTS/sweep.
    """
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.cli.display import print_plan, print_ranks, show_run
    from sacma.config.sweep import load_sweep
    from sacma.experiment.run import RunRequest

    ALGORITHMS.add_files(algorithm_file or ())
    swept = load_sweep(file, protocol.given)
    request = RunRequest.of_studies(swept.studies, results, shard)
    if (plan or shard) and rank_only:
        raise SacmaError("--rank-only ranks all of a sweep; leave --plan and --shard out")
    if plan:
        names = {each.study.name: algorithm for algorithm, settings in swept.settings.items() for each in settings}
        print_plan(request, options.jobs, names.__getitem__)
        return
    if not rank_only:
        studies = f"{counted(len(swept.settings), 'algorithm')}, {counted(len(request.studies), 'setting')}"
        following = None
        if shard:
            same = [part for key, value in protocol.given.items() for part in (f"--{key}", str(value))]
            same += [part for path in algorithm_file or () for part in ("--algorithm-file", str(path))]
            following = _after_a_shard(results, shard, "sacma", "sweep", str(file), *same, "--rank-only", "--results")
        show_run(request, options, studies, shard, following)
    if not shard:
        print_ranks(swept, request)


def _after_a_shard(results: Path, shard: str, *then: str) -> str:
    """Return the advice for a finished shard: bring all shards together, and go on with ``then`` and their folder."""
    together = str(results.with_name("together") if results.name not in {"", ".."} else results / ".." / "together")
    parts = shlex.join(as_argument(results / name) for name in ("studies", "records", "failures"))
    where, following = shlex.quote(together), shlex.join([*then, together])
    return (
        f"next: when all {shard.partition('/')[2]} shards are done, copy studies, records and failures of each into "
        f"one folder; those of this one: mkdir -p {where} && cp -r {parts} {where}; then: {following}"
    )
