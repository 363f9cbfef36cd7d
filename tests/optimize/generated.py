"""Calls of ``minimize`` as nobody would write them on purpose, and what becomes of them."""

import math
import re
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

import sacma
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
    "steep": lambda x: -math.exp(min(700.0, abs(float(x[0])))),
    "constant": lambda _: 3,
    "steps": lambda x: math.floor(min(1e15, max(-1e15, float(np.sum(x))))),
    "jump": lambda x: float(np.sum(x**2)) + (1e6 if x[0] > 0.1 else 0.0),
    "two levels": lambda x: bool(x[0] > 0),
    "1-element array": lambda x: np.array([np.sum(x**2)]),
    "NaN": lambda _: math.nan,
    "None": lambda _: None,
    "text": lambda _: "1.0",
    "vector": lambda x: np.concatenate([x, x]),
    "huge integer": lambda _: 10**400,
    "masked": lambda _: np.ma.masked,
    "raises": _raises,
    "mistaken": _mistaken,
    "sometimes NaN": _sometimes(lambda _: math.nan),
    "sometimes minus infinity": _sometimes(lambda _: -math.inf),
    "sometimes raises": _sometimes(_raises),
    "sometimes mistaken": _sometimes(_mistaken),
    "huge": lambda x: 1e308 * math.tanh(float(x[0])),
    "tiny": lambda x: 1e-310 * float(np.sum(np.tanh(x) ** 2)),
    "changes its argument": lambda x: float(np.sum(x.__imul__(2.0))),
    "noise": lambda x: float(np.random.default_rng(abs(hash(x.tobytes()))).normal()),
}

# Objectives whose first three evaluations may show a mistake in them.
MISTAKEN = ("mistaken", "sometimes mistaken", "text", "vector")

# Values that an argument does not take.
WRONG: Mapping[str, tuple[Any, ...]] = {
    "x0": ([], [[1.0, 2.0]], "x" * 10**6, [math.nan], [1e200], [True], [1j], {}, ["1"], object(), [np.ma.masked]),
    "sigma0": (0, 5e-324, -1, math.nan, math.inf, "1", [1.0], 1e11, True, 1j, 10**400, np.ma.masked),
    "bounds": ([(1, 0)] * 3, "ab", [(0, 1, 2)], 5, (math.nan, 1), (math.inf, None), {"a": 1}, [(0, 1), (0,)], (10, 11)),
    "scale": (0, -1, "a", [1.0, math.nan], math.inf, [], 1e200, [[1.0]], 1j),
    "method": ("x" * 10**6, "ada-kendal", 3, "", None, StrategySettings, CMAESSampling(), ["gp1"], b"gp1"),
    "population_size": (3, 0, -1, 4.5, "8", 10**6, math.nan, True, math.inf),
    "budget": (0, -3, 1.5, "10", math.nan, math.inf, True, [5], 10**5000),
    "target": (math.nan, "0", [1.0], 1j, True, math.inf, 10**400),
    "time_limit": (0, -1, math.nan, "1", True),
    "seed": (-1, 1.5, "1", math.nan, np.random.default_rng(0), [1], 2**128, 10**5000),
    "known": (1, "ab", ([[1.0]],), ([[1.0] * 50], [1.0]), ([[1.0]], [1.0, 2.0]), ([[math.nan]], [0.0]), {}),
    "max_failures": (0, -1, 1.5, "1", math.nan, True),
    "noisy": (1, 0, None, "True", [True], np.True_, math.nan),
    "constraints": (-1, 1.5, True, 10**6, "2", [3], {"type": "ineq"}, NonlinearConstraint(np.sum, 1.0, 0.0), object()),
    "journal": (3, "", "no/such/folder/j", b"x", "a\0b", ".", "/dev/null", "/dev/full", "/dev/zero"),
    "workers": (0, -2, 1.5, "2", True, [2]),
    "callback": (3, "f", [print]),
    "fun": (None, 3, "f"),
}

