"""The names of methods, and what becomes of settings in a call."""

from typing import Any

import numpy as np
import pytest

import sacma
from sacma.algorithms.baselines import BIPOPSettings, LocalSearchSettings, LQSettings, RandomSearchSettings
from sacma.algorithms.registry import ALGORITHMS, Origin
from sacma.config.study import load_study
from sacma.optimize.methods import Method, composed, method_of, named, names
from sacma.strategy.as_run import CMAESAsRun
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import BIPOP, IPOP
from sacma.strategy.settings import StrategySettings
from tests.conftest import CONFIGS, SIX


def strategy_of(given: object, **call: Any) -> StrategySettings:
    strategy = method_of(given, **call).strategy
    assert strategy is not None
    return strategy


def test_names_are_those_of_the_shipped_configs() -> None:
    """Each config of the study and each baseline, under the name of its file."""
    configs = [*CONFIGS.glob("*.yaml"), *(CONFIGS / "baselines").glob("*.yaml")]
    studies = {path.stem.replace("_", "-"): load_study(path) for path in configs}
    assert set(names()) == studies.keys()
    assert {study.algorithm for study in studies.values()} == set(ALGORITHMS)
    for name in names():
        assert named(name) == Method(studies[name].algorithm, studies[name].settings)
    assert named("cmaes").settings == StrategySettings()
    strategies = {name for name, study in studies.items() if study.algorithm == "surrogate-cmaes"}
    assert set(composed()) == strategies
    assert strategies >= {name.replace("_", "-") for name in SIX} | {"dts-cmaes", "dts-cmaes-adaptive", "forest-scmaes"}


def test_call_decides_step_size_and_bounds() -> None:
    """σ₀ is the call's; bounds are handled if there are any, in the settings' own way if they have one."""
    assert strategy_of("cmaes", sigma0=2.0, bounded=False) == StrategySettings(sampling=CMAESSampling(sigma0=2.0))
    assert strategy_of("cmaes", sigma0=2.0, bounded=True).sampling.bounds == "penalty"
    transforming = StrategySettings(sampling=CMAESSampling(bounds="transform"))
    assert strategy_of(transforming, sigma0=1.0, bounded=True).sampling.bounds == "transform"
    assert strategy_of(transforming, sigma0=1.0, bounded=False).sampling.bounds == "none"
    for bounded, bounds in ((True, "penalty"), (False, "none")):
        as_run = strategy_of(StrategySettings(sampling=CMAESAsRun()), sigma0=0.5, bounded=bounded).sampling
        assert (as_run.name, as_run.sigma0, as_run.bounds) == ("cma-es-as-run", 0.5, bounds)
    assert transforming.sampling.sigma0 == 8 / 3  # what is given stays as it is


@pytest.mark.parametrize("name", [name for name in names() if name not in composed()])
@pytest.mark.parametrize("bounded", [False, True])
def test_other_algorithms_get_what_they_have_settings_for(name: str, *, bounded: bool) -> None:
    """σ₀ and the box; nothing else changes."""
    before = named(name).settings.model_dump()
    after = method_of(name, sigma0=0.125, bounded=bounded).settings.model_dump()
    expected = {"sigma0": 0.125, "within_box": bounded}
    assert after == {**before, **{key: value for key, value in expected.items() if key in before}}
    assert ("sigma0" in before) == ("within_box" in before) == (name != "random-search")


def test_population_size() -> None:
    """It is that of the first run, without multiples of the settings, whose other restarts stay.

    The variants of pycma take it; a method without populations refuses it.
    """
    for name in ("gp1", "dts-cmaes"):
        sampling = strategy_of(name, sigma0=1.0, bounded=False, population_size=12).sampling
        assert (sampling.population_size, sampling.population_multiple) == (12, 1.0)
        assert strategy_of(name, sigma0=1.0, bounded=False).sampling.population_size is None
    settings = StrategySettings.model_validate({"restarts": {"name": "bipop", "first_factor": 2, "max_restarts": 3}})
    chosen = strategy_of(settings, sigma0=1.0, bounded=False, population_size=12)
    assert chosen.restarts == BIPOP(max_restarts=3)
    assert strategy_of(settings, sigma0=1.0, bounded=False).restarts == settings.restarts
    for name in ("lq-cma-es", "bipop-cma-es"):
        other = method_of(name, sigma0=1.0, bounded=False, population_size=9)
        assert other.settings.model_dump()["population_size"] == 9
    with pytest.raises(ValueError, match=r"^population_size is 9; allowed: None with this method, which has no pop"):
        method_of("cobyqa", sigma0=1.0, bounded=False, population_size=9)


