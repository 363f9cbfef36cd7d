"""One run of CMA-ES between two restarts: pycma, with its randomness and its files under our control."""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from sacma.process_wide import quiet
from sacma.strategy.cma_update import CMAConstants, CMAState
from sacma.strategy.pycma import NoSolutions, bound_penalty, contained_options, limited_in_1d, pycma
from sacma.strategy.restarts import Start
from sacma.surrogate.archive import Archive
from sacma.surrogate.part import Context, Part
from sacma.surrogate.training_set import Whitening
from sacma.types import Array

# Least standard deviation of an integer coordinate in units of its cells; less, μ_eff/D, in high dimensions.
#
# Marty et al., *LB+IC-CMA-ES: two simple modifications of CMA-ES to handle mixed-integer problems*, PPSN 2024, and
# pycma.
LEAST_SHARE = 0.2

# Deviations in units of σ₀, and differences of values in units of their spread, at which a run has converged.
#
# One of both alone would end runs too early: values of a steep function differ by orders of magnitude more than near
# its optimum, and at a sharp optimum they still differ much where deviations are small.
NARROW, LEVEL = 1e-5, 1e-12


def default_population_size(dimension: int, multiple: float = 1.0) -> int:
    """λ = ⌊multiple (4 + 3 ln D)⌋.

    >>> [default_population_size(D) for D in (2, 3, 5, 10, 20)]
    [6, 7, 8, 10, 12]
    >>> [default_population_size(D, multiple=2.0) for D in (2, 3, 5, 10, 20)]
    [12, 14, 17, 21, 25]
    """
    return math.floor(multiple * (4 + 3 * math.log(dimension)))


StepSize = Annotated[float, Field(gt=0, le=1e100, description="initial step size σ₀")]
PopulationSize = Annotated[
    int | None,
    Field(ge=4, le=100_000, description="λ, which restarts multiply; null: ⌊population_multiple (4 + 3 ln D)⌋"),
]
Bounds = Annotated[Literal["none", "penalty", "transform"], Field(description="none, or one of pycma's handlers")]
ActiveUpdate = Annotated[bool, Field(description="negative (active) covariance update; the paper's CMA-ES predates it")]


def axis_ratio(es: Any) -> float:
    """Return the longest axis of the distribution of pycma's strategy over the shortest."""
    axes = np.asarray(es.sm.D, float)
    return float(np.max(axes) / np.min(axes))


class CMAESSampling(Part):
    """CMA-ES of pycma."""

    name: Literal["cma-es"] = "cma-es"
    sigma0: StepSize = 8.0 / 3.0
    population_size: PopulationSize = None
    population_multiple: Annotated[float, Field(ge=1, le=10, description="multiplies the usual λ")] = 1.0
    active: ActiveUpdate = False
    tolerances: Annotated[
        Literal["absolute", "relative"],
        Field(description="those of pycma; or relative to σ₀, and to the values seen"),
    ] = "absolute"
    bounds: Bounds = "none"

    # Largest standard deviation of a coordinate as a share of the box, where there are bounds: pycma's.
    largest_share: ClassVar[float] = 1.0 / 3.0

    @model_validator(mode="after")
    def _multiple_has_an_effect(self) -> "CMAESSampling":
        if self.population_size is not None and self.population_multiple != 1.0:
            raise ValueError("population_multiple has no effect beside population_size; leave one of them out")
        return self

    def population(self, start: Start, context: Context) -> int:
        """Return λ of a run."""
        usual = default_population_size(context.dimension, self.population_multiple)
        return round((self.population_size or usual) * start.growth)

    def start(self, start: Start, initial_point: Array, context: Context) -> "CMAES":
        """Begin a run at ``initial_point``, shape (D,)."""
        return CMAES(initial_point, self.population(start, context), self.stepping(start), context)

    def stepping(self, start: Start) -> Self:
        """Return the settings with the σ₀ of a run."""
        return self.model_copy(update={"sigma0": self.sigma0 * start.step})


