"""Calls of ``minimize`` as nobody would write them on purpose, and what becomes of them.

``python -m tests.optimize.generated N`` runs N of them and prints how they ended, and each that broke a rule.
"""

import argparse
import math
import re
import signal
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

import sacma
from sacma.algorithms.baselines import BIPOPSettings, LocalSearchSettings, LQSettings
from sacma.optimize.methods import DEFAULT, composed, named, names
from sacma.optimize.parameters import Parameter
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.criteria import CRITERIA
from sacma.strategy.doubly_trained import SHARES
from sacma.strategy.errors import ERRORS
from sacma.strategy.settings import (
    ACCEPTANCES,
    CONTROLS,
    MODELS,
    PROPOSALS,
    RESTARTS,
    SAMPLINGS,
    STARTS,
    StrategySettings,
)
from sacma.surrogate.training_set import SELECTIONS
from sacma.types import Array
from tests.optimize.simulated import Simulated, without_waiting

Objective = Callable[[Array], Any]
Generator = np.random.Generator

LONGEST = 300
"""Seconds of a call, at most."""


class Broken(Exception):  # noqa: N818 what it says
    """A rule that a call broke."""


def _raises(_: Array) -> float:
    raise RuntimeError("simulation failed")


def _mistaken(x: Array) -> float:
    return dict[float, float]()[x[0]]


def _sometimes(fails: Objective) -> Objective:
    def objective(x: Array) -> Any:
        return fails(x) if math.fsum(np.sin(1e3 * x)) > 0.5 else float(np.sum(x**2))

    return objective


OBJECTIVES: Mapping[str, Objective] = {
    "sphere": lambda x: float(np.sum(x**2)),
    "ellipsoid": lambda x: float(np.sum(10.0 ** (6 * np.arange(len(x)) / max(1, len(x) - 1)) * x**2)),
    "Rastrigin": lambda x: 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)),
    "linear": lambda x: float(np.sum(x)),
    "steep": lambda x: -math.exp(min(700.0, abs(float(x[0])))),
    "constant": lambda _: 3.0,
    "zero": lambda _: 0,
    "steps": lambda x: math.floor(min(1e15, max(-1e15, float(np.sum(x))))),
    "jump": lambda x: float(np.sum(x**2)) + (1e6 if x[0] > 0.1 else 0.0),
    "two levels": lambda x: bool(x[0] > 0),
    "1-element array": lambda x: np.array([np.sum(x**2)]),
    "0-dimensional array": lambda x: np.array(np.sum(x**2)),
    "32-bit": lambda x: np.float32(np.sum(x**2)),
    "NaN": lambda _: math.nan,
    "infinite": lambda _: math.inf,
    "minus infinity": lambda _: -math.inf,
    "None": lambda _: None,
    "text": lambda _: "1.0",
    "vector": lambda x: np.concatenate([x, x]),
    "complex": lambda _: 1 + 2j,
    "huge integer": lambda _: 10**400,
    "masked": lambda _: np.ma.masked,
    "masked array": lambda x: np.ma.array([np.sum(x**2)], mask=True),
    "no time": lambda _: np.timedelta64("NaT", "ns"),
    "raises": _raises,
    "mistaken": _mistaken,
    "sometimes NaN": _sometimes(lambda _: math.nan),
    "sometimes infinite": _sometimes(lambda _: math.inf),
    "sometimes minus infinity": _sometimes(lambda _: -math.inf),
    "sometimes raises": _sometimes(_raises),
    "sometimes mistaken": _sometimes(_mistaken),
    "sometimes masked": _sometimes(lambda _: np.ma.masked),
    "huge": lambda x: 1e308 * math.tanh(float(x[0])),
    "tiny": lambda x: 1e-310 * float(np.sum(np.tanh(x) ** 2)),
    "changes its argument": lambda x: float(np.sum(x.__imul__(2.0))),
    "noise": lambda x: float(np.random.default_rng(abs(hash(x.tobytes()))).normal()),
}

MISTAKEN = ("mistaken", "sometimes mistaken", "text", "vector", "complex")
"""Objectives whose first three evaluations may show a mistake in them."""

