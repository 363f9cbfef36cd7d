"""Safe reading of untrusted files: regular files of bounded size, JSON of bounded depth."""

import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from sacma.files.printable import one_line, shown
from sacma.system import OPENED

Kind = TypeVar("Kind")

LARGEST_FILE = 64 << 20  # bytes that are read of any file at most
PIECE = 1 << 16  # bytes of a file that grows, read at a time


class UnfitFileError(OSError):
    """A file is not a regular file, or too large."""


def read_file(path: Path | str, most: int = LARGEST_FILE) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes; raise UnfitFileError for anything else.

    A pipe, a socket, a device or a folder is never read: reading it could wait for ever, or not end.
    """
    descriptor = open_regular(path, most=most)
    try:
        size = os.fstat(descriptor).st_size
        content = os.read(descriptor, size + 1)
        # A read may return less than it could, as over a network, and a file may grow.
        while len(content) != size and len(content) <= most and (more := os.read(descriptor, PIECE)):
            content += more
    finally:
        os.close(descriptor)
    if len(content) > most:
        raise _too_large(path, most)
    return content


def open_regular(path: Path | str, flags: int = os.O_RDONLY, *, most: int = LARGEST_FILE) -> int:
    """Open as ``read_file`` and return a descriptor, which new processes do not inherit; ``flags`` of ``os.open``."""
    with contextlib.nullcontext() if not flags & os.O_CREAT else contextlib.suppress(FileNotFoundError):
        _check(path, os.stat(path), most)  # noqa: PTH116 before it is opened: opening a device may do something
    descriptor = os.open(path, flags | OPENED, 0o666)
    try:
        _check(path, os.fstat(descriptor), most)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(path: Path | str, status: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnfitFileError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise UnfitFileError(errno.EINVAL, "it is not a regular file", str(path))
    if status.st_size > most:
        raise _too_large(path, most)


def _too_large(path: Path | str, most: int) -> UnfitFileError:
    size = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
    return UnfitFileError(errno.EFBIG, f"it is larger than {size}", str(path))


def parse_json(content: bytes | str) -> Any:
    """Return the content of a JSON text; raise ValueError if it is not JSON, or nested too deeply to be read."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_json_as(kind: type[Kind], content: bytes) -> Kind:
    """Return the object of a dataclass that a JSON text holds: no field of another type, none converted.

    Raises a ValueError of one line with the first problem and its field.
    """
    try:
        found: Kind = _adapter(kind).validate_json(content, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None
    return found


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def first_problem(error: ValidationError) -> str:
    """Return the first problem that a validation found, and its field, as one line."""
    first = error.errors(include_input=False, include_url=False)[0]
    return one_line(": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]])), 200)


DEEPEST = 20  # nested levels of lists and mappings


def check_plain(value: Any, deepest: int = DEEPEST) -> None:
    """Raise ``ValueError`` for JSON with unprintable text, or with more than ``deepest`` levels."""
    if deepest < 0:
        raise ValueError("it is nested too deeply")
    if isinstance(value, str) and not value.isprintable():
        raise ValueError(f"it has a text that does not print: {shown(value)}")
    if isinstance(value, dict):
        check_plain([*value, *value.values()], deepest)
    elif isinstance(value, list):
        for part in value:
            check_plain(part, deepest - 1)
