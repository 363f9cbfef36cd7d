"""SIGKILL at random moments, to the coordinator or a worker: nothing that was finished is lost or run twice."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from sacma.errors import KILLED
from tests.commands import successful
from tests.conftest import CONFIGS, coco_files
from tests.processes import left_alive, start, workers_in_session


@pytest.mark.parametrize(
    ("kills", "protocol"),
    [
        pytest.param(3, {"functions": "1-9", "dimensions": "5", "instances": "1", "budget": "60"}, id="3"),
        pytest.param(
            50,
            {"functions": "1-24", "dimensions": "5,10", "instances": "1-3", "budget": "250"},
            id="50",
            marks=pytest.mark.torture,
        ),
    ],
)
def test_kills(tmp_path: Path, kills: int, protocol: dict[str, str]) -> None:
    """Killed and resumed again and again, the merged folder is that of a serial run that was left alone."""
    configs = [str(CONFIGS / "ada_kendall.yaml"), str(CONFIGS / "gp1.yaml")]
    options = [part for key, value in protocol.items() for part in (f"--{key}", value)]
    command = ["run", *configs, *options, "--results", "out", "--jobs", "2"]
    rng = np.random.default_rng(kills)
    records: dict[Path, bytes] = {}
    struck = {"coordinator": 0, "worker": 0}
    finished_before = 0
    while sum(struck.values()) < kills:
        process = start(*command, cwd=tmp_path)
        whom = "worker" if rng.random() < 0.5 else "coordinator"
        time.sleep(rng.uniform(0.2, 4.0))
        victims = workers_in_session(process.pid) if whom == "worker" else [process.pid]
        if process.poll() is None and victims:
            os.kill(int(rng.choice(victims)), KILLED)
            struck[whom] += 1
        finished_before += process.poll() == 0
        if whom == "worker":  # it goes on by itself, and is ended by the next strike
            time.sleep(rng.uniform(0.2, 2.0))
            if process.poll() is None and sum(struck.values()) < kills:
                process.kill()
                struck["coordinator"] += 1
            elif process.poll() is None:
                process.wait(timeout=600)
        process.communicate(timeout=60)
        assert left_alive(process.pid) == []  # workers follow their coordinator
        now = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.record")}
        assert all(now.get(path) == content for path, content in records.items()), "a finished trial was run again"
        records = now

    successful("run", *configs, *options, "--results", "serial", cwd=tmp_path)
    successful("run", *configs, *options, "--results", "out", cwd=tmp_path, process=True)
    assert coco_files(tmp_path / "out") == coco_files(tmp_path / "serial")
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.record")}
    assert all(after[path] == content for path, content in records.items())
    assert not list((tmp_path / "out").rglob(".*")), "half-written files are left"
    print(
        f"\n{kills} kills ({struck['coordinator']} of the coordinator, {struck['worker']} of a worker), "
        f"{len(records)} of {len(after)} trials done at the last of them: same bytes, no trial run twice"
    )
