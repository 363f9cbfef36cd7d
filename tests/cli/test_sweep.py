"""The sweep command: a tiny real sweep, its tables against its own numbers, resuming, and refusals."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from sacma.analysis.sweep import decide, main_effects, rank_settings, signed_rank_tests, standings
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import fixed_budgets, our_trial
from sacma.config.sweep import load_sweep
from sacma.store.completeness import completeness_of
from sacma.store.store import Store
from tests.commands import sacma
from tests.processes import left_alive, start, wait_for_a_record
from tests.sizes import sizes

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
    reference: {sampling.sigma0: 1}
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
    planned = sacma("sweep", "tiny.yaml", "--plan", cwd=folder)
    assert planned.returncode == 0, planned.stderr
    assert "0/8" in planned.stdout
    assert "by shipped figures" in planned.stdout
    assert not (folder / "results").exists()

    first = sacma("sweep", "tiny.yaml", "--jobs", 1, cwd=folder)
    assert first.returncode == 0, first.stderr
    assert "2 algorithms, 4 settings, 16 trials: 0 there, 16 to run" in first.stdout
    assert "A: 2 settings in 4 rankings on 2 functions" in first.stdout
    assert "1 (reference)" in first.stdout
    assert all(len(line) <= 80 for line in [*planned.stdout.splitlines(), *first.stdout.splitlines()])
    before = results(folder)
    assert len(before) == 16 + 8

    again = sacma("sweep", "tiny.yaml", cwd=folder)
    assert "16 trials: 16 there, 0 to run" in again.stdout
    ranked = sacma("sweep", "tiny.yaml", "--rank-only", cwd=folder)
    assert ranked.returncode == 0
    assert first.stdout.endswith(ranked.stdout)
    assert results(folder) == before
    assert "nothing to run" in sacma("sweep", "tiny.yaml", "--plan", cwd=folder).stdout
    status = sacma("status", cwd=folder)
    assert "A.0.5" in status.stdout
    assert "next: sacma sweep SWEEP.yaml --results results --rank-only" in status.stdout
    assert "give the options again with which it ran" in status.stdout

    shorter = sacma("sweep", "tiny.yaml", "--budget", 10, "--jobs", 1, cwd=folder)
    assert shorter.returncode == 0
    assert "ranked after 5, 10 evaluations/D" in shorter.stdout
    notes = shorter.stderr.splitlines()
    assert len(notes) == 4
    assert notes[0].startswith("note: results held A.0.5 with other settings, budget or seed")


def test_tables_hold_what_is_printed(folder: Path) -> None:
    """Every figure of the command comes from the records by the functions of the analysis, and is in a table."""
    done = sacma("sweep", "tiny.yaml", "--jobs", 1, "--functions", "1-3,8", cwd=folder)
    assert done.returncode == 0, done.stderr
    tables = {
        kind: pd.read_csv(
            folder / "results" / "sweep" / f"tiny_{kind}.csv", dtype={"sampling.sigma0": str, "value": str}
        )
        for kind in ("ranking", "comparisons", "effects", "ranks")
    }
    assert all(not frame["partial"].any() for frame in tables.values())
    sweep = load_sweep(folder / "tiny.yaml", {"functions": "1-3,8"})
    store = Store(folder / "results")
    for algorithm in sweep.algorithms:
        names = [setting.name for setting in algorithm.settings]
        own = {kind: frame[frame["algorithm"] == algorithm.name] for kind, frame in tables.items()}
        specs = [spec for study in store.studies() if study.name in names for spec in study.specs()]
        medians = median_delta_f(
            (our_trial(*trial) for trial in completeness_of(store, specs).trials), fixed_budgets(sweep.rank_at)
        )
        ranks = rank_settings(medians, names)
        table = standings(ranks)
        ranking = own["ranking"].set_index("setting")
        assert list(ranking.index) == list(table.index)
        for column in ("place", "first_ranks", "rank_sum", "mean_rank"):
            assert ranking[column].to_list() == pytest.approx(table[column].to_list())
        assert ranking["sampling.sigma0"].to_dict() == {f"{algorithm.name}.{s}": s for s in ("0.5", "1")}
        assert ranking["win_share"].sum() == pytest.approx(1)
        assert set(ranking["rankings"]) == {len(ranks)} == {4 * 2}
        for row in ranking.reset_index().to_dict("records"):
            assert f"{row['rank_sum']:g}" in done.stdout
            assert f"{100 * row['win_share']:.0f} %" in done.stdout
        decision = decide(table)
        comparison = own["comparisons"].set_index("against")
        assert comparison["winner"].unique().tolist() == [decision.winner]
        assert comparison["setting"]["runner-up"] == decision.runner_up
        assert comparison["decided_by"]["runner-up"] == decision.decided_by
        test = signed_rank_tests(ranks, decision.runner_up).loc[decision.winner]
        assert comparison["p_raw"]["runner-up"] == pytest.approx(test["p_raw"])
        assert ("reference" in comparison.index) == (algorithm.reference not in {None, decision.winner})
        values = pd.DataFrame([setting.labels for setting in algorithm.settings], index=names)
        expected = main_effects(ranks, values)
        assert own["effects"]["mean_rank"].to_list() == pytest.approx(expected["mean_rank"].to_list())
        for mean_rank in expected["mean_rank"]:
            assert f"{mean_rank:.2f}" in done.stdout
        written = own["ranks"].rename(columns={"algorithm": "swept", "setting": "algorithm"})
        pd.testing.assert_frame_equal(rank_settings(written, names), ranks, check_index_type=False)
        cells = own["ranks"].set_index(["setting", "function", "budget"])
        assert len(cells) == 2 * 4 * 2
        assert set(cells["trials"]) == {2}
        assert cells.groupby("setting")["rank"].sum().to_dict() == table["rank_sum"].to_dict()
        assert cells.groupby("setting")["first"].sum().to_dict() == table["first_ranks"].to_dict()


@sizes("functions", small=8, full=24)
def test_interruption_changes_nothing(folder: Path, functions: int) -> None:
    """Ctrl-C: exit code 130 and one line; the same command goes on and ends with the bytes of one that went through."""
    (folder / "other").mkdir()
    (folder / "other" / "tiny.yaml").write_text(SWEEP)
    larger = ("tiny.yaml", "--functions", f"1-{functions}", "--instances", "1-3", "--budget", 100, "--jobs", 1)
    process = start("sweep", *map(str, larger), cwd=folder)
    wait_for_a_record(folder / "results")
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stdout + stderr
    assert len(stderr.splitlines()) == 1, stderr
    kept = len(list((folder / "results").rglob("*.record")))
    trials = 12 * functions
    assert f"{kept} of {trials} trials are kept; resume with: sacma sweep" in stderr
    assert not (folder / "results" / "sweep").exists()
    assert left_alive(process.pid) == []
    resumed = sacma("sweep", *larger, cwd=folder)
    assert f"{trials} trials: {kept} there, {trials - kept} to run" in resumed.stdout
    through = sacma("sweep", *larger, cwd=folder / "other")
    assert (resumed.returncode, through.returncode) == (0, 0)
    tables = {path: content for path, content in results(folder).items() if path.endswith(".csv")}
    assert len(tables) == 5
    other = results(folder / "other")
    assert {path: other[path] for path in tables} == tables


def test_incomplete_results(folder: Path) -> None:
    """Refused, with what is missing and the command that runs it; with --partial ranked, and marked everywhere."""
    refused = sacma("sweep", "tiny.yaml", "--rank-only", cwd=folder)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == (
        "sacma: 16 of 16 trials are missing; run them with: sacma sweep tiny.yaml; "
        "--rank-only --partial ranks what is there"
    )
    nothing = sacma("sweep", "tiny.yaml", "--rank-only", "--partial", cwd=folder)
    assert nothing.returncode == 2
    assert "A: no function has trials of all its settings" in nothing.stderr
    assert not (folder / "results").exists()

    assert sacma("sweep", "tiny.yaml", "--jobs", 1, cwd=folder).returncode == 0
    for record in (folder / "results" / "records" / "A.0.5").glob("f001-*"):
        record.unlink()
    next((folder / "results" / "records" / "A.1").glob("f008-*")).unlink()
    kept = (folder / "results" / "records" / "A.1").rename(folder / "kept")
    none = sacma("sweep", "tiny.yaml", "--rank-only", "--partial", cwd=folder)
    assert "A.1 has none: run it, or take it out of the grid" in none.stderr
    kept.rename(folder / "results" / "records" / "A.1")
    partial = sacma("sweep", "tiny.yaml", "--rank-only", "--partial", cwd=folder)
    assert partial.returncode == 0, partial.stderr
    assert "missing: A.0.5 2-D: f1 instances 1,2" in partial.stderr
    assert "PARTIAL: A: 2 settings in 2 rankings on 1 function" in partial.stdout
    assert partial.stdout.count("PARTIAL") == 3
    assert all(len(line) <= 80 for line in partial.stdout.splitlines())
    tables = folder / "results" / "sweep"
    for kind in ("ranking", "comparisons", "effects"):
        frame = pd.read_csv(tables / f"tiny_{kind}.csv").set_index("algorithm")
        assert frame["partial"].groupby("algorithm").all().to_dict() == {"A": True, "B": False}
    assert "\\toprule" in (tables / "tiny_grid.tex").read_text()
    ranks = pd.read_csv(tables / "tiny_ranks.csv")
    assert ranks.query("setting == 'A.1' and function == 8")["partial"].all()
    assert not ranks.query("setting == 'A.0.5' and function == 8")["partial"].any()
    assert ranks.query("setting == 'A.1' and function == 1")["rank"].isna().all()


def test_shards_are_ranked_together(folder: Path) -> None:
    """A shard runs its part and ranks nothing; it says what to type to bring all together and rank them."""
    for number in (1, 2):
        done = sacma("sweep", "tiny.yaml", "--shard", f"{number}/2", "--results", f"shard {number}", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "next: when all 2 shards are done, copy studies, records and failures of each into one" in done.stdout
        assert "A: 2 settings" not in done.stdout
        copy, then = done.stdout.strip().rpartition("those of this one: ")[2].split("; then: ")
        subprocess.run(["bash", "-euc", copy], cwd=folder, check=True)  # noqa: S607 as it is typed
    program, *arguments = shlex.split(then)
    assert program == "sacma"
    ranked = sacma(*arguments, cwd=folder)
    assert ranked.returncode == 0, ranked.stderr
    assert "A: 2 settings in 4 rankings" in ranked.stdout


def test_json_lines(folder: Path) -> None:
    """With --progress json every line is an event, the winners and the files of the tables at the end."""
    done = sacma("sweep", "tiny.yaml", "--jobs", 1, "--progress", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["start", *["trial"] * 16, "end", "winner", "winner", "tables"]
    assert [event["algorithm"] for event in events[-3:-1]] == ["A", "B"]
    assert all((folder / path).is_file() for path in events[-1]["files"])
    ranking = pd.read_csv(folder / events[-1]["files"][0])
    best = ranking[ranking["algorithm"] == "A"].iloc[0]
    assert events[-3]["winner"] == best["setting"]


def test_failures_are_listed(folder: Path) -> None:
    """What fails is listed with the command that tries it again, and nothing is ranked."""
    text = SWEEP.replace(
        "algorithm: surrogate-cmaes\n    reference: {sampling.sigma0: 1}", "algorithm: hostile"
    ).replace("sampling.sigma0: [0.5, 1]", "misdeeds: [{}, {f1-d2-i1: raise}]")
    text = text[: text.index("  - name: B")] + text[text.index("grid:") :]
    (folder / "tiny.yaml").write_text(text)
    done = sacma("sweep", "tiny.yaml", "--jobs", 1, "--retries", 0, cwd=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 trial of 8 failed" in done.stderr
    assert "sacma sweep tiny.yaml --jobs 1 --retries 0 --failed-only" in done.stderr
    assert not (folder / "results" / "sweep").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nowhere.yaml"], "nowhere.yaml: no such sweep file"),
        (["tiny.yaml", "--dimensions", "7"], "--dimensions: bbob has no dimension 7"),
        (["tiny.yaml", "--partial"], "--partial needs --rank-only"),
        (["tiny.yaml", "--plan", "--rank-only"], "--plan and --rank-only do not go together"),
        (["tiny.yaml", "--rank-only", "--shard", "1/2"], "--rank-only ranks all of a sweep; leave --shard out"),
        (["tiny.yaml", "--shard", "3/2"], "--shard: '3/2' is not allowed"),
        (["tiny.yaml", "--progress", "loud"], "--progress: 'loud' is not allowed"),
        (["tiny.yaml", "--jobs", "1000"], "--jobs: 1000 is not allowed"),
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


def test_settings_that_are_called_like_columns_of_the_tables(tmp_path: Path) -> None:
    """They have columns of their own, and the tables are what they are without such names."""
    (tmp_path / "own.py").write_text(
        "import sacma\n\n\n@sacma.algorithm('steps')\n"
        "def steps(problem, rng, place: float = 1.0, partial: float = 1.0):\n"
        "    while True:\n"
        "        problem(place * partial * rng.standard_normal(problem.dimension))\n"
    )
    (tmp_path / "own.yaml").write_text(
        "name: own\nprotocol: {functions: '1,8', dimensions: 2, instances: '1-2', budget: 5}\nrank_at: [5]\n"
        "algorithms: [{name: A, algorithm: steps}]\ngrid: {place: [0.5, 2.0], partial: [1.0, 1.5]}\n"
    )
    done = sacma("sweep", "own.yaml", "--algorithm-file", "own.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PARTIAL" not in done.stdout
    (ranking,) = (tmp_path / "results" / "sweep").glob("*ranking.csv")
    table = pd.read_csv(ranking)
    assert set(table["setting.place"]) == {0.5, 2.0}
    assert set(table["setting.partial"]) == {1.0, 1.5}
    assert not table["partial"].any()
    assert table["place"].min() == 1
    (effects,) = (tmp_path / "results" / "sweep").glob("*effects.csv")
    assert set(pd.read_csv(effects)["key"]) == {"place", "partial"}