WRONG: Mapping[str, tuple[Any, ...]] = {
    "x0": (
        [],
        [[1.0, 2.0]],
        "x",
        [math.nan],
        [math.inf, 0.0],
        [1e200],
        [True],
        [None],
        [1j],
        {},
        ["1"],
        object(),
        np.ma.array([1.0], mask=True),
        [np.ma.masked],
        "x" * 10**6,
    ),
    "sigma0": (0, 5e-324, -1, math.nan, math.inf, "1", [1.0], 1e11, True, 1j, 10**400, np.ma.masked),
    "bounds": (
        [(1, 0)] * 3,
        (0, 0),
        "ab",
        [(0, 1, 2)],
        [1.0],
        5,
        (math.nan, 1),
        (math.inf, None),
        (None, -math.inf),
        {"a": 1},
        (10, 11),
        [("a", "b")],
        [(0, 1), (0,)],
        [[0.0] * 50, [1.0] * 50],
        (np.ma.masked, 1),
        np.ma.array([0.0, 1.0], mask=[False, True]),
        Bounds([1, 2, 3, 4, 5, 6, 7], 8),
    ),
    "scale": (0, -1, "a", [1.0, math.nan], math.inf, [], 1e200, [[1.0]], 1j),
    "method": ("x" * 10**6, "ADA", "ada-kendal", 3, "", None, StrategySettings, CMAESSampling(), ["gp1"], b"gp1"),
    "population_size": (3, 0, -1, 4.5, "8", 10**6, math.nan, True, math.inf),
    "budget": (0, -3, 1.5, "10", math.nan, math.inf, True, [5], 10**5000),
    "target": (math.nan, "0", [1.0], 1j, True, math.inf, 10**400),
    "time_limit": (0, -1, math.nan, "1", True),
    "seed": (-1, 1.5, "1", math.nan, np.random.default_rng(0), [1], 2**128, 10**5000),
    "known": (
        1,
        "ab",
        ([[1.0]],),
        ([[1.0] * 50], [1.0]),
        ([[1.0]], [1.0, 2.0]),
        ("a", "b"),
        ([[math.nan]], [0.0]),
        (np.ma.array([[0.0]], mask=True), [0.0]),
        {},
    ),
    "max_failures": (0, -1, 1.5, "1", math.nan, True),
    "noisy": (1, 0, None, "True", [True], np.True_, math.nan),
    "constraints": (
        -1,
        1.5,
        True,
        10**6,
        math.nan,
        "2",
        [3],
        {},
        {"type": "ineq"},
        {"type": "no", "fun": np.sum},
        {"type": "ineq", "fun": "f"},
        {"type": "ineq", "fun": _raises},
        {"type": "ineq", "fun": lambda _: "a"},
        NonlinearConstraint(np.sum, 1.0, 0.0),
        NonlinearConstraint(np.sum, math.nan, 0.0),
        NonlinearConstraint(np.sum, -1.0, 1.0, keep_feasible=True),
        LinearConstraint(np.ones((2, 99)), 0.0, 1.0),
        object(),
    ),
    "journal": (3, "", "no/such/folder/j", b"x", "a\0b", ".", "/dev/null", "/dev/full", "/dev/zero"),
    "workers": (0, -2, 1.5, "2", True, [2]),
    "callback": (3, "f", [print]),
    "fun": (None, 3, "f"),
}
"""Values that an argument does not take."""

WRONG_IN_SPACES: Mapping[str, tuple[Any, ...]] = {
    "space": (5, "a", {}, {"a": (0, 1)}, [("a", sacma.Real(0, 1))], sacma.Real(0, 1), sacma.Space, b"x" * 10**6),
    "x0": ({"no": 1}, {0: 1}, {"p0": object()}, {"p0": 1e300}, {"p0": math.nan}, {"p0": [1]}, [0.5] * 99, "p0"),
    "bounds": ((0, 1), [(0, 1)], Bounds(0, 1), "ab"),
    "scale": (1.0, [1.0], "a"),
    "known": (([{}], [1.0]), ([{"p0": 1e300}], [1.0]), ([{"no": 1}], [0]), ([3, {}], [0, 1]), 5, ([[0.5] * 99], [1])),
    **{
        key: WRONG[key] for key in ("sigma0", "method", "population_size", "budget", "target", "seed", "journal", "fun")
    },
}
"""Values that an argument does not take beside a space."""


