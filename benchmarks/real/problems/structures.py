"""Structures of least weight or cost, with static penalties for the constraints."""

import math

import numpy as np

from ..problem import Array, Known, Problem
from .penalty import penalised

NODES = 360.0 * np.array([[2, 1], [2, 0], [1, 1], [1, 0], [0, 1], [0, 0]])
BARS = np.array([[3, 5], [1, 3], [4, 6], [2, 4], [3, 4], [1, 2], [4, 5], [3, 6], [2, 3], [1, 4]]) - 1
FREE = 8  # degrees of freedom: the last two nodes are held
LOADS = np.zeros(FREE)
LOADS[[3, 7]] = -1e5  # pounds, down, on nodes 2 and 4
YOUNG, DENSITY, STRESS, DISPLACEMENT = 1e7, 0.1, 25e3, 2.0

_ALONG = NODES[BARS[:, 1]] - NODES[BARS[:, 0]]
LENGTHS = np.hypot(*_ALONG.T)
ELONGATIONS = np.zeros((len(BARS), 12))  # of each bar for a displacement of each coordinate
for _bar, (_from, _to) in enumerate(BARS):
    _unit = _ALONG[_bar] / LENGTHS[_bar]
    ELONGATIONS[_bar, 2 * _from : 2 * _from + 2] = -_unit
    ELONGATIONS[_bar, 2 * _to : 2 * _to + 2] = _unit
ELONGATIONS = ELONGATIONS[:, :FREE]


def node_displacements(areas: Array) -> Array:
    """Return those of the free degrees of freedom, inches."""
    stiffness = ELONGATIONS.T @ ((YOUNG * areas / LENGTHS)[:, None] * ELONGATIONS)
    return np.asarray(np.linalg.solve(stiffness, LOADS))


def bar_stresses(displacements: Array) -> Array:
    """Return the stress in each bar, positive where it is pulled."""
    return np.asarray(YOUNG * (ELONGATIONS @ displacements) / LENGTHS)


def ten_bar_truss(areas: Array) -> float:
    """Return the penalised weight of the truss; areas of the bars in square inches."""
    displacements = node_displacements(areas)
    stresses = bar_stresses(displacements)
    violations = [*(np.abs(stresses) / STRESS - 1), *(np.abs(displacements[1::2]) / DISPLACEMENT - 1)]
    return penalised(DENSITY * float(areas @ LENGTHS), violations)


SHEET = 0.0625  # inches: the thicknesses are multiples
VESSEL = 6059.714335  # the published cost, the unit of the penalty: that of the thinnest vessel is 16


def pressure_vessel(x: Array) -> float:
    """Return the penalised cost; x is thickness of shell and head, radius and length, inches."""
    shell, head = (SHEET * round(thickness / SHEET) for thickness in x[:2].tolist())
    radius, length = x[2:].tolist()
    cost = (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )
    volume = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    constraints = (0.0193 * radius / shell - 1, 0.00954 * radius / head - 1, 1 - volume / 1296000, length / 240 - 1)
    return penalised(cost, constraints, VESSEL)


PROBLEMS = (
    Problem(
        name="ten-bar truss",
        kind="structure",
        half="development",
        objective=ten_bar_truss,
        box=((0.1, 35),) * 10,
        about="weight of a truss: areas of ten bars; limits of stress and of displacement",
        source="V. B. Venkayya, Computers & Structures 1 (1971) 265–309; "
        "R. T. Haftka and Z. Gürdal, Elements of Structural Optimization (1992), p. 244",
        known=Known((30.52, 0.1, 23.20, 15.22, 0.1, 0.55, 7.46, 21.04, 21.53, 0.1), 5060.85, 2e-3),
    ),
    Problem(
        name="pressure vessel",
        kind="structure",
        half="judged",
        objective=pressure_vessel,
        box=((SHEET, 6), (SHEET, 6), (10, 200), (10, 240)),
        about="cost of a vessel: two thicknesses in sixteenths of an inch (steps), radius and length; four constraints",
        source="B. K. Kannan and S. N. Kramer, ASME J. Mech. Des. 116 (1994) 405–411; "
        "C. A. Coello Coello, Computers in Industry 41 (2000) 113–127",
        known=Known((0.8125, 0.4375, 42.0984456, 176.6365958), VESSEL, 2e-5),
    ),
)
