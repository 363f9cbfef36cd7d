"""Random numbers of a trial: named, independent streams from the study's seed and the trial's place.

The streams of initial points and of noise do not know the algorithm, so that all algorithms of a study start from the
same points, meet the same noise, and comparisons are paired. All else depends on the algorithm's name.
"""

import hashlib

import cocoex
import numpy as np

from sacma.coco.suites import NOISY
from sacma.config.plan import TrialSpec


def stream(spec: TrialSpec, *names: str) -> np.random.Generator:
    """Return the generator of one named stream of a trial."""
    words = [_word(name) for name in (spec.suite, *names)]
    return np.random.default_rng(np.random.SeedSequence([spec.seed, *spec.place, *words]))


def initial_points(spec: TrialSpec) -> np.random.Generator:
    """Return the generator of initial points: the same for all algorithms."""
    return stream(spec, "initial points")


def sampling(spec: TrialSpec) -> np.random.Generator:
    """Return the algorithm's own generator."""
    return stream(spec, "sampling", spec.name)


def _word(name: str) -> int:
    """Return a 64-bit number for a name, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


PLACES = 2**14  # number of places where the noise of a trial may begin: drawing them all takes some 40 ms
MOVER = 103  # a function whose evaluation moves both counters on: its noise is Cauchy's, of normal and uniform numbers


def begin_noise(spec: TrialSpec) -> None:
    """Move COCO's noise to where that of the trial begins, so that it is the same in any process and order.

    COCO draws its noise from two counters of the process: every evaluation of a noisy function moves them on, and every
    new suite sets them back, so none may be made between this and the trial. A number of evaluations of a function that
    is thrown away moves them to the trial's place; without it, all trials would meet the same noise.
    """
    suite = cocoex.Suite(NOISY.name, "instances: 1", f"dimensions: 2 function_indices: {NOISY.index(MOVER)}")
    mover = suite[0]
    for _ in range(int(stream(spec, "noise").integers(PLACES))):
        mover((0.0, 0.0))
    mover.free()