@dataclass(frozen=True)
class GeneratedCall:
    """Arguments of ``minimize``.

    Args:
        objective: name of the function.
        arguments: all others.
        wrong: name of the argument that is wrong; empty: none.
    """

    objective: str
    arguments: dict[str, Any]
    wrong: str = ""


def _one_bound(rng: Generator) -> float:
    return (
        float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-12, 12)) if rng.integers(3) else float(rng.integers(-9, 9))
    )


def _box(rng: Generator, D: int) -> tuple[Array, Array]:
    """Draw bounds: finite, open at one side or both, wide, a few floats apart, or far from 0."""
    lower, upper = np.full(D, -np.inf), np.full(D, np.inf)
    for i in range(D):
        first = _one_bound(rng)
        width = abs(_one_bound(rng)) if rng.integers(4) else 10.0 ** rng.uniform(-15, 100)
        second = max(first + width, np.nextafter(first, np.inf))
        kind = rng.integers(5)
        if kind != 0:
            lower[i] = first
        if kind != 1:
            upper[i] = second if kind != 2 else np.nextafter(first, np.inf)
        if kind == 3:
            lower[i] = upper[i] = math.nan
    lower, upper = np.where(np.isnan(lower), -np.inf, lower), np.where(np.isnan(upper), np.inf, upper)
    return lower, upper


def _inside(rng: Generator, lower: Array, upper: Array) -> Array:
    """Draw x₀ within the bounds, some of its coordinates on them."""
    share = rng.uniform(size=len(lower))
    with np.errstate(invalid="ignore", over="ignore"):
        between = np.clip(lower + share * (upper - lower), lower, upper)
    x = np.where(np.isfinite(between), between, np.clip(3 * rng.standard_normal(len(lower)), lower, upper))
    at_lower, at_upper = (rng.integers(4, size=(2, len(lower))) == 0) & np.isfinite([lower, upper])
    return np.where(at_lower, lower, np.where(at_upper, upper, x))


def _bounds_argument(rng: Generator, lower: Array, upper: Array) -> Any:
    match rng.integers(3):
        case 0:
            return Bounds(lower, upper)
        case 1:
            return np.column_stack([lower, upper])
        case _:
            open_ = [[None if not math.isfinite(b) else b for b in side] for side in (lower, upper)]
            return list(zip(*open_, strict=True))


