"""The registry of algorithms: our own, those in Python files of users, and those of installed packages."""

import hashlib
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from sacma.algorithms.base import Algorithm
from sacma.algorithms.baselines import bipop_cmaes, local_search, lq_cmaes, random_search, rank_lq_cmaes, slsqp_lq_cmaes
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.errors import SacmaError
from sacma.files.printable import printable
from sacma.files.untrusted import read_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Entry points of installed packages that add algorithms, functions with ``@sacma.algorithm``.
ENTRY_POINTS = "sacma.algorithms"

DIGITS = 12  # length of the content hash that is a file's version
_FOLDERS: set[Path] = set()  # of the files that this process has run


@dataclass(frozen=True)
class AlgorithmFile:
    """The algorithms of a file by name, and its content hash as their version."""

    version: str
    algorithms: Mapping[str, Algorithm]


def read_algorithm_file(path: Path) -> AlgorithmFile:
    """Run a Python file and return the algorithms that it defines with ``@sacma.algorithm``.

    Its folder is added to the end of ``sys.path``, so that it can import its neighbours. The version is that of the
    text that is run: no compiled file is read or written. A file that cannot be read or run, that defines no algorithm,
    or with a neighbour of the name of another file's, is a SacmaError.
    """
    path = path.absolute()
    try:
        source = read_file(path)
    except OSError as error:
        raise SacmaError(f"algorithm file {path} cannot be read: {error.strerror}") from None
    version = hashlib.sha256(source.replace(b"\r\n", b"\n")).hexdigest()[:DIGITS]  # the same in each checkout
    module = ModuleType(f"sacma_algorithm_file_{version}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # for dataclasses and pickle
    for neighbour in path.parent.glob("*.py"):
        other = Path(getattr(sys.modules.get(neighbour.stem), "__file__", None) or neighbour)
        if other != neighbour and other.parent in _FOLDERS:
            taken = f"{other} has been imported for another algorithm file"
            raise SacmaError(f"{path}: its neighbour {neighbour.name} cannot be imported: {taken}; rename one of them")
    _FOLDERS.add(path.parent)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102 the user's own file
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            raise SacmaError(f"{error.filename}:{error.lineno}: {error.msg}") from None
        what = f"{error}" if isinstance(error, SacmaError) else f"{type(error).__name__}: {error}".rstrip(": ")
        raise SacmaError(f"{path}:{_line_of(error, path)}: {what}") from error
    found = [value for value in vars(module).values() if isinstance(value, Algorithm)]
    found = [value for value in found if not value.function.__module__.startswith("sacma.")]  # imported to be called
    by_name = {algorithm.name: algorithm for algorithm in found}
    if not found:
        raise SacmaError(f"{path} defines no algorithm; put @sacma.algorithm before a function (problem, rng)")
    if len(by_name) < len({id(algorithm) for algorithm in found}):
        raise SacmaError(f'{path} defines two algorithms of one name; give each its own: @sacma.algorithm("name")')
    return AlgorithmFile(version, by_name)


def _line_of(error: BaseException, path: Path) -> int:
    """Return the line of the file that raised the error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno for f in reversed(frames) if f.filename == str(path) and f.lineno), 1)


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


# Our own algorithms, declared by the same decorator as those of users.
BUILT_IN = (surrogate_cmaes, lq_cmaes, rank_lq_cmaes, slsqp_lq_cmaes, bipop_cmaes, local_search, random_search)

ALGORITHMS = Registry({algorithm.name: algorithm for algorithm in BUILT_IN})
