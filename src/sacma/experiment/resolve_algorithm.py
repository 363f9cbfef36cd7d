"""Resolution of the algorithms of trials: those of others may be gone, or have changed since they were planned.

Records and studies say in which file an algorithm was. They may come from anybody, so that file is never opened: only
files that the user names with a command, and installed packages, are run.
"""

import contextlib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.printable import one_line, printable

LONGEST_NAME, LONGEST_PATH = 80, 1000
"""Characters from a record that are shown."""


def resolve_algorithms(specs: Sequence[TrialSpec]) -> tuple[TrialSpec, ...]:
    """Check that the algorithms of trials are there in their versions; return the specs with the files of today."""
    one_of_each = {(spec.algorithm, spec.version): spec for spec in specs}
    origins = {spec.algorithm: resolve_algorithm(spec) for spec in one_of_each.values()}
    files = {name: origin.source if origin and origin.is_file else "" for name, origin in origins.items()}
    return tuple(replace(spec, algorithm_file=files[spec.algorithm]) if spec.version else spec for spec in specs)


def refuse_changed(specs: Sequence[TrialSpec]) -> None:
    """Raise SacmaError if an algorithm of trials is there in another version; it may not be there at all."""
    for spec in {(spec.algorithm, spec.version): spec for spec in specs if spec.algorithm in ALGORITHMS}.values():
        resolve_algorithm(spec)


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
    """Add the algorithms of files that the user has named elsewhere, if that of a trial is not there in its version."""
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
