"""Problems that all algorithms of a comparison have, which functions and instances are aggregated over."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from sacma.coco.ranges import format_ranges

Place = tuple[int, int, int]  # (dimension, function, instance)

Numbers = frozenset[int]

COLUMNS = ["algorithm", "dimension", "functions", "compared", "instances", "compared_instances"]


@dataclass(frozen=True)
class Overlap:
    """Problems of the algorithms that are compared."""

    there: Mapping[str, frozenset[Place]]
    """Of the trials that there are, by algorithm."""
    instances: Mapping[tuple[int, int], Numbers]
    """Compared ones by dimension and function: those that each algorithm with the function has, or all if none."""
    functions: Mapping[int, Numbers]
    """Compared ones by dimension: those that each algorithm with trials of the dimension has."""
    apart: frozenset[tuple[int, int]]
    """Dimensions and functions of which no instance is common."""

    def has(self, dimension: int, function: int, instance: int) -> bool:
        """Return True where trials of an instance are compared, with those of the same function at least."""
        return instance in self.instances[dimension, function]

    def shares(self, dimension: int, function: int) -> bool:
        """Return True where all algorithms with trials of the dimension have the function."""
        return function in self.functions[dimension]

    def shared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table that are of functions that all have, by its columns dimension and function."""
        places = zip(frame["dimension"], frame["function"], strict=True)
        return frame[pd.Series([self.shares(D, f) for D, f in places], frame.index, dtype=bool)]

    @cached_property
    def left_out(self) -> Mapping[str, frozenset[Place]]:
        """Problems of which there are trials that are in nothing that is over functions or instances, by algorithm."""
        found = {
            name: frozenset((D, f, i) for D, f, i in places if not (self.shares(D, f) and self.has(D, f, i)))
            for name, places in self.there.items()
        }
        return {name: places for name, places in found.items() if places}

    @property
    def complete(self) -> bool:
        """True where all trials are compared, on the same problems."""
        return not (self.left_out or self.apart)

    @property
    def table(self) -> pd.DataFrame:
        """Problems of each algorithm and those of them that are compared: a row an algorithm, dimension and instances.

        Columns algorithm, dimension, functions, compared (of these), instances (of each of them) and
        compared_instances, as ranges.
        """
        alike = defaultdict(list)
        for name, places in self.there.items():
            for D, f in sorted({(D, f) for D, f, _ in places}):
                numbers = frozenset(i for d, g, i in places if (d, g) == (D, f))
                alike[name, D, numbers, numbers & self.instances[D, f]].append(f)
        rows = [
            (name, D, *map(format_ranges, (fs, [f for f in fs if self.shares(D, f)], sorted(own), sorted(compared))))
            for (name, D, own, compared), fs in alike.items()
        ]
        return pd.DataFrame(rows, columns=COLUMNS)


def overlap(planned: Mapping[str, Iterable[Place]], there: Mapping[str, Iterable[Place]]) -> Overlap:
    """Return the problems that all algorithms have.

    An algorithm has the instances of its plan, of a function of which it has some trial: one that is still to come
    takes nothing from others. A function it has where some trial is there that can be compared.

    >>> places = [(2, f, i) for f in (1, 2) for i in (1, 2, 3)]
    >>> found = overlap({"A": places, "B": [(2, 1, 2), (2, 1, 9)]}, {"A": places, "B": [(2, 1, 2), (2, 1, 9)]})
    >>> found.functions[2], found.instances[2, 1], sorted(found.left_out["B"])
    (frozenset({1}), frozenset({2}), [(2, 1, 9)])
    """
    have = {name: frozenset(places) for name, places in there.items()}
    plans: dict[tuple[int, int], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for name, places in planned.items():
        cells = {(D, f) for D, f, _ in have.get(name, ())}
        for D, f, i in places:
            if (D, f) in cells:
                plans[D, f][name].add(i)
    instances, apart = {}, set()
    for cell, of_algorithms in plans.items():
        common = frozenset.intersection(*map(frozenset, of_algorithms.values()))
        instances[cell] = common or frozenset.union(*map(frozenset, of_algorithms.values()))
        if not common:
            apart.add(cell)
    functions = {}
    for D in sorted({D for D, _ in plans}):
        compared = [{f for d, f, i in places if d == D and i in instances[d, f]} for places in have.values()]
        some = [any(d == D for d, _, _ in places) for places in have.values()]
        functions[D] = frozenset.intersection(*(frozenset(c) for c, has in zip(compared, some, strict=True) if has))
    return Overlap(have, instances, functions, frozenset(apart))
