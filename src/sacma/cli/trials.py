"""The trials that a command is given, and their costs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.cli.common import counted, err, out, print_damage
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sacma.config.plan import TrialSpec
    from sacma.config.sweep import Sweep
    from sacma.experiment.cost import CostModel
    from sacma.store.completeness import Completeness
    from sacma.store.store import Store
    from sacma.store.stored_study import StoredStudy


@dataclass(frozen=True)
class RunRequest:
    """The trials that a command is given.

    Args:
        studies: from configs, or those that are in the results.
        specs: their trials, or a shard of them.
        store: the results.
        what: the studies in a few words, for people.
        shard: which, as given, or None.
        by_file: whether the studies come from files, and not from the results.
    """

    studies: "Sequence[StoredStudy]"
    specs: "tuple[TrialSpec, ...]"
    store: "Store"
    what: str
    shard: str | None
    by_file: bool


def protocol_overrides(
    suite: str | None,
    functions: str | None,
    dimensions: str | None,
    instances: str | None,
    budget: float | None,
    target: float | None,
    seed: int | None,
) -> dict[str, object]:
    """Return the keys of the protocol that were given on the command line."""
    given = {
        "suite": suite,
        "functions": functions,
        "dimensions": dimensions,
        "instances": instances,
        "budget": budget,
        "target": target,
        "seed": seed,
    }
    return {key: value for key, value in given.items() if value is not None}


def requested_trials(
    configs: Sequence[Path] | None,
    results: Path,
    overrides: dict[str, object],
    shard: str | None,
    algorithm_files: Sequence[Path] | None = None,
) -> RunRequest:
    """Return the trials of configs, or of the studies in the results, or a shard of them.

    Raises:
        SacmaError: what is wrong with what was given.
    """
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config.study import load_studies  # noqa: PLC0415
    from sacma.store.store import Store  # noqa: PLC0415
    from sacma.store.stored_study import StoredStudy, check_names, check_one_suite  # noqa: PLC0415

    ALGORITHMS.add_files(algorithm_files or ())
    store = Store(results)
    if configs:
        studies: Sequence[StoredStudy] = [StoredStudy((study,)) for study in load_studies(configs, overrides)]
        there = list(store.readable_studies())
        check_names(studies, there, results)
        check_one_suite([*there, *studies], results)
    else:
        studies = store.studies()
        if not studies:
            raise SacmaError(f"{results} holds no study to continue; name at least one CONFIG")
        if overrides:
            raise SacmaError(f"--{next(iter(overrides))} changes what a config says; name at least one CONFIG")
        check_one_suite(studies, results)
    what = counted(len(studies), "algorithm")
    return RunRequest(studies, _specs(studies, shard), store, what, shard, by_file=bool(configs))


def swept_trials(sweep: "Sweep", results: Path, shard: str | None) -> RunRequest:
    """Return the trials of a sweep, or a shard of them.

    Raises:
        SacmaError: the shard is none.
    """
    from sacma.store.store import Store  # noqa: PLC0415
    from sacma.store.stored_study import StoredStudy, check_names, check_one_suite  # noqa: PLC0415

    studies = [StoredStudy((study,)) for study in sweep.studies]
    store = Store(results)
    there = list(store.readable_studies())
    check_names(studies, there, results)
    check_one_suite([*there, *studies], results)
    what = f"{counted(len(sweep.algorithms), 'algorithm')}, {counted(len(studies), 'setting')}"
    return RunRequest(studies, _specs(studies, shard), store, what, shard, by_file=True)


def _specs(studies: "Sequence[StoredStudy]", given: str | None) -> "tuple[TrialSpec, ...]":
    from sacma.store.completeness import shard  # noqa: PLC0415

    specs = tuple(spec for study in studies for spec in study.specs())
    return specs if given is None else shard(specs, *_parse_shard(given))


def _parse_shard(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", given)
    if match is None or int(match[1]) > int(match[2]):
        raise SacmaError(f"--shard: {given!r} is not allowed; give K/N with 1 <= K <= N, like 2/10")
    return int(match[1]), int(match[2])


def known_costs(completeness: "Completeness", store: "Store") -> "CostModel":
    """Return what trials cost, by those that are there, and where there are none by those of other protocols."""
    from sacma.experiment.cost import CostModel  # noqa: PLC0415
    from sacma.store.earlier import earlier_trials  # noqa: PLC0415

    costs = CostModel()
    seen = set()
    for spec, outcome in completeness.trials:
        costs.learn(spec, outcome.cpu.total)
        seen.add((spec.name, spec.dimension))
    unseen = [spec for spec in completeness.missing if (spec.name, spec.dimension) not in seen]
    for spec, outcome in earlier_trials(store, unseen):
        costs.learn_earlier(spec, outcome.evaluations, outcome.cpu.total)
    return costs


def print_plan(
    completeness: "Completeness", store: "Store", jobs: int | None, group: "Callable[[str], str]" = lambda name: name
) -> None:
    """Print what is there, what is missing, and what that will cost.

    Args:
        completeness: of the trials.
        store: the results.
        jobs: how many trials run at a time, or None for the number of cores.
        group: from the name of a study to what its row of the table is about.

    Raises:
        SacmaError: the results folder is a file.
    """
    from joblib import cpu_count  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from sacma.cli.progress import clock  # noqa: PLC0415
    from sacma.cli.tables import plan_table  # noqa: PLC0415
    from sacma.experiment.cost import SECONDS_TO_START, bytes_on_disk, work_in  # noqa: PLC0415
    from sacma.files.disk import free_bytes  # noqa: PLC0415

    results = store.root
    costs = known_costs(completeness, store)
    print_damage(completeness.damaged, out)
    out.print(plan_table(completeness, costs, group))
    if completeness.complete:
        out.print("nothing to run")
        return
    workers = jobs or cpu_count()
    if results.exists() and not results.is_dir():
        raise SacmaError(f"--results: {results} is not a folder; give another")
    cpu_seconds = costs.seconds(work_in(completeness.missing))
    free = free_bytes(results)
    needed = bytes_on_disk(completeness.missing)
    out.print(f"CPU time:  {cpu_seconds / 3600:.2g} h, {_source(costs)}", soft_wrap=True)
    guessed = list(dict.fromkeys(group(spec.name) for spec in costs.guessed(completeness.missing)))
    if guessed:
        out.print(
            Text(
                f"a guess:   of {', '.join(guessed)} no cost is known; until trials are finished, "
                "it is taken to be that of A-S-CMA-ES"
            ),
            soft_wrap=True,
        )
    out.print(
        f"wall time: {clock(SECONDS_TO_START + cpu_seconds / workers)} with {counted(workers, 'worker')} (--jobs)"
    )
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
