"""The optimizer as a method of ``scipy.optimize.minimize``."""

import inspect
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import OptimizeWarning

from sacma.optimize.arguments import checked_function, refuse
from sacma.optimize.box import bounds_of, initial_point
from sacma.optimize.methods import DEFAULT, method_of
from sacma.optimize.minimize import minimize
from sacma.optimize.result import Result
from sacma.types import Array

SIGMA_WITHOUT_BOUNDS = 1.0  # σ₀ where no option and no bounds say anything: SciPy's COBYQA begins with this radius
_RENAMED = {"maxfev": "budget", "f_target": "target", "tol": "tolerance"}
_NO_OPTIONS = {"fun", "x0", "bounds", "constraints", "callback", "space", *_RENAMED.values()}
OPTIONS = inspect.signature(minimize).parameters.keys() - _NO_OPTIONS | _RENAMED.keys() | {"disp"}


def scipy_method(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
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
        jac: not used, with SciPy's RuntimeWarning.
        hess: not used.
        hessp: not used.
        bounds: a pair a coordinate, or a ``Bounds``; None or an infinite number is no bound.
        constraints: as of ``sacma.minimize``; derivatives in them are not used.
        callback: called whenever the points that the method asked for are evaluated: with the result so far if its only
            parameter is called ``intermediate_result``, else with the best x so far; StopIteration ends the run.
        options: ``maxfev``, the budget of evaluations (250·D); ``f_target``, a target that ends the run; ``sigma0`` (a
            sixth of the widths of finite bounds, else 1); ``disp``, to print the message at the end; and, of
            ``sacma.minimize``, scale, method, population_size, time_limit, seed, known, max_failures, restarts, noisy,
            journal, retry_failed, evaluation_timeout, workers, asynchronous and progress. ``tol`` of SciPy's call is
            the tolerance, after which no restart follows. Others have no effect, with SciPy's OptimizeWarning;
            ``maxiter`` is refused.

    Returns:
        SciPy's ``OptimizeResult``: see ``sacma.Result``.

    Raises:
        TypeError, ValueError: as ``sacma.minimize``.
    """
    checked_function("fun", fun)
    for name, given in {"jac": jac, "hess": hess, "hessp": hessp}.items():
        if given is not None and given is not False:
            warnings.warn(f"Method sacma does not use {name}.", RuntimeWarning, stacklevel=3)
    if "maxiter" in options:
        allowed = "left out: this method has no iterations; maxfev is the number of evaluations"
        refuse("options['maxiter']", options["maxiter"], allowed)
    if unknown := [name for name in options if name not in OPTIONS]:
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}", OptimizeWarning, stacklevel=3)
    chosen = {_RENAMED.get(name, name): value for name, value in options.items() if name in OPTIONS}
    disp = chosen.pop("disp", False)
    point = initial_point(x0)
    lower, upper = bounds_of(bounds, point)
    if np.any(np.clip(point, lower, upper) != point):
        warnings.warn("Initial guess is not within the specified bounds", OptimizeWarning, stacklevel=3)
    if chosen.get("sigma0") is None and not np.all(np.isfinite([lower, upper])):
        chosen["sigma0"] = SIGMA_WITHOUT_BOUNDS
    method = method_of(chosen.get("method", DEFAULT), sigma0=1.0, bounded=False)
    if chosen.get("tolerance") is not None and method.strategy is not None:  # others have no restarts
        chosen.setdefault("restarts", 0)
    result = minimize(
        partial(_with_arguments, fun, args if isinstance(args, tuple) else (args,)),
        np.clip(point, lower, upper),
        bounds=bounds,
        callback=None if callback is None else _as_scipy_calls(callback),
        constraints=constraints,
        **chosen,
    )
    if disp:
        print(f"{result.message}\n  best value {result.fun:g} of {result.nfev} evaluations")  # noqa: T201 asked for
    return result


def _with_arguments(fun: Callable[..., Any], args: tuple[Any, ...], x: Array) -> Any:
    return fun(x, *args)


def _as_scipy_calls(callback: Callable[..., Any]) -> Callable[[Result], None]:
    """Return a callback of ours that calls one of SciPy's; what it returns means nothing."""
    checked_function("callback", callback)
    takes_result = set(inspect.signature(callback).parameters) == {"intermediate_result"}

    def call(result: Result) -> None:
        if takes_result:
            callback(intermediate_result=result)
        else:
            callback(result.x)

    return call