# Values that an argument does not take beside a space.
WRONG_IN_SPACES: Mapping[str, tuple[Any, ...]] = {
    "space": (5, {"a": (0, 1)}, [("a", sacma.Real(0, 1))], sacma.Real(0, 1), sacma.Space, b"x" * 10**6),
    "x0": ({"no": 1}, {0: 1}, {"p0": object()}, {"p0": 1e300}, {"p0": math.nan}, [0.5] * 99, "p0"),
    "bounds": ((0, 1), [(0, 1)], Bounds(0, 1), "ab"),
    "scale": (1.0, [1.0], "a"),
    "known": (([{}], [1.0]), ([{"p0": 1e300}], [1.0]), ([3, {}], [0, 1]), 5, ([[0.5] * 99], [1])),
    **{key: WRONG[key] for key in ("sigma0", "method", "budget", "target", "seed", "journal", "fun")},
}


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
    return float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-12, 12) if rng.integers(3) else rng.integers(-9, 9))


def _box(rng: Generator, D: int) -> tuple[Array, Array]:
    """Draw bounds: finite, open at one side or both, wide, a few floats apart, or far from 0."""
    lower, upper = np.full(D, -np.inf), np.full(D, np.inf)
    for i in range(D):
        first = _one_bound(rng)
        width = abs(_one_bound(rng)) if rng.integers(4) else 10.0 ** rng.uniform(-15, 100)
        nearest = np.nextafter(first, np.inf)
        match rng.integers(5):
            case 0:
                upper[i] = first
            case 1:
                lower[i] = first
            case 2:
                lower[i], upper[i] = first, nearest
            case 3:
                lower[i], upper[i] = first, max(first + width, nearest)
    return lower, upper


def _inside(rng: Generator, lower: Array, upper: Array) -> Array:
    """Draw x₀ within the bounds, some of its coordinates on them."""
    share = rng.uniform(size=len(lower))
    with np.errstate(invalid="ignore", over="ignore"):
        between = np.clip(lower + share * (upper - lower), lower, upper)
    x = np.where(np.isfinite(between), between, np.clip(3 * rng.standard_normal(len(lower)), lower, upper))
    at_lower, at_upper = (rng.integers(4, size=(2, len(lower))) == 0) & np.isfinite([lower, upper])
    return np.where(at_lower, lower, np.where(at_upper, upper, x))


