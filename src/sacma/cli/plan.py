"""sacma plan: what a run would run, and what it will cost."""

import shutil
from pathlib import Path

from sacma.cli.common import (
    Budget,
    Configs,
    Dimensions,
    Functions,
    Instances,
    Jobs,
    Results,
    Seed,
    Shard,
    Target,
    counted,
    err,
    out,
)
from sacma.cli.trials import asked_trials, known_costs, protocol_overrides
from sacma.errors import SacmaError


def plan(
    configs: Configs = None,
    functions: Functions = None,
    dimensions: Dimensions = None,
    instances: Instances = None,
    budget: Budget = None,
    target: Target = None,
    seed: Seed = None,
    results: Results = Path("results"),
    jobs: Jobs = None,
    shard: Shard = None,
) -> None:
    """Show which trials the same run command would run, which are there, and what time and space the rest will take.

    Runs nothing. Costs are those of finished trials in RESULTS, and of shipped figures where there are none.
    """
    from joblib import cpu_count  # noqa: PLC0415

    from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, work_in  # noqa: PLC0415
    from sacma.experiment.coverage import cover  # noqa: PLC0415
    from sacma.progress import clock  # noqa: PLC0415
    from sacma.terminal import plan_table  # noqa: PLC0415

    asked = asked_trials(
        configs, results, protocol_overrides(functions, dimensions, instances, budget, target, seed), shard
    )
    coverage = cover(asked.store, asked.specs)
    costs = known_costs(coverage)
    out.print(plan_table(coverage, costs))
    if coverage.complete:
        out.print("nothing to run")
        return
    workers = jobs or cpu_count()
    if results.exists() and not results.is_dir():
        raise SacmaError(f"--results: {results} is not a folder")
    cpu_seconds = costs.seconds(work_in(coverage.missing))
    free = shutil.disk_usage(next(folder for folder in [results, *results.absolute().parents] if folder.exists())).free
    needed = bytes_on_disk(coverage.missing)
    source = f"by {costs.trials} finished trials" if costs.trials else "by shipped figures"
    out.print(f"CPU time:  {cpu_seconds / 3600:.2g} h, {source}")
    out.print(
        f"wall time: {clock(SECONDS_TO_START + cpu_seconds / workers)} with {counted(workers, 'worker')} (--jobs)"
    )
    out.print(f"disk:      {needed / 1e6:,.0f} MB more, {free / 1e6:,.0f} MB free")
    if needed > free:
        err.print("note: that is more than there is")
