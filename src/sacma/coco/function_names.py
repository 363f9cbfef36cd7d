"""Names of the functions of all suites, and of the reference algorithm of bbob."""

from collections.abc import Mapping

from sacma.coco.suites import SUITES

NAMES: Mapping[int, str] = {number: name for suite in SUITES.values() for number, name in suite.names.items()}
"""Names by number, which is unique among all suites."""

BEST_2009 = "best 2009"  # name of the best algorithm of 2009 on each function; names of our algorithms have no space
VIRTUAL_BEST = "virtual best"  # of all algorithms that are compared, on each function and target


def function_title(function: int) -> str:
    """Return number and name of a function.

    >>> function_title(8), function_title(101), function_title(999)
    ('f8 Rosenbrock', 'f101 Sphere mod. Gauss', 'f999')
    """
    return f"f{function} {NAMES.get(function, '')}".strip()
