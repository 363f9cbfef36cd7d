"""Random numbers of a trial: named, independent streams from the study's seed and the trial's place.

The streams of initial points and of noise do not know the algorithm, so that all algorithms of a study start from the
same points, meet the same noise, and comparisons are paired. All else depends on the algorithm's name.
"""

import hashlib

import numpy as np

from sacma.config.plan import TrialSpec


def stream(spec: TrialSpec, *names: str) -> np.random.Generator:
    """Return the generator of one named stream of a trial."""
    words = [_word(name) for name in (spec.suite, *names)]
    return np.random.default_rng(np.random.SeedSequence([spec.seed, *spec.place, *words]))


def initial_points(spec: TrialSpec) -> np.random.Generator:
    """Return the generator of initial points: the same for all algorithms."""
    return stream(spec, "initial points")


def noise(spec: TrialSpec) -> np.random.Generator:
    """Return the generator of the place where a trial's noise begins: the same for all algorithms."""
    return stream(spec, "noise")


def sampling(spec: TrialSpec) -> np.random.Generator:
    """Return the algorithm's own generator."""
    return stream(spec, "sampling", spec.name)


def _word(name: str) -> int:
    """Return a 64-bit number for a name, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
