"""The noise of a trial: COCO's own, begun where the trial says, so that it is the same in any process and order.

COCO draws its noise from two counters of the process: every evaluation of a noisy function moves them on, and every
new suite sets them back. A trial has a suite of its own, so without more all trials would meet the same noise. A number
of evaluations made before the trial, of a function that is thrown away, moves the counters to a place of its own.
"""

import cocoex

from sacma.coco.suites import NOISY
from sacma.config.plan import TrialSpec
from sacma.experiment.seeding import noise

PLACES = 2**14
"""Number of places where the noise of a trial may begin: drawing them all takes some 40 ms."""

MOVER = 103
"""A function whose evaluation moves both counters on: its noise is Cauchy's, of normal and uniform numbers."""


def begin_noise(spec: TrialSpec) -> None:
    """Move COCO's noise to where that of the trial begins, which is the same for all algorithms.

    No suite may be made between this and the trial.
    """
    suite = cocoex.Suite(NOISY.name, "instances: 1", f"dimensions: 2 function_indices: {NOISY.index(MOVER)}")
    mover = suite[0]
    for _ in range(int(noise(spec).integers(PLACES))):
        mover((0.0, 0.0))
    mover.free()
