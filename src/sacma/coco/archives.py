"""Reading of folders and archives into memory, without unpacking, running or writing anything."""

import lzma
import os
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.files.untrusted import read_file

ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar")
LOGS = (".csv", ".json")  # of others than COCO

LARGEST = 512_000_000  # bytes of a COCO data set
LARGEST_ARCHIVE = 4 * LARGEST  # bytes of an unpacked archive with all its files
MOST_MEMBERS = 100_000  # files and folders: a COCO data set has a thousand
LONGEST_QUOTE = 120  # characters of a name or an error in a message

_NOT_INTACT = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError, OverflowError, MemoryError)


def archives_in(folder: Path) -> list[Path]:
    """Return the archives in a folder, by name; nothing where there is no such folder, or it cannot be read."""
    try:
        there = (path for path in folder.iterdir() if path.name.endswith(ARCHIVES) and _is_visible(path.name))
        return sorted(path for path in there if path.is_file())
    except OSError:
        return []


def archive_name(path: Path) -> str:
    """Return the name of an archive or a folder without the ending.

    >>> archive_name(Path("downloads/bipop.tar.gz")), archive_name(Path("coco/CMA-ES"))
    ('bipop', 'CMA-ES')
    """
    ending = next((ending for ending in (*ARCHIVES, *LOGS) if path.name.endswith(ending)), "")
    return path.name.removesuffix(ending)


def read_files(path: Path, endings: Sequence[str]) -> Mapping[str, bytes]:
    """Return the files of a folder or an archive whose names end in one of ``endings``, by relative path.

    Raises SacmaError if it is missing, unreadable, damaged or too large.
    """
    try:
        if path.is_dir():
            return dict(_read_folder(path, tuple(endings)))
        if not path.exists():
            raise SacmaError(f"{path}: no such {'file' if path.suffix in LOGS else 'folder or archive'}")
        if not path.is_file() or not path.name.endswith(ARCHIVES):
            raise SacmaError(f"{path} is neither a folder nor an archive ({', '.join(ARCHIVES)})")
        return dict(_read_tar(path, tuple(endings)))
    except _NOT_INTACT as error:
        raise SacmaError(f"{path} is not an intact archive: {_quoted(error)}") from None
    except OSError as error:
        where = f" ({_quoted(error.filename)})" if error.filename and str(error.filename) != str(path) else ""
        raise SacmaError(f"{path} cannot be read{where}: {_quoted(error.strerror or error)}") from None


def _quoted(text: object) -> str:
    """Return foreign text in short and printable."""
    return one_line(str(text), LONGEST_QUOTE)


def _read_folder(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder; each folder is visited once, even if links form a circle."""
    count, looked_at = _counter(path, LARGEST), _counter(path, MOST_MEMBERS, "files and folders")

    def raise_it(error: OSError) -> None:
        raise error

    seen: set[str] = set()
    for folder, below, names in os.walk(path, onerror=raise_it, followlinks=True):
        looked_at(len(names) + len(below))
        seen.add(os.path.realpath(folder))
        there = filter(_is_visible, below)
        below[:] = sorted(name for name in there if os.path.realpath(Path(folder, name)) not in seen)
        for name in filter(_is_visible, names):
            file = Path(folder, name)
            if name.endswith(endings) and file.is_file():
                count(file.stat().st_size)
                yield file.relative_to(path).as_posix(), read_file(file, LARGEST)


def _read_tar(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a tar; sizes are counted as its headers tell them, before anything of that size is read."""
    count, unpacked = _counter(path, LARGEST), _counter(path, LARGEST_ARCHIVE)
    looked_at = _counter(path, MOST_MEMBERS, "files and folders")
    unpacked(path.stat().st_size)
    with tarfile.open(path, "r|*") as archive:  # a stream: it cannot go back
        for member in archive:
            looked_at(1)
            if member.size < 0 or member.issparse():
                raise ValueError(f"{member.name} is sparse, or of a negative size")
            unpacked(member.size)
            if member.isreg() and (name := _name_within(path, member.name, endings)):
                count(member.size)
                file = archive.extractfile(member)
                content = file.read() if file else b""
                if len(content) < member.size:
                    raise EOFError("it ends too early")
                yield name, content


def _counter(path: Path, most: int, what: str = "bytes") -> Callable[[int], None]:
    """Return a function that adds up numbers, and raises SacmaError above ``most``."""
    total = 0

    def count(number: int) -> None:
        nonlocal total
        total += number
        if total > most:
            raise SacmaError(f"{path} holds more than {most:,} {what}: that is not a COCO data set")

    return count


def _name_within(path: Path, name: str, endings: tuple[str, ...]) -> str:
    """Return the relative path of a member with one of ``endings``, empty for any other.

    Raises SacmaError if it leads out of the archive.
    """
    if not name.endswith(endings):
        return ""
    found = posixpath.normpath(name.replace("\\", "/"))
    if found.startswith(("/", "../")) or found == ".." or "\0" in found:
        raise SacmaError(f"{path} has a member that leads out of it ('{_quoted(name)}'): that is not a COCO data set")
    return found if all(map(_is_visible, found.split("/"))) else ""


def _is_visible(name: str) -> bool:
    """Return False for hidden files and folders, and for those that macOS adds: ``._name``, ``__MACOSX``."""
    return not name.startswith(".") and name != "__MACOSX"
