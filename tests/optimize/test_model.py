"""The model of f, as people ask it: predictions, intervals, how it foresaw, and what matters."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import sacma
from sacma.types import Array


def sloped(x: Array) -> float:
    return float((x[0] - 0.3) ** 2 + 0.2 * x[1])


@pytest.fixture(name="told", scope="module")
def _told() -> sacma.Optimizer:
    es = sacma.Optimizer([0.5, 0.5, 0.5], 0.2, bounds=(0, 1), seed=2, budget=45)
    while not es.stop():
        X = es.ask()
        es.tell(X, [sloped(x) for x in X])
    return es


def test_it_predicts_in_units_of_f(told: sacma.Optimizer) -> None:
    """Near its points; limits are around the mean, wider for a larger share, and the deviation is half of 68 %."""
    model = told.model
    assert model is not None
    assert 5 < len(model.points) == len(model.values) <= 45
    np.testing.assert_array_equal(model.values, [sloped(x) for x in model.points])
    mean, deviation = model.predict(model.points)
    assert np.allclose(mean, model.values, atol=0.02)
    assert np.all(deviation >= 0.0)
    for share in (0.5, 0.95):
        lower, upper = model.interval(model.points, share)
        assert np.all((lower <= mean) & (mean <= upper))
    narrow, wide = (np.subtract(*model.interval(model.points, share)[::-1]) for share in (0.5, 0.95))
    assert np.all(narrow <= wide)
    assert told.result.model.predict(model.points)[0].tobytes() == mean.tobytes()


def test_a_model_of_one_s_own_process(told: sacma.Optimizer) -> None:
    """Its interval is that of the normal distribution of the fitted process, 1.6 times as wide, warped back."""
    model = told.model
    assert model is not None
    fitted, whitening = model._trained.fitted, model._trained.whitening
    posterior = fitted.posterior(whitening(model.points), joint=False)
    inverse = getattr(posterior.warp, "inverse", np.asarray)
    upper = posterior.mean + 1.6 * 1.959963984540054 * np.sqrt(posterior.variance + posterior.noise)
    expected = inverse(posterior.center + posterior.scale * upper)
    np.testing.assert_allclose(model.interval(model.points)[1], expected, rtol=1e-12)


@pytest.mark.parametrize("method", ["sacma", "dts-cmaes"])
@pytest.mark.parametrize("m", [0, 1])
def test_it_knows_the_best_point(method: str, m: int) -> None:
    """Wherever that is, and however long ago it was evaluated; here it is known, and far from the search."""
    best = np.array([0.9, 0.9])

    def f(x: Array) -> Any:
        value = -np.exp(-20 * np.sum((x - best) ** 2)) - 0.6 * np.exp(-20 * np.sum((x - 0.2) ** 2))
        return (value, x[0] - 0.95) if m else value

    known = ([best], [f(best)]) if not m else ([best], [f(best)[0]], [[-0.05]])
    found = sacma.minimize(
        f, [0.3, 0.1], 0.02, bounds=(0, 1), known=known, method=method, constraints=m or None, budget=60, seed=1
    )
    for model in (found.model, found.model.wider):
        assert np.isclose(model.points, found.x, atol=1e-9).all(axis=1).any()
        lower, upper = model.interval([found.x])
        assert lower[0] - 1e-9 <= found.fun <= upper[0] + 1e-9
        means, _ = model.predict_constraints([found.x])
        assert means == pytest.approx((found.x[0] - 0.95) * np.ones((1, m)), abs=1e-3)


def test_it_says_how_it_foresaw_the_last_evaluations(told: sacma.Optimizer) -> None:
    """Each by the model that had not learnt from it."""
    model = told.model
    assert model is not None
    values = told.result.history.values
    assert len(model.foreseen) <= 30
    assert [each.value for each in model.foreseen] == values[-len(model.foreseen) :].tolist()
    assert np.mean([lower <= value <= upper for _, lower, upper, value in model.foreseen]) > 0.5


def test_importance() -> None:
    """What does not matter has none; shares sum to one, the largest is first, and errors are theirs."""
    of_x2, errors = [], []
    for seed in range(1, 7):  # a model near its optimum may be a poor one, which one depends on the processor
        result = sacma.minimize(sloped, [0.5, 0.5, 0.5], 0.2, bounds=(0, 1), seed=seed, budget=30)
        found = result.importance()
        shares = [each.share for each in found.values()]
        assert sum(shares) == pytest.approx(1.0)
        assert shares == sorted(shares, reverse=True)
        assert found == result.importance()
        of_x2.append(found["x2"].share)
        errors.append([each.error for each in found.values()])
    assert np.median(of_x2) < 0.1
    assert np.min(errors) >= 0.0
    assert np.median(np.max(errors, axis=1)) < 0.5


def test_of_parameters_and_constraints() -> None:
    """Dicts are taken, and constraints predicted beside f."""
    space = sacma.Space(rate=sacma.Real(1e-3, 1, log=True), n=sacma.Integer(1, 9), kind=sacma.Categorical(*"abc"))

    def f(params: dict[str, Any]) -> tuple[float, float]:
        return (np.log10(params["rate"]) + 1) ** 2 + (params["kind"] == "a"), 3 - params["n"]

    found = sacma.minimize(f, space=space, constraints=1, budget=60, seed=1)
    mean, deviation = found.model.predict([found.params, {**found.params, "rate": 0.12}])
    assert (mean.shape, deviation.shape) == ((2,), (2,))
    assert found.model.predict(found.params)[0][0] == pytest.approx(mean[0], abs=1e-9)
    means, deviations = found.model.predict_constraints([found.params])
    assert means[0, 0] == pytest.approx(3 - found.params["n"], abs=0.5)
    assert deviations.shape == (1, 1)
    assert set(found.importance()) == {"rate", "n", "kind"}
    with pytest.raises(ValueError, match="X"):
        found.model.predict([{"rate": 0.1}])


def test_where_there_is_none() -> None:
    """Before the first training, and with methods without a model."""
    es = sacma.Optimizer([0.5, 0.5], 0.2, seed=1)
    assert es.model is None
    assert es.result.model is None
    assert sacma.minimize(sloped, [0.5, 0.5], 0.2, method="cmaes", budget=20).model is None
    assert sacma.minimize(sloped, [0.5, 0.5], 0.2, method="cobyqa", budget=20).model is None


def test_a_result_with_a_model_can_be_copied_and_sent(told: sacma.Optimizer) -> None:
    """It predicts the same elsewhere."""
    for other in (copy.deepcopy(told.result), pickle.loads(pickle.dumps(told.result))):  # noqa: S301 our own
        found, expected = (each.model.predict([[0.3, 0.2, 0.1]]) for each in (other, told.result))
        np.testing.assert_array_equal(found, expected)
        assert other.model.foreseen == told.result.model.foreseen
        assert other.importance() == told.result.importance()
    assert len(pickle.dumps(told.result)) < 200_000  # not all the models that foresaw something


@pytest.mark.parametrize("method", ["ada-kendall", "dts-cmaes", "forest-scmaes", "lq-cma-es"])
def test_with_other_methods(method: str) -> None:
    """Each that has a model of the strategy."""
    model = sacma.minimize(sloped, [0.5, 0.5], 0.2, method=method, budget=60, seed=1).model
    if method == "lq-cma-es":
        assert model is None
        return
    mean, deviation = model.predict([[0.3, 0.1]])
    assert np.isfinite(mean).all()
    assert np.isfinite(deviation).all()
    assert model.importance()
