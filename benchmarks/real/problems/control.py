"""Gains of controllers, judged by simulated responses."""

import numpy as np
from numpy.polynomial import Polynomial

from ..problem import Array, Problem

TIMES = np.linspace(0, 10, 4001)  # seconds
BETA = 1.0  # the published weight of overshoot against speed


def step_response(gains: Array) -> Array:
    """Return the terminal voltage after a unit step, at ``TIMES``; an ArithmeticError where it is unstable."""
    kp, ki, kd = gains.tolist()
    sensor = Polynomial([1, 0.01])
    controller = 10 * Polynomial([ki, kp, kd])
    plant = Polynomial([0, 1]) * Polynomial([1, 0.1]) * Polynomial([1, 0.4]) * Polynomial([1, 1])
    denominator = plant * sensor + controller
    poles = denominator.roots().astype(complex)
    if np.max(poles.real) >= 0:
        raise ArithmeticError("unstable")
    residues = (controller * sensor)(poles) / (poles * denominator.deriv()(poles))
    return np.asarray(1 + (residues @ np.exp(poles[:, None] * TIMES)).real)


def response_figures(gains: Array) -> tuple[float, float, float]:
    """Return overshoot, settling time within 2 %, and rise time from 10 to 90 %."""
    voltage = step_response(gains)
    outside = np.flatnonzero(np.abs(voltage - 1) > 0.02)
    settled = TIMES[outside[-1]] if len(outside) else 0.0
    risen = [TIMES[np.argmax(voltage >= share)] if np.any(voltage >= share) else TIMES[-1] for share in (0.1, 0.9)]
    return max(0.0, float(voltage.max() - 1)), float(settled), float(risen[1] - risen[0])


def voltage_regulator(gains: Array) -> float:
    """Return the criterion of overshoot, settling and rise; gains are Kp, Ki, Kd."""
    overshoot, settling, rise = response_figures(gains)
    return float((1 - np.exp(-BETA)) * overshoot + np.exp(-BETA) * (settling - rise))


GRAVITY, CART, POLE, HALF_LENGTH, MOST_FORCE = 9.8, 1.0, 0.1, 0.5, 10.0
STEP, STEPS = 0.02, 300
STARTS = np.array([[0.5, 0, 0.1, 0], [-1, 0, 0.3, 0], [0, 0, -0.4, 0.3], [0, 1, 0.15, -0.5]]).T
STATE_WEIGHTS, FORCE_WEIGHT = np.array([1.0, 0, 10, 0]), 0.01
FALLEN, COST_OF_FALLEN = np.pi / 2, 100.0  # radians; a second


def acceleration(states: Array, force: Array) -> Array:
    """Return the derivatives of position, velocity, angle and its velocity, shape (4, starts)."""
    _, velocity, angle, spin = states
    sine, cosine = np.sin(angle), np.cos(angle)
    pushed = (force + POLE * HALF_LENGTH * spin**2 * sine) / (CART + POLE)
    turned = (GRAVITY * sine - cosine * pushed) / (HALF_LENGTH * (4 / 3 - POLE * cosine**2 / (CART + POLE)))
    return np.array([velocity, pushed - POLE * HALF_LENGTH * turned * cosine / (CART + POLE), spin, turned])


def cart_pole(gains: Array, starts: Array = STARTS) -> float:
    """Return the mean cost of balancing from several states; gains are of position, velocity, angle and spin."""
    states = starts.copy()
    up = np.full(states.shape[1], fill_value=True)
    cost = np.zeros(states.shape[1])
    for _ in range(STEPS):
        force = np.clip(gains @ states, -MOST_FORCE, MOST_FORCE)
        k1 = acceleration(states, force)
        k2 = acceleration(states + STEP / 2 * k1, force)
        k3 = acceleration(states + STEP / 2 * k2, force)
        k4 = acceleration(states + STEP * k3, force)
        states = np.where(up, states + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 0)
        running = STATE_WEIGHTS @ states**2 + FORCE_WEIGHT * force**2
        up &= np.abs(states[2]) < FALLEN
        cost += STEP * np.where(up, running, COST_OF_FALLEN)
    return float(cost.mean())


PROBLEMS = (
    Problem(
        name="voltage regulator",
        kind="controller",
        half="development",
        objective=voltage_regulator,
        box=((0, 1.5), (0, 1), (0, 1)),
        about="PID gains of a generator's automatic voltage regulator: overshoot, settling and rise time, with jumps; "
        "fails where it is unstable",
        source="Z.-L. Gaing, IEEE Trans. Energy Conversion 19 (2004) 384–391",
    ),
    Problem(
        name="cart-pole",
        kind="controller",
        half="judged",
        objective=cart_pole,
        box=((0, 10), (0, 15), (0, 100), (0, 30)),
        about="four gains that balance a pole on a cart, with limited force, from four states; most fall",
        source="A. G. Barto, R. S. Sutton and C. W. Anderson, IEEE Trans. Systems, Man, and Cybernetics 13 (1983) "
        "834–846",
    ),
)
