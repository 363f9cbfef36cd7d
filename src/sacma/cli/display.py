"""Trials as commands show them: before, while and after they run."""

import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NoReturn

from joblib import cpu_count
from rich.text import Text

from sacma.algorithms.registry import ALGORITHMS
from sacma.cli.console import EXIT_FAILED, as_argument, counted, duration, err, fail, out, print_damage, print_list
from sacma.cli.interruption import Interrupted, this_command
from sacma.cli.options import ProtocolOptions, RunOptions
from sacma.cli.progress import Progress, Tally, clock
from sacma.cli.tables import frame, missing_lines, plan_table
from sacma.config.study import load_studies
from sacma.config.sweep import Sweep
from sacma.errors import RunError, SacmaError
from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, known_costs, work_in
from sacma.experiment.run import Attempt, RunRequest, Started, run_trials
from sacma.files.atomic import why_no_folder
from sacma.files.scratch import free_bytes
from sacma.store.completeness import completeness_of
from sacma.store.outcome import TrialFailure


def requested_trials(
    configs: Sequence[Path] | None,
    results: Path,
    protocol: ProtocolOptions,
    shard: str | None,
    algorithm_files: Sequence[Path] | None,
) -> RunRequest:
    """Return the trials of configs, or of the studies in the results, or a shard of them."""
    ALGORITHMS.add_files(algorithm_files or ())
    if configs:
        return RunRequest.of_studies(load_studies(configs, protocol.given), results, shard)
    request = RunRequest.of_results(results, shard)
    if protocol.given:
        raise SacmaError(f"--{next(iter(protocol.given))} changes what a config says; name at least one CONFIG")
    return request


def show_run(request: RunRequest, options: RunOptions, studies: str, shard: str | None, following: str | None) -> None:
    """Run the trials of a request that are not there yet, show how it goes, and exit if any failed.

    ``studies`` names them in a few words, ``shard`` is as given, and ``following`` is the next command, None where this
    one goes on.
    """
    results, of = request.store.root, len(request.specs)
    trials = counted(of, "trial") + (f" of shard {shard}" if shard else "")
    there, progress = 0, None
    failures: list[TrialFailure] = []
    try:
        with closing(run_trials(request, **vars(options), command=this_command())) as events, ExitStack() as shown:
            for event in events:
                match event:
                    case Started():
                        print_damage(event.completeness.damaged)
                        if damaged := len(event.completeness.damaged):
                            err.print(f"note: {counted(damaged, 'damaged record')} renamed to *.damaged-N")
                        there = of - len(event.completeness.missing)
                        where = f"{event.jobs} at a time" if event.jobs else f"on {options.scheduler}"
                        out.print(
                            f"{studies}, {trials}: {there} there, {len(event.todo)} to run"
                            f"{' of those that failed' * options.failed_only} ({where}) in {results}",
                            soft_wrap=True,
                        )
                        tally = Tally(event.todo, known_costs(event.completeness))
                        progress = shown.enter_context(Progress(tally, out))
                    case Attempt() if progress:
                        progress.show(event)
                        failures += filter(None, [event.failure])
                    case _:
                        err.print(Text(f"note: {event}"))
    except Interrupted:
        if progress is None:
            raise
        kept = request.store.count(request.specs)
        raise Interrupted(f"interrupted; {kept} of {of} trials are kept; resume with") from None
    except RunError as error:
        fail(f"{error}; go on with: {this_command()}", EXIT_FAILED)
    if failures:
        _fail_for(failures, request, options)
    done = there + (progress.tally.done if progress else 0)
    have = f"all {trials}" if done == of else f"{done} of {trials}"
    out.print("; ".join(filter(None, [f"{have} in {results}", following])), soft_wrap=True)


