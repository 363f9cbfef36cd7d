"""Costs of trials, in CPU time and disk space: by finished trials, or by shipped figures before there are any."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from sacma.config.plan import TrialSpec
from sacma.files.untrusted import read_file
from sacma.store.completeness import Completeness
from sacma.store.outcome import DamagedRecordError, Outcome
from sacma.store.record import decode_head
from sacma.store.store import Store

MILLISECONDS: Mapping[tuple[str, ...], Mapping[int, float]] = {
    ("surrogate-cmaes", "", "none"): {2: 0.074, 3: 0.064, 5: 0.057, 10: 0.052, 20: 0.050, 40: 0.060, 80: 0.08},
    ("surrogate-cmaes", "gaussian-process", "generations"): (
        {2: 0.26, 3: 0.22, 5: 0.22, 10: 0.25, 20: 0.50, 40: 2.0, 80: 6.9}
    ),
    ("surrogate-cmaes", "gaussian-process", "adaptive-generations"): (
        {2: 0.27, 3: 0.24, 5: 0.25, 10: 0.26, 20: 0.45, 40: 2.0, 80: 4.6}
    ),
    ("surrogate-cmaes", "gaussian-process-as-run", "generations-as-run"): (
        {2: 0.31, 3: 0.32, 5: 0.37, 10: 0.56, 20: 1.5}
    ),
    ("surrogate-cmaes", "gaussian-process-as-run", "adaptive-generations-as-run"): (
        {2: 0.44, 3: 0.43, 5: 0.48, 10: 0.54, 20: 1.4}
    ),
    ("surrogate-cmaes", "gaussian-process", "doubly-trained"): {2: 1.1, 3: 1.1, 5: 1.2, 10: 1.9, 20: 4.2},
    ("surrogate-cmaes", "gaussian-process", "approximate-ranking"): {2: 0.53, 3: 0.76, 5: 1.1, 10: 2.6, 20: 4.3},
    ("surrogate-cmaes", "competition", "approximate-ranking"): {2: 1.5, 3: 1.3, 5: 1.7, 10: 3.0, 20: 7.2},
    ("surrogate-cmaes", "random-forest", "generations"): {2: 11.0, 3: 9.3, 5: 9.1, 10: 9.5, 20: 16.0},
    ("lq-cmaes",): {2: 0.75, 3: 0.75, 5: 0.75, 10: 1.3, 20: 7.1},
    ("bipop-cmaes",): {2: 0.06, 3: 0.06, 5: 0.05, 10: 0.05, 20: 0.05},
    ("random-search",): {2: 0.012, 3: 0.012, 5: 0.012, 10: 0.012, 20: 0.012},
}
"""CPU milliseconds a true evaluation, as ``benchmarks/trial_cost.py`` prints them; in 80-D with 60·D evaluations.

By algorithm, with its model and evolution control where it is composed of parts, and by dimension.
"""

GUESSED = ("surrogate-cmaes", "gaussian-process", "adaptive-generations")
"""Stands in for an algorithm without figures."""

BYTES_A_TRIAL, BYTES_AN_EVALUATION = 12e3, 4.5
"""Disk space of a trial: record, COCO files and trace."""

SECONDS_TO_START = 3.0
"""Until the workers are ready."""

WEIGHT_OF_FIGURES = 4.0
"""The shipped figures count as much as so many trials of a kind."""

MOST_RECORDS = 50
"""Records of earlier trials read for each algorithm and dimension: enough to know the cost of an evaluation."""

Kind = tuple[str, int]
"""An algorithm's name and a dimension: trials that cost about the same."""


@dataclass
class _Sum:
    trials: int = 0
    seconds: float = 0.0
    expected: float = 0.0


