"""Evaluations that the surrogate saves on Rosenbrock's function: sacma beside pycma's own fmin2.

COCO's f8 in 5-D, to Δf = 1e-8, on ten instances, or on as many as the command line says. Both begin at the same points,
with the same σ₀, target and budget; each has its own restarts, which begin at points drawn around the first.
"""

import sys

import cma
import cocoex
import numpy as np

import sacma

FUNCTION, D, INSTANCES = 8, 5, 10
SIGMA0, TARGET, BUDGET, RESTARTS = 8 / 3, 1e-8, 20_000, 4


class Counted:
    """A COCO problem that counts until its target is first reached."""

    def __init__(self, instance: int) -> None:
        self._problem = cocoex.BareProblem("bbob", FUNCTION, D, instance)
        self.target = self._problem.best_value() + TARGET
        self.evaluations = 0
        self.reached_at: int | None = None

    def __call__(self, x: np.ndarray) -> float:
        """Evaluate and count."""
        self.evaluations += 1
        value = float(self._problem(x))
        if self.reached_at is None and value <= self.target:
            self.reached_at = self.evaluations
        return value


def with_sacma(instance: int, x0: np.ndarray) -> int | None:
    """Return the number of evaluations to the target."""
    f = Counted(instance)
    sacma.minimize(f, x0, SIGMA0, target=f.target, budget=BUDGET, seed=instance)
    return f.reached_at


def with_pycma(instance: int, x0: np.ndarray) -> int | None:
    """Return the number of evaluations of ``cma.fmin2`` to the target."""
    f = Counted(instance)
    rng = np.random.default_rng(instance)
    starts = iter([x0])
    options = {"ftarget": f.target, "maxfevals": BUDGET, "seed": instance, "verbose": -9}
    cma.fmin2(f, lambda: next(starts, x0 + SIGMA0 * rng.standard_normal(D)), SIGMA0, options, restarts=RESTARTS)
    return f.reached_at


def main() -> None:
    """Run both on each instance and print the table."""
    print("evaluations to 1e-8 on f8 in 5-D\ninstance  fmin2  sacma  ratio")
    both = []
    for instance in range(1, 1 + int(sys.argv[1] if len(sys.argv) > 1 else INSTANCES)):
        x0 = np.random.default_rng([2017, instance]).uniform(-4, 4, D)
        theirs, ours = with_pycma(instance, x0), with_sacma(instance, x0)
        if theirs is None or ours is None:
            print(f"{instance:8}  {theirs!s:>5}  {ours!s:>5}  not reached within {BUDGET}")
            continue
        both.append((theirs, ours))
        print(f"{instance:8}  {theirs:5}  {ours:5}  {ours / theirs:5.2f}")
    theirs, ours = np.sum(both, axis=0)
    print(f"{'all':>8}  {theirs:5}  {ours:5}  {ours / theirs:5.2f}")


if __name__ == "__main__":
    main()
