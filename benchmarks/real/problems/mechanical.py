"""Machine parts of least cost or weight, with static penalties for the constraints."""

import math

from ..problem import Array, Known, Problem
from .penalty import penalised


def welded_beam(x: Array) -> float:
    """Return the penalised cost; x is weld thickness and length, height and thickness of the bar, inches."""
    h, l, t, b = x.tolist()  # noqa: E741 as published
    load, arm, young, shear = 6000.0, 14.0, 30e6, 12e6
    radius = math.hypot(l / 2, (h + t) / 2)
    polar = 2 * math.sqrt(2) * h * l * (l**2 / 12 + ((h + t) / 2) ** 2)
    primary = load / (math.sqrt(2) * h * l)
    secondary = load * (arm + l / 2) * radius / polar
    stress = math.sqrt(primary**2 + primary * secondary * l / radius + secondary**2)
    buckling = 4.013 * young * t * b**3 / (6 * arm**2) * (1 - t / (2 * arm) * math.sqrt(young / (4 * shear)))
    constraints = (
        stress / 13600 - 1,
        6 * load * arm / (b * t**2) / 30000 - 1,
        h / b - 1,
        (0.10471 * h**2 + 0.04811 * t * b * (14 + l)) / 5 - 1,
        1 - h / 0.125,
        4 * load * arm**3 / (young * t**3 * b) / 0.25 - 1,
        1 - buckling / load,
    )
    return penalised(1.10471 * h**2 * l + 0.04811 * t * b * (14 + l), constraints)


def speed_reducer(x: Array) -> float:
    """Return the penalised weight; x is face width, module, teeth, lengths and diameters of both shafts."""
    b, m, z, l1, l2, d1, d2 = x.tolist()
    weight = (
        0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )
    constraints = (
        27 / (b * m**2 * z) - 1,
        397.5 / (b * m**2 * z**2) - 1,
        1.93 * l1**3 / (m * z * d1**4) - 1,
        1.93 * l2**3 / (m * z * d2**4) - 1,
        math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1**3) - 1,
        math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2**3) - 1,
        m * z / 40 - 1,
        5 * m / b - 1,
        b / (12 * m) - 1,
        (1.5 * d1 + 1.9) / l1 - 1,
        (1.1 * d2 + 1.9) / l2 - 1,
    )
    return penalised(weight, constraints)


PROBLEMS = (
    Problem(
        name="welded beam",
        kind="machine part",
        half="development",
        objective=welded_beam,
        box=((0.1, 2), (0.1, 10), (0.1, 10), (0.1, 2)),
        about="cost of a welded beam: four lengths, seven constraints (stresses, buckling, deflection)",
        source="K. M. Ragsdell and D. T. Phillips, ASME J. Eng. Ind. 98 (1976) 1021–1025; "
        "C. A. Coello Coello, Computers in Industry 41 (2000) 113–127",
        known=Known((0.205730, 3.470489, 9.036624, 0.205730), 1.724852, 2e-5),
    ),
    Problem(
        name="speed reducer",
        kind="machine part",
        half="judged",
        objective=speed_reducer,
        box=((2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)),
        about="weight of a gear box: seven variables, eleven constraints; the number of teeth is taken as continuous",
        source="J. Golinski, Journal of Mechanisms 5 (1970) 287–309; "
        "E. Mezura-Montes and C. A. Coello Coello, Int. J. General Systems 37 (2008) 443–473",
        known=Known((3.5, 0.7, 17, 7.3, 7.715320, 3.350215, 5.286654), 2994.471066, 2e-5),
    ),
)
