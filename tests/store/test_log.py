"""Logs of trials: numbers come back, and no others are taken."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sacma.algorithms.base import Problem
from sacma.experiment.trial import run_trial
from sacma.store.log import check_log
from sacma.store.outcome import DamagedRecordError
from sacma.store.record import TrialRecord, decode, encode
from tests.conftest import stand_in


def record_of(monkeypatch: pytest.MonkeyPatch, rows: Sequence[Mapping[str, Any]]) -> TrialRecord:
    """Return the record of an algorithm that keeps a row after each of its evaluations."""

    def logging(problem: Problem, rng: np.random.Generator) -> None:
        for row in rows:
            problem(rng.uniform(-4, 4, problem.dimension))
            problem.log(**row)

    return run_trial(stand_in(monkeypatch, logging))


def test_what_is_logged_is_in_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """To four digits, by evaluations; None where a call had no such number, or one that is not finite."""
    rows: list[Mapping[str, Any]] = [
        {"sigma": 1.23456},
        {"sigma": np.float32(0.5), "stage": 2},
        {"sigma": math.nan, "stage": -1e30},
    ]
    record = decode(encode(record_of(monkeypatch, rows)))
    assert record.log == {"evaluations": [1, 2, 3], "sigma": [1.235, 0.5, None], "stage": [None, 2, -1e30]}


@pytest.mark.parametrize("row", [{"sigma": "1"}, {"sigma": None}, {"x" * 41: 1}, {"evaluations": 3}])
def test_what_cannot_be_logged_is_an_error(monkeypatch: pytest.MonkeyPatch, row: Mapping[str, Any]) -> None:
    """It says what was given, and is the trial's failure."""
    with pytest.raises(ValueError, match=r"log: .* allowed: numbers, by names of 40 letters"):
        record_of(monkeypatch, [row])


def test_too_many_names_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty at most, evaluations among them."""
    with pytest.raises(ValueError, match="there are 21 names; allowed: 20"):
        record_of(monkeypatch, [{f"n{number}": 1.0 for number in range(20)}])


@pytest.mark.parametrize(
    "log",
    [
        {"sigma": [1.0]},
        {"evaluations": [1, 2], "sigma": [1.0]},
        {"evaluations": [2, 1]},
        {"evaluations": [4]},
        {"evaluations": [-1]},
        {"evaluations": [None]},
        {"evaluations": [1], "a\x1b[31m": [1.0]},
        {"evaluations": [1], "x" * 41: [1.0]},
        {"evaluations": [1], **{f"n{number}": [1.0] for number in range(20)}},
    ],
)
def test_a_log_of_no_trial_is_refused(monkeypatch: pytest.MonkeyPatch, log: dict[str, list[float | None]]) -> None:
    """In a record, too."""
    with pytest.raises(ValueError, match=r".+"):
        check_log(log, 3)
    record = record_of(monkeypatch, [{}] * 3)
    with pytest.raises(DamagedRecordError):
        decode(encode(replace(record, log=log)))
