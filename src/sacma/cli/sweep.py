"""sacma sweep: run a grid of settings and rank them."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.cli.common import counted, err, out, print_damage, print_list
from sacma.cli.interruption import this_command
from sacma.cli.options import ProtocolOptions
from sacma.errors import SacmaError
from sacma.experiment.options import RunOptions

if TYPE_CHECKING:
    from sacma.analysis.sweep_tables import SweepTables
    from sacma.config.sweep import Sweep
    from sacma.experiment.run import RunRequest

EXAMPLES = (
    "sacma sweep configs/sweeps/step_size.yaml --plan",
    "sacma sweep configs/sweeps/step_size.yaml --dimensions 2 --results steps",
    "sacma sweep configs/sweeps/step_size.yaml --rank-only --results steps",
)


def sweep(
    file: Annotated[Path, typer.Argument(help="YAML file: algorithms and a grid.", metavar="SWEEP")],
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
    options: RunOptions,
    progress: str = "auto",
    plan: Annotated[bool, typer.Option("--plan", help="Show what would run and what it costs; run nothing.")] = False,
    rank_only: Annotated[bool, typer.Option("--rank-only", help="Rank what is there; run nothing.")] = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="With --rank-only: rank even if trials are missing; all output is marked as partial."
        ),
    ] = False,
) -> None:
    """Run all combinations of a grid of settings, and say which is the best of each algorithm, and how clearly.

    Runs what is missing, as sacma run does, and ranks the settings by median Δf: the best has the most first ranks
    over functions, dimensions and numbers of evaluations. Writes all numbers to RESULTS/sweep.
    """
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.cli.plan import print_plan
    from sacma.cli.running import after_a_shard, show_run
    from sacma.config.sweep import load_sweep
    from sacma.experiment.run import RunRequest

    ALGORITHMS.add_files(algorithm_file or ())
    swept = load_sweep(file, protocol.given)
    request = RunRequest.of_studies(swept.studies, results, shard)
    if plan and rank_only:
        raise SacmaError("--plan and --rank-only do not go together; give one of them")
    if partial and not rank_only:
        raise SacmaError("--partial needs --rank-only: without it, what is missing is run")
    if shard and rank_only:
        raise SacmaError("--rank-only ranks all of a sweep; leave --shard out")
    if plan:
        names = {setting.name: algorithm.name for algorithm in swept.algorithms for setting in algorithm.settings}
        print_plan(request, options.jobs, names.__getitem__)
        return
    if not rank_only:
        studies = f"{counted(len(swept.algorithms), 'algorithm')}, {counted(len(request.studies), 'setting')}"
        following = None
        if shard:
            same = [part for key, value in protocol.given.items() for part in (f"--{key}", str(value))]
            same += [part for path in algorithm_file or () for part in ("--algorithm-file", str(path))]
            following = after_a_shard(results, shard, "sacma", "sweep", str(file), *same, "--rank-only", "--results")
        show_run(request, options, mode=progress, studies=studies, shard=shard, following=following)
        if shard:
            return
    _rank(swept, request, partial=partial, as_json=progress == "json")


def _rank(swept: "Sweep", request: "RunRequest", *, partial: bool, as_json: bool) -> None:
    from sacma.analysis.sweep_tables import rank_sweep, write_tables
    from sacma.cli.tables import missing_lines
    from sacma.store.completeness import completeness_of

    store, completeness = request.store, completeness_of(request.store, request.specs)
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
    from sacma.cli.tables import effects_table, standings_table, verdict

    budgets = ", ".join(f"{budget:.4g}" for budget in swept.rank_at)
    out.print(Text(f"settings are named by {', '.join(swept.keys)}; ranked after {budgets} evaluations/D\n"))
    for label, value in swept.meanings.items():
        out.print(Text(f"{label} is {value}\n"))
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
    from sacma.cli.progress import print_event

    partial = bool(tables.ranking["partial"].any())
    for algorithm, decision in tables.decisions.items():
        fields = {key: getattr(decision, key) for key in ("winner", "runner_up", "decided_by", "margin")}
        print_event(out, "winner", algorithm=algorithm, **fields, partial=partial)
    print_event(out, "tables", files=[str(path) for path in files])
