"""The sampler of Optuna's studies, with the real Optuna."""

import builtins
import copy
import heapq
import importlib
import json
import math
import multiprocessing
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.study import Study
from optuna.trial import Trial, TrialState

from sacma.integrations import stored_run
from sacma.integrations.claims import CLAIM, FOUNDING, claim_of
from sacma.integrations.optuna import SurrogateCMASampler
from sacma.optimize.methods import DEFAULT

GENERATIONS = "ada-kendall"
"""A method that asks for whole generations, of 6 points; the default asks for one or a few points at a time."""

A = optuna.distributions.FloatDistribution(-5.0, 5.0)
B = optuna.distributions.FloatDistribution(1e-3, 10.0, log=True)
SPACE: dict[str, optuna.distributions.BaseDistribution] = {"a": A, "b": B}


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
    a, b = trial.suggest_float("a", -5, 5), trial.suggest_float("b", 1e-3, 10, log=True)
    return (a - 2) ** 2 + (b - 1) ** 2


def round_bowl(trial: Trial) -> float:
    """Return a square distance in the sampler's coordinates; ``bowl`` is flat, at about 1, where b is small."""
    a, b = trial.suggest_float("a", -5, 5), trial.suggest_float("b", 1e-3, 10, log=True)
    return (a - 2) ** 2 + math.log10(b) ** 2


def numeric(trial: Trial) -> float:
    n = trial.suggest_int("n", 1, 64, log=True)
    step = trial.suggest_float("step", 0, 1, step=0.25)
    trial.suggest_categorical("kind", ["left", "right"])
    return bowl(trial) + abs(n - 8) / 8 + abs(step - 0.5)


def mixed(trial: Trial) -> float:
    return numeric(trial) + float(trial.params["kind"] == "left")


def study_of(sampler: BaseSampler, **options: Any) -> Study:
    return optuna.create_study(sampler=sampler, **options)


