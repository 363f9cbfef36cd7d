"""What many tests share: studies from the shipped configs and small BBOB problems."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

# Before any import of numpy: workers of the tests share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest
import yaml

from sacma.config.study import Study, load_study

collect_ignore = ["hostile"]  # a package of its own, that tests install by PYTHONPATH
# The same examples at each run; `make torture` looks for new ones.
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.load_profile("fixed")
HOSTILE = Path(__file__).parent / "hostile"
CONFIGS = Path(__file__).parent.parent / "configs"
SIX = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


def sacma(*arguments: object, cwd: Path, width: int = 80, **environ: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with hostile algorithms within reach."""
    return subprocess.run(
        [sys.executable, "-m", "sacma", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment(COLUMNS=width, **environ),
        timeout=600,
    )


def environment(**more: object) -> dict[str, str]:
    """Return the environment of commands."""
    path = os.pathsep.join(filter(None, [str(HOSTILE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **{key: str(value) for key, value in more.items()}}


def hostile_config(folder: Path, misdeeds: Mapping[str, str], *, pause: float = 0.0, flag: str = "") -> Path:
    """Write a config of the hostile algorithm: 60 trials on f1 to f10, 2-D and 3-D, instances 1 to 3."""
    path = folder / "hostile.yaml"
    settings = {"misdeeds": dict(misdeeds), "pause": pause, "flag": flag}
    protocol = {"functions": "1-10", "dimensions": "2-3", "instances": "1-3", "budget": 10}
    path.write_text(
        yaml.safe_dump({"name": "Hostile", "algorithm": "hostile", "settings": settings, "protocol": protocol})
    )
    return path


def coco_files(root: Path) -> dict[str, bytes]:
    """Return the canonical COCO folders of a results folder, by path."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted((root / "coco").rglob("*")) if p.is_file()}


@pytest.fixture
def study() -> Callable[..., Study]:
    """Load a shipped config with another protocol: ``study("gp1", functions="1", dimensions="2")``."""

    def load(name: str, **protocol: object) -> Study:
        return load_study(CONFIGS / f"{name}.yaml", protocol)

    return load


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 200 KiB, where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("mounting a small file system needs root; the same with a failing write is tested below")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S607
