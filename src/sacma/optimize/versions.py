"""Versions of the packages that a run is computed with."""

import contextlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from sacma.files.printable import one_line

COMPUTED_WITH = ("numpy", "scipy", "numba", "cma")  # packages of which another version may ask for other points
LONGEST_VERSIONS = 300  # characters of what is said about versions


def versions() -> dict[str, str]:
    """Return the versions that are installed here, by package."""
    found = {}
    for package in COMPUTED_WITH:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def differing(were: Mapping[str, str]) -> str:
    """Return the packages that had another version, for people; empty where none had."""
    here = versions()
    changed = {name: was for name, was in were.items() if here.get(name) != was}
    return one_line(
        ", ".join(f"{name} {was}, here {here.get(name, 'none')}" for name, was in changed.items()), LONGEST_VERSIONS
    )
