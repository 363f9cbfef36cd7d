"""Costs of trials, in CPU time and disk space: by finished trials, or by shipped figures before there are any."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sacma.config.plan import TrialSpec
from sacma.store.completeness import Completeness

# CPU milliseconds a true evaluation, as ``benchmarks/trial_cost.py`` prints them; in 80-D with 60·D evaluations.
# Those of docs/family.md in 20-D are from the costs of the report in docs/gallery.
# By algorithm, with its model and evolution control where it is composed of parts, and by dimension.
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
    ("surrogate-cmaes", "local-quadratic", "best-first"): {2: 0.71, 5: 0.70, 10: 1.6, 20: 11.0},
    ("surrogate-cmaes", "ranking-svm", "lifelength"): {2: 0.55, 5: 0.97, 10: 1.9, 20: 28.0},
    ("rank-lq-cmaes",): {2: 0.58, 5: 0.68, 10: 0.99, 20: 5.8},
    ("slsqp-lq-cmaes",): {2: 0.32, 5: 0.34, 10: 0.33, 20: 2.4},
    ("lq-cmaes",): {2: 0.75, 3: 0.75, 5: 0.75, 10: 1.3, 20: 7.1},
    ("bipop-cmaes",): {2: 0.06, 3: 0.06, 5: 0.05, 10: 0.05, 20: 0.05},
    ("random-search",): {2: 0.012, 3: 0.012, 5: 0.012, 10: 0.012, 20: 0.012},
}

GUESSED = ("surrogate-cmaes", "gaussian-process", "adaptive-generations")  # stands in for an algorithm without figures
BYTES_A_TRIAL, BYTES_AN_EVALUATION = 12e3, 4.5  # disk space of a trial: record, COCO files and trace
SECONDS_TO_START = 3.0  # until the workers are ready
Kind = tuple[str, int]  # an algorithm's name and a dimension: trials that cost about the same


class CostModel:
    """Expected CPU seconds of trials.

    The shipped figures say how kinds of trials (an algorithm in a dimension) compare, finished trials how fast this
    machine is, and what their own kind takes.
    """

    def __init__(self) -> None:
        self.trials = 0  # finished ones that it has learnt from
        self._seconds: defaultdict[Kind | None, float] = defaultdict(float)  # of finished trials by kind, and of all
        self._expected: defaultdict[Kind | None, float] = defaultdict(float)

    def learn(self, spec: TrialSpec, cpu_seconds: float) -> None:
        """Take in the CPU time of a finished trial."""
        self.trials += 1
        for kind in ((spec.name, spec.dimension), None):
            self._seconds[kind] += cpu_seconds
            self._expected[kind] += shipped_seconds(spec)

    def seconds(self, work: Mapping[Kind, float]) -> float:
        """Return the expected CPU seconds of ``work``, as from ``work_in``."""
        return sum(self._factor(kind) * shipped for kind, shipped in work.items())

    def _factor(self, kind: Kind) -> float:
        """Return the ratio of the time of a kind of trials here to the shipped figures."""
        known = next((key for key in (kind, None) if self._expected[key]), None)
        return self._seconds[known] / self._expected[known] if self._expected[known] else 1.0

    def guessed(self, specs: Iterable[TrialSpec]) -> list[str]:
        """Return the names of algorithms of which no figure is shipped and no trial has been finished."""
        unknown = (spec for spec in specs if _composition(spec) not in MILLISECONDS)
        return list(dict.fromkeys(spec.name for spec in unknown if not self._expected[spec.name, spec.dimension]))


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


def known_costs(completeness: Completeness) -> CostModel:
    """Return a cost model that has learnt from finished trials."""
    costs = CostModel()
    for spec, outcome in completeness.trials:
        costs.learn(spec, outcome.cpu.total)
    return costs
