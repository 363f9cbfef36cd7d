"""Provenance of trials: machine, versions and times, which are not part of a spec but may change results."""

import hashlib
import json
import math
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from sacma import __version__
from sacma.algorithms.settings import canonical_json

# Packages that may change results.
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "cma", "coco-experiment", "joblib", "threadpoolctl")


@dataclass(frozen=True)
class Environment:
    """Software and hardware of a process."""

    sacma: str  # version
    revision: str  # of git, of sacma's sources, with their digest if they were changed; empty outside a repository
    python: str  # implementation and version
    packages: tuple[tuple[str, str], ...]  # names and versions
    blas: tuple[str, ...]  # loaded libraries with version and architecture
    processor: str  # model
    target: str  # processor that code is compiled for
    system: str  # operating system, release and C library

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The fields by name."""
        return asdict(self)

    @cached_property
    def fingerprint(self) -> str:
        """Content hash, 12 hexadecimal digits."""
        return hashlib.sha256(canonical_json(self.content).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Provenance:
    """Environment and host of a trial, its start and end (UTC, ISO 8601)."""

    environment: Environment
    host: str
    started: str
    ended: str


@cache
def environment() -> Environment:
    """Return the environment of this process."""
    import llvmlite.binding  # noqa: PLC0415 heavy, and needed where trials run only
    import scipy.linalg  # noqa: PLC0415 loads SciPy's own BLAS, whatever the algorithm
    from threadpoolctl import threadpool_info  # noqa: PLC0415

    assert scipy.linalg  # noqa: S101 imported for what it loads
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return Environment(
        sacma=__version__,
        revision=_revision(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages=tuple((name, metadata.version(name)) for name in PACKAGES),
        blas=tuple(sorted({f"{b['internal_api']} {b['version']} {b.get('architecture', '')}".strip() for b in blas})),
        processor=_processor(),
        target=llvmlite.binding.get_host_cpu_name(),
        system=f"{platform.platform()} {platform.machine()}",
    )


def differences(one: Environment, other: Environment) -> list[str]:
    """Return the differences of two environments: ``numpy 2.4.6 / 2.0.2``."""
    first, second = ({**e.content, **dict(e.packages)} for e in (one, other))
    del first["packages"], second["packages"]
    return [
        f"{key} {_shown(first.get(key))} / {_shown(second.get(key))}"
        for key in dict.fromkeys([*first, *second])
        if first.get(key) != second.get(key)
    ]


@dataclass(frozen=True)
class Manifest:
    """The manifest of an algorithm: its resolved configs, and provenance and CPU seconds of its trials."""

    name: str
    studies: Sequence[Mapping[str, Any]]
    trials: Sequence[tuple[Provenance, float]]

    @cached_property
    def environments(self) -> Counter[Environment]:
        """Number of trials by environment, in the order of the fingerprints."""
        trials = Counter(provenance.environment for provenance, _ in self.trials)
        return Counter(dict(sorted(trials.items(), key=lambda item: item[0].fingerprint)))

    def encode(self) -> bytes:
        """Return the manifest as JSON."""
        content = {
            "name": self.name,
            "studies": self.studies,
            "seeds": SEEDS,
            "trials": len(self.trials),
            "started": min((provenance.started for provenance, _ in self.trials), default=""),
            "ended": max((provenance.ended for provenance, _ in self.trials), default=""),
            "cpu_seconds": round(math.fsum(seconds for _, seconds in self.trials), 3),
            "hosts": dict(sorted(Counter(provenance.host for provenance, _ in self.trials).items())),
            "environments": [
                {"fingerprint": environment.fingerprint, "trials": trials, **environment.content}
                for environment, trials in self.environments.items()
            ],
        }
        return (json.dumps(content, indent=1) + "\n").encode()


# Derivation of a trial's random numbers, as the manifest explains it; see ``sacma.experiment.seeding``.
SEEDS = (
    "numpy.random.default_rng(SeedSequence([seed, function, dimension, instance, w(suite), w(stream), …])), where w is "
    "the first 8 bytes of SHA-256, big-endian; streams: 'initial points', 'noise' where f is noisy, and 'sampling' "
    "with the algorithm's name"
)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value) or "none"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _sources(package: Path) -> str:
    """Return a digest of all modules: two states of changed sources are different."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _revision() -> str:
    """Return the git revision that sacma is run from; empty outside a repository."""
    package = Path(__file__).parent.parent
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(package), *arguments]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=30)  # noqa: S603
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # fails where sacma is installed inside another repository
        found = git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty")
        return f"{found}-{_sources(package)}" if found.endswith("-dirty") else found
    except (OSError, subprocess.SubprocessError):
        return ""
