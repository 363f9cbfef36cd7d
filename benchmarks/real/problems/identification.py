"""Parameters of simulated processes, from noisy data simulated with the published ones."""

import numpy as np

from ..problem import Array, Known, Problem
from .ode import solution


def _noise(seed: int, shape: tuple[int, ...], deviation: float) -> Array:
    """Return normal numbers of the one generator whose numbers NumPy will never change."""
    return np.random.RandomState(seed).normal(0, deviation, shape)


PLACES = np.array([0.0, 1, 2.5])[:, None]
HOURS = np.array([15.0, 30, 45, 60])


def concentrations(x: Array) -> Array:
    """Return those of a pollutant spilled twice into a channel, shape (places, times)."""
    mass, diffusion, place, time = x.tolist()

    def spilled(distances: Array, since: Array) -> Array:
        since = np.maximum(since, 1e-9)
        return np.asarray(mass / np.sqrt(diffusion * since) * np.exp(-(distances**2) / (4 * diffusion * since)))

    second = np.where(time < HOURS, spilled(PLACES - place, HOURS - time), 0)
    return np.asarray(spilled(PLACES, HOURS) + second)


SPILLS = (10.0, 0.07, 1.505, 30.1525)
MEASURED_SPILLS = concentrations(np.array(SPILLS)) + _noise(1, (3, 4), 0.1)


def spills(x: Array) -> float:
    """Return the sum of squares; x is mass, diffusion, and place and time of the second spill."""
    return float(np.sum((concentrations(x) - MEASURED_SPILLS) ** 2))


SPIKE_TIMES = np.linspace(0, 20, 81)


def spikes(x: Array) -> Array:
    """Return voltage and recovery of the FitzHugh–Nagumo equations, shape (times, 2); x is a, b, c, V(0), R(0)."""
    a, b, c, *initial = x.tolist()

    def rates(state: Array, _time: float) -> list[float]:
        voltage, recovery = state
        return [c * (voltage - voltage**3 / 3 + recovery), -(voltage - a + b * recovery) / c]

    return solution(rates, initial, SPIKE_TIMES)


NEURON = (0.2, 0.2, 3.0, -1.0, 1.0)
MEASURED_SPIKES = spikes(np.array(NEURON)) + _noise(2, (81, 2), 0.5)


def neuron(x: Array) -> float:
    """Return the sum of squares; x is a, b, c, V(0), R(0)."""
    return float(np.sum((spikes(x) - MEASURED_SPIKES) ** 2))


PROBLEMS = (
    Problem(
        name="pollutant",
        kind="identification, simulated data",
        half="development",
        objective=spills,
        box=((7, 13), (0.02, 0.12), (0.01, 3), (30.01, 30.295)),
        about="mass, diffusion, place and time of two spills into a channel, from twelve noisy concentrations",
        source="N. Bliznyuk et al., J. Comput. Graph. Statist. 17 (2008) 270–294; with noise of deviation 0.1",
        known=Known(SPILLS, float(np.sum(_noise(1, (3, 4), 0.1) ** 2)), 1e-9),
    ),
    Problem(
        name="neuron",
        kind="identification, simulated data",
        half="judged",
        objective=neuron,
        box=((-0.8, 1.5), (-0.8, 1.5), (0.5, 8), (-2, 2), (-2, 2)),
        about="FitzHugh–Nagumo equations and initial states from noisy spikes; many local minima",
        source="J. O. Ramsay, G. Hooker, D. Campbell and J. Cao, J. Royal Statistical Society B 69 (2007) 741–796; "
        "their parameters and noise, a fifth of their times",
        known=Known(NEURON, float(np.sum(_noise(2, (81, 2), 0.5) ** 2)), 1e-9),
    ),
)
