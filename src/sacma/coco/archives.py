"""Reading of folders and archives into memory, without unpacking, running or writing anything."""

import bz2
import gzip
import io
import lzma
import os
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from sacma.coco.tar import FILES_OF_TAR, PIECE, tar_members
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.files.untrusted import UnfitFileError, read_file

ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".zip")

LARGEST = 512_000_000  # bytes of a COCO data set
LARGEST_ARCHIVE = 4 * LARGEST  # bytes of an unpacked archive with all its files
MOST_MEMBERS = 100_000  # files and folders: a COCO data set has a thousand
LARGEST_HEADER = 16 << 20  # bytes of the directory of a zip
MOST_MEMORY = 256 << 20  # memory for unpacking an ``.xz``: four times that of its strongest preset
LONGEST_QUOTE = 120  # characters of a name or an error in a message

_NOT_INTACT = (
    *(zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, struct.error),
    *(RuntimeError, NotImplementedError),  # an encrypted zip, or an unknown compression
    *(ValueError, LookupError, ArithmeticError, AttributeError, TypeError),  # from a broken header
)


def archives_in(folder: Path) -> list[Path]:
    """Return the archives in a folder, by name; nothing where there is no such folder, or it cannot be read."""
    try:
        there = (path for path in folder.iterdir() if path.name.endswith(ARCHIVES) and _is_visible(path.name))
        return sorted(path for path in there if path.is_file())
    except OSError:
        return []


def archive_name(path: Path) -> str:
    """Return what an archive or a folder is called, without the ending.

    >>> archive_name(Path("downloads/bipop.tar.gz")), archive_name(Path("coco/CMA-ES"))
    ('bipop', 'CMA-ES')
    """
    ending = next((ending for ending in ARCHIVES if path.name.endswith(ending)), "")
    return path.name.removesuffix(ending)


def read_files(path: Path, endings: Sequence[str]) -> Mapping[str, bytes]:
    """Return the files of a folder or an archive whose names end in one of ``endings``, by relative path.

    A SacmaError says if it is missing, unreadable, damaged or too large.
    """
    try:
        if path.is_dir():
            return dict(_read_folder(path, tuple(endings)))
        if not path.exists():
            raise SacmaError(f"{path}: no such folder or archive")
        if not path.is_file() or not path.name.endswith(ARCHIVES):
            raise SacmaError(f"{path} is neither a folder nor an archive ({', '.join(ARCHIVES)})")
        read = _read_zip if path.suffix == ".zip" else _read_tar
        return dict(read(path, tuple(endings)))
    except OSError as error:
        where = f" ({_quoted(error.filename)})" if error.filename and str(error.filename) != str(path) else ""
        raise SacmaError(f"{path} cannot be read{where}: {_quoted(error.strerror or error)}") from None
    except _NOT_INTACT as error:
        raise SacmaError(f"{path} is not an intact archive: {_quoted(error)}") from None


def _quoted(text: object) -> str:
    """Return foreign text in short and printable."""
    return one_line(str(text), LONGEST_QUOTE)


def _read_folder(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder; each folder is visited once, even if links form a circle."""
    count, looked_at = _bytes(path, LARGEST), _members(path)

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
                try:
                    yield file.relative_to(path).as_posix(), read_file(file, LARGEST)
                except UnfitFileError:  # it changed after is_file()
                    continue


def _read_zip(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    count, looked_at = _bytes(path, LARGEST), _members(path)
    with _Bounded(path) as file, zipfile.ZipFile(file) as archive:
        looked_at(len(archive.infolist()))
        for member in archive.infolist():
            if name := _name_within(path, member.filename, endings):
                with archive.open(member) as opened:
                    yield name, _joined(iter(partial(opened.read, PIECE), b""), count)


class _Bounded(io.FileIO):
    """A file that limits each read: the directory of a zip claims any length."""

    def read(self, size: int | None = -1, /) -> bytes:
        most = LARGEST_HEADER + 1
        content = super().read(most if size is None or size < 0 else min(size, most)) or b""
        if len(content) == most:
            raise zipfile.BadZipFile("the list of its members is too long")
        return content


def _read_tar(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    count, looked_at, unpacked = _bytes(path, LARGEST), _members(path), _bytes(path, LARGEST_ARCHIVE)
    unpacked(path.stat().st_size)
    with _decompressed(path) as stream:

        def read(size: int) -> bytes:
            content = stream.read(size)
            unpacked(len(content))
            return content

        for kind, told, pieces in tar_members(read):
            looked_at(1)
            if kind in FILES_OF_TAR and (name := _name_within(path, told, endings)):
                yield name, _joined(pieces, count)
        while read(PIECE):  # the checksum is at the end
            pass


def _joined(pieces: Iterable[bytes], count: Callable[[int], None]) -> bytes:
    """Return the content of a member, which is counted as it is read: sizes that an archive tells may be any."""
    content = io.BytesIO()
    for piece in pieces:
        count(len(piece))
        content.write(piece)
    return content.getvalue()


def _decompressed(path: Path) -> IO[bytes]:
    """Open a file, decompressed as its first bytes say."""
    with path.open("rb") as file:
        magic = file.read(2)
    openers: Mapping[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": _Unxz}
    stream: IO[bytes] = openers[magic](path) if magic in openers else path.open("rb")
    return stream


class _Unxz(io.RawIOBase):
    """An ``.xz`` file that is unpacked in bounded memory."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._stream = lzma.LZMADecompressor(memlimit=MOST_MEMORY)

    def read(self, size: int = -1, /) -> bytes:
        while not self._stream.eof:
            packed = self._file.read(1 << 16) if self._stream.needs_input else b""
            if self._stream.needs_input and not packed:
                raise EOFError("it ends too early")
            if content := self._stream.decompress(packed, size):
                return content
        return b""

    def close(self) -> None:
        self._file.close()
        super().close()


def _counter(path: Path, most: float, what: str) -> Callable[[int], None]:
    """Return a function that adds up numbers and raises SacmaError above ``most``; ``what`` is the limit in words."""
    total = 0

    def count(number: int) -> None:
        nonlocal total
        total += number
        if total > most:
            raise SacmaError(f"{path} holds more than {what}: that is not a COCO data set")

    return count


def _members(path: Path) -> Callable[[int], None]:
    return _counter(path, MOST_MEMBERS, f"{MOST_MEMBERS:,} files and folders")


def _bytes(path: Path, most: int) -> Callable[[int], None]:
    return _counter(path, most, f"{most / 1e6:.0f} MB")


def _name_within(path: Path, name: str, endings: tuple[str, ...]) -> str:
    """Return the relative path of a member with one of ``endings``, empty where it is none of the data.

    A SacmaError says that it leads out of the archive.
    """
    if not name.endswith(endings):
        return ""
    found = posixpath.normpath(name.replace("\\", "/"))
    if found.startswith(("/", "../")) or found == ".." or "\0" in found:
        raise SacmaError(f"{path} has a member that leads out of it ('{_quoted(name)}'): that is not a COCO data set")
    return found if all(map(_is_visible, found.split("/"))) else ""


def _is_visible(name: str) -> bool:
    """Return False for hidden files and folders, and for what macOS adds: ``._name``, ``__MACOSX``."""
    return not name.startswith(".") and name != "__MACOSX"
