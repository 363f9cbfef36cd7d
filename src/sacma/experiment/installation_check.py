"""Checks of the installation and the machine, each with how to mend what is broken.

Nothing heavy is imported before the check that needs it: what is broken is found, whatever it is.
"""

import codecs
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from sacma import __version__
from sacma.experiment.check_result import CheckResult
from sacma.experiment.scratch import ENOUGH
from sacma.files.disk import existing_folder, free_bytes

REINSTALL = "pip install --force-reinstall sacma"

SCARCE = 1e9
"""Bytes of free space below which a study of some size will not fit."""

PATIENCE = 120.0
"""Seconds that a process which is started to look at something may take."""

LOAD_COCOPP = """
import cocopp
from cocopp import bestalg, testbedsettings
name = testbedsettings.GECCOBBOBTestbed.settings["reference_algorithm_filename"]
assert bestalg.load_reference_algorithm(name), name + " is empty"
"""
"""What needs cocopp, and unpacks its reference data beside it if that has not been done."""

SYMBOLS = "Δλ≥·…"
"""Some of what is printed."""


def examine(results: Path, encoding: str) -> Iterator[CheckResult]:
    """Yield what is found of each point; slow ones come last.

    Args:
        results: folder that studies are to be in; it need not be there.
        encoding: of the terminal.
    """
    checks: dict[str, Callable[[], tuple[bool | None, str]]] = {
        "versions": versions,
        "packages": packages,
        "cores": cores,
        "terminal": partial(terminal, encoding),
        "results": partial(disk, results, "give another folder with --results"),
        "temporary": partial(disk, Path(tempfile.gettempdir()), "set TMPDIR to another folder"),
        "BLAS": blas,
        "compiled code": compiled_code,
        "workers": workers,
        "cocopp": cocopp,
    }
    for point, check in checks.items():
        try:
            yield CheckResult(point, *check())
        except Exception as error:  # noqa: BLE001 whatever is broken here
            said = " ".join(f"{type(error).__name__}: {error}".split())
            yield CheckResult(point, sound=False, reason=f"{said}; if that says nothing to you, try: {REINSTALL}")


def versions() -> tuple[bool | None, str]:
    """Return those of sacma and Python, and the machine."""
    system = f"{platform.system()} {platform.machine()}"
    return True, f"sacma {__version__}, {platform.python_implementation()} {platform.python_version()}, {system}"


def packages() -> tuple[bool | None, str]:
    """Look whether all that sacma depends on is there, and new enough."""
    from packaging.requirements import Requirement  # noqa: PLC0415 it may be missing itself

    try:
        requirements = [Requirement(line) for line in metadata.requires("sacma") or ()]
    except metadata.PackageNotFoundError:
        return None, f"sacma runs from {Path(__file__).parent.parent}, not installed; mend it with: pip install -e ."
    found, wrong = [], []
    for requirement in requirements:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{requirement} is missing")
            continue
        found.append(f"{requirement.name} {version}")
        if not requirement.specifier.contains(version, prereleases=True):
            wrong.append(f"{requirement.name} {version} is there, {requirement} is needed")
    if wrong:
        return False, f"{', '.join(wrong)}; mend it with: pip install --upgrade sacma"
    return True, ", ".join(found)


def cores() -> tuple[bool | None, str]:
    """Count the cores of this machine, and those that affinity masks and cgroups leave."""
    from joblib import cpu_count  # noqa: PLC0415 it may be missing

    usable, there = cpu_count(), os.cpu_count() or 1
    if usable < there:
        return None, f"{usable} of {there}: the rest is not for this process (affinity, cgroup or LOKY_MAX_CPU_COUNT)"
    return True, f"{usable}, and as many trials at a time"


def terminal(encoding: str) -> tuple[bool | None, str]:
    """Look whether the symbols that are printed can be."""
    name = codecs.lookup(encoding).name
    try:
        SYMBOLS.encode(name)
    except UnicodeEncodeError:
        return None, f"{name} has no Δ, a question mark is shown instead; set LC_ALL=C.UTF-8 or PYTHONUTF8=1"
    return True, name


