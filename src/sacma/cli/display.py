"""Trials as commands show them: before, while and after they run."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from joblib import cpu_count
from rich.text import Text

from sacma.algorithms.registry import ALGORITHMS
from sacma.cli.console import (
    EXIT_FAILED,
    LONGEST_LIST,
    as_argument,
    counted,
    duration,
    err,
    fail,
    out,
    print_damage,
    print_list,
)
from sacma.cli.interruption import Interrupted, this_command
from sacma.cli.options import ProtocolOptions, RunOptions
from sacma.cli.progress import Progress, Tally, clock
from sacma.cli.tables import frame, missing_lines, plan_table
from sacma.config.plan import TrialSpec
from sacma.config.study import load_studies
from sacma.config.sweep import Sweep
from sacma.errors import RunError, SacmaError
from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, known_costs, work_in
from sacma.experiment.run import CampaignResult, RunObserver, RunRequest, run_trials
from sacma.files.atomic import why_no_folder
from sacma.files.scratch import free_bytes
from sacma.store.completeness import Completeness, completeness_of
from sacma.store.outcome import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Damage


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


class RunDisplay(RunObserver):
    """Shows a run on the consoles.

    ``studies`` and ``trials`` name them in a few words, like "2 algorithms" and "12 trials of shard 1/2".
    """

    tally: Tally
    progress: Progress | None = None
    done = 0

    def __init__(self, request: RunRequest, options: RunOptions, studies: str, trials: str) -> None:
        self.request, self.options, self.studies, self.trials = request, options, studies, trials

    def note(self, lines: Sequence[str]) -> None:
        """Print the lines."""
        print_list("note", lines, err)

    def damaged(self, damages: Sequence[Damage]) -> None:
        """Print the files."""
        print_damage(damages)

    def started(self, completeness: Completeness, todo: Sequence[TrialSpec], jobs: int | None) -> None:
        """Print what is there and what is run, and begin the progress display."""
        self.done = len(completeness.specs) - len(completeness.missing)
        where = f"{jobs} at a time" if jobs else f"on {self.options.scheduler}"
        out.print(
            f"{self.studies}, {self.trials}: {self.done} there, {len(todo)} to run"
            f"{' of those that failed' * self.options.failed_only} ({where}) in {self.request.store.root}",
            soft_wrap=True,
        )
        self.tally = Tally(todo, known_costs(completeness))
        self.progress = Progress(self.tally, out)

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Count the attempt and show it."""
        self.tally.count(result, last=last)
        if self.progress is not None:
            self.progress.show()

    def ended(self) -> None:
        """End the progress display, in the middle of the trials or not."""
        if self.progress is not None:
            self.progress.close()

    def report(self, result: CampaignResult, following: str | None) -> None:
        """Print the number of trials that are there now and the next command, and exit if trials failed."""
        if failures := result.failures:
            for failure in failures[:LONGEST_LIST]:
                times = counted(failure.attempts, "time")
                err.print(Text(f"failed {times}: {failure.spec}: {failure.kind}: {failure.error}"))
            if len(failures) > LONGEST_LIST:
                err.print(Text(f"… and {len(failures) - LONGEST_LIST} more"))
            fail(
                f"{counted(len(failures), 'trial')} of {len(self.request.specs)} failed; tracebacks: "
                f"{shlex.join(['sacma', 'status', '--tracebacks', as_argument(self.request.store.root)])}; "
                f"try {'it' if len(failures) == 1 else 'them'} again: "
                f"{this_command(*([] if self.options.failed_only else ['--failed-only']))}",
                EXIT_FAILED,
            )
        done, of = self.done + result.finished, len(self.request.specs)
        have = f"all {self.trials}" if done == of else f"{done} of {self.trials}"
        out.print("; ".join(filter(None, [f"{have} in {self.request.store.root}", following])), soft_wrap=True)


def show_run(request: RunRequest, options: RunOptions, studies: str, shard: str | None, following: str | None) -> None:
    """Run the trials of a request that are not there yet, show how it goes, and exit if any failed.

    ``shard`` is as given; ``following`` is the next command, None where this one goes on.
    """
    of = len(request.specs)
    display = RunDisplay(request, options, studies, counted(of, "trial") + (f" of shard {shard}" if shard else ""))
    try:
        result = run_trials(request, display, **vars(options), command=this_command())
    except Interrupted:
        if display.progress is None:
            raise
        kept = request.store.count(request.specs)
        raise Interrupted(f"interrupted; {kept} of {of} trials are kept; resume with") from None
    except RunError as error:
        fail(f"{error}; go on with: {this_command()}", EXIT_FAILED)
    display.report(result, following)


def print_plan(request: RunRequest, jobs: int | None, group: Callable[[str], str] = lambda name: name) -> None:
    """Print what is there, what is missing, and what that will cost; ``group`` names the row of a study's name."""
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


MOST_STANDINGS = 5
"""Settings of a sweep that are shown of each algorithm."""
