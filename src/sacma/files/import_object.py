"""Import of objects by name, ``module:name``."""

from importlib import import_module
from typing import Any


def import_object(location: str) -> Any:
    """Import and return the object that ``location`` names.

    >>> import_object("math:floor")(1.5)
    1
    """
    module, _, name = location.partition(":")
    return getattr(import_module(module), name)
