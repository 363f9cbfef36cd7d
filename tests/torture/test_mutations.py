"""Records that are truncated, flipped, swapped, forged or not even files never crash a command nor enter a result."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.store.completeness import completeness_of
from sacma.store.record import decode
from sacma.store.store import Damage, Store
from tests.commands import run_here
from tests.conftest import coco_files
from tests.sizes import sizes


@sizes("number", small=300, full=5000)
def test_forgeries(number: int) -> None:
    """None of thousands of forged records enters a result, and no process takes a GiB; prints the table."""
    command = [sys.executable, "-m", "tests.store.forgeries", str(number)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    print(f"\n{found.stdout}")
    assert int(re.findall(r"(\d+) MiB", found.stdout)[0]) < 1024
    assert int(re.findall(r"(\d+) refused", found.stdout)[0]) > 0.8 * number


@sizes("mutations", small=500, full=2000)
def test_mutations(study: Callable[..., Study], tmp_path: Path, mutations: int) -> None:
    """Each of many mutations is noticed; set aside and run again, the study is what it was."""
    asked = study("cmaes", functions="1,8", dimensions="2", instances="1-3", budget=20)
    specs = plan([asked])
    store = Store(tmp_path / "out")
    run_here(store.root, asked)
    expected = coco_files(store.root)
    paths = [store.path_of(spec) for spec in specs]
    contents = [path.read_bytes() for path in paths]
    rng = np.random.default_rng(1)
    for number in range(mutations):
        which = int(rng.integers(len(paths)))
        path, content = paths[which], contents[which]
        path.unlink()
        _mutate(rng, path, content, contents[(which + 1) % len(contents)])
        completeness = completeness_of(store, specs)
        assert specs[which].key not in completeness.heads
        assert len(completeness.heads) == len(specs) - 1
        assert [damage.path for damage in completeness.damaged] == [path][: path.exists()]  # a dangling link is nothing
        assert sum(not isinstance(found, Damage) for found in store.read(specs, decode)) == len(specs) - 1
        if number % 100 == 0:
            run_here(store.root, asked)
            assert coco_files(store.root) == expected
            contents[which] = path.read_bytes()
        else:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            path.write_bytes(contents[which])


def _mutate(rng: np.random.Generator, path: Path, content: bytes, other: bytes) -> None:
    """Put something else in the place of a record."""
    data = bytearray(content)
    position = int(rng.integers(len(data)))
    match int(rng.integers(10)):
        case 0:
            path.write_bytes(content[:position])
        case 1 | 2:
            data[position] ^= 1 << int(rng.integers(8))
            path.write_bytes(data)
        case 3:
            del data[position : position + int(rng.integers(1, 100))]
            path.write_bytes(data)
        case 4:
            path.write_bytes(content + rng.bytes(int(rng.integers(1, 100))))
        case 5:
            path.write_bytes(other)
        case 6:
            path.write_bytes(rng.bytes(int(rng.integers(2000))))
        case 7:
            data[position : position + 512] = bytes(min(512, len(data) - position) or 1)
            path.write_bytes(data if bytes(data) != content else b"")
        case 8:
            path.mkdir()
        case _:
            path.symlink_to(path.with_name("nowhere") if rng.random() < 0.5 else "/dev/null")
