"""What a user reads: messages, representations and names."""

import logging

import numpy as np
import pytest

import sacma


def bowl(x: np.ndarray) -> float:
    return float(np.sum(x**2))


def test_the_names_of_the_package_are_those_of_users() -> None:
    """No name of the imports that serve them."""
    assert [name for name in dir(sacma) if not name.startswith("__")] == sorted(sacma.__all__)


def test_no_parameter_of_all_trials_is_said_to_be_sampled_independently(caplog: pytest.LogCaptureFixture) -> None:
    """Also where trials begin at a time, before the first has ended."""
    optuna = pytest.importorskip("optuna")
    from sacma.integrations.optuna import SurrogateCMASampler  # noqa: PLC0415 Optuna is an extra

    optuna.logging.enable_propagation()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=SurrogateCMASampler(seed=1))
    ranges = {name: optuna.distributions.FloatDistribution(-1, 1) for name in "xy"}
    first, second = study.ask(), study.ask()  # the second one begins when nothing is known
    for trial in (first, second):
        value = sum(trial.suggest_float(name, -1, 1) ** 2 for name in ranges)
        study.tell(trial, value)
    with caplog.at_level(logging.WARNING):
        study.optimize(lambda t: t.suggest_float("x", -1, 1) ** 2 + t.suggest_float("y", -1, 1) ** 2, n_trials=2)
    optuna.logging.disable_propagation()
    assert not [record for record in caplog.records if "sampled independently" in record.getMessage()]
