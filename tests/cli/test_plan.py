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
from sacma.cli.console import duration
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


@pytest.mark.parametrize("command", [("plan", GP5, "--results"), ("run", GP5, "--results"), ("status",)])
def test_no_folder_of_results(command: tuple[object, ...], tmp_path: Path) -> None:
    """The value of a shell's variable that is not set: nothing is written to where one is."""
    done = sacma(*command, "", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sacma: the folder of results is ''; allowed: a path, such as results\n"


def test_a_guess_is_called_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm without figures and without finished trials: its cost is a guess, until one is finished."""
    monkeypatch.setattr(ALGORITHMS, "_from_files", {})
    own = (OWN.with_suffix(".yaml"), GP5, "--algorithm-file", OWN.with_suffix(".py"), *SMALL, "--results", tmp_path)
    (line,) = (line for line in planned(*own).splitlines() if line.startswith("a guess:"))
    assert "of one-plus-one-ES no cost is known; it is taken to be that of A-S-CMA-ES" in line
    finish(tmp_path, OWN.with_suffix(".yaml"), 1.0, functions="8", dimensions="2", instances="1")
    assert "a guess:" not in planned(*own)
    assert "a guess:" not in planned(GP5, *SMALL, "--results", tmp_path)
