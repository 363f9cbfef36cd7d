"""The sampler of Optuna's studies, with the real Optuna."""

import copy
import heapq
import importlib
import math
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from sacma.integrations.optuna import RUN, SurrogateCMASampler, _parameter
from sacma.optimize.methods import DEFAULT
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from tests.conftest import one_line
from tests.optimize.runs import GENERATIONS

SPACE: dict[str, BaseDistribution] = {"a": FloatDistribution(-5.0, 5.0), "b": FloatDistribution(1e-3, 10.0, log=True)}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


@pytest.fixture
def warnings_of_optuna(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    optuna.logging.enable_propagation()
    yield lambda: [record.getMessage() for record in caplog.records]
    optuna.logging.disable_propagation()


def bowl(trial: Trial) -> float:
    """Return a square distance in the sampler's coordinates."""
    a, b = trial.suggest_float("a", -5, 5), trial.suggest_float("b", 1e-3, 10, log=True)
    return (a - 2) ** 2 + math.log10(b) ** 2


def mixed(trial: Trial) -> float:
    n = trial.suggest_int("n", 1, 64, log=True)
    step = trial.suggest_float("step", 0, 1, step=0.25)
    kind = trial.suggest_categorical("kind", ["left", None, 2.5])
    deep = trial.suggest_categorical("deep", [False, True])
    return bowl(trial) + abs(n - 8) / 8 + abs(step - 0.5) + (kind != 2.5) + (not deep)


def conditional(trial: Trial) -> float:
    """Return the bowl beside a parameter that only some trials have."""
    return bowl(trial) + (trial.suggest_float("c", 0, 1) if trial.number % 2 else 0.5)


def sampler_of(seed: int | None = 1, **arguments: Any) -> SurrogateCMASampler:
    return SurrogateCMASampler(seed=seed, **arguments)


def study_of(sampler: BaseSampler | None = None, **options: Any) -> Study:
    return optuna.create_study(sampler=sampler_of() if sampler is None else sampler, **options)


def optimized(
    n_trials: int, fun: Callable[[Trial], float] = bowl, sampler: BaseSampler | None = None, **options: Any
) -> Study:
    study = study_of(sampler, **options)
    study.optimize(fun, n_trials=n_trials)
    return study


def all_params(study: Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


def all_different(study: Study) -> bool:
    return len({str(params) for params in all_params(study)}) == len(study.trials)


def founders(study: Study) -> list[int]:
    """Return the numbers of the trials with which runs begin."""
    return [trial.number for trial in study.trials if RUN in trial.system_attrs]


def run_of(study: Study) -> Run:
    """Return the newest run of a study's sampler."""
    assert isinstance(study.sampler, SurrogateCMASampler)
    return list(study.sampler._runs.values())[-1].exchange.run


def known(study: Study) -> int:
    """Return how many trials the models of the newest run know from its start."""
    return sum(entry.number == 0 for entry in run_of(study).log.entries)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_it_finds_the_optimum(direction: str) -> None:
    """Of float, log, int, stepped and categorical parameters, in either direction."""
    sign = 1 if direction == "minimize" else -1
    study = optimized(150, lambda trial: sign * mixed(trial), sampler_of(2), direction=direction)
    assert sign * study.best_value < 0.01
    best = study.best_params
    assert [best[name] for name in ("n", "step", "kind", "deep")] == [8, 0.5, 2.5, True]


DISTRIBUTIONS = [
    FloatDistribution(-1.5e308, 1.5e308),
    FloatDistribution(1e-7, 10.0, log=True),
    FloatDistribution(-10.2, 10.2, step=0.1),
    IntDistribution(0, 10**15),
    IntDistribution(3, 9, step=2),
    IntDistribution(1, 1000, log=True),
    CategoricalDistribution(["a", None, 1, 2.5]),
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
@given(u=st.floats(0, 1))
def test_values_are_of_the_distribution(distribution: BaseDistribution, u: float) -> None:
    """Whatever coordinates a run has, Optuna takes the value, and the run recognizes what Optuna stored."""
    parameter = _parameter(distribution)
    assert parameter is not None
    space = Space(a=parameter)
    params = space.params(np.full(space.dimension, u))
    internal = distribution.to_internal_repr(params["a"])
    assert distribution._contains(internal)
    stored = distribution.to_external_repr(internal)
    assert type(stored) is type(params["a"])
    assert space.key({"a": stored}) == space.key(params)
    assert space.point({"a": stored}).shape == (space.dimension,)


def test_what_a_space_cannot_have_is_sampled_independently(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """Huge integers and many choices; parameters that cannot vary are no subject."""
    space: dict[str, BaseDistribution] = {
        **SPACE,
        "huge": IntDistribution(0, 10**16),
        "many": CategoricalDistribution([str(i) for i in range(101)]),
        "same": CategoricalDistribution(["a"]),
        "only": IntDistribution(3, 3),
    }
    study = study_of()
    for _ in range(5):
        trial = study.ask(space)
        study.tell(trial, trial.params["a"] ** 2)
    assert sorted(run_of(study).call.space or ()) == ["a", "b"]
    assert [m.split("'")[1] for m in warnings_of_optuna() if "sampled independently" in m] == ["huge", "many"]
    assert all_different(study)
    assert {(trial.params["same"], trial.params["only"]) for trial in study.trials} == {("a", 3)}


def test_the_first_points() -> None:
    """``x0`` and ``sigma0`` say where the optimizer begins: the first trial is at x0, and the next ones are near."""
    study = optimized(6, sampler=sampler_of(x0={"a": 3.0}, sigma0=1e-6))
    assert study.trials[0].params == {"a": 3.0, "b": pytest.approx(0.1)}
    for params in all_params(study):
        assert abs(params["a"] - 3.0) < 1e-3
        assert abs(params["b"] - 0.1) < 1e-3  # the middle of the logarithms


@pytest.mark.parametrize("x0", [None, {"a": 1.3, "b": 0.7}])
@pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED, TrialState.RUNNING])
def test_a_trial_at_the_initial_point_is_not_repeated(state: TrialState, x0: dict[str, float] | None) -> None:
    """Whether it failed, was pruned or runs when the run begins."""
    study = study_of(sampler_of(x0=x0))
    first = study.ask(SPACE)
    if state != TrialState.RUNNING:
        study.tell(first, state=state)
    for _ in range(6):
        trial = study.ask(SPACE)
        assert trial.params != pytest.approx(first.params)
        study.tell(trial, float(trial.number))


def test_startup_trials() -> None:
    """Trials before the optimizer begins are the independent sampler's, and known to the model."""
    study = optimized(15, sampler=sampler_of(n_startup_trials=10, independent_sampler=RandomSampler(seed=3)))
    assert all_params(study)[:10] == all_params(optimized(10, sampler=RandomSampler(seed=3)))
    assert founders(study) == [10]
    assert known(study) == 10


def test_the_same_seed_gives_the_same_trials() -> None:
    """Those of the start-up too; and another seed others."""
    one, same, other = (all_params(optimized(40, mixed, sampler_of(seed, n_startup_trials=5))) for seed in (1, 1, 2))
    assert one == same
    assert all(one[i] != other[i] for i in range(1, 40))


def storage_of(kind: str, folder: Path) -> BaseStorage:
    if kind == "sqlite":
        return RDBStorage(f"sqlite:///{folder / 'study.db'}")
    return JournalStorage(JournalFileBackend(str(folder / "study.log")))


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_another_process_goes_on(storage: str, tmp_path: Path) -> None:
    """A sampler that knows nothing but its arguments and the storage gives the trials that one for all would give."""
    for trials in (7, 1, 12):
        study = study_of(storage=storage_of(storage, tmp_path), study_name="s", load_if_exists=True)
        study.optimize(mixed, n_trials=trials)
    assert all_params(study) == all_params(optimized(20, mixed))


def test_a_seed_that_is_left_out() -> None:
    """Another one in each study, in a study the same for all samplers; one with a seed of its own begins anew."""
    study = optimized(20, sampler=sampler_of(None))
    copied = study_of(sampler_of(None))
    copied.add_trials(study.trials)
    for each in (study, copied):
        each.sampler = sampler_of(None)
        each.optimize(bowl, n_trials=10)
    assert all_params(study) == all_params(copied)
    assert founders(study) == [1]
    assert all_params(study)[1:20] != all_params(optimized(20, sampler=sampler_of(None)))[1:]
    study.sampler = sampler_of(5)
    study.optimize(bowl, n_trials=5)
    assert founders(study) == [1, 30]
    assert len(run_of(study).log.entries) == 34


def test_copies() -> None:
    """A pickled or copied sampler gives the trials of the first one; what it knew is computed again."""
    study, expected = optimized(20), optimized(30)
    for other in (pickle.loads(pickle.dumps(study.sampler)), copy.deepcopy(study.sampler)):  # noqa: S301 our own
        again = study_of(other)
        again.add_trials(study.trials)
        again.optimize(bowl, n_trials=10)
        assert all_params(again) == all_params(expected)


def in_turns(study: Study, samplers: list[SurrogateCMASampler], n_trials: int, seed: int) -> None:
    """Run workers with a sampler each in one study; their trials take 1 to 2 units of time."""
    rng = np.random.default_rng(seed)
    ends: list[tuple[float, int, Trial | None]] = [(0.0, worker, None) for worker in range(len(samplers))]
    for left in reversed(range(n_trials + len(samplers))):
        now, worker, ended = heapq.heappop(ends)
        if ended is not None:
            study.tell(ended, bowl(ended))
        if left >= len(samplers):
            study.sampler = samplers[worker]
            heapq.heappush(ends, (now + rng.uniform(1, 2), worker, study.ask(SPACE)))


@pytest.mark.parametrize(("workers", "method"), [(2, GENERATIONS), (8, DEFAULT)])
def test_workers_at_a_time(workers: int, method: str) -> None:
    """Workers with a sampler each compute one run: no point is evaluated twice, and a newcomer understands it all."""
    study = study_of()
    samplers = [sampler_of(method=method) for _ in range(workers)]
    in_turns(study, samplers, 80, seed=workers)
    assert all_different(study)
    assert study.best_value < 0.05
    assert len(founders(study)) == 1
    next_params = []
    for sampler in (samplers[0], sampler_of(method=method)):
        copied = study_of(sampler)
        copied.add_trials(study.trials)
        next_params.append(copied.ask(SPACE).params)
        assert len(run_of(copied).log.entries) == 80  # it is told all trials
    assert next_params[0] == next_params[1]


def test_threads() -> None:
    """``n_jobs`` shares one sampler: no point is evaluated twice."""
    study = study_of()
    study.optimize(bowl, n_trials=60, n_jobs=4)
    assert all_different(study)
    assert study.best_value < 0.01
    assert len(founders(study)) == 1


def test_failed_trials() -> None:
    """They rank behind all others, as those with an infinite value do, and are not asked for again."""

    def fails(trial: Trial) -> float:
        value = bowl(trial)
        if trial.params["a"] <= 2.5:
            return value
        if trial.number % 2:
            return math.inf
        raise ArithmeticError

    study = study_of()
    study.optimize(fails, n_trials=60, catch=(ArithmeticError,))
    assert all_different(study)
    assert study.best_value < 0.01
    assert 0 < sum(trial.params["a"] > 2.5 for trial in study.trials) < 30


@pytest.mark.parametrize("considered", [False, True])
def test_pruned_trials(considered: bool) -> None:  # noqa: FBT001 a parameter of the test
    """They rank behind all others, or have their last intermediate value, as ``consider_pruned_trials`` says."""

    def pruned(trial: Trial) -> float:
        value = bowl(trial)
        trial.report(value + 1, 1)
        trial.report(value, 2)
        if trial.number > 3 and value > 1:
            raise optuna.TrialPruned
        return value

    # Where most trials are pruned, the default needs more of them.
    study = optimized(60, pruned, sampler_of(method=GENERATIONS, consider_pruned_trials=considered))
    assert TrialState.PRUNED in {trial.state for trial in study.trials}
    assert all_different(study)
    assert study.best_value < 0.05
    whole = optimized(60, sampler=sampler_of(method=GENERATIONS))
    assert (all_params(study) == all_params(whole)) == considered


def test_enqueued_trials() -> None:
    """Those with all or some of the parameters given: the run learns from them as they were evaluated."""
    study = optimized(5)
    for params in ({"a": 2.0, "b": 1.0}, {"a": 1.9}, {"b": 0.9}):
        study.enqueue_trial(params)
    study.add_trial(optuna.create_trial(params={"a": 2.1, "b": 1.1}, distributions=SPACE, value=0.01))
    study.optimize(bowl, n_trials=30)
    assert study.trials[5].params == {"a": 2.0, "b": 1.0}
    assert study.trials[6].params["a"] == 1.9
    assert study.trials[7].params["b"] == 0.9
    assert all_different(study)
    space = run_of(study).call.space
    assert space is not None
    told = [space.params(entry.point) for entry in run_of(study).log.entries]
    assert all(any(params == pytest.approx(study.trials[i].params) for params in told) for i in (5, 6, 7, 8))
    assert study.best_value == 0


def test_a_changing_search_space() -> None:
    """When not all trials have a parameter, with one range, the optimizer begins anew and knows the earlier trials."""
    study = optimized(50, lambda t: bowl(t) + (t.suggest_float("c", 0, 1) if t.number < 12 else 0))
    assert founders(study) == [1, 13]
    assert known(study) == 10  # beside those at x0
    assert study.best_value < 0.05
    study.sampler = sampler_of(warn_independent_sampling=False)
    for _ in range(3):
        study.tell(study.ask({**SPACE, "a": FloatDistribution(-6, 6)}), 1.0)
    assert founders(study) == [1, 13, 51]
    assert list(run_of(study).call.space or ()) == ["b"]


def test_constraints_func() -> None:
    """The optimum on the boundary is found, of trials that keep all constraints; a new sampler goes on with the run."""

    def constraints(trial: FrozenTrial) -> list[float]:
        return [trial.params["a"] - 1, -trial.params["b"]]

    study = study_of()
    for trials in (20, 40):
        study.sampler = sampler_of(constraints_func=constraints)
        study.optimize(bowl, n_trials=trials)
    kept = [trial for trial in study.trials if max(constraints(trial)) <= 0]
    best = min(kept, key=lambda trial: trial.value or math.inf)
    assert best.value == pytest.approx(1.0, abs=0.02)
    assert study.best_trial.number == best.number
    assert len(run_of(study).call.equalities) == 2
    assert founders(study) == [1]


def test_warnings_of_independent_sampling(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """Once a parameter that not all trials have; none of the first trials, nor where they are switched off."""
    study = study_of()
    for trial in (study.ask(), study.ask()):  # the second one begins when nothing is known
        study.tell(trial, bowl(trial))
    optimized(10, conditional, sampler_of(warn_independent_sampling=False))
    assert not warnings_of_optuna()
    optimized(10, conditional)
    (message,) = warnings_of_optuna()
    assert "'c' is sampled independently" in message
    assert "trial 1 " in message


def test_warnings_by_name(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """A misspelt name of x0 is not silently ignored; a parameter called like another subject has its own warning."""
    study = study_of(sampler_of(x0={"bb": 1}))
    space: dict[str, Any] = {"x0": IntDistribution(0, 10**17), **SPACE}
    for _ in range(4):
        study.tell(study.ask(space), 1.0)
    independent, misspelt = sorted(warnings_of_optuna())
    assert independent.startswith("Parameter 'x0' is sampled independently, by RandomSampler, in trial 1 ")
    assert misspelt == "x0 has 'bb', which is not among the parameters that are optimized: 'a, b'."


@pytest.mark.parametrize("content", [None, [[]] * 1000, {"call": 1}], ids=lambda content: str(content)[:60])
def test_storages_hold_data(content: Any) -> None:
    """Whatever is in a storage never raises; a damaged record counts for nothing."""
    trials = [copy.deepcopy(trial) for trial in optimized(10).trials]
    for trial in trials[:4]:
        trial.system_attrs[RUN] = content
    damaged = study_of()
    damaged.add_trials(trials)
    damaged.optimize(bowl, n_trials=5)
    assert all(trial.state == TrialState.COMPLETE for trial in damaged.trials)
    assert all_different(damaged)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"seed": 2**128}, "seed is 3402823669"),
        ({"sigma0": 0}, "sigma0 is 0"),
        ({"x0": [1, 2]}, "x0 is [1, 2]"),
        ({"method": "cobyqa"}, "method is 'cobyqa'; allowed: ada-kendall, ada-kl"),
        ({"population_size": 1}, "population_size is 1"),
        ({"n_startup_trials": -1}, "n_startup_trials is -1"),
        ({"independent_sampler": "tpe"}, "independent_sampler is 'tpe'"),
        ({"warn_independent_sampling": 1}, "warn_independent_sampling is 1; allowed: True or False"),
        ({"constraints_func": 3}, "constraints_func is 3"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], named: str) -> None:
    """One line names the argument, what was given, and what is allowed."""
    message = one_line(SurrogateCMASampler, error=(TypeError, ValueError), **arguments)
    assert message.startswith(named)
    assert "allowed: " in message


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the import has the remedy; the package imports without Optuna."""
    for name in [name for name in sys.modules if "sacma.integrations" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optuna", None)
    importlib.import_module("sacma.integrations")
    with pytest.raises(ModuleNotFoundError, match=r'pip install "sacma\[optuna\]"'):
        importlib.import_module("sacma.integrations.optuna")
