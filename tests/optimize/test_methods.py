"""The names of strategies, and what becomes of settings in a call."""

import pytest

from sacma.config.study import load_study
from sacma.optimize.methods import composed, method_of, named, names
from sacma.strategy.as_run.sampling import CMAESAsRun
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.restarts import IPOP
from sacma.strategy.settings import StrategySettings
from tests.conftest import CONFIGS, SIX


def content_of(settings: StrategySettings, part: str) -> dict[str, object]:
    return settings.model_dump()[part]  # type: ignore[no-any-return]


def test_names_are_those_of_the_shipped_configs() -> None:
    """Each config of the study, and each baseline that is such a strategy, under the name of its file."""
    configs = [*CONFIGS.glob("*.yaml"), *(CONFIGS / "baselines").glob("*.yaml")]
    studies = {path.stem.replace("_", "-"): load_study(path) for path in configs}
    strategies = {name for name, study in studies.items() if study.algorithm == "surrogate-cmaes"}
    assert set(names()) == strategies
    assert strategies >= {name.replace("_", "-") for name in SIX} | {"dts-cmaes", "dts-cmaes-adaptive", "forest-scmaes"}
    for name in names():
        assert named(name) == studies[name].settings
    assert named(PLAIN) == StrategySettings()


def test_call_decides_step_size_and_bounds() -> None:
    """σ₀ is the call's; bounds are handled if there are any, in the settings' own way if they have one."""
    assert settings_of(None, sigma0=2.0, bounded=False) == StrategySettings(sampling=CMAESSampling(sigma0=2.0))
    assert settings_of("cmaes", sigma0=2.0, bounded=True).sampling.bounds == "penalty"
    transforming = StrategySettings(sampling=CMAESSampling(bounds="transform"))
    assert settings_of(transforming, sigma0=1.0, bounded=True).sampling.bounds == "transform"
    assert settings_of(transforming, sigma0=1.0, bounded=False).sampling.bounds == "none"
    for bounded, bounds in ((True, "penalty"), (False, "none")):
        as_run = settings_of(StrategySettings(sampling=CMAESAsRun()), sigma0=0.5, bounded=bounded).sampling
        assert (as_run.name, as_run.sigma0, as_run.bounds) == ("cma-es-as-run", 0.5, bounds)
    assert transforming.sampling.sigma0 == 8 / 3  # what is given stays as it is


@pytest.mark.parametrize("name", names())
def test_all_other_settings_stay(name: str) -> None:
    """A call changes the sampling, and nothing of the other parts."""
    settings = named(name)
    assert settings is not None
    called = settings_of(name, sigma0=0.1, bounded=True)
    for part in type(settings).model_fields:
        if part == "sampling":
            changed = {
                key for key, value in content_of(called, part).items() if value != content_of(settings, part)[key]
            }
            assert changed == {"sigma0", "bounds"}
        else:
            assert getattr(called, part) == getattr(settings, part)


@pytest.mark.parametrize("name", ["gp1", "dts-cmaes"])
def test_population_size_replaces_that_of_the_settings(name: str) -> None:
    """Also where they have a multiple of the usual one."""
    sampling = settings_of(name, sigma0=1.0, bounded=False, population_size=12).sampling
    assert (sampling.population_size, sampling.population_multiple) == (12, 1.0)
    assert settings_of(name, sigma0=1.0, bounded=False).sampling.population_size is None


def test_a_near_name_is_named() -> None:
    """A misspelt name is refused with the nearest, and with all."""
    for given, near in (
        ("ADA-Kendal", "ada-kendall"),
        ("gp-1", "gp1"),
        ("ada_kl", "ada-kl"),
        ("dts-cma-es", "dts-cmaes"),
    ):
        with pytest.raises(ValueError, match=rf"surrogate is '{given}'; allowed: one of .*cmaes.*; is it {near}\?"):
            settings_of(given, sigma0=1.0, bounded=False)
    for none in ("lq-cma-es", "powell", "own-optimizer", "step-size", "published", "../gp1", ""):
        with pytest.raises(ValueError, match=r"allowed: one of "):
            settings_of(none, sigma0=1.0, bounded=False)


def test_what_are_no_settings_is_refused() -> None:
    """Parts alone, content of configs, and settings that were made without validation."""
    for wrong in (CMAESSampling(), IPOP(), {"model": None}, StrategySettings, b"gp1", 3):
        with pytest.raises(TypeError, match=r"surrogate is .*allowed: one of .*, or StrategySettings"):
            settings_of(wrong, sigma0=1.0, bounded=False)
    invalid = StrategySettings().model_copy(update={"restarts": IPOP().model_copy(update={"max_restarts": -1})})
    with pytest.raises(ValueError, match="settings that are valid: Input should be greater than or equal to 0"):
        settings_of(invalid, sigma0=1.0, bounded=False)
