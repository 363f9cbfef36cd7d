"""Checks of the installation and the machine; each imports what it looks at, which may be broken."""

import platform
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from sacma import __version__
from sacma.files.scratch import existing_folder, free_bytes
from sacma.store.provenance import PACKAGES

Finding = tuple[bool | None, str]  # soundness and reason of a ``CheckResult``


class CheckResult(NamedTuple):
    """The result of one check: its name in a word or two, soundness and reason."""

    point: str
    sound: bool | None  # False where something is to be mended; None for a remark
    reason: str  # with the way to mend it


REINSTALL = "pip install --force-reinstall . (in a clone; else its wheel in place of the dot)"

SCARCE = 1e9  # bytes of free space below which a study of some size will not fit
PATIENCE = 120.0  # seconds that a process of a check may take

# Program that loads cocopp's reference data, which cocopp unpacks beside its code the first time.
LOAD_COCOPP = """
import cocopp
from cocopp import bestalg, testbedsettings
name = testbedsettings.GECCOBBOBTestbed.settings["reference_algorithm_filename"]
assert bestalg.load_reference_algorithm(name), name + " is empty"
"""


def examine(results: Path) -> Iterator[CheckResult]:
    """Check an installation for studies in ``results``; slow points come last."""
    checks: dict[str, Callable[[], Finding]] = {
        "versions": versions,
        "results": partial(disk, results, "give another folder with --results"),
        "temporary": partial(disk, Path(tempfile.gettempdir()), "set TMPDIR to another folder"),
        "workers": workers,
        "cocopp": cocopp,
    }
    for point, check in checks.items():
        try:
            yield CheckResult(point, *check())
        except Exception as error:  # noqa: BLE001 whatever is broken here
            said = " ".join(f"{type(error).__name__}: {error}".split())
            yield CheckResult(point, sound=False, reason=f"{said}; if that says nothing to you, try: {REINSTALL}")


def versions() -> Finding:
    """Return the versions of sacma, Python and packages that may change results, and the machine."""
    found = {"sacma": __version__, platform.python_implementation(): platform.python_version()}
    found |= {name: metadata.version(name) for name in PACKAGES}
    system = f"{platform.system()} {platform.machine()}"
    return True, ", ".join([*(f"{name} {version}" for name, version in found.items()), system])


def disk(folder: Path, mend: str) -> Finding:
    """Check that a folder can be made or written to, and its space; ``mend`` says what to do otherwise."""
    there = existing_folder(folder)
    if folder.exists() and not folder.is_dir():
        return False, f"{folder} is not a folder; {mend}"
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return False, f"{there} cannot be written to ({error.strerror}); {mend}"
    free = free_bytes(there)
    space = f"{folder}, {free / 1e9:,.1f} GB free"
    return (None, f"{space}; sacma plan says what a study takes") if free < SCARCE else (True, space)


def workers() -> Finding:
    """Run a trial with a model in a worker process, which may compile the surrogate first."""
    from sacma.config.plan import plan_study
    from sacma.config.study import Protocol, Study
    from sacma.experiment.workers import LocalWorkers, results
    from sacma.store.outcome import TrialFailure
    from sacma.strategy.settings import StrategySettings

    protocol = Protocol(functions=(8,), dimensions=(2,), instances=(1,), budget=20)
    parts = {"model": {"name": "gaussian-process"}, "control": {"name": "generations"}}
    settings = StrategySettings.model_validate(parts)
    study, start = Study(name="doctor", algorithm="surrogate-cmaes", settings=settings, protocol=protocol), time.time()
    with LocalWorkers(1, PATIENCE) as started:
        (result,) = results(plan_study(study), started)
    if isinstance(result, TrialFailure):
        return False, f"a trial fails in a worker process ({result.kind}: {result.error})"
    return True, f"a process was started and ran a trial with a model, {time.time() - start:.0f} s"


def cocopp() -> Finding:
    """Load cocopp and its reference data in a process, as the pages are made."""
    from sacma.coco.cocopp import run_python

    start = time.monotonic()
    try:
        done = run_python("-c", LOAD_COCOPP, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False, f"does not load within {PATIENCE:g} s; sacma postprocess --no-pages does without it"
    if done.returncode == 0:
        return True, f"loads, with its reference data, {time.monotonic() - start:.0f} s"
    said = next((line.strip() for line in reversed(done.stderr.splitlines()) if line.strip()), "it said nothing")
    mend = "mend it with: pip install --force-reinstall cocopp"
    if "Read-only" in said or "Permission" in said:
        mend = "install sacma into an environment of your own, where cocopp may unpack its data beside its code"
    return False, f"cannot be used ({said}); {mend}; sacma postprocess --no-pages does without it"
