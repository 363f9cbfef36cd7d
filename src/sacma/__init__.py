"""sacma: surrogate-assisted CMA-ES, the optimizer and its COCO/BBOB benchmark harness."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sacma.algorithms.decorator import algorithm as algorithm
    from sacma.integrations.scipy_method import scipy_method as scipy_method
    from sacma.optimize.call import Tolerance as Tolerance
    from sacma.optimize.journal import JournalError as JournalError
    from sacma.optimize.journal import read_journal as read_journal
    from sacma.optimize.minimize import minimize as minimize
    from sacma.optimize.optimizer import Optimizer as Optimizer
    from sacma.optimize.parameters import Categorical as Categorical
    from sacma.optimize.parameters import Integer as Integer
    from sacma.optimize.parameters import Real as Real
    from sacma.optimize.pool import WorkersError as WorkersError
    from sacma.optimize.result import Result as Result
    from sacma.optimize.result import Status as Status
    from sacma.optimize.space import Space as Space

__version__ = "1.0.0"

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

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a name of the library when it is used: the command line starts without pycma."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
