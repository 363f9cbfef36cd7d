"""All problems, in halves that were fixed before any measurement."""

from itertools import chain

from .problem import Problem
from .problems import (
    circuits,
    clusters,
    control,
    field_data,
    identification,
    kernels,
    kinetics,
    learning,
    mechanical,
    nist,
    structures,
    wide_basins,
)

MODULES = (
    *(field_data, kinetics, nist, identification, learning, kernels),
    *(mechanical, structures, clusters, circuits, control),
    wide_basins,
)

# Settings are tried on the first half alone; the second is run once, to judge: real problems, and wide basins.
HALVES = ("development", "judged", *wide_basins.HALVES)

PROBLEMS: dict[str, Problem] = {problem.name: problem for problem in chain(*(module.PROBLEMS for module in MODULES))}
