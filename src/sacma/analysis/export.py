"""Archives of COCO folders for the COCO data archive, checked by cocopp."""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sacma.coco.cocopp import run_python
from sacma.errors import RunError
from sacma.files.scratch import scratch

Place = tuple[int, int, int]

# An attribute that COCO 2.8 writes, empty, and that cocopp 2.9 warns of at each data set.
EMPTY_SETTINGS = ", settings = ''"

CHECK = """
import json, sys, warnings
import cocopp
cocopp.genericsettings.verbose = False
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    data = cocopp.load(sys.argv[1])
    sets = [[int(d.funcId), int(d.dim), sorted(map(int, d.instancenumbers))] for d in data]
print("\\n" + json.dumps({"sets": sets, "warnings": sorted({" ".join(str(w.message).split()) for w in caught})}))
"""


def read_folder(folder: Path) -> dict[str, str]:
    """Return the files of a canonical COCO folder by relative path, without the attribute that cocopp warns of."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {name: text.replace(EMPTY_SETTINGS, "") if name.endswith(".info") else text for name, text in texts.items()}


def pack(name: str, contents: Mapping[str, str]) -> bytes:
    """Return a ``.tgz`` of ``contents`` below a folder ``name``, the same bytes each time."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path in sorted(contents):
            data = contents[path].encode()
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def load_in_cocopp(name: str, archive: bytes, expected: Sequence[Place]) -> list[str]:
    """Load an archive with cocopp, in a process and a folder of its own, and return its warnings.

    A RunError says that cocopp fails, or finds other data than expected.
    """
    with scratch() as folder:
        path = folder / f"{name}.tgz"
        path.write_bytes(archive)
        done = run_python("-c", CHECK, str(path), cwd=folder, capture_output=True)
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise RunError(
            f"cocopp cannot load {name}.tgz: it says {said}; sacma doctor looks whether it can work at all"
        ) from None
    places = {(function, dimension, i) for function, dimension, instances in answer["sets"] for i in instances}
    if places != set(expected):
        raise RunError(f"cocopp finds {len(places)} trials in {name}.tgz, not the {len(set(expected))} that are in it")
    warned: list[str] = answer["warnings"]
    return warned
