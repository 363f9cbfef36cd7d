"""Rate constants of chemical reactions, fitted to measured concentrations."""

import numpy as np
from scipy.linalg import expm

from ..problem import Array, Known, Problem, numbers
from .ode import solution

GAS_OIL_TIMES = numbers(
    "0 0.025 0.05 0.075 0.1 0.125 0.15 0.175 0.2 0.225 0.25 0.3 0.35 0.4 0.45 0.5 0.55 0.65 0.75 0.85 0.95"
)
# Shares of gas oil and gasoline.
GAS_OIL = np.column_stack(
    [
        numbers(
            "1 0.8105 0.6208 0.5258 0.4345 0.3903 0.3342 0.3034 0.2735 0.2405 0.2283 "
            "0.2071 0.1669 0.1530 0.1339 0.1265 0.1200 0.0990 0.0870 0.0770 0.0690"
        ),
        numbers(
            "0 0.2000 0.2886 0.3010 0.3215 0.3123 0.2716 0.2551 0.2258 0.1959 0.1789 "
            "0.1457 0.1198 0.0909 0.0719 0.0561 0.0460 0.0280 0.0190 0.0140 0.0100"
        ),
    ]
)


def gas_oil_states(x: Array) -> Array:
    """Return the shares of gas oil and gasoline, shape (times, 2); x is log₁₀ of the rate constants."""
    cracking, further, aside = (10**x).tolist()

    def rates(state: Array, _time: float) -> list[float]:
        oil, gasoline = state
        return [-(cracking + aside) * oil**2, cracking * oil**2 - further * gasoline]

    return solution(rates, [1.0, 0.0], GAS_OIL_TIMES)


def gas_oil(x: Array) -> float:
    """Return the sum of squares; x is log₁₀ of the rate constants."""
    return float(np.sum((gas_oil_states(x) - GAS_OIL) ** 2))


PINENE_TIMES = numbers("1230 3060 4920 7800 10680 15030 22620 36420")  # minutes
# α-pinene, dipentene, alloocimene, pyronene and the dimer, per cent.
PINENE = np.array(
    [
        [88.35, 7.3, 2.3, 0.4, 1.75],
        [76.4, 15.6, 4.5, 0.7, 2.8],
        [65.1, 23.1, 5.3, 1.1, 5.8],
        [50.4, 32.9, 6.0, 1.5, 9.3],
        [37.5, 42.7, 6.0, 1.9, 12.0],
        [25.9, 49.1, 5.9, 2.2, 17.0],
        [14.0, 57.4, 5.1, 2.6, 21.0],
        [4.5, 63.1, 3.8, 2.9, 25.7],
    ]
)


def pinene(x: Array) -> float:
    """Return the sum of squares; x is log₁₀ of the rate constants. The equations are linear."""
    p1, p2, p3, p4, p5 = (10**x).tolist()
    rates = np.array(
        [
            [-(p1 + p2), 0, 0, 0, 0],
            [p1, 0, 0, 0, 0],
            [p2, 0, -(p3 + p4), 0, p5],
            [0, 0, p3, 0, 0],
            [0, 0, p4, 0, -p5],
        ]
    )
    states = expm(rates * PINENE_TIMES[:, None, None])[:, :, 0] * 100
    return float(np.sum((states - PINENE) ** 2))


COPS = "E. D. Dolan, J. J. Moré and T. S. Munson, Benchmarking optimization software with COPS 3.0 (2004)"

PROBLEMS = (
    Problem(
        name="gas oil",
        kind="chemical kinetics, measured",
        half="development",
        objective=gas_oil,
        box=((-1, 3), (-1, 3), (-1, 3)),
        about="three rate constants of the catalytic cracking of gas oil, over four decades",
        source=f"I.-B. Tjoa and L. T. Biegler, Ind. Eng. Chem. Res. 30 (1991) 376–385; {COPS}",
        known=Known(tuple(np.log10([11.847, 8.3451, 1.0011])), 5.23659e-3, 1e-3),
    ),
    Problem(
        name="α-pinene",
        kind="chemical kinetics, measured",
        half="judged",
        objective=pinene,
        box=((-7, -2),) * 5,
        about="five rate constants of the thermal isomerization of α-pinene, over five decades",
        source=f"G. E. P. Box, W. G. Hunter, J. F. MacGregor and J. Erjavec, Technometrics 15 (1973) 33–51; {COPS}",
        known=Known(tuple(np.log10([5.9256e-5, 2.9632e-5, 2.0450e-5, 2.7473e-4, 3.9980e-5])), 19.872, 1e-4),
    ),
)
