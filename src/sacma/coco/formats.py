"""Formats of data of others: COCO's, IOHprofiler's, Nevergrad's and plain tables, told apart by their files."""

import os
from pathlib import Path

from sacma.coco.archives import ARCHIVES, LARGEST, LOGS, read_files
from sacma.coco.csv_table import load_tables
from sacma.coco.iohprofiler import INDEX, load_iohprofiler
from sacma.coco.nevergrad_log import load_nevergrad
from sacma.coco.reader import CocoData, listed, load_algorithms
from sacma.coco.suites import BBOB, Suite
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.files.untrusted import read_file


def load_any(path: Path, suite: Suite | None) -> tuple[CocoData, ...]:
    """Read the data of each algorithm in a folder, an archive or a file of any format: of ``suite``, or the data's own.

    Raises:
        SacmaError: they cannot be read, are of no format, or damaged.
    """
    path = find(path)
    if path.suffix in LOGS and path.is_file():
        try:
            files = {path.name: read_file(path, LARGEST)}
        except OSError as error:
            raise SacmaError(f"{path} cannot be read: {one_line(str(error.strerror or error), 200)}") from None
    else:
        files = dict(read_files(path, (*LOGS, ".info", ".dat", ".tdat")))
    of_ioh = any(map(INDEX.fullmatch, files))
    if not of_ioh and any(name.endswith(".info") for name in files):
        return load_algorithms(path, files, suite)
    endings = {load_tables: ".csv", load_nevergrad: ".json"}
    of = {load: {name: files[name] for name in files if name.endswith(end)} for load, end in endings.items()}
    if of_ioh:
        of = {load_iohprofiler: files}
    for load, some in of.items():
        if some:
            found = load(path, some, suite or BBOB)
            if not found:
                raise SacmaError(f"{path} holds no trial")
            return found
    raise SacmaError(
        f"{path} holds no data: neither COCO's (.info), nor IOHprofiler's (IOHprofiler_*.json or .info), nor logs of "
        "Nevergrad (.json), nor tables (.csv)"
    )


def load_one(path: Path, suite: Suite | None = BBOB) -> CocoData:
    """Read the data of one algorithm; a SacmaError says if they are of several. See ``load_any``."""
    data, *others = load_any(path, suite)
    if others:
        raise SacmaError(
            f"{path} holds data of several algorithms: {listed(each.algorithm for each in (data, *others))}; "
            "give the folder of each by itself"
        )
    return data


def find(path: Path) -> Path:
    """Return the path of data: ~ is the home folder, and a name that is not there one in cocopp's cache."""
    path = path.expanduser()
    if path.exists() or path.is_absolute() or len(path.parts) != 1:
        return path
    caches = {os.environ.get("XDG_CACHE_HOME") or "~/.cache", "~/Library/Caches"}
    archives = (there for cache in caches for there in Path(cache, "cocopp").expanduser().rglob("*.t*"))
    found = [there for there in archives if path.name.lower() in there.name.lower() and there.name.endswith(ARCHIVES)]
    if len(found) > 1:
        names = listed(there.name for there in found)
        raise SacmaError(f"{path}: no such folder or archive; cocopp's cache has {len(found)}: {one_line(names, 300)}")
    return found[0] if found else path
