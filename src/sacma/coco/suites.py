"""The suites of COCO that trials can run on.

N. Hansen, S. Finck, R. Ros and A. Auger, Real-parameter black-box optimization benchmarking 2009: noiseless functions
definitions, INRIA RR-6829, and noisy functions definitions, RR-6869. O. Elhara et al., COCO: the large scale black-box
optimization benchmarking (bbob-largescale) test suite, arXiv:1903.06396.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, eq=False)
class Suite:
    """A suite of COCO."""

    name: str  # COCO's name
    names: Mapping[int, str]  # short names of the functions by number, in COCO's order
    groups: Mapping[str, range]  # groups of functions, and all functions
    dimensions: tuple[int, ...]  # all dimensions
    usual_dimensions: tuple[int, ...]  # dimensions of a protocol that gives none
    usual_instances: tuple[int, ...]  # instances of a protocol that gives none
    bbob_functions: Mapping[int, int]  # the function of bbob with the same optimal value, by function
    noisy: bool = False  # f is measured with noise; Δf is then the noise-free one of COCO's logger
    of_the_paper: bool = False  # the paper has results on this suite
    of_2009: bool = False  # there are run-length targets of the best algorithm of BBOB 2009
    expensive: bool = False  # cocopp has the reference data for its ``--expensive``

    @property
    def functions(self) -> tuple[int, ...]:
        """Numbers of the functions."""
        return tuple(self.names)

    def index(self, function: int) -> int:
        """Return the position of a function in the suite, from 1, as COCO's filters count.

        >>> BBOB.index(8), NOISY.index(101)
        (8, 1)
        """
        return self.functions.index(function) + 1


# One line per group.
_BBOB_NAMES = """
Sphere, Ellipsoid separable, Rastrigin separable, Büche-Rastrigin, Linear slope,
Attractive sector, Step ellipsoid, Rosenbrock, Rosenbrock rotated,
Ellipsoid, Discus, Bent cigar, Sharp ridge, Different powers,
Rastrigin, Weierstrass, Schaffer F7, Schaffer F7 ill-cond., Griewank-Rosenbrock,
Schwefel, Gallagher 101 peaks, Gallagher 21 peaks, Katsuura, Lunacek bi-Rastrigin
"""

BBOB = Suite(
    name="bbob",
    names=dict(enumerate((name.strip() for name in _BBOB_NAMES.split(",")), start=1)),
    groups={
        "separable": range(1, 6),
        "moderate": range(6, 10),
        "ill-conditioned": range(10, 15),
        "multimodal": range(15, 20),
        "weakly structured": range(20, 25),
        "all": range(1, 25),
    },
    dimensions=(2, 3, 5, 10, 20, 40),
    usual_dimensions=(2, 3, 5, 10, 20),
    usual_instances=(*range(1, 6), *range(41, 51)),
    bbob_functions={function: function for function in range(1, 25)},
    of_the_paper=True,
    of_2009=True,
    expensive=True,
)

LARGESCALE = replace(
    BBOB,
    name="bbob-largescale",
    dimensions=(20, 40, 80, 160, 320, 640),
    usual_dimensions=(20, 40, 80),
    usual_instances=tuple(range(1, 16)),
    of_the_paper=False,
    of_2009=False,
    expensive=False,
)

_NOISE = ("Gauss", "unif.", "Cauchy")
_MODERATE = ("Sphere mod.", "Rosenbrock mod.")
_SEVERE = ("Sphere", "Rosenbrock", "Step ellipsoid", "Ellipsoid", "Diff. powers")
_MULTIMODAL = ("Schaffer F7", "Griewank-Ros.", "Gallagher")
_NOISY_NAMES = (f"{name} {noise}" for name in (*_MODERATE, *_SEVERE, *_MULTIMODAL) for noise in _NOISE)

NOISY = Suite(
    name="bbob-noisy",
    names=dict(enumerate(_NOISY_NAMES, start=101)),
    groups={
        "moderate noise": range(101, 107),
        "severe noise": range(107, 122),
        "severe noise, multimodal": range(122, 131),
        "all": range(101, 131),
    },
    dimensions=(2, 3, 5, 10, 20, 40),
    usual_dimensions=(2, 3, 5, 10, 20),
    usual_instances=tuple(range(1, 16)),
    # Each with three kinds of noise.
    bbob_functions=dict(enumerate((f for f in (1, 8, 1, 8, 7, 10, 14, 17, 19, 21) for _ in _NOISE), start=101)),
    noisy=True,
    expensive=True,
)

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in (BBOB, NOISY, LARGESCALE)}  # suites by name

# Names by number, which is unique among all suites.
NAMES: Mapping[int, str] = {number: name for suite in SUITES.values() for number, name in suite.names.items()}

BEST_2009 = "best 2009"  # name of the best algorithm of 2009 on each function; names of our algorithms have no space
VIRTUAL_BEST = "virtual best"  # of all algorithms that are compared, on each function and target


def function_title(function: int) -> str:
    """Return number and name of a function.

    >>> function_title(8), function_title(101), function_title(999)
    ('f8 Rosenbrock', 'f101 Sphere mod. Gauss', 'f999')
    """
    return f"f{function} {NAMES.get(function, '')}".strip()
