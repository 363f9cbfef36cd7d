"""Functions of a few wide basins, of the literature on global optimization and of physics."""

import math

import numpy as np
from scipy.spatial.distance import cdist, pdist

from ..problem import Array, Known, Problem, numbers

HALVES = ("basins", "judged basins")

SHEKEL_CENTRES = np.array([[4.0] * 4, [1] * 4, [8] * 4, [6] * 4, [3, 7, 3, 7]])
SHEKEL_WIDTHS = numbers("0.1 0.2 0.2 0.4 0.4")

HARTMANN_WEIGHTS = numbers("1 1.2 3 3.2")
HARTMANN_SCALES = numbers("10 3 17 3.5 1.7 8  0.05 10 17 0.1 8 14  3 3.5 1.7 10 17 8  17 8 0.05 10 0.1 14").reshape(
    4, 6
)
HARTMANN_CENTRES = numbers(
    "0.1312 0.1696 0.5569 0.0124 0.8283 0.5886  0.2329 0.4135 0.8307 0.3736 0.1004 0.9991  "
    "0.2348 0.1451 0.3522 0.2883 0.3047 0.6650  0.4047 0.8828 0.8732 0.5743 0.1091 0.0381"
).reshape(4, 6)

ANCHORS = np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0]])
SENSORS = np.array([[0.3, 0.8], [0.9, 0.7], [0.6, 0.2], [0.1, 0.4], [0.7, 0.95]])
RANGE = 0.75  # within which distances are known


def styblinski_tang(x: Array) -> float:
    """Return the sum of quartics with two minima each."""
    return float(np.sum(x**4 - 16 * x**2 + 5 * x) / 2)


def phi_four(x: Array) -> float:
    """Return the energy of a ring of double wells in a weak field, each bound to its neighbours."""
    return float(np.sum((x**2 - 1) ** 2 + 0.2 * x + 0.1 * (x - np.roll(x, 1)) ** 2))


def shekel(x: Array) -> float:
    """Return Shekel's function of five foxholes."""
    return float(-np.sum(1 / (np.sum((x - SHEKEL_CENTRES) ** 2, axis=1) + SHEKEL_WIDTHS)))


def hartmann(x: Array) -> float:
    """Return Hartmann's function of four wells."""
    exponents = np.sum(HARTMANN_SCALES * (x - HARTMANN_CENTRES) ** 2, axis=1)
    return float(-np.sum(HARTMANN_WEIGHTS * np.exp(-exponents)))


class GaussianWells:
    """The highest of Gaussians at random places, with random covariances and heights: a minimum at each."""

    def __init__(self, number: int, dimension: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.centres = rng.uniform(-4, 4, (number, dimension))
        self.heights = np.concatenate([[1.0], rng.uniform(0.1, 0.95, number - 1)])
        axes = [np.linalg.qr(rng.standard_normal((dimension, dimension)))[0] for _ in range(number)]
        self.roots = [each * rng.uniform(1, 3, dimension) for each in axes]

    def __call__(self, x: Array) -> float:
        """Return the value at x."""
        steps = [np.sum(np.linalg.solve(root, x - m) ** 2) for root, m in zip(self.roots, self.centres, strict=True)]
        return float(-np.max(self.heights * np.exp(-0.5 * np.array(steps) / len(x))))


def double_sphere(x: Array) -> float:
    """Return the lower one of two spheres, of which the better is the narrower."""
    D = len(x)
    width = 1 - 1 / (2 * math.sqrt(D + 20) - 8.2)
    other = -math.sqrt((2.5**2 - 1) / width)
    return float(min(np.sum((x - 2.5) ** 2), D + width * np.sum((x - other) ** 2)))


def alpine(x: Array) -> float:
    """Return the second function of Clerc's alpine landscapes."""
    return float(-np.prod(np.sqrt(x) * np.sin(x)))


def schwefel(x: Array) -> float:
    """Return Schwefel's function 2.26, by coordinate."""
    return float(-np.mean(x * np.sin(np.sqrt(np.abs(x)))))


def goldstein_price(x: Array) -> float:
    """Return the logarithm of the function of Goldstein and Price."""
    a, b = x
    left = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a**2 - 14 * b + 6 * a * b + 3 * b**2)
    right = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a**2 + 48 * b - 36 * a * b + 27 * b**2)
    return float(np.log(left * right))


