"""Covariance functions: the likelihood compiled for another one, against scikit-learn, and kept on disk."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from sacma.surrogate import covariances, likelihood
from sacma.surrogate.covariances import COVARIANCES, USUAL, likelihood_of
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet

MATERN32 = '''"""The Matérn covariance with ν = 3/2: (1 + s) exp(−s) with s = √3 r/ℓ."""

import math

from sacma.surrogate.compiled import inlined
from sacma.surrogate.exponential import exp


@inlined
def correlate(distances, length, correlations):
    scale = math.sqrt(3.0) / length
    for i in range(len(distances)):
        s = min(distances[i] * scale, 700.0)
        correlations[i] = (1.0 + s) * exp(-s)
'''

CHECK = """
import json, math, sys
import numpy as np
from sacma.surrogate import covariances, likelihood
covariances.COVARIANCES["matern-3/2"] = "matern32"
from sacma.surrogate.gaussian_process import GaussianProcess, Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet

rng = np.random.default_rng(1)
X, Z = rng.standard_normal((40, 3)), rng.standard_normal((7, 3))
training = TrainingSet(X, np.abs(X[:, 0]) + np.sum(X**2, axis=1))
start = Hyperparameters(0.5, 1e-4)
other = fit_gaussian_process(training, start=start, covariance="matern-3/2")
compiled = covariances.likelihood_of("matern-3/2")
print(json.dumps({
    "module": compiled.__name__,
    "hits": len(compiled.maximise.stats.cache_hits),
    "misses": len(compiled.maximise.stats.cache_misses),
    **{
        name: [model.log_likelihood, model.mean, model.signal, model.hyperparameters.length,
               model.hyperparameters.ratio, model.predict(Z).tolist(), np.diag(model.posterior(Z).covariance).tolist()]
        for name, model in (("other", other),)
    },
    "at": compiled.log_likelihood(X, compiled.standardise(training.values)[0], 0.3, -5.0),
}))
"""


def checked(folder: Path) -> dict[str, Any]:
    """Fit in a process of its own, whose compiled code is in ``folder``."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_usual_one_is_the_module_itself() -> None:
    """Nothing is compiled twice."""
    assert likelihood_of(USUAL) is likelihood
    assert likelihood_of(USUAL) is likelihood_of(USUAL)


def test_a_file_that_changes_is_another_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled for the old one is not taken for the new one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(COVARIANCES, "matern-3/2", "matern32")
    names = set()
    for text in (MATERN32, MATERN32.replace("3.0", "2.9")):
        (tmp_path / "matern32.py").write_text(text, encoding="utf-8")
        covariances._made.pop(("matern-3/2", False), None)
        module = likelihood_of("matern-3/2")
        assert module is not likelihood
        assert likelihood_of("matern-3/2") is module
        names.add(module.__name__)
    assert len(names) == 2
    covariances._made.pop(("matern-3/2", False), None)


@pytest.mark.campaign
def test_another_one_has_its_own_likelihood(tmp_path: Path) -> None:
    """That of scikit-learn's Matérn 3/2 at our optimum; compiled by the first process and found by the second."""
    (tmp_path / "matern32.py").write_text(MATERN32, encoding="utf-8")
    cold, warm = checked(tmp_path), checked(tmp_path)
    assert (cold.pop("hits"), cold.pop("misses")) == (0, 1)
    assert (warm.pop("hits"), warm.pop("misses")) == (1, 0)
    assert warm == cold

    value, mean, signal, length, ratio, predicted, variance = cold["other"]
    rng = np.random.default_rng(1)
    X, Z = rng.standard_normal((40, 3)), rng.standard_normal((7, 3))
    y = np.abs(X[:, 0]) + np.sum(X**2, axis=1)
    usual = fit_gaussian_process(TrainingSet(X, y), start=Hyperparameters(0.5, 1e-4))
    assert isinstance(usual, GaussianProcess)
    assert value != usual.log_likelihood
    targets = (y - y.mean()) / y.std(ddof=1)
    twin = GaussianProcessRegressor(
        ConstantKernel(signal) * Matern(length, nu=1.5), alpha=ratio * signal, optimizer=None
    )
    twin.fit(X, targets - mean)
    assert value == pytest.approx(twin.log_marginal_likelihood_value_, rel=1e-6)
    theirs, deviation = twin.predict(Z, return_std=True)
    np.testing.assert_allclose(predicted, y.mean() + y.std(ddof=1) * (theirs + mean), rtol=1e-6)
    np.testing.assert_allclose(variance, deviation**2, rtol=1e-5)

    # Elsewhere, too: A = M + ηI, with β and s_f² profiled.
    A = Matern(np.exp(0.3), nu=1.5)(X) + np.exp(-5.0) * np.eye(40)
    ones = np.ones(40)
    beta = ones @ np.linalg.solve(A, targets) / (ones @ np.linalg.solve(A, ones))
    q = (targets - beta) @ np.linalg.solve(A, targets - beta)
    dense = -20 * np.log(2 * np.pi * q / 40) - 0.5 * np.linalg.slogdet(A)[1] - 20
    assert cold["at"] == pytest.approx(dense, rel=1e-9)
