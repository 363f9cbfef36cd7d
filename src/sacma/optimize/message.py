"""Why a run ended, in words."""

import math

import numpy as np

from sacma.optimize.best import Best
from sacma.optimize.call import Call
from sacma.optimize.result import Status


def message_of(call: Call, status: Status, best: Best, failures: int, last_failure: str) -> str:
    """Return why a run of ``call`` ended, and what its result is where that is not plain.

    Args:
        call: the run's.
        status: of the run.
        best: what was found.
        failures: number of failed evaluations.
        last_failure: the reason of the last one; "" where there is none.
    """
    limits = call.limits
    messages = {
        Status.GOING_ON: "the run has not ended yet: this is the best so far",
        Status.TARGET: f"the target, {limits.target:g}, is reached",
        Status.BUDGET: f"the budget of {limits.budget} evaluation{'' if limits.budget == 1 else 's'} is used up",
        Status.TIME_LIMIT: f"the time limit of {limits.time_limit:g} s is over",
        Status.CALLBACK: "the callback ended the run",
        Status.RESTARTS: "the last restart that the settings allow has ended"
        if call.method.strategy is not None
        else "the method has ended",
        Status.FAILURES: "an evaluation failed"
        if limits.max_failures == 1
        else f"{limits.max_failures} evaluations failed in a row",
        Status.INTERRUPTED: "interrupted",
        Status.SPACE_USED_UP: f"all {call.combinations:.0f} combinations of the space are evaluated",
        Status.NO_NEW_POINT: _why_no_new_point(call),
    }
    message = messages[status]
    only_failures = failures and not math.isfinite(best.value)
    if last_failure and (status == Status.FAILURES or only_failures):
        message += f"; the last failure: {last_failure}"
    if best.violation > 0.0 and math.isfinite(best.value):
        message += f"; no point kept all constraints: that of the smallest violation, {best.violation:g}, is given"
    if not best.number and not call.noisy:
        message += "; nothing better than the given archive was found"
    return message


def _why_no_new_point(call: Call) -> str:
    """Return why a run has ended that finds no further point: it may be that steps are too small for floats."""
    steps, resolution = call.sigma0 * call.box.scale, np.spacing(np.abs(call.x0))
    worst = int(np.argmax(resolution / steps))
    if not resolution[worst] > steps[worst]:
        return "the method asks for no point that is not evaluated yet, wherever it restarts"
    return (
        f"no new point can be made: a step of sigma0 is {steps[worst]:g} in coordinate {worst}, where floats are "
        f"{resolution[worst]:g} apart at x0; give a larger sigma0 or scale, or subtract x0 from the coordinates"
    )
