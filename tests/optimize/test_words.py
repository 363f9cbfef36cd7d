"""What a user reads: messages, representations and names."""

import logging
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import sacma
from sacma.optimize.methods import names


def bowl(x: np.ndarray) -> float:
    return float(np.sum(x**2))


@pytest.mark.parametrize(("given", "meant"), [("bayes", ""), ("tpe", ""), ("cmeas", "cmaes"), ("cobyqua", "cobyqa")])
def test_a_method_is_suggested_where_it_is_like_the_name(given: str, meant: str) -> None:
    """And nothing where no name is."""
    with pytest.raises(ValueError, match=r"^method is ") as raised:
        sacma.minimize(bowl, [0.0, 0.0], 1.0, method=given)
    assert str(raised.value).endswith(f"; is it {meant}?" if meant else max(names()))


def test_the_optimizer_shows_how_far_it_is() -> None:
    """And takes no setting that it would not heed."""
    es: Any = sacma.Optimizer([0.0, 0.0], 1.0, budget=3, seed=1)
    assert repr(es) == "<sacma.Optimizer in 2-D: 0 evaluations, going on>"
    assert "has not ended yet" in es.result.message
    while not es.stop():
        X = es.ask()
        es.tell(X, [bowl(x) for x in X])
    assert repr(es) == "<sacma.Optimizer in 2-D: 3 evaluations, budget>"
    for name in ("budget", "target", "seed"):
        with pytest.raises(AttributeError, match=name):
            setattr(es, name, 50)


def test_a_limit_that_scipys_method_does_not_have_is_refused() -> None:
    """With the one that it has; nothing is evaluated."""
    with pytest.raises(ValueError, match=r"options\['maxiter'\] is 50; allowed: left out.* maxfev is the number"):
        minimize(lambda _: pytest.fail("called"), [0.0, 0.0], method=sacma.scipy_method, options={"maxiter": 50})


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
