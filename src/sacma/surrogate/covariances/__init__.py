"""Registry of covariance functions, one line each.

The module of a covariance function has a function ``correlate(distances, length, correlations)``, decorated by
``compiled.inlined``. The likelihood is compiled once for each covariance function, into a copy of its module: a
function passed as an argument would be slower, and Numba could not keep it on disk.
"""

import hashlib
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

COVARIANCES: Mapping[str, str] = {
    "matern-5/2": "sacma.surrogate.covariances.matern52",
}
"""Modules by name."""

USUAL = "matern-5/2"  # the paper's covariance function; ``sacma.surrogate.likelihood`` itself is compiled for it

if TYPE_CHECKING:
    CovarianceName = str
else:
    CovarianceName = Literal[tuple(COVARIANCES)]


def covariance_function(name: str) -> Any:
    """Return the compiled function of a covariance."""
    return import_module(COVARIANCES[name]).correlate


_compiling = threading.RLock()
"""Held while a copy of the module is made, so that it is made once."""


def likelihood_of(name: str, *, trend: bool = False) -> ModuleType:
    """Return the module ``likelihood``, compiled for a covariance function, and for a trend beside it."""
    key = (name, trend)
    if key not in _made:
        with _compiling:
            if key not in _made:
                _made[key] = _compiled(name, trend=trend)
    return _made[key]


_made: dict[tuple[str, bool], ModuleType] = {}
"""Copies that are there: who finds one waits for no lock, which an interruption may have left locked."""


def _compiled(name: str, *, trend: bool) -> ModuleType:
    usual = import_module("sacma.surrogate.likelihood")
    if name == USUAL and not trend:
        return usual
    assert usual.__file__ is not None  # noqa: S101
    title = title_of(name, trend=trend)
    spec = spec_from_file_location(f"sacma.surrogate.{title}", usual.__file__)
    assert spec is not None  # noqa: S101
    assert spec.loader is not None  # noqa: S101
    copy = module_from_spec(spec)
    vars(copy).update(COVARIANCE=name, TREND=trend)
    sys.modules[spec.name] = copy
    spec.loader.exec_module(copy)
    return copy


def title_of(name: str, *, trend: bool) -> str:
    """Return the name of a copy of the likelihood, with which the files of its compiled code begin."""
    covariance = find_spec(COVARIANCES[name])
    assert covariance is not None  # noqa: S101 of the package itself
    assert covariance.origin is not None  # noqa: S101
    # Numba does not notice when a function changes that is inlined.
    version = hashlib.sha256(Path(covariance.origin).read_bytes()).hexdigest()[:12]
    return f"likelihood_{covariance.name.rpartition('.')[2]}{'_trend' * trend}_{version}"
