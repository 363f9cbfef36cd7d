"""Archives of COCO folders, as the COCO data archive takes them, checked before they are given away."""

import gzip
import io
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sacma.coco.cocopp import environment
from sacma.coco.writer import PREFIX, SUFFIXES
from sacma.errors import RunError
from sacma.files.printable import one_line
from sacma.files.scratch import scratch

Place = tuple[int, int, int]

_LAYOUT = str.maketrans(dict.fromkeys("\n\t", " "))

EMPTY_SETTINGS = ", settings = ''"
"""An attribute that COCO 2.8 writes, empty, and that cocopp 2.9 warns of at each data set."""

CHECK = """
import json, sys, warnings
warnings.simplefilter("ignore")
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
    texts = {path.relative_to(folder).as_posix(): path.read_text() for path in files}
    return {name: text.replace(EMPTY_SETTINGS, "") if name.endswith(".info") else text for name, text in texts.items()}


def find_faults(contents: Mapping[str, str], expected: Iterable[Place]) -> list[str]:
    """Return what is wrong with a COCO folder, by its files' contents, a phrase a fault; nothing where it is sound.

    Checked are: every expected (function, dimension, instance) is there once and no other is, one algorithm name, COCO
    version and format throughout, and as many runs in each data file as the index says.
    """
    faults = []
    found: Counter[Place] = Counter()
    heads = set()
    for name, text in contents.items():
        if not text.translate(_LAYOUT).isprintable():
            faults.append(f"{one_line(name)} has characters that do not print")
        if not name.endswith(".info"):
            continue
        lines = text.splitlines()
        if len(lines) % 3:
            faults.append(f"{name} has {len(lines)} lines, not three a data set")
            continue
        for header, _, entry in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
            attributes = dict(re.findall(r"(\w+) = '?([^',]*)'?", header))
            function, dimension = (int(attributes.pop(key, 0)) for key in ("funcId", "DIM"))
            heads.add(tuple(sorted(attributes.items())))
            path, *runs = entry.split(", ")
            instances = [int(run.partition(":")[0]) for run in runs]
            found.update((function, dimension, instance) for instance in instances)
            stem = f"data_f{function}/{PREFIX}_f{function}_DIM{dimension}"
            if path != f"{stem}.dat":
                faults.append(f"{name} names {path}, not {stem}.dat")
            for suffix in SUFFIXES:
                begun = sum(line.startswith("%") for line in contents.get(f"{stem}.{suffix}", "").splitlines())
                if begun != len(runs):
                    faults.append(f"{stem}.{suffix} has {begun} runs, {name} says {len(runs)}")
    expected = set(expected)
    wrong = {
        "missing": expected - found.keys(),
        "there more than once": {place for place, times in found.items() if times > 1},
        "not of the study": found.keys() - expected,
    }
    faults += [f"{_shown(places)} {what}" for what, places in wrong.items() if places]
    if len(heads) > 1:
        faults.append(f"its headers differ: {' / '.join(sorted(', '.join(map('='.join, head)) for head in heads))}")
    return faults


def _shown(places: Iterable[Place]) -> str:
    first, *others = sorted(places)
    more = f" and {len(others)} more are" if others else " is"
    return f"f{first[0]} in {first[1]}-D, instance {first[2]}{more}"


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
    """Load an archive with cocopp, in a process and a folder of its own, and return what it warns of.

    A RunError says that cocopp fails, or finds other data than expected.
    """
    with scratch() as folder:
        path = folder / f"{name}.tgz"
        path.write_bytes(archive)
        done = subprocess.run(  # noqa: S603 our own interpreter, our own script
            [sys.executable, "-P", "-c", CHECK, str(path)],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
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
