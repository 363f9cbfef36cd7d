"""Names of the functions of all suites, and of the reference on those of bbob."""

from collections.abc import Mapping

from sacma.coco.suites import SUITES

NAMES: Mapping[int, str] = {number: name for suite in SUITES.values() for number, name in suite.names.items()}
"""Of all suites: no two of them call different functions the same number."""

BEST_2009 = "best 2009"
"""What the best algorithm of 2009 for each function is called. No algorithm of ours can be: its name has a space."""


def function_title(function: int) -> str:
    """Return number and name of a function.

    >>> function_title(8), function_title(101), function_title(999)
    ('f8 Rosenbrock', 'f101 Sphere mod. Gauss', 'f999')
    """
    return f"f{function} {NAMES.get(function, '')}".strip()
