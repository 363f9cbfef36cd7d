"""Nonlinear regressions of NIST's Statistical Reference Datasets, of the higher level of difficulty."""

import numpy as np
from numpy.polynomial.polynomial import polyval

from ..problem import Array, Known, Problem, numbers

MGH17_Y = numbers(
    "0.844 0.908 0.932 0.936 0.925 0.908 0.881 0.850 0.818 0.784 0.751 0.718 0.685 0.658 0.628 0.603 0.580 "
    "0.558 0.538 0.522 0.506 0.490 0.478 0.467 0.457 0.448 0.438 0.431 0.424 0.420 0.414 0.411 0.406"
)
MGH17_X = 10.0 * np.arange(33)


def mgh17(b: Array) -> float:
    """Return the residual sum of squares of two exponentials and a constant."""
    fitted = b[0] + b[1] * np.exp(-b[3] * MGH17_X) + b[2] * np.exp(-b[4] * MGH17_X)
    return float(np.sum((MGH17_Y - fitted) ** 2))


THURBER_X = numbers(
    "-3.067 -2.981 -2.921 -2.912 -2.840 -2.797 -2.702 -2.699 -2.633 -2.481 -2.363 -2.322 -1.501 "
    "-1.460 -1.274 -1.212 -1.100 -1.046 -0.915 -0.714 -0.566 -0.545 -0.400 -0.309 -0.109 -0.103 "
    "0.010 0.119 0.377 0.790 0.963 1.006 1.115 1.572 1.841 2.047 2.200"
)
# Electron mobility in a semiconductor over the logarithm of density.
THURBER_Y = numbers(
    "80.574 84.248 87.264 87.195 89.076 89.608 89.868 90.101 92.405 95.854 100.696 101.060 401.672 "
    "390.724 567.534 635.316 733.054 759.087 894.206 990.785 1090.109 1080.914 1122.643 1178.351 1260.531 1273.514 "
    "1288.339 1327.543 1353.863 1414.509 1425.208 1421.384 1442.962 1464.350 1468.705 1447.894 1457.628"
)


def thurber(b: Array) -> float:
    """Return the residual sum of squares of a ratio of cubic polynomials."""
    fitted = polyval(THURBER_X, b[:4]) / polyval(THURBER_X, np.array([1.0, *b[4:]]))
    return float(np.sum((THURBER_Y - fitted) ** 2))


PROBLEMS = (
    Problem(
        name="MGH17",
        kind="nonlinear regression, NIST",
        half="development",
        objective=mgh17,
        box=((0, 50), (0, 150), (-150, 0), (0, 1), (0, 2)),
        about="two exponentials and a constant that nearly cancel (Osborne's first function)",
        source="M. R. Osborne (1972); J. J. Moré, B. S. Garbow and K. E. Hillstrom, ACM TOMS 7 (1981) 17–41; NIST StRD",
        start=(50, 150, -100, 1, 2),
        known=Known(
            (3.7541005211e-1, 1.9358469127, -1.4646871366, 1.2867534640e-2, 2.2122699662e-2), 5.4648946975e-5, 1e-9
        ),
    ),
    Problem(
        name="Thurber",
        kind="nonlinear regression, NIST",
        half="judged",
        objective=thurber,
        box=((0, 3000), (0, 3000), (0, 1500), (0, 200), (0, 3), (0, 1), (0, 0.2)),
        about="electron mobility in a semiconductor, a ratio of cubic polynomials with poles in the box",
        source="R. Thurber, NIST (1979); NIST StRD",
        start=(1000, 1000, 400, 40, 0.7, 0.3, 0.03),
        known=Known(
            tuple(
                numbers(
                    "1.2881396800e3 1.4910792535e3 5.8323836877e2 7.5416644291e1 "
                    "9.6629502864e-1 3.9797285797e-1 4.9727297349e-2"
                )
            ),
            5.6427082397e3,
            1e-9,
        ),
    ),
)