def all_params(study: Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


def claims(study: Study) -> list[dict[str, Any]]:
    return [t.system_attrs[CLAIM] for t in study.trials if CLAIM in t.system_attrs]


def places(study: Study) -> list[tuple[int, int]]:
    return [(claim["population"], claim["place"]) for claim in claims(study) if claim["place"] is not None]


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_it_finds_the_optimum(direction: str) -> None:
    """It optimizes float, log, int and stepped parameters, in either direction; categorical ones are sampled too."""
    sign = 1 if direction == "minimize" else -1
    study = study_of(SurrogateCMASampler(seed=1, warn_independent_sampling=False), direction=direction)
    study.optimize(lambda trial: sign * numeric(trial), n_trials=150)
    assert sign * study.best_value < 0.01
    assert {trial.params["kind"] for trial in study.trials} == {"left", "right"}
    assert study.best_params["step"] == 0.5


@pytest.mark.parametrize("x0", [None, {"a": 1.3, "b": 0.7, "n": 5}])
def test_the_initial_point_has_one_trial(x0: dict[str, Any] | None) -> None:
    """The start-up's: the optimizer knows it, though an integer is not at the centre of its axis."""
    study = study_of(SurrogateCMASampler(seed=1, x0=x0, warn_independent_sampling=False))
    study.optimize(numeric, n_trials=30)
    first = {name: value for name, value in study.trials[0].params.items() if name != "kind"}
    assert x0 is None or first["n"] == 5
    assert not any(first.items() <= trial.params.items() for trial in study.trials[1:])


def test_it_needs_fewer_trials_than_random_search() -> None:
    """A hundred trials of it are better than a thousand random ones."""
    ours, random = study_of(SurrogateCMASampler(seed=1)), optuna.create_study(sampler=RandomSampler(seed=1))
    ours.optimize(bowl, n_trials=100)
    random.optimize(bowl, n_trials=1000)
    assert ours.best_value < random.best_value / 10


def test_the_same_seed_gives_the_same_trials() -> None:
    """Categorical parameters too; and another seed others."""
    studies = []
    for seed in (1, 1, 2):
        study = study_of(SurrogateCMASampler(seed=seed, warn_independent_sampling=False))
        study.optimize(mixed, n_trials=40)
        studies.append(all_params(study))
    assert studies[0] == studies[1]
    assert studies[0] != studies[2]


@pytest.mark.parametrize("storage", ["sqlite", "journal"])
def test_another_process_goes_on(storage: str, tmp_path: Path) -> None:
    """A sampler that knows nothing but its arguments and the storage gives the trials that one for all would give."""
    whole = study_of(SurrogateCMASampler(seed=1, warn_independent_sampling=False))
    whole.optimize(mixed, n_trials=60)
    for trials in (7, 1, 22, 30):
        study = optuna.create_study(
            storage=_storage(storage, tmp_path),
            study_name="s",
            load_if_exists=True,
            sampler=SurrogateCMASampler(seed=1, warn_independent_sampling=False),
        )
        study.optimize(mixed, n_trials=trials)
    assert all_params(study) == all_params(whole)


def _storage(kind: str, folder: Path) -> RDBStorage | JournalStorage:
    if kind == "sqlite":
        return RDBStorage(f"sqlite:///{folder / 'study.db'}")
    return JournalStorage(JournalFileBackend(str(folder / "study.log")))


def test_a_drawn_seed_is_in_the_storage() -> None:
    """Without a seed a second sampler goes on with the run of the first one."""
    study = study_of(SurrogateCMASampler())
    study.optimize(bowl, n_trials=20)
    study.sampler = SurrogateCMASampler()
    study.optimize(bowl, n_trials=20)
    assert {claim["founder"] for claim in claims(study)} == {1}
    study.sampler = SurrogateCMASampler(seed=5)
    study.optimize(bowl, n_trials=5)
    assert claims(study)[-1]["founder"] == 40
    assert study.trials[40].system_attrs[FOUNDING]["learned"] == tuple(range(40))


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


@pytest.mark.parametrize("workers", [2, 4, 16])
@pytest.mark.parametrize(("method", "points"), [(GENERATIONS, 6), (DEFAULT, 1)])
def test_workers_at_a_time(workers: int, method: str, points: int) -> None:
    """Workers with a sampler each compute one run: no point is evaluated twice, and a newcomer understands it all."""

    def sampler() -> SurrogateCMASampler:
        return SurrogateCMASampler(seed=1, method=method)

    study = study_of(sampler())
    in_turns(study, [sampler() for _ in range(workers)], 150, seed=workers)
    assert len({str(params) for params in all_params(study)}) == len(study.trials)
    assert len(places(study)) == len(set(places(study)))
    assert study.best_value < 0.05
    learned = [n for claim in claims(study) if claim["closing"] for n in claim["closing"]["learned"]]
    beside = [t.number for t in study.trials if t.system_attrs.get(CLAIM, {}).get("place", 0) is None]
    assert len(beside) / len(claims(study)) == pytest.approx((workers - 1) / (points + workers - 1), abs=0.05)
    last = max(claim["population"] for claim in claims(study))
    # A further trial ends before two more populations do: by then models have learned from it.
    due = {n for n in beside if study.trials[n].system_attrs[CLAIM]["population"] < last - 2}
    assert len(due) > 4
    assert due <= set(learned)
    newcomer, newcomers = sampler(), study_of(sampler())
    newcomers.add_trials(study.trials)
    study.sampler, newcomers.sampler = sampler(), newcomer
    assert newcomers.ask(SPACE).params == study.ask(SPACE).params
    (run,) = newcomer._runs.values()
    strategy: Any = run._run._strategy._strategy  # type: ignore[union-attr]
    archive, cube = strategy._archive, run._values.cube
    known = {value: point for point, value in zip(archive.points, archive.values.tolist(), strict=True)}
    for n in due:
        assert cube.is_at(study.trials[n].params, known[study.trials[n].value])
    assert run.strangers == set()
    assert run._population == max(claim["population"] for claim in claims(newcomers))


@pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED, TrialState.RUNNING])
def test_a_trial_at_the_initial_point_is_not_repeated(state: TrialState) -> None:
    """Whether it failed, was pruned or runs when the run begins."""
    study = study_of(SurrogateCMASampler(seed=1))
    first = study.ask(SPACE)
    if state != TrialState.RUNNING:
        study.tell(first, state=state)
    for _ in range(6):
        trial = study.ask(SPACE)
        assert trial.params != first.params
        study.tell(trial, float(trial.number))


