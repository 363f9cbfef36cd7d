"""Networks that are designed for the least worst case over frequencies."""

import numpy as np

from ..problem import Array, Known, Problem, numbers

FREQUENCIES = numbers("0.5 0.6 0.7 0.77 0.9 1.0 1.1 1.23 1.3 1.4 1.5")  # GHz
LOAD = 10.0


def transformer(x: Array) -> float:
    """Return the largest reflection; x is length, in quarter waves at 1 GHz, and impedance of each of three lines."""
    impedance = np.full(len(FREQUENCIES), LOAD, dtype=complex)
    for length, line in reversed(x.reshape(3, 2).tolist()):
        tangent = 1j * np.tan(np.pi / 2 * length * FREQUENCIES)
        impedance = line * (impedance + line * tangent) / (line + impedance * tangent)
    return float(np.max(np.abs((impedance - 1) / (impedance + 1))))


PASSED = np.cos(np.linspace(0, np.pi / 2, 85))
STOPPED = np.array([1.5, 1.75, 2.0, 3.0])
WANTED, WEIGHT = 40.0, 0.1


def losses(elements: Array, frequencies: Array) -> Array:
    """Return the insertion loss in dB of a ladder of inductors and capacitors, in turn, between resistors of 1."""
    chain = np.broadcast_to(np.eye(2, dtype=complex), (len(frequencies), 2, 2))
    for n, element in enumerate(elements):
        link = np.broadcast_to(np.eye(2, dtype=complex), chain.shape).copy()
        link[:, n % 2, 1 - n % 2] = 1j * frequencies * element
        chain = chain @ link
    return np.asarray(20 * np.log10(np.abs(chain.sum(axis=(1, 2))) / 2))


def ladder(elements: Array) -> float:
    """Return the largest loss in the passband, or a tenth of what the stopband lacks of 40 dB, whichever is more."""
    lacking = WANTED - np.min(losses(elements, STOPPED))
    return float(max(np.max(losses(elements, PASSED)), WEIGHT * lacking))


PROBLEMS = (
    Problem(
        name="transmission line",
        kind="circuit, minimax",
        half="development",
        objective=transformer,
        box=((0.5, 1.5), (1, 3), (0.5, 1.5), (2, 5), (0.5, 1.5), (3, 9)),
        about="10:1 transformer of three transmission lines: largest reflection from 0.5 to 1.5 GHz; not smooth",
        source="J. W. Bandler and P. A. Macdonald, IEEE Trans. Microwave Theory Tech. 17 (1969) 552–562",
        start=(0.8, 1.5, 1.2, 3, 0.8, 6),
        known=Known((1, 1.63471, 1, 3.16228, 1, 6.11729), 0.19729, 5e-5),
    ),
    Problem(
        name="LC ladder",
        kind="circuit, minimax",
        half="judged",
        objective=ladder,
        box=((0.2, 3),) * 7,
        about="low-pass filter of seven elements: worst case of passband and stopband; not smooth; "
        "the best is Chebyshev's filter",
        source="G. L. Matthaei, L. Young and E. M. T. Jones, Microwave Filters (1964), section 4.05",
    ),
)
