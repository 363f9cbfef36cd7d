"""sacma plan: show the trials that a run would run, and their cost."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.cli.common import counted, duration, err, out, print_damage
from sacma.cli.options import ProtocolOptions
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from sacma.experiment.cost import CostModel
    from sacma.experiment.run import RunRequest

EXAMPLES = (
    "sacma plan configs/ada_kendall.yaml configs/cmaes.yaml --jobs 8",
    "sacma plan --results results/study",
)


def plan(
    configs: list[Path] | None = None,
    *,
    protocol: ProtocolOptions,
    results: Path = Path("results"),
    jobs: int | None = None,
    shard: str | None = None,
    algorithm_file: list[Path] | None = None,
) -> None:
    """Show which trials the same run command would run, which are there, and what time and space the rest will take.

    Runs nothing. Costs are those of finished trials in RESULTS, and of shipped figures where there are none.
    """
    print_plan(requested_trials(configs, results, protocol, shard, algorithm_file), jobs)


def requested_trials(
    configs: Sequence[Path] | None,
    results: Path,
    protocol: ProtocolOptions,
    shard: str | None,
    algorithm_files: Sequence[Path] | None,
) -> "RunRequest":
    """Return the trials of configs, or of the studies in the results, or a shard of them."""
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.config.study import load_studies
    from sacma.experiment.run import RunRequest

    ALGORITHMS.add_files(algorithm_files or ())
    if configs:
        return RunRequest.of_studies(load_studies(configs, protocol.given), results, shard)
    request = RunRequest.of_results(results, shard)
    if protocol.given:
        raise SacmaError(f"--{next(iter(protocol.given))} changes what a config says; name at least one CONFIG")
    return request


def print_plan(request: "RunRequest", jobs: int | None, group: Callable[[str], str] = lambda name: name) -> None:
    """Print what is there, what is missing, and what that will cost; ``group`` names the row of a study's name."""
    from joblib import cpu_count
    from rich.text import Text

    from sacma.cli.progress import clock
    from sacma.cli.tables import plan_table
    from sacma.experiment.compilation import seconds_to_compile
    from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, known_costs, work_in
    from sacma.files.atomic import why_no_folder
    from sacma.files.disk import free_bytes
    from sacma.store.completeness import completeness_of

    results = request.store.root
    completeness = completeness_of(request.store, request.specs)
    costs = known_costs(completeness, request.store)
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
    out.print(f"CPU time:  {duration(cpu_seconds)}, {_source(costs)}", soft_wrap=True)
    guessed = list(dict.fromkeys(group(spec.name) for spec in costs.guessed(completeness.missing)))
    if guessed:
        out.print(
            Text(
                f"a guess:   of {', '.join(guessed)} no cost is known; until trials are finished, "
                "it is taken to be that of A-S-CMA-ES"
            ),
            soft_wrap=True,
        )
    compiling = seconds_to_compile(completeness.missing)
    seconds = compiling + SECONDS_TO_START + cpu_seconds / workers
    once = f", {clock(compiling)} of it to compile, once" if compiling else ""
    out.print(f"wall time: {clock(seconds)} with {counted(workers, 'worker')} (--jobs){once}")
    out.print(f"disk:      {needed / 1e6:,.0f} MB more, {free / 1e6:,.0f} MB free")
    if needed > free:
        err.print("note: that is more than there is")


def _source(costs: "CostModel") -> str:
    if not costs.trials:
        return "by shipped figures"
    others = ""
    if costs.earlier:
        which = "all of them" if costs.earlier == costs.trials else f"{costs.earlier} of them"
        others = f", {which} with another budget, target or seed"
    return f"by {counted(costs.trials, 'finished trial')}{others}"