class CostModel:
    """Expected CPU seconds of trials.

    The shipped figures say how kinds of trials (an algorithm in a dimension) compare, finished trials how fast this
    machine is, and what their own kind takes.
    """

    def __init__(self) -> None:
        self._kinds: defaultdict[Kind, _Sum] = defaultdict(_Sum)
        self._all = _Sum()
        self.earlier = 0
        """Number of trials of another protocol that it has learnt from."""

    def learn(self, spec: TrialSpec, cpu_seconds: float) -> None:
        """Take in what a finished trial took."""
        for total in (self._kinds[spec.name, spec.dimension], self._all):
            total.trials += 1
            total.seconds += cpu_seconds
            total.expected += shipped_seconds(spec)

    @property
    def trials(self) -> int:
        """Number of finished trials that it has learnt from."""
        return self._all.trials

    def guessed(self, specs: Iterable[TrialSpec]) -> tuple[TrialSpec, ...]:
        """Return a trial of each kind among ``specs`` of which no figure is shipped and none has been learnt."""
        kinds = {(spec.name, spec.dimension): spec for spec in specs if _composition(spec) not in MILLISECONDS}
        return tuple(spec for kind, spec in kinds.items() if kind not in self._kinds)

    def seconds(self, work: Mapping[Kind, float]) -> float:
        """Return the expected CPU seconds of ``work``, as from ``work_in``."""
        return sum(self._factor(kind) * shipped for kind, shipped in work.items())

    def _factor(self, kind: Kind) -> float:
        """Return the ratio of what trials of a kind take here to what the shipped figures say."""
        everywhere = self._all.seconds / self._all.expected if self._all.expected else 1.0
        own = self._kinds.get(kind)
        if own is None:
            return everywhere
        weight = WEIGHT_OF_FIGURES * own.expected / own.trials
        return (own.seconds + weight * everywhere) / (own.expected + weight)


def work_in(specs: Iterable[TrialSpec]) -> defaultdict[Kind, float]:
    """Return the work of each kind in ``specs``, in the CPU seconds that the shipped figures expect."""
    work: defaultdict[Kind, float] = defaultdict(float)
    for spec in specs:
        work[spec.name, spec.dimension] += shipped_seconds(spec)
    return work


def shipped_seconds(spec: TrialSpec) -> float:
    """Return the CPU seconds that the shipped figures expect of a trial that uses its budget up."""
    by_dimension = MILLISECONDS.get(_composition(spec), MILLISECONDS[GUESSED])
    nearest = min(by_dimension, key=lambda dimension: abs(dimension - spec.dimension))
    return 1e-3 * by_dimension[nearest] * spec.budget


def _composition(spec: TrialSpec) -> tuple[str, ...]:
    return (spec.algorithm, *_parts(spec.settings)) if spec.algorithm == "surrogate-cmaes" else (spec.algorithm,)


@lru_cache(maxsize=1024)
def _parts(settings: str) -> tuple[str, ...]:
    """Return the names of model and control."""
    content = json.loads(settings)
    parts = (content.get(key) for key in ("model", "control"))
    return tuple(str(part.get("name")) if isinstance(part, dict) else "" for part in parts)


def bytes_on_disk(specs: Iterable[TrialSpec]) -> float:
    """Return the disk space that the results of ``specs`` will take."""
    return sum(BYTES_A_TRIAL + BYTES_AN_EVALUATION * spec.budget for spec in specs)


def known_costs(completeness: Completeness, store: Store) -> CostModel:
    """Return what trials cost by those that are there; where there are none, by those of other protocols."""
    costs = CostModel()
    for spec, outcome in completeness.trials:
        costs.learn(spec, outcome.cpu.total)
    seen = {(spec.name, spec.dimension) for spec, _ in completeness.trials}
    unseen = [spec for spec in completeness.missing if (spec.name, spec.dimension) not in seen]
    for spec, outcome in _earlier_trials(store, unseen):
        costs.learn(replace(spec, budget=outcome.evaluations), outcome.cpu.total)  # the cost of an evaluation
        costs.earlier += 1
    return costs


def _earlier_trials(store: Store, specs: Sequence[TrialSpec]) -> Iterator[tuple[TrialSpec, Outcome]]:
    """Yield finished trials of the algorithms, settings and versions of ``specs`` under other protocols."""
    planned = {store.path_of(spec) for spec in specs}
    for wanted in {(spec.name, spec.dimension): spec for spec in specs}.values():
        folder = store.path_of(wanted).parent
        # Records stay when their study is replaced by one with another budget, seed or target.
        paths = (p for p in sorted(folder.glob(f"f*-d{wanted.dimension:02d}-*.record")) if p not in planned)
        for path in islice(paths, MOST_RECORDS):
            try:
                record = decode_head(read_file(path))
            except (OSError, DamagedRecordError):  # this trial is not part of the study
                continue
            if _settings(record.spec) == _settings(wanted) and store.path_of(record.spec) == path:
                yield record.spec, record.outcome


def _settings(spec: TrialSpec) -> tuple[str | int, ...]:
    return spec.suite, spec.name, spec.algorithm, spec.settings, spec.version, spec.dimension