def _part(rng: Generator, kinds: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
    """Draw a kind, with those of the settings that it has."""
    name = str(rng.choice(list(kinds)))
    return {"name": name, **{key: value for key, value in settings.items() if key in kinds[name].model_fields}}


def _strategy(rng: Generator) -> Any:
    """Draw a shipped strategy, or one of parts that go together or not."""
    if rng.integers(4):
        return str(rng.choice([name for name in composed() if "forest" not in name]))  # a small one is drawn below
    sampling = _part(
        rng, SAMPLINGS, bounds=str(rng.choice(["none", "penalty", "transform"])), active=bool(rng.integers(2))
    )
    after = str(rng.choice(["start_over", "stop"]))
    restarts = _part(rng, RESTARTS, max_restarts=int(rng.integers(3)), after_last_restart=after)
    content: dict[str, Any] = {"sampling": sampling, "restarts": restarts}
    if rng.integers(2):
        content["start"] = _part(rng, STARTS, evaluations_factor=float(rng.uniform(0.1, 12.0)))
    if rng.integers(2):
        controls = {name: control for name, control in CONTROLS.items() if name != "none"}
        content |= {
            "model": _part(rng, MODELS, trees=5),
            "training_set": {"radius": float(10.0 ** rng.uniform(-1, 4)), "selection": _part(rng, SELECTIONS)},
            "acceptance": _part(rng, ACCEPTANCES),
            "control": _part(
                rng,
                controls,
                model_generations=int(rng.integers(8)),
                error=_part(rng, ERRORS),
                share=_part(rng, SHARES, value=float(rng.uniform(0.01, 1.0))),
                criterion=_part(rng, CRITERIA),
                raises_predictions=bool(rng.integers(2)),
            ),
            "proposals": _part(rng, PROPOSALS),
        }
    return StrategySettings.model_validate(content)


def _search(rng: Generator, *, boxed: bool) -> tuple[Any, bool]:
    """Draw a method that calls f itself, and True if it has populations."""
    if rng.integers(3):
        others = [name for name in names() if named(name).strategy is None and (boxed or name != "random-search")]
        name = str(rng.choice(others))
        return name, "cma-es" in name
    growth, restarts = float(rng.uniform(1.0, 3.0)), int(rng.integers(3))
    match rng.integers(3):
        case 0:
            return LQSettings(inject=bool(rng.integers(2)), population_factor=growth, max_restarts=restarts), True
        case 1:
            return BIPOPSettings(active=bool(rng.integers(2)), max_restarts=restarts), True
        case _:
            methods = get_args(LocalSearchSettings.model_fields["method"].annotation)
            method, tolerance = str(rng.choice(methods)), float(10.0 ** rng.uniform(-14, 0))
            return LocalSearchSettings.model_validate({"method": method, "tolerance": tolerance}), False


def _has_populations(method: Any) -> bool:
    """Whether it is a strategy composed of parts, which several workers can evaluate."""
    return isinstance(method, StrategySettings) or method in composed()


def _noisy(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Make one of three calls a noisy one, where that is allowed; simulated workers take no rounds."""
    strategy = _has_populations(arguments.get("method", DEFAULT))
    allowed = strategy and arguments["budget"] >= 10 and not {"target", "workers"} & arguments.keys()
    return {"noisy": True} if allowed and arguments["seed"] % 3 == 0 else {}


def _numbers(x: Array, number: int) -> Any:
    """Return numbers g: mostly negative, now and then none, or not finite."""
    with np.errstate(all="ignore"):
        phase = float(np.sum(np.sin(x * 10.0 ** np.arange(-3, len(x) - 3))))
    g = np.sin(phase * np.arange(1, number + 1)) - 0.3
    return g if phase < 0.9 else [None] * number if phase < 0.95 else g * math.nan


def _constrained(arguments: Mapping[str, Any], rng: Generator) -> dict[str, Any]:
    """Give one of four calls constraints, where that is allowed: in one of SciPy's forms, or as a number."""
    allowed = _has_populations(arguments["method"]) and "known" not in arguments
    if not allowed or rng.integers(4):
        return {}
    D = 0 if arguments.get("space") is not None else len(np.atleast_1d(arguments["x0"]))
    match rng.integers(4):
        case 0:
            return {"constraints": int(rng.integers(5))}
        case 1:
            kind = "ineq" if "noisy" in arguments else str(rng.choice(["ineq", "eq"]))
            return {"constraints": {"type": kind, "fun": _one_number, "args": float(rng.normal())}}
        case 2 if D:
            A = rng.normal(size=(int(rng.integers(1, 4)), D)) * 10.0 ** rng.uniform(-3, 3)
            return {"constraints": [LinearConstraint(A, -np.inf, 1.0), NonlinearConstraint(_one_number, -1.0, 0.0)]}
        case _:
            bounds = np.sort(rng.normal(size=2))
            return {"constraints": NonlinearConstraint(_one_number, *bounds)}


def _one_number(given: Any, shift: float = 0.0) -> float:
    """Return a number c of a point, or of parameters."""
    if isinstance(given, Mapping):
        return len(repr(given)) % 7 - 3.0 + shift
    return math.tanh(float(given[0])) + shift


def _leave_out_first_guess(arguments: dict[str, Any], lower: Array, upper: Array, rng: Generator) -> None:
    """Take x₀ out of a call, whose D is then of its bounds, and σ₀ out of half of them."""
    arguments |= {"x0": None, "bounds": np.column_stack([lower, upper])}
    if rng.integers(2):
        del arguments["sigma0"]


def generated(rng: Generator) -> GeneratedCall:
    """Draw a call; one of four has a wrong argument."""
    D = int(rng.integers(1, 41)) if rng.integers(3) == 0 else int(rng.integers(1, 7))
    lower, upper = _box(rng, D) if rng.integers(4) else (np.full(D, -np.inf), np.full(D, np.inf))
    sigma0 = float(rng.choice([1.0, 0.3, 10.0 ** rng.uniform(-100, -5), 10.0 ** rng.uniform(-5, 10), 1e10, 1e-100]))
    arguments: dict[str, Any] = {
        "x0": _inside(rng, lower, upper),
        "sigma0": sigma0,
        "method": _strategy(rng),
        "budget": int(rng.integers(1, 30)) if rng.integers(2) else int(rng.integers(30, 60 + 12 * D)),
        "seed": int(rng.integers(2**40)),
        "max_failures": None if rng.integers(2) else int(rng.integers(1, 30)),
    }
    if rng.integers(5):
        arguments["bounds"] = _bounds_argument(rng, lower, upper)
    if not rng.integers(3):
        arguments["scale"] = 10.0 ** rng.uniform(-8, 8, D) if rng.integers(2) else 10.0 ** rng.uniform(-90, 90)
    if not rng.integers(3):
        arguments["target"] = float(rng.choice([0.0, 1.0, -1e300, 1e300, -math.inf, 1e-8]))
    if not rng.integers(5):
        arguments["population_size"] = int(rng.integers(4, 30))
    if not rng.integers(5):
        n = int(rng.integers(1, 6 * D))
        X = np.array([_inside(rng, lower, upper) for _ in range(n)])
        arguments["known"] = (X, rng.choice([1.0, math.nan, math.inf, -math.inf, 1e300], n) * rng.uniform(0.1, 1, n))
    if not rng.integers(3):
        boxed = "bounds" in arguments and bool(np.all(np.isfinite([lower, upper])))
        arguments["method"], has_populations = _search(rng, boxed=boxed)
        if not has_populations:
            arguments.pop("population_size", None)
    drawn = np.random.default_rng(arguments["seed"])
    if _has_populations(arguments["method"]) and drawn.integers(2):
        arguments["workers"] = _simulated(int(drawn.integers(1, 12)), arguments["seed"])
    arguments |= _noisy(arguments)
    arguments |= _constrained(arguments, np.random.default_rng([arguments["seed"], 1]))
    if "bounds" in arguments and np.all(np.isfinite([lower, upper])) and not drawn.integers(4):
        _leave_out_first_guess(arguments, lower, upper, drawn)
    return _call(rng, arguments, WRONG)


def _simulated(workers: int, seed: int) -> Simulated:
    """Return workers with which, in a third of calls, some of the first evaluations end last."""
    rng = np.random.default_rng([seed, 2])
    long = rng.integers(1, 20, int(rng.integers(1, 4))).tolist() if not rng.integers(3) else []
    return Simulated(workers, seed=seed, long=long)


def _parameter(rng: Generator) -> Parameter:
    """Draw a parameter: narrow or wide, near 0 or far from it."""
    low = _one_bound(rng)
    width = 10.0 ** rng.uniform(-9, 9) * max(1.0, abs(low))
    count = int(10 ** rng.uniform(0, 12))
    match rng.integers(6):
        case 0:
            return sacma.Real(low, low + width)
        case 1:
            return sacma.Real(abs(low) + 1e-300, (abs(low) + 1e-300) * 10.0 ** rng.uniform(1e-6, 200), log=True)
        case 2:
            return sacma.Real(low, low + width, step=width * rng.uniform(1e-6, 1))
        case 3:
            return sacma.Integer(int(rng.integers(-1000, 1000)), 1000 + count, step=int(rng.integers(1, 4)))
        case 4:
            return sacma.Integer(int(rng.integers(1, 1000)), 1000 + count, log=True)
        case _:
            return sacma.Categorical(["a", "b", None, True, 1, 1.5, ""][: rng.integers(2, 8)])


def generated_in_space(rng: Generator) -> GeneratedCall:
    """Draw a call in a space of named parameters; one of four has a wrong argument."""
    space = sacma.Space({f"p{i}": _parameter(rng) for i in range(int(rng.integers(1, 9)))})
    arguments: dict[str, Any] = {
        "x0": None,
        "space": space,
        "method": _strategy(rng),
        "budget": int(rng.integers(1, 30)) if rng.integers(2) else int(rng.integers(30, 90)),
        "seed": int(rng.integers(2**40)),
        "max_failures": None if rng.integers(2) else int(rng.integers(1, 30)),
    }
    some = space.params(rng.uniform(size=space.dimension))
    if rng.integers(2):
        arguments["x0"] = {name: value for name, value in some.items() if rng.integers(2)}
    if rng.integers(2):
        arguments["sigma0"] = float(10.0 ** rng.uniform(-12, 3))
    if not rng.integers(3):
        X = [space.params(x) for x in rng.uniform(size=(int(rng.integers(1, 20)), space.dimension))]
        arguments["known"] = X, rng.choice([1.0, math.nan, math.inf], len(X)) * rng.uniform(0.1, 1, len(X))
    if not rng.integers(4):
        arguments["workers"] = _simulated(int(rng.integers(1, 12)), arguments["seed"])
    if not rng.integers(4):
        arguments["target"] = float(rng.choice([0.0, 1.0, -1e300]))
    arguments |= _noisy(arguments)
    arguments |= _constrained(arguments, np.random.default_rng([arguments["seed"], 1]))
    return _call(rng, arguments, WRONG_IN_SPACES)


def _call(rng: Generator, arguments: dict[str, Any], wrong_values: Mapping[str, tuple[Any, ...]]) -> GeneratedCall:
    """Draw the objective of a call and, one time in four, a wrong value in place of one of its arguments."""
    objective = str(rng.choice(list(OBJECTIVES)))
    if rng.integers(4):
        return GeneratedCall(objective, arguments)
    wrong = str(rng.choice(list(wrong_values)))
    values = wrong_values[wrong]
    return GeneratedCall(objective, {**arguments, wrong: values[rng.integers(len(values))]}, wrong)


def ending(call: GeneratedCall) -> str:
    """Run a call and return how it ended.

    Raises:
        Broken: it broke a rule.
        Exception: what should not have come out of it.
    """
    objective = OBJECTIVES[call.objective]
    seen: list[Any] = []

    space = call.arguments.get("space")
    constraints = call.arguments.get("constraints")
    number = constraints if type(constraints) is int else 0

    def fun(given: Any) -> Any:
        x = space.point(given) if isinstance(space, sacma.Space) else given
        seen.append(x.copy() if x is given else given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the objective itself
            return (objective(x), _numbers(np.asarray(x), number)) if number else objective(x)

    arguments = {"fun": fun, **call.arguments}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "sigma0|values differ")  # of steps and noise
            result = sacma.minimize(**arguments)
    except (KeyError, ValueError, TypeError) as error:
        if len(seen) == 3 and call.objective in MISTAKEN and call.arguments["max_failures"] is not None:
            return f"raised: {type(error).__name__}"
        if isinstance(error, KeyError):
            raise
        return _refusal(call, error)
    if call.wrong and not _may_be_right(call):
        raise Broken(f"{call.wrong} was taken: {call.arguments.get(call.wrong)!r}")
    _check(call, np.array(seen), result)
    return str(result.status.name)


def _may_be_right(call: GeneratedCall) -> bool:
    """Whether the value of the wrong argument suits this very call: its dimension, or its x₀."""
    return call.wrong in {"x0", "bounds", "scale", "known"} and call.arguments[call.wrong] is not None


def _refusal(call: GeneratedCall, error: Exception) -> str:
    message = str(error)
    if "allowed:" not in message or " is " not in message or not message.isprintable() or len(message) > 500:
        raise Broken(f"not a message for people: {message}") from error
    if not call.wrong:
        # Boxes that are too narrow, and coordinates that are too large, in units of the scale.
        if "of the scale" in message or "of its scale" in message:
            return "refused: too narrow or too far"
        raise Broken(f"refused: {message}") from error
    named = re.split(r"\[| is ", message, maxsplit=1)[0]
    if named not in {call.wrong, "x0", "bounds", "known", "scale", "a key of x0", "a key of known"}:
        raise Broken(f"{call.wrong} is wrong, but the message is: {message}") from error
    return f"refused: {call.wrong}"


def _check(call: GeneratedCall, seen: Array, result: Any) -> None:
    given = call.arguments
    if "constraint_violation" in result:
        _check_constraints(result)
    if len(seen) > given["budget"] or len(seen) != result.nfev:
        raise Broken(f"{len(seen)} evaluations, nfev {result.nfev}, budget {given['budget']}")
    if isinstance(given.get("space"), sacma.Space):
        _check_in_space(given["space"], seen, result)
        return
    x0 = np.atleast_1d(np.asarray(given["bounds"][:, 0] if given["x0"] is None else given["x0"], dtype=float))
    lower, upper = np.full(len(x0), -np.inf), np.full(len(x0), np.inf)
    bounds = given.get("bounds")
    if isinstance(bounds, Bounds):
        lower, upper = np.asarray(bounds.lb), np.asarray(bounds.ub)
    elif bounds is not None:
        pairs = np.array(bounds, dtype=float).reshape(-1, 2)
        lower, upper = np.where(np.isnan(pairs), [-np.inf, np.inf], pairs).T
    for x in (*seen, result.x):
        if x.shape != x0.shape or not np.all(np.isfinite(x)):
            raise Broken(f"evaluated at {x}")
        if np.any(x < lower) or np.any(x > upper):
            raise Broken(f"{x} is outside of {lower}, {upper}")
    if np.isnan(result.fun) or len(result.history.values) != result.nfev:
        raise Broken(f"the value is {result.fun}")


def _check_constraints(result: Any) -> None:
    """Raise Broken where the result is not the best of the points that violate constraints least."""
    if len(result.history.constraints) != result.nfev:
        raise Broken(f"{len(result.history.constraints)} constraints of {result.nfev} evaluations")
    if result.success and result.constraint_violation > 0.0:
        raise Broken(f"success, but the violation is {result.constraint_violation}")


def _check_in_space(space: sacma.Space, seen: Array, result: Any) -> None:
    if space.key(result.params) is None or np.isnan(result.fun) or len(result.history.params) != result.nfev:
        raise Broken(f"the result is {result.params}, of value {result.fun}")
    if sorted(map(repr, seen)) != sorted(map(repr, result.history.params)):
        raise Broken("evaluated elsewhere than the history says")


@contextmanager
def ended_in_time() -> Iterator[None]:
    """Raise Broken in a call that does not end: none takes more than seconds."""

    def hangs(*_: object) -> None:
        raise Broken(f"no end after {LONGEST} s")

    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def endings(count: int, seed: int, *, tell: Callable[[str], None] = print) -> Counter[str]:
    """Run ``count`` generated calls and return how often they ended how; tell of each that broke a rule."""
    counts = Counter[str]()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        call = generated_in_space(rng) if number % 4 == 3 else generated(rng)  # a quarter of them
        try:
            with without_waiting(), ended_in_time():
                counts[ending(call)] += 1
        except Exception as error:  # noqa: BLE001 that is what is looked for
            counts["BROKEN"] += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            tell(
                f"call {number}: {type(error).__name__}: {error} ({where.filename}:{where.lineno}), of {call.objective}"
            )
    return counts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=20170922)
    options = parser.parse_args()
    counts = endings(options.count, options.seed)
    for kind, number in sorted(counts.items()):
        print(f"{kind:40} {number:6}")
    print(f"{'all':40} {counts.total():6}")


if __name__ == "__main__":
    main()
