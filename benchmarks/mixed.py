"""Functions of real, integer and categorical variables, in a space, and rounded by the function itself."""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

import sacma
from benchmarks.common import arguments, print_table
from sacma.types import Array

Params = Mapping[str, Any]

MODES = ("rounded by hand", "space")
BEST = 1e-8  # value that counts as the optimum, at 0
REAL, INTEGER = 1.3, 2  # optimum of each real and each integer variable


def main() -> None:
    """Measure and print the table."""
    tiny = {"methods": "cmaes", "budget": 30, "seeds": 1}
    options = arguments(__doc__, tiny, methods="sacma,ada-kendall,cmaes", budget=600, seeds=6)
    rows = [
        {"method": method, "mode": mode, "function": name, **measured(name, method, mode, options)}
        for method in options.methods.split(",")
        for mode in MODES
        for name in PROBLEMS
    ]
    print(f"runs of {options.seeds} with all integers and choices right, and median log10 f after evaluations")
    print_table(rows)


def measured(name: str, method: str, mode: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return a row of the table."""
    fun, space = PROBLEMS[name]
    after = [options.budget // 4, options.budget // 2, options.budget]
    right, values = 0, []
    for seed in range(options.seeds):
        limits = {"budget": options.budget, "target": BEST, "seed": seed, "method": method}
        if mode == "space":
            found = sacma.minimize(fun, space=space, **limits)
        else:
            cube = [(0, 1)] * space.dimension
            found = sacma.minimize(lambda x: fun(space.params(x)), sigma0=1 / 6, bounds=cube, **limits)
        best = np.append(found.history.best, np.full(options.budget, found.fun))
        values.append(np.log10(np.maximum(best[np.array(after) - 1], BEST)))
        params = space.params(found.x)
        wanted = {**dict.fromkeys(params, INTEGER), "choice": "b", "flag": True}
        right += all(value == wanted[name] for name, value in params.items() if name[0] != "x")
    return {"right": right, **dict(zip(map(str, after), np.median(values, axis=0).tolist(), strict=True))}


def _reals(count: int) -> dict[str, sacma.Real]:
    return {f"x{i}": sacma.Real(-5, 5) for i in range(count)}


def _integers(count: int, low: int, high: int) -> dict[str, sacma.Integer]:
    return {f"i{i}": sacma.Integer(low, high) for i in range(count)}


def _offsets(params: Params) -> Array:
    return np.array([value - (REAL if name[0] == "x" else INTEGER) for name, value in params.items()])


def sphere(params: Params) -> float:
    """Σ zᵢ²."""
    return float(np.sum(_offsets(params) ** 2))


def ellipsoid(params: Params) -> float:
    """Σ 10^(4 (i − 1)/(D − 1)) zᵢ²."""
    return float(10.0 ** np.linspace(0, 4, len(params)) @ _offsets(params) ** 2)


def rotated(params: Params) -> float:
    """Σ 10^(2 (i − 1)/(D − 1)) (Rz)ᵢ²."""
    D = len(params)
    rotation = np.linalg.qr(np.random.default_rng(5).normal(size=(D, D)))[0]
    return float(100.0 ** np.linspace(0, 1, D) @ (rotation @ _offsets(params)) ** 2)


def categorical(params: Params) -> float:
    """Return the sphere of the numbers, with a penalty for each wrong choice."""
    numbers = {name: value for name, value in params.items() if name[0] in "xi"}
    return sphere(numbers) + 3.0 * (params["choice"] != "b") + 2.0 * (not params["flag"])


WIDE = _integers(3, -10, 10)
PROBLEMS = {
    "sphere": (sphere, sacma.Space(**_reals(3), **WIDE)),
    "sphere, 4 integers": (sphere, sacma.Space(**_reals(3), **_integers(3, 0, 3))),
    "ellipsoid, steep reals": (ellipsoid, sacma.Space(**WIDE, **_reals(3))),
    "ellipsoid, steep integers": (ellipsoid, sacma.Space(**_reals(3), **WIDE)),
    "rotated": (rotated, sacma.Space(**_reals(3), **WIDE)),
    "categorical": (
        categorical,
        sacma.Space(
            **_reals(2),
            **_integers(1, -10, 10),
            choice=sacma.Categorical("a", "b", "c", "d"),
            flag=sacma.Categorical([True, False]),
        ),
    ),
}


if __name__ == "__main__":
    main()
