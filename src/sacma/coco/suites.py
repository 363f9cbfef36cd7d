"""The suites of COCO that trials can run on: what is in each, and what can be said of it.

N. Hansen, S. Finck, R. Ros and A. Auger, Real-parameter black-box optimization benchmarking 2009: noiseless functions
definitions, INRIA RR-6829, and noisy functions definitions, RR-6869. O. Elhara et al., COCO: the large scale black-box
optimization benchmarking (bbob-largescale) test suite, arXiv:1903.06396.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, eq=False)
class Suite:
    """A suite of COCO.

    Args:
        name: as COCO calls it.
        names: of its functions, by number, in COCO's order; short enough for the title of a small panel.
        groups: of its functions, and all.
        dimensions: that it has.
        usual_dimensions: those of a protocol that gives none.
        usual_instances: idem.
        noisy: whether f is measured with noise: then what is measured does not say how far the optimum is, and Δf is
            the noise-free one of COCO's logger.
        bbob_functions: the function of bbob with the same optimal value, by function.
        of_the_paper: whether the paper's results are of it.
        of_2009: whether there are the targets of the best algorithm of BBOB 2009, of which run lengths are made.
        expensive: whether cocopp has the reference data that its ``--expensive`` needs.
    """

    name: str
    names: Mapping[int, str]
    groups: Mapping[str, range]
    dimensions: tuple[int, ...]
    usual_dimensions: tuple[int, ...]
    usual_instances: tuple[int, ...]
    noisy: bool
    bbob_functions: Mapping[int, int]
    of_the_paper: bool
    of_2009: bool
    expensive: bool

    @property
    def functions(self) -> tuple[int, ...]:
        """Their numbers."""
        return tuple(self.names)

    def index(self, function: int) -> int:
        """Return what COCO's filters call a function: its place in the suite, from 1.

        >>> BBOB.index(8), NOISY.index(101)
        (8, 1)
        """
        return self.functions.index(function) + 1


def _numbered(first: int, *names: str) -> Mapping[int, str]:
    return dict(enumerate(names, start=first))


BBOB = Suite(
    name="bbob",
    names=_numbered(
        1,
        "Sphere",
        "Ellipsoid separable",
        "Rastrigin separable",
        "Büche-Rastrigin",
        "Linear slope",
        "Attractive sector",
        "Step ellipsoid",
        "Rosenbrock",
        "Rosenbrock rotated",
        "Ellipsoid",
        "Discus",
        "Bent cigar",
        "Sharp ridge",
        "Different powers",
        "Rastrigin",
        "Weierstrass",
        "Schaffer F7",
        "Schaffer F7 ill-cond.",
        "Griewank-Rosenbrock",
        "Schwefel",
        "Gallagher 101 peaks",
        "Gallagher 21 peaks",
        "Katsuura",
        "Lunacek bi-Rastrigin",
    ),
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
    noisy=False,
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

_MODERATE = ("Sphere", "Rosenbrock")
_SEVERE = ("Sphere", "Rosenbrock", "Step ellipsoid", "Ellipsoid", "Diff. powers")
_MULTIMODAL = ("Schaffer F7", "Griewank-Ros.", "Gallagher")
_NOISE = ("Gauss", "unif.", "Cauchy")

NOISY = Suite(
    name="bbob-noisy",
    names=_numbered(
        101,
        *(f"{name} mod. {noise}" for name in _MODERATE for noise in _NOISE),
        *(f"{name} {noise}" for name in (*_SEVERE, *_MULTIMODAL) for noise in _NOISE),
    ),
    groups={
        "moderate noise": range(101, 107),
        "severe noise": range(107, 122),
        "severe noise, multimodal": range(122, 131),
        "all": range(101, 131),
    },
    dimensions=(2, 3, 5, 10, 20, 40),
    usual_dimensions=(2, 3, 5, 10, 20),
    usual_instances=tuple(range(1, 16)),
    noisy=True,
    # Three noises of each.
    bbob_functions=dict(enumerate((f for f in (1, 8, 1, 8, 7, 10, 14, 17, 19, 21) for _ in _NOISE), start=101)),
    of_the_paper=False,
    of_2009=False,
    expensive=True,
)

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in (BBOB, NOISY, LARGESCALE)}
"""By name."""
