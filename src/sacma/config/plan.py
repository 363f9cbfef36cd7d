"""Plans: the trial specs of studies."""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from sacma.algorithms.settings import canonical_json
from sacma.config.study import Study


@dataclass(frozen=True)
class TrialSpec:
    """The specification of a trial: it determines the outcome."""

    name: str  # name of the algorithm in files and tables; part of its seeds
    algorithm: str  # name in the registry
    settings: str  # resolved settings as canonical JSON
    suite: str  # COCO suite
    function: int  # number f
    dimension: int  # D
    instance: int  # instance of the function
    budget: int  # number of true evaluations
    target: float  # Δf at and below which the trial stops
    seed: int  # seed of the study
    triggers: str  # multiples of D at which COCO's files hold Δf exactly
    version: str  # version of another package's algorithm, or content hash of an algorithm file; empty for our own
    # Path of that file, for messages only: it is never opened, and not part of the identity.
    algorithm_file: str = field(compare=False)

    @cached_property
    def key(self) -> str:
        """Content hash: the trial's identity for resuming and merging, 20 hexadecimal digits."""
        version = (self.version,) if self.version else ()
        content = _hash_of(
            self.name, self.algorithm, self.settings, self.suite, self.target, self.seed, self.triggers, *version
        ).copy()
        content.update(f"{self.function},{self.dimension},{self.instance},{self.budget}".encode())
        return content.hexdigest()[:20]

    @property
    def place(self) -> tuple[int, int, int]:
        """(function, dimension, instance)."""
        return self.function, self.dimension, self.instance

    def __str__(self) -> str:
        return f"{self.name} on f{self.function}, {self.dimension}-D, instance {self.instance}"


@lru_cache(maxsize=64)
def _hash_of(*of_the_study: str | float) -> "hashlib._Hash":
    """Return the common start of the content hashes of a study's trials, of which there may be 100,000."""
    return hashlib.sha256(json.dumps(of_the_study).encode())


def plan_study(study: Study) -> Iterator[TrialSpec]:
    """Yield the trials of ``study`` in the order of COCO's suite: dimension, function, instance."""
    protocol, origin = study.protocol, study.origin
    settings = canonical_json(study.settings.model_dump())
    for dimension, function, instance in itertools.product(protocol.dimensions, protocol.functions, protocol.instances):
        yield TrialSpec(
            name=study.name,
            algorithm=study.algorithm,
            settings=settings,
            suite=protocol.suite,
            function=function,
            dimension=dimension,
            instance=instance,
            budget=protocol.evaluations(dimension),
            target=float(protocol.target),
            seed=protocol.seed,
            triggers=evaluation_triggers(protocol.budget),
            version=origin.version if origin else "",
            algorithm_file=origin.source if origin and origin.is_file else "",
        )


def plan(studies: Iterable[Study]) -> tuple[TrialSpec, ...]:
    """Return the trials of all ``studies``, study by study."""
    return tuple(spec for study in studies for spec in plan_study(study))


def evaluation_triggers(budget: float) -> str:
    """Return the multiples of D at which COCO logs Δf exactly: the paper's, up to the budget, and the budget."""
    wanted = {multiple for multiple in (25, 50, 83, 125, 250) if multiple <= budget}
    return ",".join(str(multiple) for multiple in sorted(wanted | {max(1, int(budget))}))
