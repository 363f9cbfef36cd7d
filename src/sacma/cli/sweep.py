"""sacma sweep: a grid of settings and its winner."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.cli.campaign import RunOptions, after_a_shard, run_trials
from sacma.cli.common import (
    AlgorithmFiles,
    Backend,
    Budget,
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
    err,
    out,
    print_damage,
    print_list,
)
from sacma.cli.interruption import this_command
from sacma.cli.trials import print_plan, protocol_overrides, swept_trials
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sacma.analysis.sweep_tables import SweepTables
    from sacma.config.sweep import Sweep
    from sacma.store.completeness import Completeness
    from sacma.store.store import Store


EXAMPLES = (
    "sacma sweep configs/sweeps/step_size.yaml --plan",
    "sacma sweep configs/sweeps/step_size.yaml --dimensions 2 --instances 1-3",
    "sacma sweep configs/sweeps/step_size.yaml --rank-only --partial",
)


def sweep(
    file: Annotated[Path, typer.Argument(help="YAML file: algorithms and a grid.", metavar="SWEEP")],
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
    plan: Annotated[bool, typer.Option("--plan", help="Show what would run and what it costs; run nothing.")] = False,
    rank_only: Annotated[bool, typer.Option("--rank-only", help="Rank what is there; run nothing.")] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="With --rank-only: though trials are missing; all that is made says so.")
    ] = False,
) -> None:
    """Run all combinations of a grid of settings, and say which is the best of each algorithm, and how clearly.

    Runs what is missing, as sacma run does, and ranks the settings by median Δf: the best has the most first ranks
    over functions, dimensions and numbers of evaluations. Writes all numbers to RESULTS/sweep.
    """
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config.sweep import load_sweep  # noqa: PLC0415
    from sacma.store.completeness import completeness_of  # noqa: PLC0415

    ALGORITHMS.add_files(algorithm_file or ())
    overrides = protocol_overrides(suite, functions, dimensions, instances, budget, target, seed)
    swept = load_sweep(file, overrides)
    request = swept_trials(swept, results, shard)
    if plan and rank_only:
        raise SacmaError("--plan and --rank-only do not go together; give one of them")
    if partial and not rank_only:
        raise SacmaError("--partial needs --rank-only: without it, what is missing is run")
    if shard and rank_only:
        raise SacmaError("--rank-only ranks all of a sweep; leave --shard out")
    if plan:
        names = {setting.name: algorithm.name for algorithm in swept.algorithms for setting in algorithm.settings}
        print_plan(completeness_of(request.store, request.specs), request.store, jobs, names.__getitem__)
        return
    if not rank_only:
        options = RunOptions(jobs, backend, scheduler, retries, trial_timeout, failed_only, progress)
        ranking = ["sacma", "sweep", str(file), *_options(overrides, algorithm_file), "--rank-only", "--results"]
        run_trials(request, options, after_a_shard(results, shard, *ranking) if shard else None)
        if shard:
            return
    _rank(
        swept, request.store, completeness_of(request.store, request.specs), partial=partial, as_json=progress == "json"
    )


def _options(overrides: "Mapping[str, object]", algorithm_file: "Sequence[Path] | None") -> list[str]:
    """Return the options that decide what the sweep is, as they are typed."""
    protocol = [part for key, value in overrides.items() for part in (f"--{key}", str(value))]
    return [*protocol, *(part for path in algorithm_file or () for part in ("--algorithm-file", str(path)))]


def _rank(swept: "Sweep", store: "Store", completeness: "Completeness", *, partial: bool, as_json: bool) -> None:
    from sacma.analysis.sweep_tables import rank_sweep, write_tables  # noqa: PLC0415
    from sacma.cli.tables import missing_lines  # noqa: PLC0415

    print_damage(completeness.damaged)
    if not completeness.complete:
        print_list("missing", missing_lines(completeness), err)
        if not partial:
            options = {"--rank-only", "--failed-only"}
            command = shlex.join(part for part in shlex.split(this_command()) if part not in options)
            raise SacmaError(
                f"{len(completeness.missing)} of {len(completeness.specs)} trials are missing; "
                f"run them with: {command}; --rank-only --partial ranks what is there"
            )
    tables = rank_sweep(swept, completeness)
    store.prepare()
    with store.lock_derived(this_command()):
        files = write_tables(tables, swept, store)
    if as_json:
        _print_events(tables, files)
    else:
        _print_tables(swept, tables)
        for number, path in enumerate(files):
            out.print(f"{'        ' if number else 'tables: '}{path}", soft_wrap=True)


def _print_tables(swept: "Sweep", tables: "SweepTables") -> None:
    from sacma.cli.tables import effects_table, standings_table, verdict  # noqa: PLC0415

    budgets = ", ".join(f"{budget:.4g}" for budget in swept.rank_at)
    out.print(Text(f"settings are named by {', '.join(swept.keys)}; ranked after {budgets} evaluations/D\n"))
    for algorithm in swept.algorithms:
        ranking, comparisons = (
            table[table["algorithm"] == algorithm.name] for table in (tables.ranking, tables.comparisons)
        )
        out.print(standings_table(algorithm.name, ranking))
        for line in verdict(algorithm.name, ranking, comparisons, tables.decisions[algorithm.name]):
            out.print(Text(line))
        out.print()
    out.print(effects_table(tables.effects))
    if tables.ranking["partial"].any():
        out.print("PARTIAL: trials are missing; medians are over those that are there")


def _print_events(tables: "SweepTables", files: tuple[Path, ...]) -> None:
    from sacma.cli.progress import print_json  # noqa: PLC0415

    for algorithm, decision in tables.decisions.items():
        event = {
            "event": "winner",
            "algorithm": algorithm,
            "winner": decision.winner,
            "runner_up": decision.runner_up,
            "decided_by": decision.decided_by,
            "margin": decision.margin,
            "partial": bool(tables.ranking["partial"].any()),
        }
        print_json(out, event)
    print_json(out, {"event": "tables", "files": [str(path) for path in files]})
