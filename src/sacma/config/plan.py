"""Plans: the trial specs of studies, and the algorithms that they name.

Records and studies say in which file an algorithm was. They may come from anybody, so that file is never opened: only
files that the user names with a command, and installed packages, are run.
"""

import contextlib
import hashlib
import itertools
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.algorithms.settings import canonical_json
from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.files.printable import one_line, printable


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


LONGEST_NAME, LONGEST_PATH = 80, 1000  # characters from a record that are shown


def resolve_algorithms(todo: Sequence[TrialSpec], done: Iterable[TrialSpec] = ()) -> tuple[TrialSpec, ...]:
    """Return the trials that are ``todo`` with the algorithm files of today.

    Raises SacmaError if their algorithms are not there in their versions, or those of trials that are ``done`` are
    there in another: these need not be there at all.
    """
    there = (spec for spec in done if spec.algorithm in ALGORITHMS)
    one_of_each = {(spec.algorithm, spec.version): spec for spec in (*there, *todo)}
    origins = {spec.algorithm: resolve_algorithm(spec) for spec in one_of_each.values()}
    files = {name: origin.source if origin and origin.is_file else "" for name, origin in origins.items()}
    return tuple(replace(spec, algorithm_file=files[spec.algorithm]) if spec.version else spec for spec in todo)


def resolve_algorithm(spec: TrialSpec) -> Origin | None:
    """Return the origin of a trial's algorithm; raise SacmaError if it is not there in its version."""
    what = f"the algorithm {one_line(spec.algorithm, LONGEST_NAME)} of {one_line(spec.name, LONGEST_NAME)}"
    if spec.algorithm not in ALGORITHMS:
        raise SacmaError(f"{what} is not there; {_mend(spec)}")
    origin = ALGORITHMS.origin(spec.algorithm)
    version = origin.version if origin else ""
    if version != spec.version:
        raise SacmaError(
            f"{what} has changed: the trials are of version {one_line(spec.version, LONGEST_NAME) or '(none)'}, "
            f"it is {version or '(none)'} now; name the config, to run it as it is now"
        )
    return origin


def add_missing_algorithm(spec: TrialSpec, files: Iterable[Path]) -> None:
    """Add the algorithms of files that the user named elsewhere, if a trial's algorithm is not there in its version."""
    with contextlib.suppress(SacmaError):
        resolve_algorithm(spec)
        return
    for file in files:
        ALGORITHMS.add_files([file])


def _mend(spec: TrialSpec) -> str:
    if not spec.algorithm_file:
        return "install its package"
    file = shlex.quote(printable(spec.algorithm_file)[:LONGEST_PATH])
    return (
        f"it was in the file {file}, and no file is run because results name it: if you trust that file, "
        f"say where it is with --algorithm-file {file}"
    )
