"""The result of a run, from what the run knows."""

import math
from collections.abc import Sequence

from sacma.optimize.best import Best
from sacma.optimize.call import Call
from sacma.optimize.evaluation import Known
from sacma.optimize.message import message_of
from sacma.optimize.noise import Recommended
from sacma.optimize.result import Result, Status, history_of
from sacma.strategy.generation import EvaluatedBy, Generation


def result_of(
    call: Call,
    status: Status,
    *,
    best: Best,
    recommended: Recommended,
    evaluated: Known,
    generations: Sequence[Generation],
    last_failure: str,
) -> Result:
    """Return the result of a run of ``call``.

    Args:
        call: the run's.
        status: of the run.
        best: best evaluation.
        recommended: point and value that the result has.
        evaluated: all evaluations.
        generations: all generations.
        last_failure: the reason of the last one; "" where there is none.
    """
    found = best.found and math.isfinite(recommended.value)
    no_target = call.limits.target == -math.inf
    history = history_of(evaluated, len(call.x0), generations, call.space, call.equalities)
    message = message_of(call, status, best, len(history.failures), last_failure)
    return Result(
        **({} if call.space is None else {"params": call.space.params(recommended.point)}),
        **({"constraint_violation": best.violation} if call.equalities else {}),
        x=recommended.point.copy(),
        fun=recommended.value,
        fun_error=recommended.error,
        nfev=len(evaluated),
        nit=len(generations),
        success=found and (status == Status.TARGET or (no_target and status.by_choice)),
        status=status,
        message=message + (f"; {recommended.what}" if recommended.what else ""),
        seed=call.seed,
        restarts=generations[-1].restart if generations else 0,
        model_generations=sum(g.evaluated_by == EvaluatedBy.MODEL for g in generations),
        failures=len(history.failures),
        history=history,
    )
