"""Resolution of the algorithms of trials: those of others may be gone, or have changed since they were planned.

Records and studies say in which file an algorithm was. They may come from anybody, so that file is never opened: only
files that the user names with a command, and installed packages, are run.
"""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.printable import one_line, printable

LONGEST_NAME, LONGEST_PATH = 80, 1000
"""Characters from a record that are shown."""


def resolve_algorithms(specs: Sequence[TrialSpec]) -> tuple[TrialSpec, ...]:
    """Check that the algorithms of trials are there in their versions; return the specs with the files of today.

    Raises:
        SacmaError: one is not there, or is another version.
    """
    for spec in {(spec.algorithm, spec.version): spec for spec in specs}.values():
        resolve_algorithm(spec)
    return tuple(replace(spec, algorithm_file=_file_of(spec.algorithm)) if spec.version else spec for spec in specs)


def resolve_algorithm(spec: TrialSpec) -> None:
    """Check that the algorithm of a trial is there in its version; see ``resolve_algorithms``."""
    what = f"the algorithm {one_line(spec.algorithm, LONGEST_NAME)} of {one_line(spec.name, LONGEST_NAME)}"
    if spec.algorithm not in ALGORITHMS:
        raise SacmaError(f"{what} is not there; {_mend(spec)}")
    version = _version_of(spec.algorithm)
    if version != spec.version:
        raise SacmaError(
            f"{what} has changed: the trials are of version {one_line(spec.version, LONGEST_NAME) or '(none)'}, "
            f"it is {version or '(none)'} now; name the config, to run it as it is now"
        )


def add_missing_algorithm(spec: TrialSpec, files: Sequence[Path]) -> None:
    """Add the algorithms of files that the user has named elsewhere, if that of a trial is not there in its version."""
    if spec.algorithm not in ALGORITHMS or _version_of(spec.algorithm) != spec.version:
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


def _file_of(algorithm: str) -> str:
    origin = ALGORITHMS.origin(algorithm)
    return origin.source if origin and origin.is_file else ""


def _version_of(algorithm: str) -> str:
    origin = ALGORITHMS.origin(algorithm) if algorithm in ALGORITHMS else None
    return origin.version if origin else ""