def camels(x: Array) -> float:
    """Return the sum of six-hump camels, each of two variables, the k-th with weight k."""
    a, b = x[::2], x[1::2]
    each = (4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (4 * b**2 - 4) * b**2
    return float(each @ np.arange(1, len(a) + 1))


def localization(x: Array) -> float:
    """Return the sum of squared errors of the distances within the range, of sensors and to anchors."""
    at = x.reshape(-1, 2)
    there = SENSORS[: len(at)]
    found = np.concatenate([pdist(at), cdist(at, ANCHORS).ravel()])
    wanted = np.concatenate([pdist(there), cdist(there, ANCHORS).ravel()])
    return float(np.sum((found - wanted)[wanted < RANGE] ** 2))


def folded(x: Array) -> float:
    """Return the energy of a chain of residues A and B in the plane; x are the angles between bonds of length 1."""
    residues = {3: "ABBAB", 6: "BABABBAB"}[len(x)]
    directions = np.concatenate([[0.0], np.cumsum(x)])
    bonds = np.column_stack([np.cos(directions), np.sin(directions)])
    at = np.vstack([[0.0, 0.0], np.cumsum(bonds, axis=0)])
    energy = float(np.sum(1 - np.cos(x)) / 4)
    for i in range(len(at)):
        for j in range(i + 2, len(at)):
            pair = residues[i] + residues[j]
            attraction = 1.0 if pair == "AA" else 0.5 if pair == "BB" else -0.5
            sixth = float(np.sum((at[i] - at[j]) ** 2)) ** -3
            energy += 4 * (sixth**2 - attraction * sixth)
    return energy


DIXON = "L. C. W. Dixon and G. P. Szegö, Towards Global Optimisation 2 (1978)"
WELLS = "M. Gallagher and B. Yuan, IEEE Transactions on Evolutionary Computation 10 (2006) 590–603; wells drawn"
FUNNELS = "M. Lunacek, D. Whitley and A. Sutton, PPSN 2008, 194–203"
SURVEY = "M. Jamil and X.-S. Yang, Int. J. Mathematical Modelling and Numerical Optimisation 4 (2013) 150–194"
SENSOR = "P. Biswas and Y. Ye, IPSN 2004, 46–54; places made up"
FOLDING = "F. H. Stillinger, T. Head-Gordon and C. L. Hirshfeld, Physical Review E 48 (1993) 1469–1477"
RING = "the nearest-neighbour φ⁴ model, as in M. Kastner and D. Mehta, Physical Review Letters 107 (2011) 160602"


PROBLEMS = (
    Problem(
        "Styblinski–Tang",
        "sum of wells",
        HALVES[0],
        styblinski_tang,
        ((-5, 5),) * 5,
        "32 minima, one for each choice of a well by coordinate",
        SURVEY,
        known=Known((-2.903534,) * 5, -39.16617 * 5, 1e-6),
    ),
    Problem("φ⁴ ring", "sum of wells", HALVES[1], phi_four, ((-2, 2.5),) * 8, "a ring of double wells", RING),
    Problem(
        "Shekel 5",
        "foxholes",
        HALVES[0],
        shekel,
        ((0, 10),) * 4,
        "five foxholes",
        DIXON,
        known=Known((4.00004, 4.00013, 4.00004, 4.00013), -10.1532, 1e-5),
    ),
    Problem(
        "Hartmann 6",
        "foxholes",
        HALVES[1],
        hartmann,
        ((0, 1),) * 6,
        "four wells",
        DIXON,
        known=Known((0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573), -3.32237, 1e-5),
    ),
    Problem("10 wells", "random wells", HALVES[0], GaussianWells(10, 5, 1), ((-5, 5),) * 5, "ten Gaussians", WELLS),
    Problem("20 wells", "random wells", HALVES[1], GaussianWells(20, 7, 2), ((-5, 5),) * 7, "twenty Gaussians", WELLS),
    Problem(
        "double sphere 10",
        "two funnels",
        HALVES[0],
        double_sphere,
        ((-5, 5),) * 10,
        "the lower one of two spheres",
        FUNNELS,
        known=Known((2.5,) * 10, 0.0, 1e-9),
    ),
    Problem(
        "double sphere 4",
        "two funnels",
        HALVES[1],
        double_sphere,
        ((-5, 5),) * 4,
        "the lower one of two spheres",
        FUNNELS,
        known=Known((2.5,) * 4, 0.0, 1e-9),
    ),
    Problem(
        "Alpine 2",
        "waves",
        HALVES[0],
        alpine,
        ((0, 10),) * 4,
        "a product of growing waves",
        SURVEY,
        known=Known((7.917053,) * 4, -(2.808131**4), 1e-5),
    ),
    Problem(
        "Schwefel",
        "waves",
        HALVES[1],
        schwefel,
        ((-500, 500),) * 3,
        "growing waves, the best near a corner",
        SURVEY,
        known=Known((420.968746,) * 3, -418.9829, 1e-6),
    ),
    Problem(
        "Goldstein–Price",
        "polynomial",
        HALVES[0],
        goldstein_price,
        ((-2, 2),) * 2,
        "logarithm of a polynomial of degree 8 with four minima",
        DIXON,
        known=Known((0, -1), math.log(3), 1e-6),
    ),
    Problem(
        "three camels",
        "polynomial",
        HALVES[1],
        camels,
        ((-2.5, 2), (-1, 1.5)) * 3,
        "216 minima, eight of them best",
        DIXON,
        known=Known((0.089842, -0.712656) * 3, -1.031628 * 6, 1e-6),
    ),
    Problem(
        "3 sensors",
        "distances",
        HALVES[0],
        localization,
        ((-0.5, 1.5),) * 6,
        "places of three sensors from distances",
        SENSOR,
        known=Known(tuple(SENSORS[:3].ravel().tolist()), 0.0, 1e-9),
    ),
    Problem(
        "5 sensors",
        "distances",
        HALVES[1],
        localization,
        ((-0.5, 1.5),) * 10,
        "places of five sensors from distances",
        SENSOR,
        known=Known(tuple(SENSORS.ravel().tolist()), 0.0, 1e-9),
    ),
    Problem("chain of 5", "folding", HALVES[0], folded, ((-3.2, 3.2),) * 3, "ABBAB folded in the plane", FOLDING),
    Problem("chain of 8", "folding", HALVES[1], folded, ((-3.2, 3.2),) * 6, "BABABBAB folded in the plane", FOLDING),
)
