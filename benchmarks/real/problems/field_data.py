"""Fits of population models to field data."""

import numpy as np

from ..problem import Array, Problem, numbers
from .ode import solution

HARES = numbers("30 47.2 70.2 77.4 36.3 20.6 18.1 21.4 22 25.4 27.1 40.3 57 76.6 52.3 19.5 11.2 7.6 14.6 16.2 24.7")
# Pelts of the Hudson Bay Company, thousands a year, 1900 to 1920.
LYNXES = numbers("4 6.1 9.8 35.2 59.4 41.7 19 13 8.3 9.1 7.4 8 12.3 19.5 45.7 51.1 29.7 15.8 9.7 10.1 8.6")


def lotka_volterra(x: Array) -> float:
    """Return the sum of squares of the logarithms' residuals; x is log₁₀ of α, β, γ, δ and both initial numbers."""
    alpha, beta, gamma, delta, *initial = (10**x).tolist()

    def rates(logarithms: Array, _time: float) -> list[float]:
        hares, lynxes = np.exp(logarithms)
        return [alpha - beta * lynxes, delta * hares - gamma]

    logarithms = solution(rates, np.log(initial).tolist(), np.arange(21.0))
    return float(np.sum((logarithms - np.log(np.column_stack([HARES, LYNXES]))) ** 2))


BOYS = 763
IN_BED = numbers("3 8 26 76 225 298 258 233 189 128 68 29 14 4")  # boys confined to bed, days 1 to 14


def influenza(x: Array) -> float:
    """Return the sum of squares of the SIR model's residuals; x is log₁₀ of β, γ and of those infected on day 0."""
    beta, gamma, infected = (10**x).tolist()

    def rates(state: Array, _time: float) -> list[float]:
        s, i = state
        new = beta * s * i / BOYS
        return [-new, new - gamma * i]

    states = solution(rates, [BOYS - infected, infected], np.arange(15.0))
    return float(np.sum((states[1:, 1] - IN_BED) ** 2))


PROBLEMS = (
    Problem(
        name="lynx-hare",
        kind="population model, field data",
        half="development",
        objective=lotka_volterra,
        box=((-1, 0.5), (-3, 0), (-1, 0.5), (-3, 0), (0.5, 2), (0, 1.5)),
        about="Lotka–Volterra fitted to the pelts of the Hudson Bay Company, 1900–1920: logarithms, least squares",
        source="E. P. Odum, Fundamentals of Ecology (1953); B. Carpenter, Predator-prey population dynamics, "
        "Stan case study (2018)",
    ),
    Problem(
        name="school influenza",
        kind="population model, field data",
        half="judged",
        objective=influenza,
        box=((-1, 1), (-2, 0.5), (-2, 1.5)),
        about="SIR model fitted to the boys in bed in a boarding school, 1978: least squares",
        source="Influenza in a boarding school, British Medical Journal 1 (1978) 587; "
        "data as in the R package outbreaks, influenza_england_1978_school",
    ),
)