@pytest.mark.parametrize("workers", [2, 4])
def test_threads(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """``n_jobs`` shares one sampler: no point is evaluated twice, however long a thread waits."""
    monkeypatch.setattr(stored_run, "PATIENCE", 1_000)
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(round_bowl, n_trials=100, n_jobs=workers)
    assert len(places(study)) == len(set(places(study)))
    assert study.best_value < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_threads_with_samplers_of_their_own(seed: int) -> None:
    """Workers that share nothing but the storage, of which some fail, prune or vanish: no error, and a good end."""
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="s")
    errors: list[BaseException] = []

    def work(worker: int) -> None:
        rng = np.random.default_rng([seed, worker])
        study = optuna.load_study(storage=storage, study_name="s", sampler=SurrogateCMASampler(seed=1))
        try:
            for _ in range(40):
                trial = study.ask()
                value, fate = round_bowl(trial), rng.uniform()
                time.sleep(rng.exponential(1e-3))
                if fate < 0.05:
                    continue  # the worker vanishes, and another takes its place
                state = TrialState.FAIL if fate < 0.1 else TrialState.PRUNED if fate < 0.15 else None
                study.tell(trial, value if state is None else None, state=state)
        except BaseException as error:  # noqa: BLE001 it is for the other thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []
    study = optuna.load_study(storage=storage, study_name="s", sampler=SurrogateCMASampler(seed=1))
    assert len(study.trials) == 160
    assert study.best_value < 0.01
    study.optimize(round_bowl, n_trials=10)
    assert max(claim["population"] for claim in claims(study)) > 6


def _work(folder: str, n_trials: int) -> None:
    stored_run.PATIENCE = 1_000  # however long this process waits
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.load_study(
        storage=_storage("journal", Path(folder)), study_name="s", sampler=SurrogateCMASampler(seed=1, method="cmaes")
    )

    def slow(trial: Trial) -> float:
        time.sleep(0.02)
        return bowl(trial)

    study.optimize(slow, n_trials=n_trials)


