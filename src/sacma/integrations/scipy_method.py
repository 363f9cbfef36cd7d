"""The optimizer as a method of ``scipy.optimize.minimize``."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sacma.optimize.arguments import checked_function
from sacma.optimize.box import bounds_of, initial_point
from sacma.optimize.constraints import with_arguments
from sacma.optimize.methods import DEFAULT, method_of
from sacma.optimize.minimize import minimize
from sacma.optimize.result import Result

SIGMA_WITHOUT_BOUNDS = 1.0  # σ₀ where no option and no bounds say anything: SciPy's COBYQA begins with this radius


def scipy_method(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    jac: Any = None,  # noqa: ARG001 SciPy's
    hess: Any = None,  # noqa: ARG001 idem
    hessp: Any = None,  # noqa: ARG001 idem
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    maxfev: int | None = None,
    f_target: float | None = None,
    tol: float | None = None,
    disp: bool = False,
    **options: Any,
) -> Result:
    """Minimise an expensive function, as ``method`` of ``scipy.optimize.minimize``.

    >>> from scipy.optimize import minimize
    >>> import sacma
    >>> def fun(x, a):
    ...     return (x[0] - a) ** 2 + (x[1] + 1) ** 2
    >>> options = {"maxfev": 100, "seed": 1}
    >>> found = minimize(fun, [0, 0], args=(2,), method=sacma.scipy_method, bounds=[(-5, 5)] * 2, options=options)
    >>> found.success, found.nfev, bool(found.fun < 1e-3)
    (False, 100, True)
    >>> minimize(fun, [0, 0], args=(2,), method=sacma.scipy_method, tol=1e-6, options={"seed": 1}).success
    True

    Arguments are SciPy's. With ``tol`` it ends as SciPy's own methods do, and ``success`` says that it has; without, it
    restarts until the budget is used up.

    Args:
        fun: from an array of shape (D,) and ``args`` to a number.
        x0: initial point, shape (D,).
        args: further arguments of ``fun``.
        jac: not used, and neither are ``hess`` and ``hessp``.
        hess: not used.
        hessp: not used.
        bounds: a pair a coordinate, or a ``Bounds``; None or an infinite number is no bound.
        constraints: as of ``sacma.minimize``; derivatives in them are not used.
        callback: called whenever the points that the method asked for are evaluated: with the result so far if its only
            parameter is called ``intermediate_result``, else with the best x so far; StopIteration ends the run.
        maxfev: an option: budget of evaluations; None: 250·D.
        f_target: an option: value that ends the run.
        tol: tolerance, after which no restart follows.
        disp: an option: print the message at the end.
        options: others of ``sacma.minimize``: ``sigma0`` (None: a sixth of the widths of finite bounds, else 1),
            ``method``, ``seed``, ``workers`` or ``journal``.

    Returns:
        SciPy's ``OptimizeResult``: see ``sacma.Result``.

    Raises:
        TypeError, ValueError: as ``sacma.minimize``.
    """
    checked_function("fun", fun)
    point = initial_point(x0)
    if options.get("sigma0") is None and not np.all(np.isfinite(bounds_of(bounds, point))):
        options["sigma0"] = SIGMA_WITHOUT_BOUNDS
    method = method_of(options.get("method", DEFAULT), sigma0=1.0, bounded=False)
    if tol is not None and method.strategy is not None:  # others have no restarts
        options.setdefault("restarts", 0)
    if callback is not None:
        callback = _as_scipy_calls(callback)
    chosen: dict[str, Any] = {"budget": maxfev, "target": f_target, "tolerance": tol, **options}
    function = with_arguments(fun, args)
    result = minimize(function, point, bounds=bounds, callback=callback, constraints=constraints, **chosen)
    if disp:
        print(f"{result.message}\n  best value {result.fun:g} of {result.nfev} evaluations")  # noqa: T201 asked for
    return result


def _as_scipy_calls(callback: Callable[..., Any]) -> Callable[[Result], None]:
    """Return a callback of ours that calls one of SciPy's and ignores its return value."""
    checked_function("callback", callback)
    takes_result = set(inspect.signature(callback).parameters) == {"intermediate_result"}

    def call(result: Result) -> None:
        if takes_result:
            callback(intermediate_result=result)
        else:
            callback(result.x)

    return call
