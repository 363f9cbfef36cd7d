"""What many tests share: studies from the shipped configs and small BBOB problems."""

import os
from collections.abc import Callable
from pathlib import Path

# Before any import of numpy: workers of the tests share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from sacma.config import Study, load_study

CONFIGS = Path(__file__).parent.parent / "configs"
SIX = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


@pytest.fixture
def study() -> Callable[..., Study]:
    """Load a shipped config with another protocol: ``study("gp1", functions="1", dimensions="2")``."""

    def load(name: str, **protocol: object) -> Study:
        return load_study(CONFIGS / f"{name}.yaml", protocol)

    return load
