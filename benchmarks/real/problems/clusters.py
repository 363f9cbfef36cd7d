"""Energies of clusters of atoms: the first lies at the origin, the second on the first axis, the third on a plane."""

import numpy as np
from scipy.spatial.distance import pdist

from ..problem import Array, Known, Problem, numbers

RANGE = 6.0  # ρ of the Morse potential


def atoms(x: Array) -> Array:
    """Return the positions of atoms, shape (N, 3), whose 3 N − 6 free coordinates are x."""
    positions = np.zeros((len(x) // 3 + 2, 3))
    positions[1, 0] = x[0]
    positions[2, :2] = x[1:3]
    positions[3:] = x[3:].reshape(-1, 3)
    return positions


def lennard_jones(x: Array) -> float:
    """Return the energy in units of the depth of a pair's well, lengths in units of σ."""
    sixth = pdist(atoms(x)) ** -6
    return float(4 * np.sum(sixth**2 - sixth))


def morse(x: Array) -> float:
    """Return the energy in units of the depth of a pair's well, lengths in units of a pair's distance."""
    decay = np.exp(RANGE * (1 - pdist(atoms(x))))
    return float(np.sum(decay * (decay - 2)))


DATABASE = "D. J. Wales et al., The Cambridge Cluster Database"

PROBLEMS = (
    Problem(
        name="Lennard-Jones 5",
        kind="cluster of atoms",
        half="development",
        objective=lennard_jones,
        box=((0.7, 2), (-2, 2), (0, 2), *((-2, 2),) * 6),
        about="energy of five atoms with the Lennard-Jones potential, steep where two come close",
        source=f"D. J. Wales and J. P. K. Doye, J. Phys. Chem. A 101 (1997) 5111–5116; {DATABASE}",
        known=Known(
            tuple(
                numbers("1.1201126 -0.3680536 1.0579172 0.5640443 0.7934381 0.5620466 0.5640441 0.7934378 -0.562047")
            ),
            -9.103852,
            1e-6,
        ),
    ),
    Problem(
        name="Morse 6",
        kind="cluster of atoms",
        half="judged",
        objective=morse,
        box=((0.5, 1.5), (-1.5, 1.5), (0, 1.5), *((-1.5, 1.5),) * 9),
        about="energy of six atoms with the Morse potential, ρ = 6",
        source=f"J. P. K. Doye and D. J. Wales, J. Chem. Soc. Faraday Trans. 93 (1997) 4233–4243; {DATABASE}",
        known=Known(
            tuple(
                numbers(
                    "0.9955265 0.4977632 0.8621513 0 0.5747674 0.812844 "
                    "0.9955264 0.5747674 0.812844 0.4977632 -0.2873839 0.812844"
                )
            ),
            -12.487810,
            1e-6,
        ),
    ),
)