def test_a_later_trial_may_found_the_run() -> None:
    """Of trials that begin at a time any may be the first to sample; the others take part in its run."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=1)
    earlier, later = study.ask(), study.ask()
    for trial in (later, earlier):
        study.tell(trial, bowl(trial))
    study.optimize(bowl, n_trials=20)
    assert {claim["founder"] for claim in claims(study)} == {2}
    populations = {claim["trial"]: claim["population"] for claim in claims(study)}
    assert populations[1] == 0  # as that of trial 2, which is at x0
    assert populations[22] > 5


def test_processes_on_one_storage(tmp_path: Path) -> None:
    """Two processes work on one study, at the same time: each point of a population is evaluated once."""
    study = optuna.create_study(storage=_storage("journal", tmp_path), study_name="s")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_work, args=(str(tmp_path), 40)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    assert len(study.trials) == 80
    taken = [(claim["founder"], claim["population"], claim["place"], str(claim["closing"])) for claim in claims(study)]
    taken = [one for one in taken if one[2] is not None]
    assert len(taken) == len(set(taken))


def test_two_claims_of_one_place() -> None:
    """When two workers claim the same place at the same time, one of them takes another."""
    study = study_of(SurrogateCMASampler(seed=1, method=GENERATIONS))
    study.optimize(bowl, n_trials=5)
    samplers = [SurrogateCMASampler(seed=1, method=GENERATIONS) for _ in range(2)]
    other = study.ask(SPACE)
    stored = claims(study)[-1]
    set_attr = study._storage.set_trial_system_attr
    mine: list[int] = []

    def another_claims_it_too(trial_id: int, key: str, value: Any) -> None:
        set_attr(trial_id, key, value)
        if key == CLAIM and not mine:
            mine.append(value["place"])
            set_attr(other._trial_id, CLAIM, {**stored, "place": value["place"]})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study._storage, "set_trial_system_attr", another_claims_it_too)
        study.sampler = samplers[0]
        study.ask(SPACE)
    assert claims(study)[-1]["place"] != mine[0]


def test_a_worker_that_is_gone() -> None:
    """A point whose trial does not end is asked for again after a population's number of later trials."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=4)
    lost = study.ask(SPACE)
    study.optimize(bowl, n_trials=30)
    claim = lost._get_latest_trial().system_attrs[CLAIM]
    again = [t for t in study.trials if t.system_attrs.get(CLAIM, {}).get("place") == claim["place"]]
    again = [t for t in again if t.system_attrs[CLAIM]["population"] == claim["population"]]
    assert [t.number for t in again] == [lost.number, again[1].number]
    assert again[1].params == lost.params
    assert max(claim["population"] for claim in claims(study)) >= 3
    study.tell(lost, bowl(lost))  # back again, too late
    before = study.trials[-1].number
    study.optimize(bowl, n_trials=8)
    learned = [n for c in claims(study)[before:] if c["closing"] for n in c["closing"]["learned"]]
    assert lost.number in learned


def test_failed_trials() -> None:
    """They rank behind all others, are not asked for again, and no model sees them."""

    def fails(trial: Trial) -> float:
        value = bowl(trial)
        if trial.params["a"] > 2.5:
            raise ArithmeticError
        return value

    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(fails, n_trials=100, catch=(ArithmeticError,))
    assert len(places(study)) == len(set(places(study)))
    assert study.best_value < 0.05
    assert all(trial.state == TrialState.FAIL for trial in study.trials if trial.params["a"] > 2.5)


@pytest.mark.parametrize("considered", [False, True])
def test_pruned_trials(considered: bool) -> None:  # noqa: FBT001 a parameter of the test
    """They rank behind all others, or have their last intermediate value, as ``consider_pruned_trials`` says."""

    def pruned(trial: Trial) -> float:
        value = bowl(trial)
        trial.report(value, 1)
        if trial.number > 3 and value > 1:
            raise optuna.TrialPruned
        return value

    # Where most trials are pruned, the default needs more of them.
    study = study_of(SurrogateCMASampler(seed=1, method=GENERATIONS, consider_pruned_trials=considered))
    study.optimize(pruned, n_trials=60)
    states = [trial.state for trial in study.trials]
    assert TrialState.PRUNED in states
    assert len(places(study)) == len(set(places(study)))
    assert study.best_value < 0.05
    whole = study_of(SurrogateCMASampler(seed=1, method=GENERATIONS))
    whole.optimize(bowl, n_trials=60)
    assert (all_params(study) == all_params(whole)) == considered


def test_a_pruner_with_brackets() -> None:
    """Each bracket of Hyperband is a study of its own to samplers, and has a run of its own."""

    def in_steps(trial: Trial) -> float:
        value = bowl(trial)
        for step in range(9):
            trial.report(value + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9, reduction_factor=3)
    study = study_of(SurrogateCMASampler(seed=1), pruner=pruner, study_name="brackets")
    study.optimize(in_steps, n_trials=60)
    assert len({claim["founder"] for claim in claims(study)}) == 3


