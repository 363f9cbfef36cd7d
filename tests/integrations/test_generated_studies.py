"""Studies with workers that do anything at any time: what one sampler knew all along, a new one computes."""

from typing import Any

import numpy as np
import optuna
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, Trial, TrialState

from sacma.integrations.optuna import RUN, SurrogateCMASampler
from tests.sizes import sizes

SPACES: dict[str, dict[str, BaseDistribution]] = {
    "floats": {"a": FloatDistribution(-5, 5), "b": FloatDistribution(0, 1)},
    "mixed": {
        "a": FloatDistribution(1e-3, 5, log=True),
        "n": IntDistribution(1, 100, log=True),
        "k": IntDistribution(-4, 4, step=2),
        "c": CategoricalDistribution(["x", "y", None]),
        "only": IntDistribution(3, 3),
    },
    "one": {"a": FloatDistribution(-5, 5, step=0.5)},
    "few": {"a": IntDistribution(1, 3), "c": CategoricalDistribution([True, False])},
}

STEPS = [*["ask"] * 3, *["tell"] * 4, "fail", "prune", "inf", "vanish", "enqueue", "add", "restart"]


def value_of(trial: Trial) -> float:
    return sum(abs(value - 0.3) for value in trial.params.values() if isinstance(value, int | float))


def constraints_of(trial: FrozenTrial) -> list[float]:
    return [1.0 - trial.params["a"]]


class Workers:
    """Workers on one study, and what they have begun."""

    def __init__(self, space: str, sampler: dict[str, Any], direction: Any, seed: int) -> None:
        self.space = SPACES[space]
        self.arguments = {"seed": 1, "warn_independent_sampling": False, **sampler}
        self.study = optuna.create_study(sampler=SurrogateCMASampler(**self.arguments), direction=direction)
        self.running: list[Trial] = []
        self.rng = np.random.default_rng(seed)

    def do(self, step: str) -> None:
        """Take a step."""
        ending = {"tell", "fail", "prune", "inf", "vanish"}
        if step == "ask" or (step in ending and not self.running):
            self.running.append(self.study.ask(self.space))
        elif step in ending:
            trial = self.running.pop(int(self.rng.integers(len(self.running))))
            if step == "prune":
                trial.report(value_of(trial), 1)
            values = {"tell": value_of(trial), "inf": np.inf}
            states = {"fail": TrialState.FAIL, "prune": TrialState.PRUNED}
            if step != "vanish":
                self.study.tell(trial, values.get(step), state=states.get(step))
        elif step == "enqueue":
            self.study.enqueue_trial({"a": 1})
        elif step == "add":
            params = {name: d.choices[0] if hasattr(d, "choices") else d.high for name, d in self.space.items()}  # type: ignore[attr-defined]
            self.study.add_trial(optuna.create_trial(params=params, distributions=self.space, value=3.0))
        else:
            self.study.sampler = SurrogateCMASampler(**self.arguments)

    def next_params(self) -> dict[str, Any]:
        """Return the parameters of the next trial in a copy of the study, by a new sampler."""
        copied = optuna.create_study(sampler=SurrogateCMASampler(**self.arguments), directions=self.study.directions)
        copied.add_trials([t for t in self.study.trials if t.state != TrialState.WAITING])
        return copied.ask(self.space).params


@sizes("examples", small=15, full=5_000)
def test_whatever_workers_do(examples: int) -> None:
    """No error; parameters are of their distributions; and a new sampler goes on as the old one would have."""

    @settings(max_examples=examples, deadline=None, derandomize=True)
    @given(
        space=st.sampled_from(sorted(SPACES)),
        sampler=st.fixed_dictionaries(
            {},
            optional={
                "method": st.sampled_from(["cmaes", "gp1", "dts-cmaes"]),
                "population_size": st.sampled_from([4, 9]),
                "n_startup_trials": st.sampled_from([0, 5]),
                "consider_pruned_trials": st.booleans(),
                "constraints_func": st.just(constraints_of),
                "x0": st.just({"a": 2}),
            },
        ),
        direction=st.sampled_from(["minimize", "maximize"]),
        seed=st.integers(0, 100),
        steps=st.lists(st.sampled_from(STEPS), min_size=20, max_size=80),
    )
    def check(space: str, sampler: dict[str, Any], direction: str, seed: int, steps: list[str]) -> None:
        workers = Workers(space, sampler, direction, seed)
        for step in steps:
            workers.do(step)
        trials = workers.study.trials
        for trial in trials:
            for name, distribution in trial.distributions.items():
                assert distribution._contains(distribution.to_internal_repr(trial.params[name]))
        founded = [t.system_attrs[RUN] for t in trials if RUN in t.system_attrs]
        assert len(founded) == len(set(founded))
        once = workers.next_params()
        assert once == workers.next_params()
        if not any(trial.state == TrialState.WAITING for trial in trials):
            assert workers.study.ask(workers.space).params == once

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        check()
    finally:
        optuna.logging.set_verbosity(before)
