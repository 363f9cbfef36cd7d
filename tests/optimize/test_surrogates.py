"""The names of strategies, and what becomes of settings in a call."""

import pytest

from sacma.config.study import load_study
from sacma.optimize.surrogates import SURROGATES, settings_of
from sacma.strategy.settings import CMAESSettings, SCMAESSettings, SurrogateSettings
from tests.conftest import CONFIGS

CONFIG_OF = {
    "none": "cmaes",
    "gp-1": "gp1",
    "gp-5": "gp5",
    "ada-kl": "ada_kl",
    "ada-kendall": "ada_kendall",
    "ada-rd": "ada_rd",
}


@pytest.mark.parametrize("name", SURROGATES)
def test_names_are_the_algorithms_of_the_study(name: str) -> None:
    """Each name means what the study's config of the algorithm says, all settings alike."""
    assert SURROGATES[name] == load_study(CONFIGS / f"{CONFIG_OF[name]}.yaml").settings
    assert CONFIG_OF.keys() == SURROGATES.keys()


def test_call_decides_step_size_and_bounds() -> None:
    """σ₀ is the call's; bounds are handled if there are any, in the settings' own way if they have one."""
    assert settings_of(None, sigma0=2.0, bounded=False) == CMAESSettings(sigma0=2.0)
    assert settings_of("none", sigma0=2.0, bounded=True).bounds == "penalty"
    transforming = CMAESSettings(bounds="transform")
    assert settings_of(transforming, sigma0=1.0, bounded=True).bounds == "transform"
    assert settings_of(transforming, sigma0=1.0, bounded=False).bounds == "none"
    repaired = SCMAESSettings(bounds="penalty", trained_on="repaired")
    assert settings_of(repaired, sigma0=1.0, bounded=True).model_dump()["trained_on"] == "repaired"
    assert settings_of(repaired, sigma0=1.0, bounded=False).model_dump()["trained_on"] == "sampled"
    assert settings_of("gp-1", sigma0=1.0, bounded=False, population_size=12).population_size == 12


def test_a_near_name_is_named() -> None:
    """A misspelt name is refused with the nearest, and with all."""
    with pytest.raises(
        ValueError, match=r"surrogate is 'ADA-Kendal'; allowed: one of none, gp-1.*; is it ada-kendall\?"
    ):
        settings_of("ADA-Kendal", sigma0=1.0, bounded=False)
    with pytest.raises(TypeError, match="surrogate is "):
        settings_of(SurrogateSettings(), sigma0=1.0, bounded=False)
    invalid = CMAESSettings().model_copy(update={"max_restarts": -1})
    with pytest.raises(ValueError, match="settings that are valid"):
        settings_of(invalid, sigma0=1.0, bounded=False)