def test_enqueued_and_retried_trials() -> None:
    """A trial whose parameters are given takes no place; the model learns from it."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=5)
    study.enqueue_trial({"a": 2.0, "b": 1.0})
    study.enqueue_trial({"a": 1.9})
    copied = study.trials[3]
    study.enqueue_trial({"b": 0.9})
    study.add_trial(
        optuna.create_trial(
            state=TrialState.WAITING,
            system_attrs={**copied.system_attrs, "fixed_params": copied.params},
        )
    )
    study.optimize(bowl, n_trials=40)
    assert study.trials[5].params == {"a": 2.0, "b": 1.0}
    assert study.trials[6].params["a"] == 1.9
    assert all(
        claim_of(n, study.trials[n].system_attrs) is None or study.trials[n].system_attrs[CLAIM]["place"] is None
        for n in (5, 6, 7, 8)
    )
    learned = [n for claim in claims(study) if claim["closing"] for n in claim["closing"]["learned"]]
    assert {5, 6, 7, 8} <= set(learned)
    assert len(places(study)) - 1 == len(set(places(study)))  # the copy's
    assert study.best_value == 0


def test_a_changing_search_space() -> None:
    """When a parameter is no longer in all trials, the optimizer begins anew; its model knows the earlier trials."""

    def changing(trial: Trial) -> float:
        return bowl(trial) + (trial.suggest_float("c", 0, 1) if trial.number < 12 else 0)

    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(changing, n_trials=70)
    founders = sorted({claim["founder"] for claim in claims(study)})
    assert founders == [1, 13]
    assert study.trials[13].system_attrs[FOUNDING]["learned"] == tuple(range(13))
    assert study.best_value < 0.05


def test_the_first_points() -> None:
    """``x0`` and ``sigma0`` say where the optimizer begins: the first trial is at x0, and the next ones are near."""
    study = study_of(SurrogateCMASampler(seed=1, x0={"a": 3.0}, sigma0=1e-6))
    study.optimize(bowl, n_trials=6)
    assert study.trials[0].params == {"a": 3.0, "b": pytest.approx(0.1)}
    for trial in study.trials:
        assert abs(trial.params["a"] - 3.0) < 1e-3
        assert abs(trial.params["b"] - 0.1) < 1e-3  # the middle of the logarithms


def test_trials_before_the_first_has_ended() -> None:
    """Only the first is at x0, or at the centre of float and int parameters; others are random."""
    study = study_of(SurrogateCMASampler(seed=1, x0={"n": 3}))
    space = {
        "n": optuna.distributions.IntDistribution(1, 9),
        "k": optuna.distributions.IntDistribution(0, 8, step=2),
        "only": optuna.distributions.FloatDistribution(2, 2),
        "kind": optuna.distributions.CategoricalDistribution(["left", "right"]),
        **SPACE,
    }
    first, *others = (study.ask(space).params for _ in range(20))
    assert first == {"n": 3, "k": 4, "only": 2, "kind": first["kind"], "a": 0, "b": pytest.approx(0.1)}
    assert len({params["a"] for params in others}) == 19
    assert {params["kind"] for params in others} == {"left", "right"}


def test_startup_trials() -> None:
    """Trials before the optimizer begins are the independent sampler's, and known to the model."""
    sampler = SurrogateCMASampler(seed=1, n_startup_trials=10, independent_sampler=RandomSampler(seed=3))
    study, random = study_of(sampler), optuna.create_study(sampler=RandomSampler(seed=3))
    study.optimize(bowl, n_trials=15)
    random.optimize(bowl, n_trials=10)
    assert all_params(study)[:10] == all_params(random)
    assert study.trials[10].system_attrs[FOUNDING]["learned"] == tuple(range(10))


@pytest.mark.parametrize("warned", [True, False])
def test_warnings_of_independent_sampling(warned: bool, warnings_of_optuna: Callable[[], list[str]]) -> None:  # noqa: FBT001 a parameter of the test
    """Once a parameter, not of the first trial; none where they are switched off."""
    study = study_of(SurrogateCMASampler(seed=1, warn_independent_sampling=warned))
    study.optimize(mixed, n_trials=10)
    messages = [m for m in warnings_of_optuna() if "sampled independently" in m]
    assert len(messages) == warned
    assert all("'kind'" in m and "trial 1 " in m and "\n" not in m for m in messages)


