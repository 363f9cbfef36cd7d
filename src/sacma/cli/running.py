"""Runs of trials as commands show them: progress while they run, failures, and the next command."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from sacma.cli.common import EXIT_FAILED, LONGEST_LIST, as_argument, counted, err, fail, out, print_damage, print_list
from sacma.cli.interruption import Interrupted, this_command
from sacma.cli.options import PROGRESS_MODES
from sacma.cli.progress import Progress, Tally, print_event, progress_display
from sacma.config.plan import TrialSpec
from sacma.errors import RunError, SacmaError
from sacma.experiment.cost import known_costs
from sacma.experiment.options import RunOptions
from sacma.experiment.run import CampaignResult, RunObserver, RunRequest, run_trials
from sacma.store.completeness import Completeness
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Damage


class RunDisplay(RunObserver):
    """Shows a run on the consoles, in one of ``PROGRESS_MODES``.

    ``studies`` and ``trials`` name them in a few words, like "2 algorithms" and "12 trials of shard 1/2".
    """

    tally: Tally
    progress: Progress | None = None
    done = 0

    def __init__(self, request: RunRequest, options: RunOptions, mode: str, studies: str, trials: str) -> None:
        self.request, self.options, self.mode, self.studies, self.trials = request, options, mode, studies, trials
        self.talks = mode not in {"json", "quiet"}

    def note(self, lines: Sequence[str]) -> None:
        """Print the lines."""
        print_list("note", lines, err)

    def damaged(self, damages: Sequence[Damage]) -> None:
        """Print the files."""
        print_damage(damages)

    def compiling(self, line: str) -> None:
        """Print the line where there is a reader."""
        if self.talks:
            err.print(Text(line))

    def started(self, completeness: Completeness, todo: Sequence[TrialSpec], jobs: int | None) -> None:
        """Print what is there and what is run, and begin the progress display."""
        specs, options, store = completeness.specs, self.options, self.request.store
        self.done = len(specs) - len(completeness.missing)
        if self.talks:
            where = f"on {options.scheduler}" if options.scheduler else f"{jobs} at a time"
            out.print(
                f"{self.studies}, {self.trials}: {self.done} there, {len(todo)} to run"
                f"{' of those that failed' * options.failed_only} ({where}) in {store.root}",
                soft_wrap=True,
            )
        if self.mode == "json":
            print_event(out, "start", trials=len(specs), done=self.done, to_run=len(todo))
        self.tally = Tally(todo, known_costs(completeness, store))
        self.progress = progress_display(self.mode, self.tally, out)

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Count the attempt and show it."""
        self.tally.count(result, last=last)
        if self.progress is not None:
            self.progress.show(result, last=last)

    def ended(self) -> None:
        """End the progress display, in the middle of the trials or not."""
        if self.progress is not None:
            self.progress.close()

    def report(self, result: CampaignResult, following: str | None) -> None:
        """Print what came of the run, and exit if trials failed."""
        if self.mode == "json":
            failed = len(result.failures)
            print_event(out, "end", finished=result.finished, failed=failed, attempts_failed=result.attempts)
        if result.failures:
            self._fail(result.failures)
        if self.talks:
            done, of = self.done + result.finished, len(self.request.specs)
            have = f"all {self.trials}" if done == of else f"{done} of {self.trials}"
            out.print("; ".join(filter(None, [f"{have} in {self.request.store.root}", following])), soft_wrap=True)

    def _fail(self, failures: Sequence[TrialFailure]) -> None:
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


def show_run(
    request: RunRequest, options: RunOptions, *, mode: str, studies: str, shard: str | None, following: str | None
) -> None:
    """Run the trials of a request that are not there yet, show how it goes, and exit if any failed.

    ``mode``, of progress, and ``shard`` are as given; ``following`` is the next command, None where this one goes on.
    """
    if mode not in PROGRESS_MODES:
        raise SacmaError(f"--progress: {mode!r} is not allowed; allowed: {', '.join(PROGRESS_MODES)}")
    of = len(request.specs)
    trials = counted(of, "trial") + (f" of shard {shard}" if shard else "")
    display = RunDisplay(request, options, mode, studies, trials)
    try:
        result = run_trials(request, replace(options, command=this_command()), display)
    except Interrupted:
        if display.progress is None:
            raise
        kept = request.store.count(request.specs)
        raise Interrupted(f"interrupted; {kept} of {of} trials are kept; resume with") from None
    except RunError as error:
        fail(f"{error}; go on with: {this_command()}", EXIT_FAILED)
    display.report(result, following)


def after_a_shard(results: Path, shard: str, *then: str) -> str:
    """Return what to do when a shard is done: bring all shards together, and go on with ``then`` and their folder."""
    together = str(results.with_name("together") if results.name not in {"", ".."} else results / ".." / "together")
    parts = shlex.join(as_argument(results / name) for name in ("studies", "records", "failures"))
    where, following = shlex.quote(together), shlex.join([*then, together])
    return (
        f"next: when all {shard.partition('/')[2]} shards are done, copy studies, records and failures of each into "
        f"one folder; those of this one: mkdir -p {where} && cp -r {parts} {where}; then: {following}"
    )