def disk(folder: Path, mend: str) -> tuple[bool | None, str]:
    """Look whether a folder can be written to, or made, and how much space there is.

    Args:
        folder: that need not be there.
        mend: what to do if it cannot be used, for people.
    """
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
    if free < ENOUGH:
        return False, f"{space}: too little for any study; free some, or {mend}"
    if free < SCARCE:
        return None, f"{space}; sacma plan says what a study takes"
    return True, space


def blas() -> tuple[bool | None, str]:
    """Name the libraries that NumPy and SciPy compute with, and their threads."""
    import numpy as np  # noqa: PLC0415 it may be missing
    import scipy.linalg  # noqa: PLC0415 idem; it loads SciPy's own
    from threadpoolctl import threadpool_info  # noqa: PLC0415 idem

    matrix = np.array([[4.0, 2.0], [2.0, 5.0]])
    if not np.array_equal(scipy.linalg.cholesky(matrix), [[2.0, 1.0], [0.0, 2.0]]):
        return False, f"LAPACK does not factorise a matrix of two rows rightly; {REINSTALL} numpy scipy"
    found = [
        f"{library['internal_api']} {library['version']} (threads: {library['num_threads']} here, 1 in workers)"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return (True, ", ".join(dict.fromkeys(found))) if found else (None, "none that can be asked for its threads")


def compiled_code() -> tuple[bool | None, str]:
    """Look whether the compiled surrogate can be kept on disk, and whether it is."""
    try:
        from sacma.surrogate import likelihood  # noqa: PLC0415 it may not be importable
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return False, "no folder to keep compiled code in; set NUMBA_CACHE_DIR to one that can be written to"
    maximise: Any = likelihood.maximise  # numba's dispatcher
    folder = Path(maximise.stats.cache_path)
    source = Path(likelihood.__file__).stat().st_mtime
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    warm = any(index.stat().st_mtime >= source for index in folder.glob(f"likelihood.maximise-*.{tag}*.nbi"))
    usable, reason = disk(folder, "set NUMBA_CACHE_DIR to another folder")
    if usable is False:
        return False, reason
    return (True, f"kept in {folder}") if warm else (None, f"not there yet: the first model takes 10 s more; {reason}")


def workers() -> tuple[bool | None, str]:
    """Run a trial in a worker process."""
    from sacma.config.plan import plan_study  # noqa: PLC0415 idem
    from sacma.config.study import Protocol, Study  # noqa: PLC0415 needs what may be missing
    from sacma.experiment.backends.worker import Worker  # noqa: PLC0415 idem
    from sacma.store.failure import TrialFailure  # noqa: PLC0415 idem
    from sacma.strategy.settings import StrategySettings  # noqa: PLC0415 idem

    protocol = Protocol(functions=(1,), dimensions=(2,), instances=(1,), budget=10)
    study = Study(name="doctor", algorithm="surrogate-cmaes", settings=StrategySettings(), protocol=protocol)
    worker, start = Worker(), time.monotonic()
    try:
        worker.start(next(plan_study(study)), PATIENCE)
        result = worker.collect(wait=True)
    finally:
        worker.close()
    if isinstance(result, TrialFailure):
        return False, f"a trial fails in a worker process ({result.kind}: {result.error}); try --backend serial"
    return True, f"a process was started and ran a trial, {time.monotonic() - start:.0f} s"


def cocopp() -> tuple[bool | None, str]:
    """Load cocopp and its reference data in a process, as the pages are made."""
    start = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 our own interpreter, our own program
            [sys.executable, "-P", "-W", "ignore", "-c", LOAD_COCOPP],
            env={**os.environ, "MPLBACKEND": "Agg", "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return False, f"does not load within {PATIENCE:g} s; sacma postprocess --no-pages does without it"
    if done.returncode == 0:
        return True, f"loads, with its reference data, {time.monotonic() - start:.0f} s"
    said = next((line.strip() for line in reversed(done.stderr.splitlines()) if line.strip()), "it said nothing")
    if "Read-only" in said or "Permission" in said:
        mend = (
            "install sacma into an environment of your own, where cocopp may unpack its reference data beside its code"
        )
    else:
        mend = f"mend it with: {REINSTALL if 'ModuleNotFoundError' in said else 'pip install --force-reinstall cocopp'}"
    return False, f"cannot be used ({said}); {mend}; sacma postprocess --no-pages does without it"
