"""Algorithms in Python files of users."""

import ast
import hashlib
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from sacma.algorithms.base import Algorithm
from sacma.errors import SacmaError
from sacma.files.untrusted import read_file

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
    or whose neighbour has the name of a module of another algorithm file, is a SacmaError.
    """
    path = path.absolute()
    try:
        source = read_file(path)
    except OSError as error:
        raise SacmaError(f"algorithm file {path} cannot be read: {error.strerror}") from None
    version = hashlib.sha256(source).hexdigest()[:DIGITS]
    module = ModuleType(f"sacma_algorithm_file_{version}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # for dataclasses and pickle
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        tree = ast.parse(source, str(path))
        exec(compile(tree, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102 the user's own file
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            raise SacmaError(f"{error.filename}:{error.lineno}: {error.msg}") from None
        what = f"{error}" if isinstance(error, SacmaError) else f"{type(error).__name__}: {error}".rstrip(": ")
        raise SacmaError(f"{path}:{_line_of(error, path)}: {what}") from error
    _FOLDERS.add(path.parent)
    _check_neighbours(path, tree)
    found = [value for value in vars(module).values() if isinstance(value, Algorithm) and not _is_ours(value)]
    by_name = {algorithm.name: algorithm for algorithm in found}
    if not found:
        raise SacmaError(f"{path} defines no algorithm; put @sacma.algorithm before a function (problem, rng)")
    if len(by_name) < len({id(algorithm) for algorithm in found}):
        raise SacmaError(f'{path} defines two algorithms of one name; give each its own: @sacma.algorithm("name")')
    return AlgorithmFile(version, by_name)


def _check_neighbours(path: Path, tree: ast.Module) -> None:
    """Refuse a file that imports a neighbour and was given the module of that name of another file's folder."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported = [node.module]
        else:
            continue
        for name in {name.partition(".")[0] for name in imported}:
            origin = getattr(sys.modules.get(name), "__file__", None)
            forms = (f"{name}.py", f"{name}/__init__.py")
            others = [folder / form for folder in _FOLDERS - {path.parent} for form in forms]
            if origin and Path(origin) in others and any((path.parent / form).is_file() for form in forms):
                raise SacmaError(
                    f"{path}:{node.lineno}: imports {name}, but {origin} has been imported for another algorithm file; "
                    "give one of them another name, or run the files one by one"
                )


def _is_ours(algorithm: Algorithm) -> bool:
    """Return whether an algorithm is one of sacma's, which a file may import to call it."""
    return algorithm.function.__module__.startswith("sacma.")


def _line_of(error: BaseException, path: Path) -> int:
    """Return the line of the file that raised the error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno for f in reversed(frames) if f.filename == str(path) and f.lineno), 1)
