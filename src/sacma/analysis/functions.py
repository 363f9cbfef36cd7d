"""The 24 functions of bbob, their groups, and the reference on them.

N. Hansen, S. Finck, R. Ros and A. Auger, Real-parameter black-box optimization benchmarking 2009: noiseless functions
definitions, INRIA RR-6829.
"""

from collections.abc import Mapping

NAMES: Mapping[int, str] = dict(
    enumerate(
        (
            "Sphere",
            "Ellipsoid separable",
            "Rastrigin separable",
            "Büche-Rastrigin",
            "Linear slope",
            "Attractive sector",
            "Step ellipsoid",
            "Rosenbrock",
            "Rosenbrock rotated",
            "Ellipsoid",
            "Discus",
            "Bent cigar",
            "Sharp ridge",
            "Different powers",
            "Rastrigin",
            "Weierstrass",
            "Schaffer F7",
            "Schaffer F7 ill-cond.",
            "Griewank-Rosenbrock",
            "Schwefel",
            "Gallagher 101 peaks",
            "Gallagher 21 peaks",
            "Katsuura",
            "Lunacek bi-Rastrigin",
        ),
        start=1,
    )
)
"""Short enough for the title of a small panel."""

GROUPS: Mapping[str, range] = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weakly structured": range(20, 25),
    "all": range(1, 25),
}
"""Functions of each group, and all."""


BEST_2009 = "best 2009"
"""What the best algorithm of 2009 for each function is called. No algorithm of ours can be: its name has a space."""


def function_title(function: int) -> str:
    """Return number and name of a function.

    >>> function_title(8), function_title(101)
    ('f8 Rosenbrock', 'f101')
    """
    return f"f{function} {NAMES.get(function, '')}".strip()
