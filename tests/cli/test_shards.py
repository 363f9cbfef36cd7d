"""Messages after the run of a shard."""

import shlex
import subprocess
from pathlib import Path

from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.commands import sacma, successful
from tests.conftest import CONFIGS, hostile_config
from tests.docs.pages import ROOT, blocks


def test_shards_of_a_cluster_are_copied_together(tmp_path: Path) -> None:
    """The page's command takes one that had no trial, and one whose trials failed, with what is known of them."""
    (recipe,) = (b.text for b in blocks(ROOT / "docs" / "on_a_cluster.md") if "for shard in shards" in b.text)
    copy = "\n".join(line for line in recipe.splitlines() if not line.startswith("sacma"))
    config = hostile_config(tmp_path, {"f1-d2-i1": "raise", "f2-d2-i1": "raise"})
    small = ("--functions", "1-2", "--dimensions", 2, "--instances", 1, "--retries", 0)
    for number in range(1, 6):  # of two trials
        sacma("run", config, *small, "--shard", f"{number}/5", "--results", f"shards/{number}", cwd=tmp_path)
    assert len(list(tmp_path.glob("shards/*"))) == 5
    subprocess.run(["bash", "-euc", copy], cwd=tmp_path, check=True)  # noqa: S607 as it is typed
    ((_, completeness),) = completeness_of_studies(Store(tmp_path / "results" / "study"))
    assert len(completeness.failed) == 2
    assert not completeness.heads


def test_what_is_next_is_what_to_type(tmp_path: Path) -> None:
    """The commands that all shards print, also those without a trial, bring all trials together in one folder."""
    small = ("--functions", "1-3", "--dimensions", "2", "--instances", "1-2", "--budget", "5")
    for number in range(1, 9):  # of six trials
        shard = ("--shard", f"{number}/8", "--results", f"my shards/{number}")
        done = successful("run", CONFIGS / "cmaes.yaml", *small, *shard, cwd=tmp_path)
        copy, then = done.stdout.strip().rpartition("those of this one: ")[2].split("; then: ")
        subprocess.run(["bash", "-euc", copy], cwd=tmp_path, check=True)  # noqa: S607 as it is typed
    program, command, folder = shlex.split(then)
    assert (program, command) == ("sacma", "postprocess")
    ((_, completeness),) = completeness_of_studies(Store(tmp_path / folder))
    assert completeness.complete
