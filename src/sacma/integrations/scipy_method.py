"""The optimizer as a method of ``scipy.optimize.minimize``."""

import inspect
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import Bounds, OptimizeWarning

from sacma.optimize.arguments import checked_function, number, real_array, refuse, whole
from sacma.optimize.box import initial_point
from sacma.optimize.call import LARGEST_COUNT
from sacma.optimize.methods import method_of
from sacma.optimize.minimize import minimize
from sacma.optimize.result import Result
from sacma.surrogate.whitening import Array

SIGMA_WITHOUT_BOUNDS = 1.0
"""σ₀ where neither an option nor bounds say anything: SciPy's COBYQA begins with this radius."""

OPTIONS = (
    "sigma0",
    "scale",
    "method",
    "population_size",
    "maxfev",
    "f_target",
    "time_limit",
    "seed",
    "known",
    "max_failures",
    "tol",
    "restarts",
    "noisy",
    "journal",
    "retry_failed",
    "evaluation_timeout",
    "workers",
    "asynchronous",
    "progress",
    "disp",
)
_RENAMED = {"maxfev": "budget", "f_target": "target", "tol": "tolerance"}

_STACK = 3  # frames from a warning to the call of SciPy's minimize


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
    _warn_of_unused(jac=jac, hess=hess, hessp=hessp)
    if "maxiter" in options:
        allowed = "left out: this method has no iterations; maxfev is the number of evaluations"
        refuse("options['maxiter']", options["maxiter"], allowed)
    if unknown := [name for name in options if name not in OPTIONS]:
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}", OptimizeWarning, stacklevel=_STACK)
    if options.get("maxfev") is not None:
        whole("maxfev", options["maxfev"], f"an integer ≥ 1, up to {LARGEST_COUNT:g}", least=1, most=LARGEST_COUNT)
    if options.get("f_target") is not None:
        number("f_target", options["f_target"], "a number below infinity", most=sys.float_info.max)
    given = {_RENAMED.get(name, name): options[name] for name in OPTIONS if name in options}
    disp = given.pop("disp", False)
    if given.get("tolerance") is not None and "restarts" not in given and not _calls_f(given.get("method")):
        given["restarts"] = 0
    x, bounded = _within(initial_point(x0), bounds)
    if given.get("sigma0") is None and not bounded:
        given["sigma0"] = SIGMA_WITHOUT_BOUNDS
    result = minimize(
        partial(_with_arguments, fun, args if isinstance(args, tuple) else (args,)),
        x,
        bounds=bounds,
        callback=None if callback is None else _as_scipy_calls(callback),
        constraints=constraints,
        **given,
    )
    if disp:
        print(f"{result.message}\n  best value {result.fun:g} of {result.nfev} evaluations")  # noqa: T201 asked for
    return result


def _calls_f(method: Any) -> bool:
    """Return True for a method that calls f itself, which makes no restarts that could be left out."""
    return method is not None and method_of(method, sigma0=1.0, bounded=False).strategy is None


def _with_arguments(fun: Callable[..., Any], args: tuple[Any, ...], x: Array) -> Any:
    return fun(x, *args)


def _warn_of_unused(**derivatives: Any) -> None:
    """Warn as SciPy warns of what its own methods without derivatives are given."""
    for name, given in derivatives.items():
        if given is not None and given is not False:
            warnings.warn(f"Method sacma does not use {name}.", RuntimeWarning, stacklevel=_STACK + 1)


def _within(x0: Array, bounds: Any) -> tuple[Array, bool]:
    """Return x₀, moved onto the bounds with SciPy's warning where it is outside; and True if all bounds are finite."""
    allowed = f"None, {len(x0)} pairs, one a coordinate, or a scipy.optimize.Bounds"
    if bounds is None:
        return x0, False
    if isinstance(bounds, Bounds):
        lower, upper = (real_array("bounds", side, allowed, missing=True) for side in (bounds.lb, bounds.ub))
    else:
        pairs = real_array("bounds", bounds, allowed, missing=True)
        if pairs.shape != (len(x0), 2):
            refuse("bounds", bounds, allowed)
        lower, upper = pairs.T
    if not {lower.shape, upper.shape} <= {(), (1,), x0.shape}:
        refuse("bounds", bounds, allowed)
    inside = np.fmin(np.fmax(x0, lower), upper)  # no bound is NaN, which these ignore
    if np.any(inside != x0):
        warnings.warn("Initial guess is not within the specified bounds", OptimizeWarning, stacklevel=_STACK + 1)
    return inside, bool(np.all(np.isfinite(lower)) and np.all(np.isfinite(upper)))


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
