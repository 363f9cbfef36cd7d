"""The sweep command: a tiny real sweep, its tables against its own numbers, resuming, and refusals."""

import shlex
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from sacma.analysis.sweep import rank_settings, standings
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial
from sacma.store.completeness import completeness_of
from sacma.store.store import Store
from tests.commands import sacma, successful

SWEEP = """name: tiny
protocol:
  functions: 1,8
  dimensions: 2
  instances: 1-2
  budget: 20
rank_at: [5, 20]
algorithms:
  - name: A
    algorithm: surrogate-cmaes
  - name: B
    algorithm: surrogate-cmaes
    settings: {sampling: {active: true}}
grid:
  sampling.sigma0: [0.5, 1]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.yaml").write_text(SWEEP)
    return tmp_path


def results(folder: Path) -> dict[str, bytes]:
    """All committed records and tables, by path."""
    files = [*(folder / "results" / "records").rglob("*"), *(folder / "results" / "sweep").rglob("*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if path.is_file()}


def test_from_sweep_to_winner(folder: Path) -> None:
    """Run, run again and rank: nothing runs twice, the tables stay the same, all within 80 columns."""
    planned = successful("sweep", "tiny.yaml", "--plan", cwd=folder)
    assert "0/8" in planned.stdout
    assert "by shipped figures" in planned.stdout
    assert not (folder / "results").exists()

    first = successful("sweep", "tiny.yaml", "--jobs", 1, cwd=folder)
    assert "2 algorithms, 4 settings, 16 trials: 0 there, 16 to run" in first.stdout
    assert "A: 2 settings in 4 rankings" in first.stdout
    assert all(len(line) <= 80 for line in [*planned.stdout.splitlines(), *first.stdout.splitlines()])
    before = results(folder)
    assert len(before) == 16 + 2

    again = sacma("sweep", "tiny.yaml", cwd=folder)
    assert "16 trials: 16 there, 0 to run" in again.stdout
    ranked = successful("sweep", "tiny.yaml", "--rank-only", cwd=folder)
    assert first.stdout.endswith(ranked.stdout)
    assert results(folder) == before
    assert "nothing to run" in sacma("sweep", "tiny.yaml", "--plan", cwd=folder).stdout
    status = sacma("status", cwd=folder)
    assert "A.0.5" in status.stdout
    assert "next: sacma sweep SWEEP.yaml --results results --rank-only" in status.stdout

    shorter = successful("sweep", "tiny.yaml", "--budget", 10, "--jobs", 1, cwd=folder)
    assert "ranked after 5, 10 evaluations/D" in shorter.stdout
    (note,) = shorter.stderr.splitlines()
    assert note.startswith("note: results held A.0.5, A.1, B.0.5, B.1 with other settings, budget or seed")


def test_tables_hold_what_is_printed(folder: Path) -> None:
    """Every figure of the command comes from the records by the functions of the analysis, and is in a table."""
    done = successful("sweep", "tiny.yaml", "--jobs", 1, "--functions", "1-3,8", cwd=folder)
    ranking, ranks = (pd.read_csv(folder / "results" / "sweep" / f"tiny_{kind}.csv") for kind in ("ranking", "ranks"))
    store = Store(folder / "results")
    for algorithm in ("A", "B"):
        names = [f"{algorithm}.{sigma0}" for sigma0 in ("0.5", "1")]
        specs = [spec for study in store.studies() if study.name in names for spec in study.specs()]
        trials = completeness_of(store, specs).trials
        medians = median_delta_f((our_trial(*trial) for trial in trials), fixed_budgets((5.0, 20.0)))
        expected = rank_settings(medians, names)
        table = ranking[ranking["algorithm"] == algorithm].set_index("setting")
        pd.testing.assert_frame_equal(table[["place", "first_ranks", "rank_sum", "mean_rank"]], standings(expected))
        assert table["setting.sampling.sigma0"].to_dict() == dict(zip(names, (0.5, 1.0), strict=True))
        for mean_rank in table["mean_rank"]:
            assert f"{mean_rank:.2f}" in done.stdout
        own = ranks[ranks["setting"].isin(names)]
        assert len(own) == 2 * 4 * 2
        assert own.groupby("setting")["rank"].sum().to_dict() == table["rank_sum"].to_dict()


def test_incomplete_results(folder: Path) -> None:
    """Refused, with what is missing and the command that runs it."""
    refused = sacma("sweep", "tiny.yaml", "--rank-only", cwd=folder)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == (
        "sacma: 16 of 16 trials are missing; run them with: sacma sweep tiny.yaml"
    )
    assert not (folder / "results").exists()


def test_shards_are_ranked_together(folder: Path) -> None:
    """A shard runs its part and ranks nothing; it says what to type to bring all together and rank them."""
    for number in (1, 2):
        done = successful("sweep", "tiny.yaml", "--shard", f"{number}/2", "--results", f"shard {number}", cwd=folder)
        assert "next: when all 2 shards are done, copy studies, records and failures of each into one" in done.stdout
        assert "A: 2 settings" not in done.stdout
        copy, then = done.stdout.strip().rpartition("those of this one: ")[2].split("; then: ")
        subprocess.run(["bash", "-euc", copy], cwd=folder, check=True)  # noqa: S607 as it is typed
    program, *arguments = shlex.split(then)
    assert program == "sacma"
    ranked = successful(*arguments, cwd=folder)
    assert "A: 2 settings in 4 rankings" in ranked.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nowhere.yaml"], "nowhere.yaml: no such sweep file"),
        (["tiny.yaml", "--dimensions", "7"], "--dimensions: bbob has no dimension 7"),
        (["tiny.yaml", "--rank-only", "--shard", "1/2"], "--rank-only ranks all of a sweep; leave --plan and --shard"),
    ],
)
def test_bad_input_is_one_line(folder: Path, arguments: list[str], expected: str) -> None:
    """Exit code 2, one line on the error stream, no traceback, nothing written."""
    done = sacma("sweep", *arguments, cwd=folder)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("sacma: ")
    assert expected in done.stderr
    assert [path.name for path in folder.iterdir()] == ["tiny.yaml"]
