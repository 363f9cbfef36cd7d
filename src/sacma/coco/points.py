"""Points of trials that other tools logged: their values by evaluation, made into data sets of algorithms."""

import math
from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import cocoex
import numpy as np

from sacma.coco.index_file import MOST, MOST_INSTANCE, quoted
from sacma.coco.ranges import format_ranges
from sacma.coco.reader import BELOW_OPTIMUM, MOST_ROWS, CocoData, Curve
from sacma.coco.suites import BBOB, Suite
from sacma.errors import SacmaError

MOST_TRIALS = 100_000  # of a data set

Place = tuple[str, int, int, int, str]  # algorithm, function, dimension, instance, trial


def optimal_value(suite: Suite, function: int, dimension: int, instance: int) -> float:
    """Return the optimal value of a problem; COCO tells it of bbob's problems, and others share theirs."""
    # It does not depend on D, but for a last bit of f20.
    D = dimension if suite is BBOB else min(BBOB.dimensions)
    return float(cocoex.BareProblem(BBOB.name, suite.bbob_functions[function], D, instance).best_value())


def located(path: Path, where: str) -> str:
    """Return a place in data at a path for a message, of a single file its name once.

    >>> located(Path("runs/a.csv"), "a.csv, line 3"), located(Path("runs"), "a.csv, line 3")
    ('runs/a.csv, line 3', 'runs: a.csv, line 3')
    """
    alone = where.partition(",")[0] == path.name
    return f"{path}{where.removeprefix(path.name)}" if alone else f"{path}: {where}"


@dataclass
class Points:
    """Logged points of some algorithms on a suite; the last evaluation of a trial is its end."""

    path: Path  # of the data, for messages
    suite: Suite
    _trials: dict[Place, tuple["array[float]", "array[float]"]] = field(default_factory=dict)
    _lowest: dict[Place, tuple[float, str]] = field(default_factory=dict)  # value of a trial, and where it is
    _rows: int = 0

    def add(self, place: Place, evaluation: float, value: float, where: str) -> None:
        """Add the value of an evaluation, counted from 1, of a trial.

        Raises SacmaError at a number that no trial of the suite has.
        """
        if place not in self._trials:
            _, function, dimension, instance, _ = place
            if function not in self.suite.functions or dimension not in self.suite.dimensions:
                self.refuse(
                    where,
                    f"f{function} in {dimension}-D is not of {self.suite.name}, which has functions "
                    f"{format_ranges(self.suite.functions)} in dimensions {format_ranges(self.suite.dimensions)}",
                )
            if not 1 <= instance <= MOST_INSTANCE:
                self.refuse(where, f"{instance} is no instance; allowed: 1 to {MOST_INSTANCE:,}")
            self._trials[place] = array("d"), array("d")
        self._rows += 1
        if self._rows > MOST_ROWS or len(self._trials) > MOST_TRIALS:
            raise SacmaError(
                f"{self.path} has more than {MOST_ROWS:,} rows or {MOST_TRIALS:,} trials; give parts of it"
            )
        at, values = self._trials[place]
        if not (1 <= evaluation <= MOST and evaluation == int(evaluation)):
            self.refuse(where, f"{evaluation:g} is no number of an evaluation; allowed: 1, 2, 3 …")
        if at and evaluation <= at[-1]:
            self.refuse(where, f"evaluation {evaluation:g} comes after {at[-1]:g}; name trials in a column trial")
        if not math.isfinite(value):
            self.refuse(where, f"{value:g} is no value; allowed: finite numbers")
        at.append(evaluation)
        values.append(value)
        if value < self._lowest.get(place, (math.inf, ""))[0]:
            self._lowest[place] = value, where

    def refuse(self, where: str, why: str) -> NoReturn:
        """Raise SacmaError for a place in the data."""
        raise SacmaError(f"{located(self.path, where)}: {why}")

    def data_sets(self, *, of_f: bool) -> tuple[CocoData, ...]:
        """Return the data of each algorithm; ``of_f``: values are of f, as COCO returns it, else Δf."""
        curves = defaultdict[str, list[Curve]](list)
        for place, (at, values) in self._trials.items():
            algorithm, function, dimension, instance, _ = place
            f_opt = optimal_value(self.suite, function, dimension, instance) if of_f else 0.0
            delta_f = np.array(values) - f_opt
            if (delta_f < BELOW_OPTIMUM).any():
                what = f"f{function} in {dimension}-D, instance {instance}"
                hint = "; if values are f minus its optimum already, call them delta_f" if of_f else ""
                self.refuse(
                    self._lowest[place][1], f"a value of {what} is {-delta_f.min():.3g} below the optimum{hint}"
                )
            best, told = np.minimum.accumulate(delta_f), np.array(at)
            falls = np.append(True, best[1:] < best[:-1])
            curve = Curve(function, dimension, instance, int(at[-1]), told[falls], best[falls], told)
            curves[algorithm].append(curve)
        found = {name: tuple(sorted(of, key=lambda c: (c.function, c.dimension))) for name, of in curves.items()}
        return tuple(CocoData(of, quoted(name), (), {}, self.suite, of) for name, of in found.items())