def test_an_algorithm_of_the_registry() -> None:
    """By its name, with its defaults, or by settings of its type."""
    for name, settings in (("lq-cmaes", LQSettings()), ("bipop-cmaes", BIPOPSettings())):
        assert method_of(name, sigma0=settings.sigma0, bounded=False) == Method(name, settings)
    inject = LQSettings(inject=False, sigma0=1.0)
    assert method_of(inject, sigma0=1.0, bounded=False) == Method("lq-cmaes", inject)
    slsqp = LocalSearchSettings(method="slsqp")
    assert method_of(slsqp, sigma0=1.0, bounded=False).algorithm == "local-search"
    assert method_of(RandomSearchSettings(), sigma0=1.0, bounded=True).algorithm == "random-search"
    with pytest.raises(ValueError, match=r"^method is 'local-search'; allowed: settings of local-search, an object"):
        method_of("local-search", sigma0=1.0, bounded=False)


def test_an_algorithm_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a method as soon as it is registered; its errors come out as they are."""

    @sacma.algorithm
    def halving(problem: Any, rng: Any, *, sigma0: float = 1.0, fails: bool = False) -> None:
        """Steps that halve."""
        best, value = problem.initial_point(1.0), np.inf
        while sigma0 > 1e-6:
            x = best + sigma0 * rng.standard_normal(problem.dimension)
            if (y := problem(x)) < value:
                best, value = x, y
            elif fails:
                raise LookupError("a mistake in the algorithm")
            sigma0 *= 0.9

    entry = Origin("there.py", "1", is_file=True), halving
    monkeypatch.setitem(ALGORITHMS._from_files, "halving", entry)
    found = sacma.minimize(lambda x: float(x @ x), [1.0, 1.0], 0.5, method="halving", seed=1)
    assert (found.status.name, found.nfev, found.success) == ("RESTARTS", 125, True)
    assert found.message == "the method has ended, with its last restart"
    same = sacma.minimize(lambda x: float(x @ x), [1.0, 1.0], 0.5, method=halving.settings(), seed=1)
    assert np.array_equal(found.history.points, same.history.points)
    with pytest.raises(LookupError, match="a mistake in the algorithm"):
        sacma.minimize(lambda x: float(x @ x), [1.0, 1.0], 0.5, method=halving.settings(fails=True), seed=1)


def test_a_near_name_is_named() -> None:
    """A misspelt name is refused with the nearest, and with all."""
    misspelt = {"ADA-Kendal": "ada-kendall", "gp": "gp1", "lq-": "lq-cma-es"}
    for given, near in misspelt.items():
        expected = rf"^method is '{given}'; allowed: .*, cmaes, .*, cobyqa, .*; is it {near}\?$"
        with pytest.raises(ValueError, match=expected):
            method_of(given, sigma0=1.0, bounded=False)
    for none in ("own-optimizer", "../gp1", "", "surrogate-cmaes"):
        with pytest.raises(ValueError, match=r"^method is .*; allowed: acma-es, .*\bslsqp\b[^\n]*$"):
            method_of(none, sigma0=1.0, bounded=False)


def test_what_are_no_settings_is_refused() -> None:
    """Parts alone, content of configs, and settings that were made without validation."""
    for wrong in (CMAESSampling(), {"model": None}, StrategySettings, b"gp1", None):
        with pytest.raises(TypeError, match=r"^method is .*; allowed: the name of a method.*, or settings of a regist"):
            method_of(wrong, sigma0=1.0, bounded=False)
    invalid = StrategySettings().model_copy(update={"restarts": IPOP().model_copy(update={"max_restarts": -1})})
    with pytest.raises(ValueError, match="settings that are valid: Input should be greater than or equal to 0"):
        method_of(invalid, sigma0=1.0, bounded=False)