class CMAES:
    """A pycma strategy that samples with the generator it is given and touches nothing else.

    With bounds, *sampled* points (genotypes) are where the distribution N(m, σ²C) lives, and *proposed* points
    (phenotypes) are those for f: repaired or transformed into the box. Without bounds, they are the same, and the box
    of the context is not used. With a grid, coordinates keep a least standard deviation, so that populations never
    lie within one cell: they would learn nothing about these coordinates.
    """

    def __init__(self, initial_point: Array, population_size: int, settings: CMAESSampling, context: Context) -> None:
        cma, box, rng = pycma(), context.box, context.rng
        options: dict[str, Any] = {
            "popsize": population_size,
            "CMA_active": settings.active,
            "conditioncov_alleviate": [0, 0],  # no change of coordinates on the way: the archive is in these
            **contained_options(rng),
        }
        if settings.bounds != "none":
            options["BoundaryHandler"] = bound_penalty() if settings.bounds == "penalty" else cma.BoundTransform
            options["bounds"] = [box[0].tolist(), box[1].tolist()]
            options["maxstd_boundrange"] = settings.largest_share
        if settings.bounds == "transform":  # which is no point's beyond the box
            initial_point = np.clip(initial_point, *box)
        sigma0 = settings.sigma0
        self._relative = settings.tolerances == "relative"
        if self._relative:
            options["tolx"] = options["tolfun"] = options["tolfunhist"] = 0.0
        if settings.bounds != "none" and len(initial_point) == 1:
            sigma0 = limited_in_1d(sigma0, box, options, settings.largest_share)
        with quiet():  # σ₀ beyond the box or x₀ on its border is the user's choice, not worth a warning a run
            self._es = cma.CMAEvolutionStrategy(initial_point, sigma0, options)
        self._es.archive = NoSolutions()
        self._bounds = settings.bounds
        if self._bounds != "transform":  # whose sampled points pycma finds in its archive: an inverse has other bits
            self._es.sent_solutions = NoSolutions()
            self._es.timer = cma.utilities.utils.ElapsedWCTime()  # which ``ask`` would make
        self.initial_point = np.array(initial_point)
        self._rng = rng
        self._grid = context.grid
        # Models learn where the distribution lives: where points are folded into the box, it has no cells.
        self._models_grid = None if settings.bounds == "transform" else context.grid
        self.population_size = population_size
        self.proposed: Sequence[Array] = ()
        self.sampled: Array = np.empty((0, len(initial_point)))
        self._lost: tuple[str, ...] = ()  # why the run cannot go on
        self._replaced: set[int] = set()  # indices of points that it did not sample
        self._told: tuple[Sequence[Array], Array] = (self.initial_point,), np.array([np.inf])

    @property
    def learned(self) -> Array:
        """The population as models learn it, shape (λ, D): as sampled."""
        return self.sampled

    @property
    def recent_best(self) -> tuple[Array, float]:
        """The best of the last population told, as f sees it, shape (D,), and its value; at first x₀ and infinity."""
        points, values = self._told
        best = int(np.argmin(values))
        return np.array(points[best]), float(values[best])

    @property
    def sigma(self) -> float:
        """σ."""
        return float(self._es.sigma)

    @property
    def axis_ratio(self) -> float:
        """The longest axis of the distribution over the shortest."""
        return axis_ratio(self._es)

    @property
    def mean(self) -> Array:
        """The mean for f, shape (D,): m, repaired or transformed where there are bounds."""
        return self._repaired(self._es.mean)

    def _repaired(self, points: Array) -> Array:
        """Return points, shape (D,) or, where they are not transformed, (n, D), as f is to see them."""
        return np.array(self._es.boundary_handler.repair(points) if self._bounds != "none" else points)

    def sample(self) -> Array:
        """Return λ further points of the distribution that the asked population was sampled from, shape (λ, D)."""
        z = self._rng.standard_normal(self.sampled.shape)
        return self.whitening().inverse(z)

    def ask(self) -> Sequence[Array]:
        """Sample a population and return its proposed points: λ arrays of shape (D,)."""
        self._keep_deviations()
        if self._bounds == "transform":
            self.proposed = self._es.ask()
            self.sampled = np.asarray(self._es.mean + self._es.sigma * self._es.ary)
        else:
            self.sampled = self._es.ask_geno()
            self.proposed = list(self._repaired(self.sampled))
        self._replaced.clear()
        return self.proposed

    def place(self, points: Array) -> tuple[Array, Array]:
        """Return points of the distribution, shape (n, D), as f is to see them and as the archive keeps them."""
        if self._bounds == "transform":
            return np.array([self._repaired(point) for point in points]), points
        return self._repaired(points), points

    def put(self, samples: Array) -> None:
        """Let other samples of the distribution, shape (λ, D), be the population."""
        seen, self.sampled = self.place(samples)
        self.proposed = list(seen)

    def replace(self, index: int, seen: Array, learned: Array) -> None:
        """Put another point, as f saw it and as the archive keeps it, in the place of one of the population."""
        self.proposed = [*self.proposed[:index], seen, *self.proposed[index + 1 :]]
        self.sampled[index] = learned
        self._replaced.add(index)

    def inject(self, points: Iterable[Array]) -> None:
        """Let the next population contain ``points``, each of shape (D,).

        pycma gives those that are farther than √D standard deviations from the new m the length of a random step.
        """
        self._es.inject([np.asarray(point) for point in points])

    def tell(self, values: Array) -> None:
        """Update the distribution with the asked population ranked by ``values``, shape (λ,)."""
        self._told = self.proposed, values
        with quiet(), self._ending():  # numeric noise of a degenerate state: the stop conditions see it
            if self._bounds == "penalty":
                self._let_penalty_begin(values)
            if self._bounds == "transform":
                self._es.tell(self.proposed, values.tolist())
                return
            # pycma's penalty of a point is its distance to the box: of a repaired point it is always 0.
            told = list(self.sampled)
            for index in self._replaced:  # pycma shortens steps to points that it did not sample
                told[index] = self._es.repair_genotype(told[index], copy_if_changed=True)
            self._es.tell(told, values.tolist(), check_points=False)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """End the run where pycma raises: its matrix has been updated so often with nearly nothing that it is none."""
        try:
            yield
        except RuntimeError as error:
            if "variance" not in str(error):
                raise
            self._lost = ("variance",)

    def _keep_deviations(self) -> None:
        """Set the least standard deviations: pycma keeps them in its next update, but in one dimension."""
        if self._grid is None:
            return
        es = self._es
        least = min(LEAST_SHARE, es.sp.weights.mueff / es.N) * self._grid.widths(self._repaired(es.mean))
        if es.N == 1:  # where pycma raises instead
            es.sigma = max(es.sigma, float(least[0]) / float(np.sqrt(es.sm.variances[0])))
        else:
            es.opts["minstd"] = least

    def _let_penalty_begin(self, values: Array) -> None:
        """Give pycma's penalty a scale of the values, where the first population has none for it.

        It takes the interquartile range, and raises where that is 0 from the start, as on a plateau.
        """
        handler = self._es.boundary_handler
        if handler.hist:
            return
        ordered = np.sort(values)
        quarter = (1 + len(ordered)) // 4
        variance = np.mean(self._es.sigma**2 * self._es.sm.variances)
        with np.errstate(over="ignore"):
            middle = (ordered[3 * (1 + len(ordered)) // 4] - ordered[quarter]) / variance
            if not 0.0 < middle < np.inf:
                spread = ordered[-1] - ordered[0]
                scale = spread if 0.0 < spread < np.inf else 1.0
                handler.hist.append(np.clip(scale / variance, sys.float_info.min, sys.float_info.max))

    def scale_tolerances(self, sigma0: float, archive: Archive) -> None:
        """Take σ₀ of the search and all values so far: tolerances may be relative to these."""
        if self._relative:
            es, (spread, least) = self._es, archive.spread()
            # Cells of a grid keep deviations wide.
            level = LEVEL * spread if self._grid is not None or self.largest_deviation < NARROW * sigma0 else 0.0
            tolerance = 2.0 * sys.float_info.epsilon * abs(least) + level
            es.opts["tolfun"], es.opts["tolfunhist"] = tolerance, 0.1 * tolerance
            es.opts["tolx"], es.opts["tolxstagnation"] = 4e-12 * sigma0, [4e-10 * sigma0, 20, 0.1]

    @property
    def largest_deviation(self) -> float:
        """The largest standard deviation of the distribution in any direction."""
        return float(self._es.sigma * np.max(self._es.sm.D))

    def stop(self) -> tuple[str, ...]:
        """Return the names of pycma's stop conditions that hold; empty while the run goes on."""
        return self._lost or tuple(self._es.stop())

    def whitening(self) -> Whitening:
        """Return the whitening of the distribution that the asked population was sampled from."""
        es = self._es
        axes = (es.sm.B / es.sm.D).T / (es.sigma * es.sigma_vec.scaling)  # D⁻¹Bᵀ/σ: a root of (σ²C)⁻¹
        return Whitening(mean=np.array(es.mean), to_white=axes, grid=self._models_grid)

    def state(self) -> CMAState:
        """Return the variables and constants before the update, for ``cma_update``.

        Without bounds these determine pycma's own update completely.
        """
        from cma.utilities.math import Mh  # noqa: PLC0415 loaded with pycma

        es = self._es
        learning = es.sm.parameters(mueff=es.sp.weights.mueff, lam=es.sp.weights.lambda_)
        constants = CMAConstants(
            weights=np.array(es.sp.weights),
            mueff=es.sp.weights.mueff,
            cc=es.sp.cc,
            c1=learning.get("c1", es.sp.c1),
            cmu=learning.get("cmu", es.sp.cmu),
            cs=es.adapt_sigma.cs,
            ds=es.adapt_sigma.damps,
            chi=float(Mh.chiN(es.N)),
        )
        return CMAState(
            constants=constants,
            generation=es.countiter,
            mean=np.array(es.mean),
            sigma=float(es.sigma),
            C=np.array(es.sm.C),
            C_inverse_root=(es.sm.B / es.sm.D) @ es.sm.B.T,
            pc=np.array(es.pc),
            ps=np.array(es.adapt_sigma.ps),
        )