def test_no_warnings_before_the_search_space_is_known(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """All parameters of the first trials are sampled independently, however few start-up trials there are."""
    study = study_of(SurrogateCMASampler(seed=1, n_startup_trials=0))
    for _ in range(3):
        study.ask(SPACE)
    assert warnings_of_optuna() == []


def test_warnings_of_parameters_by_any_name(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """A parameter that is called like another subject of warnings is one of its own."""
    study = study_of(SurrogateCMASampler(seed=1, x0={"bb": 1}))
    space: dict[str, Any] = {"x0": optuna.distributions.CategoricalDistribution(["left", "right"]), **SPACE}
    study.tell(study.ask(space), 1.0)
    study.ask(space)
    assert sorted(m.partition(" which")[0].partition(" is ")[0] for m in warnings_of_optuna()) == [
        "Parameter 'x0'",
        "x0 has 'bb',",
    ]


def test_other_parameters_than_given(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """A trial whose parameters are not those it was given is known to the model alone; a warning says so once."""
    study = study_of(SurrogateCMASampler(seed=1, method=GENERATIONS))
    study.optimize(bowl, n_trials=3)
    other = copy.deepcopy(study.trials[2])
    changed = study_of(SurrogateCMASampler(seed=1, method=GENERATIONS))
    other.params = {"a": 0.123, "b": 0.1}
    changed.add_trials([*study.trials[:2], other])
    changed.optimize(bowl, n_trials=100)
    assert [m.partition(",")[0] for m in warnings_of_optuna() if "other parameters" in m] == [
        "Trial 2 has other parameters than it was given"
    ]
    assert claims(changed)[1]["place"] == claims(changed)[2]["place"] == 1
    assert changed.best_value < 0.05


HOSTILE: list[Any] = [
    None, 1, "x", [], {}, {"trial": 3}, [[]] * 1000, {"trial": True}, {"trial": 3, "call": 1, "seed": 1, "learned": []},
    {"trial": 3, "call": "", "seed": -1, "learned": []}, {"trial": 3, "call": "", "seed": 1, "learned": [1e300]},
    {"trial": 3, "founder": 1, "population": 0, "place": 0, "closing": {"evaluated": [], "learned": []}},
    {"trial": 3, "founder": 1, "population": 1, "place": 0, "closing": {"evaluated": [2] * 6, "learned": [3]}},
    {"trial": 3, "founder": 1, "population": 1, "place": 0, "closing": {"evaluated": [99] * 6, "learned": []}},
    {"trial": 3, "founder": 1, "population": 2**80, "place": 0, "closing": None},
    {"trial": 3, "founder": 1, "population": 0, "place": 10**30, "closing": None},
    {"trial": 3, "founder": 99, "population": 0, "place": 0, "closing": None},
]  # fmt: skip
"""What somebody else may have written to a storage."""


@pytest.mark.parametrize("content", HOSTILE, ids=lambda content: json.dumps(content)[:60])
@pytest.mark.parametrize("key", [CLAIM, FOUNDING])
def test_storages_hold_data(key: str, content: Any) -> None:
    """Whatever is in a storage is never run and never raises; a damaged record counts for nothing."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=10)
    trials = [copy.deepcopy(trial) for trial in study.trials]
    trials[3].system_attrs[key] = content
    damaged = study_of(SurrogateCMASampler(seed=1))
    damaged.add_trials(trials)
    damaged.optimize(bowl, n_trials=25)
    assert len(damaged.trials) == 35
    assert all(trial.state == TrialState.COMPLETE for trial in damaged.trials)


def test_one_sampler_for_several_studies() -> None:
    """One after the other, or in turns: each gets the trials that a sampler of its own would give."""
    alone = study_of(SurrogateCMASampler(seed=1))
    alone.optimize(bowl, n_trials=20)
    sampler = SurrogateCMASampler(seed=1)
    studies = [study_of(sampler) for _ in range(2)]
    for trials in (5, 5, 10):
        for study, sign in zip(studies, (1, -1), strict=True):
            study.optimize(lambda trial, sign=sign: sign * bowl(trial), n_trials=trials)  # type: ignore[misc]
    assert all_params(studies[0]) == all_params(alone)
    assert all_params(studies[1])[8:] != all_params(alone)[8:]


def test_founders_of_others() -> None:
    """Runs of other settings in the same study are not this sampler's."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=10)
    study.sampler = SurrogateCMASampler(seed=1, method="cmaes")
    study.optimize(bowl, n_trials=10)
    study.sampler = SurrogateCMASampler(seed=1)
    study.optimize(bowl, n_trials=10)
    assert [claim["founder"] for claim in claims(study)] == [1] * 9 + [10] * 10 + [1] * 10
    learned = [n for claim in claims(study)[19:] if claim["closing"] for n in claim["closing"]["learned"]]
    assert set(range(10, 20)) <= set(learned)


def test_a_study_made_again() -> None:
    """After a study is deleted, another of the same name is begun, with the same sampler."""
    sampler, storage = SurrogateCMASampler(seed=1), optuna.storages.InMemoryStorage()
    trials = []
    for _ in range(2):
        study = study_of(sampler, storage=storage, study_name="s")
        study.optimize(bowl, n_trials=15)
        trials.append(all_params(study))
        optuna.delete_study(study_name="s", storage=storage)
    assert trials[0] == trials[1]


@pytest.mark.parametrize("before", [4, 30])
def test_many_trials_of_others(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models learn from the newest of earlier trials, and from a bounded number at the end of a population."""
    monkeypatch.setattr("sacma.integrations.optuna.MOST_LEARNED", 10)
    monkeypatch.setattr(stored_run, "MOST_LEARNED", 10)
    study = study_of(RandomSampler(seed=1))
    study.optimize(bowl, n_trials=before)
    study.sampler = SurrogateCMASampler(seed=1)
    study.optimize(bowl, n_trials=10)
    study.sampler = RandomSampler(seed=2)
    study.optimize(bowl, n_trials=15)
    study.sampler = SurrogateCMASampler(seed=1)
    study.optimize(bowl, n_trials=30)
    known = study.trials[before].system_attrs[FOUNDING]["learned"]
    assert known == tuple(range(max(0, before - 10), before))
    closings = {c["population"]: c["closing"]["learned"] for c in claims(study) if c["closing"]}
    assert [tuple(learned) for learned in closings.values() if learned] == [
        tuple(range(before + 10, before + 20)),
        tuple(range(before + 20, before + 25)),
    ]


def test_copies() -> None:
    """A pickled or copied sampler gives the trials of the first one; what it knew is computed again."""
    study = study_of(SurrogateCMASampler(seed=1))
    study.optimize(bowl, n_trials=20)
    expected = study_of(SurrogateCMASampler(seed=1))
    expected.optimize(bowl, n_trials=30)
    for other in (pickle.loads(pickle.dumps(study.sampler)), copy.deepcopy(study.sampler)):  # noqa: S301 our own
        again = study_of(other)
        again.add_trials(study.trials)
        again.optimize(bowl, n_trials=10)
        assert all_params(again) == all_params(expected)


def test_global_random_state_is_left_alone() -> None:
    """Neither NumPy's nor Python's generator is drawn from."""
    import random  # noqa: PLC0415

    before = np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]  # noqa: NPY002
    study_of(SurrogateCMASampler(seed=1)).optimize(bowl, n_trials=20)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": "1"}, "seed is '1'"),
        ({"sigma0": 0}, "sigma0 is 0"),
        ({"x0": [1, 2]}, "x0 is [1, 2]"),
        ({"method": "ada"}, "method is 'ada'"),
        ({"method": "cobyqa"}, "method is 'cobyqa'; allowed: ada-kendall, ada-kl"),
        ({"population_size": 1}, "population_size is 1"),
        ({"n_startup_trials": -1}, "n_startup_trials is -1"),
        ({"independent_sampler": "tpe"}, "independent_sampler is 'tpe'"),
        ({"consider_pruned_trials": "no"}, "consider_pruned_trials is 'no'; allowed: True or False"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], named: str) -> None:
    """One line names the argument, what was given, and what is allowed."""
    with pytest.raises((TypeError, ValueError)) as raised:
        SurrogateCMASampler(**arguments)
    assert str(raised.value).startswith(named)
    assert "allowed: " in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_initial_point_outside() -> None:
    """It is refused as soon as the ranges are known: in the first trial, unless another sampler's."""
    message = r"^x0\['a'\] is 9; allowed: a number within the range of the parameter$"
    with pytest.raises(ValueError, match=message):
        study_of(SurrogateCMASampler(x0={"a": 9})).ask(SPACE)
    study = study_of(SurrogateCMASampler(x0={"a": 9}, independent_sampler=RandomSampler(seed=1)))
    study.tell(study.ask(SPACE), 1.0)
    with pytest.raises(ValueError, match=message):
        study.ask(SPACE)


def test_an_initial_point_of_other_parameters(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """A misspelt name is not silently ignored."""
    study_of(SurrogateCMASampler(seed=1, x0={"a": 1.0, "bb": 2})).optimize(bowl, n_trials=5)
    expected = "x0 has 'bb', which is not among the parameters that are optimized: 'a, b'."
    assert [m for m in warnings_of_optuna() if "x0" in m] == [expected]


def test_several_objectives() -> None:
    """They are refused in one line."""
    study = study_of(SurrogateCMASampler(), directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match=r"^the study has 2 objectives; SurrogateCMASampler allows one: [^\n]*$"):
        study.optimize(bowl, n_trials=1)


def test_constraints_are_not_used(warnings_of_optuna: Callable[[], list[str]]) -> None:
    """A warning says so once."""

    def constrained(trial: Trial) -> float:
        value = bowl(trial)
        trial.set_constraint("c", value - 1)
        return value

    study_of(SurrogateCMASampler(seed=1)).optimize(constrained, n_trials=5)
    assert len([m for m in warnings_of_optuna() if "Constraints are set in trial 0" in m]) == 1


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the import has the remedy; the package imports without Optuna."""
    imported = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "optuna":
            raise ModuleNotFoundError("No module named 'optuna'", name="optuna")
        return imported(name, *arguments, **options)

    for name in [name for name in sys.modules if name.partition(".")[0] == "optuna" or "sacma.integrations" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    importlib.import_module("sacma.integrations")
    with pytest.raises(ModuleNotFoundError, match=r'pip install "sacma\[optuna\]"'):
        importlib.import_module("sacma.integrations.optuna")


@pytest.mark.parametrize("method", [DEFAULT, "dts-cmaes"])
def test_parameters_beside_are_noise(method: str) -> None:
    """With them there is no interpolation: the default method comes nearer to the optimum than random points."""

    def objective(trial: Trial) -> float:
        x = [trial.suggest_float(f"x{i}", -1, 1) for i in range(3)]
        trial.suggest_categorical("same", ["a"])
        kind = trial.suggest_categorical("kind", ["a", "b", "c", "d"]) if noisy else "a"
        return float(np.sum((np.array(x) - 0.6) ** 2)) + {"a": 0.0, "b": 0.5, "c": 1.0, "d": 2.0}[kind]

    found: dict[bool, list[float]] = {}
    for noisy in (False, True):
        for seed in range(6):
            sampler = SurrogateCMASampler(seed=seed, method=method, warn_independent_sampling=False)
            study = optuna.create_study(sampler=sampler)
            study.optimize(objective, n_trials=80)
            (run,) = sampler._runs.values()
            assert run._run.call.noisy == noisy
            found.setdefault(noisy, []).append(study.best_value)
    assert np.median(found[False]) < 1e-3 or method != DEFAULT
    assert np.median(found[True]) < 0.25
