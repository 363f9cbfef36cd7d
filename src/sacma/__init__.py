"""sacma: surrogate-assisted CMA-ES, the optimizer and its COCO/BBOB benchmark harness."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sacma.algorithms.decorator import algorithm
    from sacma.integrations.scipy_method import scipy_method
    from sacma.optimize.call import Tolerance
    from sacma.optimize.journal import JournalError, read_journal
    from sacma.optimize.minimize import minimize
    from sacma.optimize.optimizer import Optimizer
    from sacma.optimize.parameters import Categorical, Integer, Real
    from sacma.optimize.pool import WorkersError
    from sacma.optimize.result import Result, Status
    from sacma.optimize.space import Space

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Integer",
    "JournalError",
    "Optimizer",
    "Real",
    "Result",
    "Space",
    "Status",
    "Tolerance",
    "WorkersError",
    "algorithm",
    "minimize",
    "read_journal",
    "scipy_method",
]

_MODULES = {
    "Categorical": "sacma.optimize.parameters",
    "Integer": "sacma.optimize.parameters",
    "JournalError": "sacma.optimize.journal",
    "Optimizer": "sacma.optimize.optimizer",
    "Real": "sacma.optimize.parameters",
    "Result": "sacma.optimize.result",
    "Space": "sacma.optimize.space",
    "Status": "sacma.optimize.result",
    "Tolerance": "sacma.optimize.call",
    "WorkersError": "sacma.optimize.pool",
    "algorithm": "sacma.algorithms.decorator",
    "minimize": "sacma.optimize.minimize",
    "read_journal": "sacma.optimize.journal",
    "scipy_method": "sacma.integrations.scipy_method",
}


def __getattr__(name: str) -> Any:
    """Import a name of the library when it is used: the command line starts without pycma."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
