"""pycma is loaded without Matplotlib and scipy.stats, and all of it is there where it is used."""

from tests.commands import printed_by

FRESH = """
import sys
before = list(sys.meta_path)
from sacma.strategy.pycma import pycma
cma = pycma()
assert cma is pycma()
assert sys.meta_path == before
cma.fmin2(cma.ff.sphere, [1, 1], 1, {"maxiter": 5, "verbose": -9, "verb_log": 0})
loaded = {"matplotlib", "scipy.stats"} & sys.modules.keys()
assert not loaded, loaded
cma.fmin_lq_surr2(cma.ff.sphere, [1, 1], 1, {"maxiter": 5, "verbose": -9, "verb_log": 0})
assert cma.fitness_models.LQModel.__init__
from scipy.stats import kendalltau
assert cma.fitness_models._kendalltau is kendalltau
assert callable(cma.s.figsave)
assert "matplotlib.pyplot" in sys.modules
"""


def test_deferred_modules_are_loaded_when_they_are_used() -> None:
    """In a fresh process: the strategy needs neither, the quadratic model has SciPy's τ, and plots work."""
    assert printed_by(FRESH) == ""
