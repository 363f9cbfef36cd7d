"""Compare the points of 250 calls of ``sacma.minimize`` by two revisions.

python tools/same_calls.py main~3         # against that revision (minutes)

Each call is of a strategy composed of parts: alone, within bounds, in a space, with noise, constraints, failures or
known points, and with threads that evaluate whole generations. Prints a line a kind, and each call that differs.
With --tiny, a few calls of the last commit on both sides, for which nothing is to be compiled.
"""

import argparse
import hashlib
import inspect
import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

ROOT = Path(__file__).parent.parent
METHODS = ("sacma", "ada-kendall", "dts-cmaes", "dts-cmaes-adaptive", "gp1", "gp5", "ada-kl", "ada-rd", "cmaes")
DIMENSIONS = (2, 3, 5, 10)
EVALUATIONS = 12  # a dimension


def rosenbrock(x: Any) -> float:
    """Return a value of Rosenbrock's function."""
    x = np.asarray(x)
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def rastrigin(x: Any) -> float:
    """Return a value of Rastrigin's function."""
    x = np.asarray(x)
    return float(10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


def failing(x: Any) -> float:
    """Return a value of the sphere, NaN on a third of it."""
    return float("nan") if np.sin(7 * x[0]) > 1 / 2 else float(np.sum(np.asarray(x) ** 2))


def noisy(x: Any) -> float:
    """Return a value of the sphere with noise, which its point decides."""
    seed = int.from_bytes(hashlib.sha256(np.asarray(x).tobytes()).digest()[:8], "big")
    return float(np.sum((np.asarray(x) - 0.5) ** 2) + np.random.default_rng(seed).normal(0, 0.1))


def of_params(params: dict[str, Any]) -> float:
    """Return a value of a space."""
    numbers = [value for value in params.values() if not isinstance(value, str)]
    return float(np.sum((np.log1p(np.abs(numbers)) - 1.0) ** 2)) + 0.5 * sum(v == "a" for v in params.values())


def kinds(D: int) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Yield name, function and arguments of calls."""
    import sacma  # noqa: PLC0415 that of the revision

    x0, box = np.linspace(0.5, 1.5, D), [(-3.0, 4.0)] * D
    rng = np.random.default_rng(D)
    X = rng.uniform(-2, 2, (4 * D, D))
    yield "open", rosenbrock, {"x0": x0, "sigma0": 0.8}
    yield "bounds", rastrigin, {"x0": x0, "bounds": box}
    half = [(None, 4.0)] + [(0.4, None)] * (D - 1)
    yield "half bounds, scale", rosenbrock, {"x0": x0, "sigma0": 0.3, "bounds": half, "scale": np.arange(1.0, D + 1)}
    yield "failures", failing, {"x0": x0, "sigma0": 1.0, "bounds": box, "max_failures": None}
    yield "noise", noisy, {"x0": x0, "sigma0": 1.0, "noisy": True}
    yield "known points", rosenbrock, {"x0": x0, "sigma0": 0.5, "known": (X, [rosenbrock(x) for x in X])}
    ring = NonlinearConstraint(lambda x: np.sum(x**2), 1.0, 4.0)
    line = LinearConstraint(np.ones((1, D)), 1.0, 1.0)
    yield "constraints", rosenbrock, {"x0": x0, "sigma0": 0.5, "constraints": [ring, line] if D > 2 else ring}  # noqa: PLR2004
    yield "restarts", rastrigin, {"x0": x0, "sigma0": 0.5, "population_size": 6, "budget": 40 * min(D, 5)}
    yield "generations by threads", rastrigin, {"x0": x0, "bounds": box, "threads": 3}
    parameters = {f"r{i}": sacma.Real(1e-3, 10.0, log=i % 2 == 0) for i in range(D - 1)}
    yield "space", of_params, {"space": sacma.Space({**parameters, "k": sacma.Integer(1, 9)})}
    mixed = {
        "c": sacma.Categorical("a", "b", "c"),
        "n": sacma.Integer(1, 1000, log=True),
        "s": sacma.Real(0, 2, step=0.25),
    }
    yield "mixed space", of_params, {"space": sacma.Space({**parameters, **mixed})}


def digests(names: list[str]) -> dict[str, str]:
    """Return a digest of points, values and status of each call."""
    import sacma  # noqa: PLC0415 idem

    found = {}
    for method, D in itertools.product(METHODS, DIMENSIONS):
        for kind, fun, arguments in kinds(D):
            name = f"{kind} | {method} | {D}-D"
            if (names and name not in names) or (max(DIMENSIONS) == D and method in {"gp1", "ada-kl", "ada-rd"}):
                continue
            call: dict[str, Any] = {"budget": EVALUATIONS * D, "seed": 7, "method": method} | arguments
            count = call.pop("threads", None)
            with warnings.catch_warnings(), ThreadPoolExecutor(count) as pool:
                warnings.simplefilter("ignore")
                if count:
                    call |= {"workers": pool, "asynchronous": False}
                if "known" in call and "known" not in inspect.signature(sacma.minimize).parameters:
                    call["archive"] = call.pop("known")
                result = sacma.minimize(fun, **call)
            numbers = np.column_stack([result.history.points, result.history.values])
            found[name] = hashlib.sha256(numbers.tobytes() + bytes([int(result.status) + 1])).hexdigest()
    return found


def of_revision(root: Path, names: list[str]) -> dict[str, str]:
    """Return the digests by the sources below ``root``."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, __file__, "--print", *names]
    done = subprocess.run(command, env=environment, cwd=root, check=True, stdout=subprocess.PIPE)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Run both revisions; fail where a call differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", default="HEAD", help="to compare with")
    parser.add_argument("--kept", type=Path, help="file of the digests of the other revision, written if missing")
    parser.add_argument("--print", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--tiny", action="store_true", help="three calls")
    options = parser.parse_args()
    if options.print is not None:
        json.dump(digests(options.print), sys.stdout)
        return
    names = ["open | cmaes | 2-D", "bounds | cmaes | 2-D", "space | cmaes | 2-D"] if options.tiny else []
    if options.kept is not None and options.kept.exists():
        then = json.loads(options.kept.read_text())
    else:
        with tempfile.TemporaryDirectory() as temporary:
            base = Path(temporary) / "base"
            subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(base)], check=True)
            subprocess.run(["git", "-C", str(base), "checkout", "--quiet", options.revision], check=True)
            then = of_revision(base, names)
        if options.kept is not None:
            options.kept.write_text(json.dumps(then, indent=1))
    now = of_revision(ROOT, names)
    common = [name for name in now if name in then]
    same = [name for name in common if then[name] == now[name]]
    of_kind = Counter(name.split(" | ")[0] for name in common)
    kept = Counter(name.split(" | ")[0] for name in same)
    for kind, count in of_kind.items():
        print(f"{kind:28}{kept[kind]:4} of {count:4} calls with the same points and values")
    for name in common:
        if name not in same:
            print(f"different: {name}")
    if len(same) < len(common) or not common:
        sys.exit(f"{len(common) - len(same)} of {len(common)} calls differ from {options.revision}")


if __name__ == "__main__":
    main()
