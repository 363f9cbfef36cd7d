"""How finely data of COCO tell the best Δf: at how many levels a decade, as far as the values themselves reveal it.

COCO's observer writes Δf down where it passes a level, 10^(i/k) for whole i: k levels a decade, its option
``number_target_triggers``. No file names k. But of the values that were written down one after the other no two lie
between the same two levels, so that k is the smallest number of which this holds, if the values are so many and so near
to each other that it would not hold by chance.
"""

import math
from collections.abc import Sequence

import numpy as np

from sacma.types import Array

FINE = 5  # levels a decade of all data of BBOB since 2009; COCO's own observer has four times as many by default
MOST_LEVELS = 9  # a decade, that are looked for
CHANCE = 1e-6  # largest probability that values written down at finer levels look like these, before they are believed
PRECISION, LARGEST_LEVEL = 1e-8, 1e4  # Δf between which COCO looks at levels; of larger ones it tells all
BORDER = 1e-7  # of a level, relative to its distance to the next: values have ten digits


def coarse_levels(runs: Sequence[Array]) -> int | None:
    """Return the number of levels a decade of data that hide what others tell; None where they are fine, or few.

    Data hide something where not all of the five levels a decade are among theirs, which all data of BBOB have.
    ``runs`` are the values of Δf of each run, descending, that were written down for the levels that they passed.

    >>> coarse_levels([np.array([30.0, 4.0, 0.7, 0.02, 3e-3])] * 30), coarse_levels([np.array([8.0, 6.0, 3.0])] * 20)
    (1, None)
    """
    logs = [np.log10(run[(run > PRECISION) & (run < LARGEST_LEVEL)]) for run in runs]
    before = np.concatenate([np.zeros(0), *(log[:-1] for log in logs)])
    after = np.concatenate([np.zeros(0), *(log[1:] for log in logs)])
    falls = after < before
    before, after = before[falls], after[falls]
    for k in range(1, MOST_LEVELS + 1):
        if (np.ceil(k * before - BORDER) > np.ceil(k * after - BORDER)).all():
            # The probability that a level is between two values, wherever the levels are.
            chances = np.minimum(1.0, k * (before - after))
            return k if np.log(chances).sum() < math.log(CHANCE) and k != FINE else None
    return None