def _part(rng: Generator, kinds: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
    """Draw a kind, with those of the settings that it has."""
    name = str(rng.choice(list(kinds)))
    return {"name": name, **{key: value for key, value in settings.items() if key in kinds[name].model_fields}}


def _strategy(rng: Generator) -> Any:
    """Draw a shipped strategy, or one of parts that go together or not."""
    if rng.integers(4):
        return str(rng.choice([name for name in composed() if "forest" not in name]))  # a small one is drawn below
    bounds, after = str(rng.choice(["none", "penalty", "transform"])), str(rng.choice(["start_over", "stop"]))
    content: dict[str, Any] = {
        "sampling": _part(rng, SAMPLINGS, bounds=bounds, active=bool(rng.integers(2))),
        "restarts": _part(rng, RESTARTS, max_restarts=int(rng.integers(3)), after_last_restart=after),
    }
    if rng.integers(2):
        content["start"] = _part(rng, STARTS, evaluations_factor=float(rng.uniform(0.1, 12.0)))
    if rng.integers(2):
        content |= {
            "model": _part(rng, MODELS, trees=5),
            "training_set": {"radius": float(10.0 ** rng.uniform(-1, 4)), "selection": _part(rng, SELECTIONS)},
            "acceptance": _part(rng, ACCEPTANCES),
            "control": _part(
                rng,
                {name: control for name, control in CONTROLS.items() if name != "none"},
                model_generations=int(rng.integers(8)),
                error=_part(rng, ERRORS),
                share=_part(rng, SHARES, value=float(rng.uniform(0.01, 1.0))),
                criterion=_part(rng, CRITERIA),
                raises_predictions=bool(rng.integers(2)),
            ),
            "proposals": _part(rng, PROPOSALS),
        }
    return StrategySettings.model_validate(content)


def _has_populations(method: Any) -> bool:
    """Return True for a strategy composed of parts, which several workers can evaluate."""
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
    if not _has_populations(arguments["method"]) or "known" in arguments or rng.integers(4):
        return {}
    match rng.integers(3):
        case 0:
            return {"constraints": int(rng.integers(5))}
        case 1:
            kind = "ineq" if "noisy" in arguments else str(rng.choice(["ineq", "eq"]))
            return {"constraints": {"type": kind, "fun": _one_number, "args": float(rng.normal())}}
        case _:
            constraints: list[Any] = [NonlinearConstraint(_one_number, *np.sort(rng.normal(size=2)))]
            if "space" not in arguments:
                A = rng.normal(size=(int(rng.integers(1, 4)), len(arguments["x0"]))) * 10.0 ** rng.uniform(-3, 3)
                constraints.append(LinearConstraint(A, -np.inf, 1.0))
            return {"constraints": constraints}


def _one_number(given: Any, shift: float = 0.0) -> float:
    """Return a number c of a point, or of parameters."""
    return len(repr(given)) % 7 - 3.0 + shift if isinstance(given, Mapping) else math.tanh(float(given[0])) + shift


def generated(rng: Generator) -> GeneratedCall:
    """Draw a call; one of four has a wrong argument."""
    D = int(rng.integers(1, 41)) if rng.integers(3) == 0 else int(rng.integers(1, 7))
    lower, upper = _box(rng, D) if rng.integers(4) else (np.full(D, -np.inf), np.full(D, np.inf))
    boxed = bool(np.all(np.isfinite([lower, upper])))
    arguments = _common(rng, 60 + 12 * D) | {
        "x0": _inside(rng, lower, upper),
        "sigma0": float(rng.choice([1.0, 10.0 ** rng.uniform(-100, -5), 10.0 ** rng.uniform(-5, 10), 1e10, 1e-100])),
        "bounds": Bounds(lower, upper) if rng.integers(2) else np.column_stack([lower, upper]),
    }
    if not rng.integers(3):
        arguments["scale"] = 10.0 ** rng.uniform(-8, 8, D) if rng.integers(2) else 10.0 ** rng.uniform(-90, 90)
    if not rng.integers(5):
        n = int(rng.integers(1, 6 * D))
        X = np.array([_inside(rng, lower, upper) for _ in range(n)])
        arguments["known"] = (X, rng.choice([1.0, math.nan, math.inf, -math.inf, 1e300], n) * rng.uniform(0.1, 1, n))
    if not rng.integers(3):
        others = [name for name in names() if named(name).strategy is None and (boxed or name != "random-search")]
        arguments["method"] = str(rng.choice(others))
        arguments.pop("workers", None)
    if not rng.integers(5) and (_has_populations(arguments["method"]) or "cma-es" in arguments["method"]):
        arguments["population_size"] = int(rng.integers(4, 30))
    arguments |= _noisy(arguments)
    arguments |= _constrained(arguments, rng)
    if boxed and not rng.integers(4):
        arguments |= {"x0": None, "bounds": np.column_stack([lower, upper])}
        if rng.integers(2):
            del arguments["sigma0"]
    return _call(rng, arguments, WRONG)


def _common(rng: Generator, most: int) -> dict[str, Any]:
    """Draw arguments of any call, of at most so many evaluations; with some workers the first evaluations end last."""
    arguments: dict[str, Any] = {
        "method": _strategy(rng),
        "budget": int(rng.integers(1, 30)) if rng.integers(2) else int(rng.integers(30, most)),
        "seed": int(rng.integers(2**40)),
        "max_failures": None if rng.integers(2) else int(rng.integers(1, 30)),
    }
    if not rng.integers(3):
        arguments["target"] = float(rng.choice([0.0, 1.0, -1e300, 1e300, -math.inf, 1e-8]))
    if not rng.integers(3):
        long = rng.integers(1, 20, int(rng.integers(4)))
        arguments["workers"] = Simulated(int(rng.integers(1, 12)), seed=arguments["seed"], long=long.tolist())
    return arguments


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
    arguments = _common(rng, 90) | {"x0": None, "space": space}
    if rng.integers(2):
        some = space.params(rng.uniform(size=space.dimension))
        arguments["x0"] = {name: value for name, value in some.items() if rng.integers(2)}
    if rng.integers(2):
        arguments["sigma0"] = float(10.0 ** rng.uniform(-12, 3))
    if not rng.integers(3):
        X = [space.params(x) for x in rng.uniform(size=(int(rng.integers(1, 20)), space.dimension))]
        arguments["known"] = X, rng.choice([1.0, math.nan, math.inf], len(X)) * rng.uniform(0.1, 1, len(X))
    arguments |= _noisy(arguments)
    arguments |= _constrained(arguments, rng)
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
        AssertionError: it broke a rule.
        Exception: what should not have come out of it.
    """
    objective, seen = OBJECTIVES[call.objective], list[Any]()
    space, constraints = call.arguments.get("space"), call.arguments.get("constraints")
    number = constraints if type(constraints) is int else 0

    def fun(given: Any) -> Any:
        x = space.point(given) if isinstance(space, sacma.Space) else given
        seen.append(x.copy() if x is given else given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the objective itself
            return (objective(x), _numbers(np.asarray(x), number)) if number else objective(x)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "sigma0|values differ")  # of steps and noise
            result = sacma.minimize(**{"fun": fun, **call.arguments})
    except (KeyError, ValueError, TypeError) as error:
        if len(seen) == 3 and call.objective in MISTAKEN and call.arguments["max_failures"] is not None:
            return f"raised: {type(error).__name__}"
        if isinstance(error, KeyError):
            raise
        return _refusal(call, str(error))
    may_be_right = call.wrong in {"x0", "bounds", "scale", "known"} and call.arguments[call.wrong] is not None
    assert not call.wrong or may_be_right, f"{call.wrong} was taken: {call.arguments.get(call.wrong)!r}"
    _check(call.arguments, np.array(seen), result)
    return str(result.status.name)


def _refusal(call: GeneratedCall, message: str) -> str:
    """Return which argument a message is of, and see to it that it is a message for people."""
    for_people = "allowed:" in message and " is " in message and message.isprintable() and len(message) <= 500
    assert for_people, f"not a message for people: {message}"
    if not call.wrong:
        # Boxes that are too narrow, and coordinates that are too large, in units of the scale.
        assert "of the scale" in message or "of its scale" in message, f"refused: {message}"
        return "refused: too narrow or too far"
    of = re.split(r"\[| is ", message, maxsplit=1)[0]
    near = {call.wrong, "x0", "bounds", "known", "scale", "a key of x0", "a key of known"}
    assert of in near, f"{call.wrong} is wrong, but the message is: {message}"
    return f"refused: {call.wrong}"


def _check(given: Mapping[str, Any], seen: Array, result: Any) -> None:
    """Compare a result with the points at which f was called."""
    assert len(seen) == result.nfev == len(result.history.values) <= given["budget"]
    assert not np.isnan(result.fun)
    if "constraint_violation" in result:
        assert len(result.history.constraints) == result.nfev
        assert not result.success or result.constraint_violation == 0.0
    if isinstance(space := given.get("space"), sacma.Space):
        assert space.key(result.params) is not None
        assert sorted(map(repr, seen)) == sorted(map(repr, result.history.params))
        return
    bounds = given["bounds"]
    if not isinstance(bounds, Bounds):
        bounds = Bounds(*np.array(bounds, dtype=float).reshape(-1, 2).T)
    for x in (*seen, result.x):
        assert np.all(np.isfinite(x))
        assert np.all((x >= bounds.lb) & (x <= bounds.ub)), f"{x} is outside of {bounds}"


def endings(count: int, seed: int, *, tell: Callable[[str], None] = print) -> Counter[str]:
    """Run ``count`` generated calls and return how often they ended how; tell of each that broke a rule."""
    counts = Counter[str]()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        call = generated_in_space(rng) if number % 4 == 3 else generated(rng)  # a quarter of them
        try:
            with without_waiting():
                counts[ending(call)] += 1
        except Exception as error:  # noqa: BLE001 that is what is looked for
            counts["BROKEN"] += 1
            at = traceback.extract_tb(error.__traceback__)[-1]
            tell(f"call {number}: {type(error).__name__}: {error} ({at.filename}:{at.lineno}), of {call.objective}")
    return counts
