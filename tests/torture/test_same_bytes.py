"""However a study is run, its COCO folders are the same bytes."""

import shutil
from pathlib import Path

from tests.commands import sacma, successful
from tests.conftest import CONFIGS, coco_files
from tests.processes import dask_cluster
from tests.sizes import sizes

CONFIG_FILES = [CONFIGS / f"{name}.yaml" for name in ("ada_kendall", "cmaes")]


@sizes(
    "protocol",
    small=("--functions", "1,8", "--dimensions", 2, "--instances", 1, "--budget", 30),
    full=("--functions", "1-24", "--dimensions", "2,5", "--instances", "1-3"),
)
def test_same_bytes(tmp_path: Path, protocol: tuple[object, ...]) -> None:
    """In this process, in 2 workers, resumed, on dask with 2 workers that share no folder, and in 3 shards together."""

    def run(name: str, *options: object) -> dict[str, bytes]:
        successful(
            "run", *CONFIG_FILES, *protocol, "--results", name, *options, cwd=tmp_path, process=options == ("--jobs", 2)
        )
        return coco_files(tmp_path / name)

    expected = run("serial")
    assert len(expected) > 10
    assert run("workers", "--jobs", 2) == expected
    for path in sorted((tmp_path / "workers").rglob("*.record"))[::2]:
        path.unlink()
    assert run("workers", "--jobs", 1) == expected
    with dask_cluster(tmp_path / "cluster") as address:
        assert run("dask", "--scheduler", address) == expected
    for shard in (1, 2, 3):
        part = run(f"shard-{shard}", "--shard", f"{shard}/3")
        assert part != expected
    for shard in (1, 2, 3):
        for kind in ("studies", "records"):
            shutil.copytree(tmp_path / f"shard-{shard}" / kind, tmp_path / "together" / kind, dirs_exist_ok=True)
    counts = [len(list((tmp_path / f"shard-{shard}").rglob("*.record"))) for shard in (1, 2, 3)]
    assert sum(counts) == len(list((tmp_path / "serial").rglob("*.record")))
    status = sacma("status", "together", cwd=tmp_path).stdout
    assert "next: sacma postprocess together" in status
    assert "0 to run" in sacma("run", "--results", "together", cwd=tmp_path).stdout
    assert coco_files(tmp_path / "together") == expected
    print(f"\n{sum(counts)} trials, {len(expected)} files: serial = workers = dask = 3 shards {counts}")
