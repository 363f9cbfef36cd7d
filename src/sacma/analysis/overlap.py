"""Problems that all algorithms of a comparison have, which functions and instances are aggregated over."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from sacma.coco.ranges import format_ranges

Place = tuple[int, int, int]  # (dimension, function, instance)
Problem = tuple[str, int, int, int]  # the same of an algorithm

Numbers = frozenset[int]

COLUMNS = ["algorithm", "dimension", "functions", "compared", "instances", "compared_instances"]


@dataclass(frozen=True)
class Overlap:
    """Problems of the algorithms that are compared."""

    there: Mapping[str, AbstractSet[Place]]  # of the trials that there are, by algorithm
    instances: Mapping[tuple[int, int], Numbers]  # compared: those that each algorithm with the function has, or all
    functions: Mapping[int, Numbers]  # compared: those that each algorithm with trials of the dimension has
    apart: frozenset[tuple[int, int]]  # dimensions and functions of which no instance is common

    def has(self, dimension: int, function: int, instance: int) -> bool:
        """Return True where trials of an instance are compared, at least within their function."""
        return instance in self.instances[dimension, function]

    def shares(self, dimension: int, function: int) -> bool:
        """Return True where all algorithms with trials of the dimension have the function."""
        return function in self.functions[dimension]

    def shared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table for functions that all algorithms have, by its columns dimension and function."""
        places = zip(frame["dimension"], frame["function"], strict=True)
        return frame[pd.Series([self.shares(D, f) for D, f in places], frame.index, dtype=bool)]

    @cached_property
    def left_out(self) -> Mapping[str, frozenset[Place]]:
        """Problems by algorithm whose trials enter no aggregate over functions or instances."""
        found = {
            name: frozenset(place for place in places if not (self.shares(*place[:2]) and self.has(*place)))
            for name, places in self.there.items()
        }
        return {name: places for name, places in found.items() if places}

    @property
    def complete(self) -> bool:
        """True where all trials are compared, on the same problems."""
        return not (self.left_out or self.apart)

    @property
    def table(self) -> pd.DataFrame:
        """Problems and compared problems of each algorithm, as ranges; functions with equal instances share a row."""
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


def overlap(planned: Iterable[Problem], there: Iterable[Problem]) -> Overlap:
    """Return the problems that all algorithms have.

    An algorithm has all planned instances of a function as soon as it has a trial of it: a missing trial takes nothing
    from others. It has the function where one of its trials is on a compared instance.

    >>> ours = [("A", 2, f, i) for f in (1, 2) for i in (1, 2, 3)] + [("B", 2, 1, 2), ("B", 2, 1, 9)]
    >>> found = overlap(ours, ours)
    >>> found.functions[2], found.instances[2, 1], sorted(found.left_out["B"])
    (frozenset({1}), frozenset({2}), [(2, 1, 9)])
    """
    have: dict[str, set[Place]] = defaultdict(set)
    for name, D, f, i in there:
        have[name].add((D, f, i))
    begun = {(name, D, f) for name, places in have.items() for D, f, _ in places}
    plans: dict[tuple[int, int], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for name, D, f, i in planned:
        if (name, D, f) in begun:
            plans[D, f][name].add(i)
    common = {cell: frozenset(set.intersection(*numbers.values())) for cell, numbers in plans.items()}
    instances = {cell: common[cell] or frozenset(set.union(*numbers.values())) for cell, numbers in plans.items()}
    functions = {}
    for D in sorted({D for D, _ in plans}):
        of_dimension = ([place for place in places if place[0] == D] for places in have.values())
        compared = [{f for _, f, i in places if i in instances[D, f]} for places in of_dimension if places]
        functions[D] = frozenset(set.intersection(*compared))
    return Overlap(have, instances, functions, frozenset(cell for cell, same in common.items() if not same))
