"""Optuna's own tests of samplers, those that it ships for others.

Left out are the tests of several objectives, ``MultiObjectiveSamplerTestCase``: such a study is refused, which
``SingleOnlySamplerTestCase`` tests. The tests of Optuna's repository that are not shipped are of its own samplers.
"""

from collections.abc import Callable

import pytest
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase

from sacma.integrations.optuna import SurrogateCMASampler


def from_the_start() -> BaseSampler:
    return SurrogateCMASampler(n_startup_trials=0)


def plain() -> BaseSampler:
    return SurrogateCMASampler(n_startup_trials=0, method="cmaes")


class OurSamplers:
    """The samplers that the tests are for."""

    @pytest.fixture(params=[from_the_start, plain], ids=["sacma", "cmaes"])
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        """Return what makes a sampler."""
        made: Callable[[], BaseSampler] = request.param
        return made


class TestBasicSampler(OurSamplers, BasicSamplerTestCase):
    """Each kind of parameter, values that are NaN, conditional and changing search spaces."""


class TestRelativeSampler(OurSamplers, RelativeSamplerTestCase):
    """Parameters that are sampled together."""


class TestSingleOnlySampler(OurSamplers, SingleOnlySamplerTestCase):
    """Several objectives are refused."""