def _fail_for(failures: Sequence[TrialFailure], request: RunRequest, options: RunOptions) -> NoReturn:
    print_list("failed", [f"{f.spec}: {f.kind}: {f.error} ({counted(f.attempts, 'time')})" for f in failures], err)
    tracebacks = shlex.join(["sacma", "status", "--tracebacks", as_argument(request.store.root)])
    again = this_command(*([] if options.failed_only else ["--failed-only"]))
    fail(
        f"{counted(len(failures), 'trial')} of {len(request.specs)} failed; tracebacks: {tracebacks}; "
        f"try {'it' if len(failures) == 1 else 'them'} again: {again}",
        EXIT_FAILED,
    )


def print_plan(request: RunRequest, jobs: int | None, group: Callable[[str], str] = lambda name: name) -> None:
    """Print finished and missing trials, and their cost; ``group`` names the row of a study."""
    results = request.store.root
    completeness = completeness_of(request.store, request.specs)
    costs = known_costs(completeness)
    print_damage(completeness.damaged, out)
    out.print(plan_table(completeness, costs, group))
    if completeness.complete:
        out.print("nothing to run")
        return
    if why := why_no_folder(results):
        raise SacmaError(f"--results: {why}; give another folder")
    workers = jobs or cpu_count()
    cpu_seconds = costs.seconds(work_in(completeness.missing))
    needed, free = bytes_on_disk(completeness.missing), free_bytes(results)
    source = f"by {counted(costs.trials, 'finished trial')}" if costs.trials else "by shipped figures"
    out.print(f"CPU time:  {duration(cpu_seconds)}, {source}", soft_wrap=True)
    if guessed := list(dict.fromkeys(map(group, costs.guessed(completeness.missing)))):
        guess = f"of {', '.join(guessed)} no cost is known; it is taken to be that of A-S-CMA-ES"
        out.print(Text(f"a guess:   {guess}"), soft_wrap=True)
    out.print(
        f"wall time: {clock(SECONDS_TO_START + cpu_seconds / workers)} with {counted(workers, 'worker')} (--jobs)"
    )
    out.print(f"disk:      {needed / 1e6:,.0f} MB more, {free / 1e6:,.0f} MB free")
    if needed > free:
        err.print("note: that is more than there is")


def print_ranks(swept: Sweep, request: RunRequest) -> None:
    """Rank the settings of a sweep, write the tables and print the best of each algorithm."""
    from sacma.analysis.sweep import against_runner_up, rank_sweep, standings, write_tables

    store, completeness = request.store, completeness_of(request.store, request.specs)
    print_damage(completeness.damaged)
    if not completeness.complete:
        print_list("missing", missing_lines(completeness), err)
        options = {"--rank-only", "--failed-only"}
        command = shlex.join(part for part in shlex.split(this_command()) if part not in options)
        raise SacmaError(
            f"{len(completeness.missing)} of {len(completeness.specs)} trials are missing; run them with: {command}"
        )
    medians, ranks = rank_sweep(swept, completeness)
    store.prepare()
    with store.lock_derived(this_command()):
        files = write_tables(swept, medians, ranks, store.root / "sweep")
    budgets = ", ".join(f"{budget:.4g}" for budget in swept.rank_at)
    out.print(Text(f"settings are named by {', '.join(swept.grid)}; ranked after {budgets} evaluations/D\n"))
    for algorithm, table in ranks.items():
        best = standings(table)
        best.index = best.index.str.removeprefix(f"{algorithm}.").rename("setting")
        out.print(Text(f"{algorithm}: {len(best)} settings in {counted(len(table), 'ranking')}", style="bold"))
        out.print(frame(best.head(MOST_STANDINGS).reset_index()), soft_wrap=True)
        tied = best.index[best["place"] == 1]
        if len(tied) > 1:
            out.print(Text(f"tie: {', '.join(tied)} have the same first ranks and rank sum"))
        elif len(best) > 1:
            better, worse, p = against_runner_up(table)
            on = f"better on {counted(better, 'function')}, worse on {worse} (signed-rank test: p = {p:.2g})"
            out.print(Text(f"{best.index[0]} wins; against the runner-up, {best.index[1]}: {on}"))
        out.print()
    out.print(f"tables: {', '.join(map(str, files))}", soft_wrap=True)


MOST_STANDINGS = 5  # settings of a sweep that are shown of each algorithm
