"""Compiled code on disk, as Numba keeps it, and never a reason to fail.

Each file ends in a checksum, behind what Numba reads: code of which bits have changed could end the process. What is
damaged or cannot be read is compiled anew, and what cannot be written is compiled in each process.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from sacma.files.checksum import check_file, checksum


class CodeCache:
    """The compiled code of a function, with the methods that Numba's dispatchers call.

    Copies of a module share its file, by which Numba tells functions apart: here it is the name of the module.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self._cache = FunctionCache(function)
        except (OSError, RuntimeError) as error:  # no folder that can be written to
            self._cache = NullCache()
            _say(f"compiled code is kept nowhere ({error}); set NUMBA_CACHE_DIR to a folder that can be written to")
            return
        locator, name = self._cache._impl.locator, self._cache._impl.filename_base  # noqa: SLF001 Numba's own
        name = f"{function.__module__.rpartition('.')[2]}.{name.partition('.')[2]}"
        self._cache._cache_file = _CheckedFiles(self.cache_path, name, locator.get_source_stamp())  # noqa: SLF001 idem

    @property
    def cache_path(self) -> str | None:
        """The folder, None where there is none."""
        return self._cache.cache_path  # type: ignore[no-any-return]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for arguments of some types, None where there is none that is sound."""
        try:
            return self._cache.load_overload(signature, context)
        except Exception as error:  # noqa: BLE001 whatever a damaged file leads to
            _say(f"compiled code in {self.cache_path} cannot be used ({_in_words(error)}); it is compiled anew")
            with suppress(OSError):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep code, if that can be done."""
        try:
            self._cache.save_overload(signature, code)
        except Exception as error:  # noqa: BLE001 as above
            said = f"compiled code cannot be kept in {self.cache_path} ({_in_words(error)})"
            _say(f"{said}; each process compiles it; set NUMBA_CACHE_DIR to another folder")


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and code of a function, with checksums."""

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[IO[bytes]]:
        written = BytesIO()
        yield written
        with super()._open_for_write(path) as file:
            file.write(written.getvalue() + checksum(written.getvalue()))

    def _load_index(self) -> Any:
        with suppress(FileNotFoundError):
            check_file(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        check_file(Path(self._data_path(name)))
        return super()._load_data(name)


def _in_words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


said: list[str] = []
"""What was wrong, as this process has said it."""


def _say(message: str) -> None:
    """Say it, unless something was said already: what ails one function ails others."""
    if not said:
        logging.getLogger("sacma").warning(message)
    said.append(message)
