"""Registry of covariance functions, one line each.

The module of a covariance function has a function ``correlate(distances, length, correlations)``, decorated by
``compiled.inlined``. The likelihood is compiled once for each covariance function, into a copy of its module: a
function passed as an argument would be slower, and Numba could not keep it on disk.
"""

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

COVARIANCES: Mapping[str, str] = {
    "matern-5/2": "sacma.surrogate.covariances.matern52",
}
"""Modules by name."""

USUAL = "matern-5/2"
"""The paper's covariance function; ``sacma.surrogate.likelihood`` itself is compiled for it."""

if TYPE_CHECKING:
    CovarianceName = str
else:
    CovarianceName = Literal[tuple(COVARIANCES)]


def covariance_function(name: str) -> Any:
    """Return the compiled function of a covariance."""
    return import_module(COVARIANCES[name]).correlate


@cache
def likelihood_of(name: str) -> ModuleType:
    """Return the module ``likelihood``, compiled for a covariance function."""
    module = "sacma.surrogate.likelihood"
    if name == USUAL:
        return import_module(module)
    source, template = find_spec(COVARIANCES[name]), find_spec(module)
    assert source is not None and source.origin is not None  # noqa: S101, PT018 of the package itself
    assert template is not None and template.origin is not None  # noqa: S101, PT018
    # Numba keeps compiled code by module name, and does not notice when a function changes that is inlined.
    version = hashlib.sha256(Path(source.origin).read_bytes()).hexdigest()[:12]
    spec = spec_from_file_location(f"{module}_{source.name.rpartition('.')[2]}_{version}", template.origin)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018
    copy = module_from_spec(spec)
    vars(copy)["COVARIANCE"] = name
    sys.modules[spec.name] = copy
    spec.loader.exec_module(copy)
    return copy
