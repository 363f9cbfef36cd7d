"""Ways to run trials, one module each, behind one function type.

A backend takes specs and a number of jobs and yields, in any order, what ``attempt_trial`` returned for each.
"""

from collections.abc import Callable, Generator, Mapping, Sequence

from sacma.experiment.backends.loky import run_with_loky
from sacma.experiment.backends.serial import run_serially
from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import TrialRecord
from sacma.experiment.trial import TrialFailure

Backend = Callable[[Sequence[TrialSpec], int], Generator[TrialRecord | TrialFailure, None, None]]

BACKENDS: Mapping[str, Backend] = {"loky": run_with_loky, "serial": run_serially}
