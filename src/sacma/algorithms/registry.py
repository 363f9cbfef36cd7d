"""The registry of algorithms."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sacma.algorithms.algorithm_file import read_algorithm_file
from sacma.algorithms.base import Algorithm
from sacma.algorithms.local_search import local_search
from sacma.algorithms.pycma import bipop_cmaes, lq_cmaes
from sacma.algorithms.random_search import random_search
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.errors import SacmaError
from sacma.files.printable import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "sacma.algorithms"
"""Entry points of installed packages that add algorithms, functions with ``@sacma.algorithm``."""


@dataclass(frozen=True)
class Origin:
    """The origin of somebody else's algorithm."""

    source: str  # path of a file, printable, for messages; or name of a distribution
    version: str  # content hash of the file, or version of the distribution
    is_file: bool  # True for a file


class Registry(Mapping[str, Algorithm]):
    """Algorithms by name: our own, those of the user's files, and those of installed packages, loaded when needed."""

    def __init__(self, own: Mapping[str, Algorithm]) -> None:
        self._own = own
        self._from_files: dict[str, tuple[Origin, Algorithm]] = {}
        self._paths: dict[str, Path] = {}  # of these files, by algorithm

    @property
    def files(self) -> tuple[Path, ...]:
        """The added files in their order, for worker processes to add too."""
        return tuple(dict.fromkeys(self._paths[name] for name in self._from_files))

    def add_files(self, paths: Iterable[Path]) -> None:
        """Run files and add the algorithms that they define; they replace those of earlier files with the same names.

        The paths are given by the user in this very call, never read from a file.
        """
        defined: dict[str, Path] = {}
        for path in dict.fromkeys(path.absolute() for path in paths):
            file = read_algorithm_file(path)
            for name, algorithm in file.algorithms.items():
                if name in self._own or name in self._added or name in defined:
                    taken = f"{defined[name]}" if name in defined else "sacma or an installed package"
                    raise SacmaError(f"{path}: {name} is also an algorithm of {taken}; give it another name")
                defined[name] = path
                self._paths[name] = path
                self._from_files[name] = Origin(printable(str(path)), file.version, is_file=True), algorithm

    def origin(self, name: str) -> Origin | None:
        """Return the origin of an algorithm, None for our own."""
        if name in self._own:
            return None
        if name in self._from_files:
            return self._from_files[name][0]
        distribution = self._added[name].dist
        return Origin(distribution.name, distribution.version, is_file=False) if distribution else None

    def __getitem__(self, name: str) -> Algorithm:
        if name in self._own:
            return self._own[name]
        if name in self._from_files:
            return self._from_files[name][1]
        entry = self._added[name]
        try:
            algorithm = entry.load()
        except Exception as error:
            raise SacmaError(
                f"algorithm {name}, from {entry.value}, cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(algorithm, Algorithm):
            raise SacmaError(f"algorithm {name}, from {entry.value}, is not made by @sacma.algorithm")
        return algorithm

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._own, *self._from_files, *self._added]))

    def __len__(self) -> int:
        return len(self._own.keys() | self._from_files.keys() | self._added.keys())

    @cached_property
    def _added(self) -> "Mapping[str, EntryPoint]":
        from importlib.metadata import entry_points  # noqa: PLC0415 most configs need none of it

        return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


BUILT_IN = (surrogate_cmaes, lq_cmaes, bipop_cmaes, local_search, random_search)
"""Our own algorithms, declared by the same decorator as those of users."""

ALGORITHMS = Registry({algorithm.name: algorithm for algorithm in BUILT_IN})
