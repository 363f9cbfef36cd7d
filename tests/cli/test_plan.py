"""Costs of trials as `sacma plan` predicts them, and their sources."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sacma.algorithms.registry import ALGORITHMS
from sacma.cli.app import app
from sacma.cli.common import duration
from sacma.config.plan import plan
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.store.record import finished
from sacma.store.store import Store
from tests.commands import sacma
from tests.conftest import CONFIGS

GP5 = CONFIGS / "gp5.yaml"
OWN = CONFIGS.parent / "examples" / "own_optimizer"
SMALL = ("--functions", "1-20", "--dimensions", "2", "--instances", "1-15")


def planned(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["plan", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


def seconds_in(text: str) -> float:
    """Return the last time that is said."""
    number, unit = re.findall(r"([\d,.]+) (s|min|h)\b", text)[-1]
    return float(number.replace(",", "")) * {"s": 1, "min": 60, "h": 3600}[unit]


@given(st.floats(0, 1e10))
def test_times_are_in_a_unit_that_suits_them(seconds: float) -> None:
    """Three digits or more, no exponent, and what is said is what it takes, to a hundredth of the unit."""
    said = duration(seconds)
    assert re.fullmatch(r"\d[\d,]*(\.\d+)? (s|min|h)", said)
    assert seconds_in(said) == pytest.approx(seconds, rel=0.006, abs=0.006)
    assert seconds < 60 or not said.endswith(" s")
    assert seconds < 3600 or said.endswith(" h")


def test_compilation_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where compiled code is not there, a run makes it before the first trial, for each likelihood that it needs."""

    def wall_time(*configs: Path) -> tuple[int, str]:
        found = re.search(r"wall time: (\d+):(\d\d) with .* \(--jobs\)(.*)", planned(*configs, *SMALL, "--jobs", 1))
        assert found
        return 60 * int(found[1]) + int(found[2]), found[3]

    once = [wall_time(*configs) for configs in ((GP5,), (CONFIGS / "sacma.yaml",), (CONFIGS / "cmaes.yaml",))]
    assert {said for _, said in once} == {""}
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    of_one, of_two, of_none = (
        wall_time(*configs) for configs in ((GP5,), (GP5, CONFIGS / "sacma.yaml"), (CONFIGS / "cmaes.yaml",))
    )
    assert of_one[0] - once[0][0] >= 10
    assert re.fullmatch(r", 0:\d\d of it to compile, once", of_one[1])
    assert int(of_two[1].split()[1].removeprefix("0:")) == 2 * int(of_one[1].split()[1].removeprefix("0:"))
    assert of_none == once[2]


def finish(results: Path, config: Path, milliseconds: float, **protocol: object) -> None:
    """Finish the trials of a config, of which each evaluation takes so long."""
    store = Store(results)
    study = load_study(config, protocol)
    for spec in plan([study]):
        record = run_trial(spec)
        cpu = replace(record.outcome.cpu, other=1e-3 * milliseconds * record.outcome.evaluations)
        record = replace(record, outcome=replace(record.outcome, cpu=cpu))
        store.commit(finished(record))
    store.register(study)


def test_measured_costs_outlive_a_change_of_the_budget(tmp_path: Path) -> None:
    """Another budget: the finished trials of the old one still tell what an evaluation costs, and it says so."""
    finish(tmp_path, GP5, 3600.0, functions="8", dimensions="2", instances="1-2", budget=10)
    said = planned(GP5, *SMALL, "--budget", 100, "--results", tmp_path)
    assert "by 2 finished trials, all of them with another budget, target or seed" in said
    assert seconds_in(said.partition("CPU time:")[2].partition("by")[0]) == pytest.approx(
        60 * 3600, rel=0.02
    )  # 300 trials of 200 evaluations of 3.6 s


@pytest.mark.parametrize("command", [("plan", GP5, "--results"), ("run", GP5, "--results"), ("status",)])
def test_no_folder_of_results(command: tuple[object, ...], tmp_path: Path) -> None:
    """The value of a shell's variable that is not set: nothing is written to where one is."""
    done = sacma(*command, "", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sacma: the folder of results is ''; allowed: a path, such as results\n"


def test_other_settings_tell_nothing(tmp_path: Path) -> None:
    """Records of other settings under the same name are not what is planned."""
    finish(tmp_path, GP5, 3600.0, functions="8", dimensions="2", instances="1", budget=10)
    other = tmp_path / "gp5.yaml"
    other.write_text(GP5.read_text().replace("model_generations: 5", "model_generations: 4"))
    assert other.read_text() != GP5.read_text()
    assert "by shipped figures" in planned(other, *SMALL, "--results", tmp_path)


def test_damaged_records_of_others_tell_nothing(tmp_path: Path) -> None:
    """What is in the folder of records and is no record is left where it is."""
    folder = tmp_path / "records" / "GP-5"
    folder.mkdir(parents=True)
    (folder / "f001-d02-i001-0.record").write_bytes(b"nonsense")
    (folder / "f001-d02-i002-0.record").mkdir()
    assert "by shipped figures" in planned(GP5, *SMALL, "--results", tmp_path)
    assert len(list(folder.iterdir())) == 2


def test_a_guess_is_called_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm without figures and without finished trials: its cost is a guess, until one is finished."""
    monkeypatch.setattr(ALGORITHMS, "_from_files", {})
    own = (OWN.with_suffix(".yaml"), GP5, "--algorithm-file", OWN.with_suffix(".py"), *SMALL, "--results", tmp_path)
    (line,) = (line for line in planned(*own).splitlines() if line.startswith("a guess:"))
    assert (
        "of one-plus-one-ES no cost is known; until trials are finished, it is taken to be that of A-S-CMA-ES" in line
    )
    finish(tmp_path, OWN.with_suffix(".yaml"), 1.0, functions="8", dimensions="2", instances="1", budget=10)
    assert "a guess:" not in planned(*own)
    assert "a guess:" not in planned(GP5, *SMALL, "--results", tmp_path)


def test_each_reading_of_the_paper_has_its_sum() -> None:
    """As make reproduce plans them: the rows of a reading add up to its own, and both to all; one alone has none."""
    configs = [CONFIGS / folder / f"{name}.yaml" for folder in (".", "as_run") for name in ("cmaes", "gp1", "gp5")]
    said = planned(*configs, *SMALL)
    cpu = {line.split("  ")[0].strip(): seconds_in(line) for line in said.splitlines() if "0/300" in line}
    sums = {line.split("  ")[0].strip(): [*line.split()[-5:-2], line] for line in said.splitlines() if "0/900" in line}
    assert list(sums) == ["as its authors ran it", "by the paper's text"]
    for title, suffix in (("as its authors ran it", True), ("by the paper's text", False)):
        trials, missing, failed, total = sums[title]
        assert (trials, missing, failed) == ("0/900", "900", "0")
        parts = [value for name, value in cpu.items() if name.endswith("-as-run") == suffix]
        assert len(parts) == 3
        assert seconds_in(total) == pytest.approx(sum(parts), rel=0.02)
    assert "0/1800" in said
    assert "0/900" not in planned(*configs[:2], *SMALL)
    assert "text" not in planned(*configs[:3], *SMALL)
