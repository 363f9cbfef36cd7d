"""Files of a folder or an archive, read into memory: nothing is unpacked, run or written."""

import bz2
import gzip
import io
import lzma
import os
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from sacma.errors import SacmaError

ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".zip")

LARGEST = 512_000_000
"""Bytes of the files that are read: more is no COCO data set."""

LARGEST_ARCHIVE = 4 * LARGEST
"""Bytes that an archive may unpack to, with what is not read."""

_NOT_INTACT = (
    *(tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError),
    *(RuntimeError, NotImplementedError),  # a zip that is encrypted, or packed in a way that Python does not know
)


def read_files(path: Path, endings: Sequence[str]) -> Mapping[str, bytes]:
    """Return the files of a folder or an archive whose names end in one of ``endings``, by relative path.

    Raises:
        SacmaError: it is not there, cannot be read, is no intact archive, or is too large.
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
        where = f" ({error.filename})" if error.filename and str(error.filename) != str(path) else ""
        raise SacmaError(f"{path} cannot be read{where}: {error.strerror or error}") from None
    except _NOT_INTACT as error:
        raise SacmaError(f"{path} is not an intact archive: {error}") from None


def _read_folder(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder, each folder once, however many links lead there."""
    count = _counter(path, LARGEST)

    def complain(error: OSError) -> None:
        raise error

    seen: set[str] = set()
    for folder, below, names in os.walk(path, onerror=complain, followlinks=True):
        seen.add(os.path.realpath(folder))
        below[:] = sorted(name for name in below if os.path.realpath(Path(folder, name)) not in seen)
        for name in names:
            file = Path(folder, name)
            if name.endswith(endings) and file.is_file():
                count(file.stat().st_size)
                yield file.relative_to(path).as_posix(), file.read_bytes()


def _read_zip(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    count = _counter(path, LARGEST)
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename.endswith(endings):
                count(member.file_size)
                with archive.open(member) as file:
                    yield _name_within(path, member.filename), file.read(member.file_size)


def _read_tar(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    count = _counter(path, LARGEST)
    with _decompressed(path) as stream:
        limited = _Limited(stream, path)
        with tarfile.open(fileobj=limited, mode="r|") as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(endings):
                    count(member.size)
                    file = archive.extractfile(member)
                    yield _name_within(path, member.name), file.read() if file else b""
        while limited.read(1 << 20):  # the checksum is at the end
            pass


def _decompressed(path: Path) -> IO[bytes]:
    """Open a file that may be compressed, whatever its name says."""
    with path.open("rb") as file:
        magic = file.read(2)
    openers: Mapping[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
    stream: IO[bytes] = openers[magic](path) if magic in openers else path.open("rb")
    return stream


class _Limited(io.RawIOBase):
    """A stream that ends in an error when it is too long: what is packed small may be large."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._count = stream, _counter(path, LARGEST_ARCHIVE)

    def read(self, size: int = -1, /) -> bytes:
        content = self._stream.read(size)
        self._count(len(content))
        return content


def _counter(path: Path, most: int) -> Callable[[int], None]:
    total = 0

    def count(size: int) -> None:
        nonlocal total
        total += size
        if total > most:
            raise SacmaError(f"{path} holds more than {most / 1e6:.0f} MB: that is not a COCO data set")

    return count


def _name_within(path: Path, name: str) -> str:
    """Return the name of a member of an archive as a relative path.

    Raises:
        SacmaError: it leads out of the archive.
    """
    found = posixpath.normpath(name.replace("\\", "/"))
    if found.startswith(("/", "../")) or found == ".." or "\0" in found:
        raise SacmaError(f"{path} has a member that leads out of it ({name!r}): that is not a COCO data set")
    return found
