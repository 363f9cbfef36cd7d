"""What trials a command is about, and what they cost."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.errors import SacmaError

if TYPE_CHECKING:
    from sacma.experiment.cost import CostModel
    from sacma.experiment.coverage import Coverage
    from sacma.experiment.plan import TrialSpec
    from sacma.experiment.store import Store, StoredStudy


@dataclass(frozen=True)
class Asked:
    """What trials a command is about.

    Args:
        studies: from configs, or those that are in the results.
        specs: their trials, or a shard of them.
        store: the results.
    """

    studies: "Sequence[StoredStudy]"
    specs: "tuple[TrialSpec, ...]"
    store: "Store"


def protocol_overrides(
    functions: str | None,
    dimensions: str | None,
    instances: str | None,
    budget: float | None,
    target: float | None,
    seed: int | None,
) -> dict[str, object]:
    """Return the keys of the protocol that were given on the command line."""
    given = {
        "functions": functions,
        "dimensions": dimensions,
        "instances": instances,
        "budget": budget,
        "target": target,
        "seed": seed,
    }
    return {key: value for key, value in given.items() if value is not None}


def asked_trials(
    configs: Sequence[Path] | None, results: Path, overrides: dict[str, object], shard_text: str | None
) -> Asked:
    """Return the trials of configs, or of the studies in the results, or a shard of them.

    Raises:
        SacmaError: what is wrong with what was given.
    """
    from sacma.config import load_studies  # noqa: PLC0415
    from sacma.experiment.coverage import shard  # noqa: PLC0415
    from sacma.experiment.store import Store, StoredStudy  # noqa: PLC0415

    store = Store(results)
    if configs:
        studies: Sequence[StoredStudy] = [StoredStudy((study,)) for study in load_studies(configs, overrides)]
    else:
        studies = store.studies()
        if not studies:
            raise SacmaError(f"{results} holds no study to continue; name at least one CONFIG")
        if overrides:
            raise SacmaError(f"--{next(iter(overrides))} changes what a config says; name at least one CONFIG")
    specs = tuple(spec for study in studies for spec in study.specs())
    if shard_text is not None:
        number, of = _parse_shard(shard_text)
        specs = shard(specs, number, of)
    return Asked(studies, specs, store)


def _parse_shard(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", given)
    if match is None or int(match[1]) > int(match[2]):
        raise SacmaError(f"--shard: {given!r} is not allowed; give K/N with 1 <= K <= N, like 2/10")
    return int(match[1]), int(match[2])


def known_costs(coverage: "Coverage") -> "CostModel":
    """Return what trials cost, by those that are there."""
    from sacma.experiment.cost import CostModel  # noqa: PLC0415

    costs = CostModel()
    for spec, outcome in coverage.trials:
        costs.learn(spec, outcome.cpu.total)
    return costs
