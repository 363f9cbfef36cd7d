"""The algorithms that trials need: those of others may be gone, or have changed since the trials were planned."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sacma.algorithms.registry import ALGORITHMS
from sacma.errors import SacmaError
from sacma.experiment.plan import TrialSpec


def all_at_hand(specs: Sequence[TrialSpec]) -> tuple[TrialSpec, ...]:
    """See that the very algorithms of trials are there; return the specs with the files where they are now.

    Raises:
        SacmaError: one is not there, or is another version.
    """
    others = {(spec.algorithm, spec.version): spec for spec in specs if spec.version}
    files = {which: at_hand(spec).algorithm_file for which, spec in others.items()}
    return tuple(
        replace(spec, algorithm_file=files[spec.algorithm, spec.version]) if spec.version else spec for spec in specs
    )


def at_hand(spec: TrialSpec) -> TrialSpec:
    """See that the very algorithm of a trial is there, from its file if need be; see ``all_at_hand``."""
    file = Path(spec.algorithm_file) if spec.algorithm_file else None
    if file is not None and _version_of(spec.algorithm) != spec.version and file.exists():
        ALGORITHMS.add_files([file])
    if spec.algorithm not in ALGORITHMS:
        mend = f"it was in {file}; say where it is with --algorithm-file" if file else "install its package"
        raise SacmaError(f"the algorithm {spec.algorithm} of {spec.name} is not there; {mend}")
    version = _version_of(spec.algorithm)
    if version != spec.version:
        raise SacmaError(
            f"the algorithm {spec.algorithm} of {spec.name} has changed: the trials are of version "
            f"{spec.version or '(none)'}, it is {version or '(none)'} now; name the config, to run it as it is now"
        )
    origin = ALGORITHMS.origin(spec.algorithm)
    return replace(spec, algorithm_file=origin.source if origin and origin.is_file else "")


def _version_of(algorithm: str) -> str:
    origin = ALGORITHMS.origin(algorithm) if algorithm in ALGORITHMS else None
    return origin.version if origin else ""
