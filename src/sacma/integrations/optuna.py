"""A sampler for Optuna's studies."""

import hashlib
import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

try:
    import optuna
except ModuleNotFoundError as error:
    if error.name != "optuna":
        raise
    raise ModuleNotFoundError(
        'sacma.integrations.optuna needs Optuna, which is not installed: pip install "sacma[optuna]"', name="optuna"
    ) from None
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState
from scipy.optimize import Bounds

from sacma.files.printable import shown
from sacma.integrations.claims import CLAIM, FOUNDING, LARGEST_SEED, Founding, PointClaim, founding_of, stored
from sacma.integrations.stored_run import MOST_LEARNED, OtherRunError, StoredRun, Trials, TrialValues
from sacma.integrations.unit_cube import UnitCube
from sacma.optimize.arguments import flag, number, refuse, whole
from sacma.optimize.call import LARGEST_SIGMA, SHARE, SMALLEST_SIGMA, Call, Limits, checked_call
from sacma.optimize.methods import DEFAULT, composed, method_of
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array

ATTEMPTS = 20  # claims of a trial, where other workers are quicker
MOST_RUNS = 8  # runs in memory; others are computed again when they are needed

_logger = optuna.logging.get_logger("optuna.sacma")


class SurrogateCMASampler(BaseSampler):
    """CMA-ES with a surrogate model as a sampler of Optuna, for studies with one objective.

    >>> import optuna
    >>> from sacma.integrations.optuna import SurrogateCMASampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=SurrogateCMASampler(seed=1))
    >>> study.optimize(lambda t: (t.suggest_float("x", -5, 5) - 2) ** 2 + t.suggest_float("y", -5, 5) ** 2, n_trials=60)
    >>> study.best_value < 0.01
    True

    Float and int parameters, with ``log`` and ``step`` too, that all trials so far have in common are coordinates of
    [0, 1]^D; categorical and other ones are sampled independently. Where this search space changes, the optimizer
    begins anew, and its model learns from all earlier trials. Constraints are not used, with a warning.

    Each worker, thread and process computes the optimizer from the trials of the study: any of them can stop, begin or
    go on at any time, with the same arguments. It stores only numbers of trials, digests and the seed. A trial that
    fails ranks behind all others, and so does a pruned one, unless ``consider_pruned_trials``. With the same seed and
    the same trials in the storage the next trial is the same.

    Args:
        seed: of all random numbers, an integer from 0 below 2**128; None: one that is drawn, or the one with which
            another worker began the study.
        x0: initial point, values by the names of parameters; those that are missing are at the centre of their ranges.
        sigma0: initial standard deviation, in units of the ranges (of the logarithm, where ``log``).
        method: the name of one of sacma's own strategies, or ``StrategySettings``, as of ``sacma.SurrogateCMAES``.
            Methods that call f themselves, such as "cobyqa", are refused: they ask for one point at a time.
        population_size: λ of the first run; None: the strategy's.
        n_startup_trials: number of complete trials before the optimizer begins; until then parameters are sampled
            independently. The search space is known only after a complete trial, so that 0 is the same as 1.
        independent_sampler: samples the other parameters, and all of the start-up trials. None: the first trial of the
            study is at ``x0``, and others are random, by ``seed``, number of the trial and name.
        warn_independent_sampling: warn once of each parameter that is sampled independently after the start-up.
        consider_pruned_trials: take the last intermediate value of a pruned trial for its value.

    Raises:
        TypeError, ValueError: an argument is wrong. ValueError, too, where a study has several objectives.
        ModuleNotFoundError: at import, where Optuna is not installed.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        x0: Mapping[str, Any] | None = None,
        sigma0: float = SHARE,
        method: str | StrategySettings = DEFAULT,
        population_size: int | None = None,
        n_startup_trials: int = 1,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        consider_pruned_trials: bool = False,
    ) -> None:
        if seed is not None:
            seed = whole("seed", seed, "an integer ≥ 0 and below 2**128, or None", most=LARGEST_SEED)
        if x0 is not None and not isinstance(x0, Mapping):
            refuse("x0", x0, "values by the names of parameters, or None", of_type=True)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            refuse("independent_sampler", independent_sampler, "a sampler of Optuna, or None", of_type=True)
        allowed = f"a number from {SMALLEST_SIGMA:g} to {LARGEST_SIGMA:g}, in units of the parameters' ranges"
        self._sigma0 = number("sigma0", sigma0, allowed, least=SMALLEST_SIGMA, most=LARGEST_SIGMA)
        self._seed = seed
        self._x0 = dict(x0 or {})
        self._method = method_of(method, sigma0=self._sigma0, bounded=True, population_size=population_size)
        if self._method.strategy is None:
            refuse("method", method, f"{', '.join(composed())}, or StrategySettings")
        self._n_startup_trials = whole("n_startup_trials", n_startup_trials, "an integer ≥ 0")
        self._independent_sampler = independent_sampler or _IndependentSampler(seed, self._x0)
        self._warn_independent_sampling = flag("warn_independent_sampling", warn_independent_sampling)
        self._consider_pruned_trials = flag("consider_pruned_trials", consider_pruned_trials)
        self._lock = threading.Lock()
        self._begin(None)

    def _begin(self, study: Study | None) -> None:
        """Begin with a study; all of this follows from its trials."""
        self._study = None if study is None else (study._storage, study._study_id)  # noqa: SLF001 names are not unique
        self._search_space = IntersectionSearchSpace(include_pruned=self._consider_pruned_trials)
        self._warned: set[tuple[str, ...]] = set()
        self._runs: dict[int, StoredRun] = {}  # by founder
        self._problem: _Problem | None = None  # in the last search space

    def _follow(self, study: Study) -> None:
        """Begin anew where the study is another than before."""
        if self._study is None or self._study[0] is not study._storage or self._study[1] != study._study_id:  # noqa: SLF001
            self._begin(study)

    def __getstate__(self) -> dict[str, Any]:
        computed = {"_lock", "_study", "_search_space", "_warned", "_runs", "_problem"}
        return {name: value for name, value in self.__dict__.items() if name not in computed}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._begin(None)

    def reseed_rng(self) -> None:
        """Give the independent sampler another seed, as Optuna does in each thread; the optimizer keeps its own."""
        self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002 Optuna's
        """Return the float and int parameters that all trials have in common and that can vary."""
        with self._lock:
            self._follow(study)
            common = self._search_space.calculate(study)
        return {name: one for name, one in common.items() if _is_axis(one)}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the parameters of a trial; none before the optimizer begins."""
        _check_one_objective(study)
        if not search_space or self._complete(study) < self._n_startup_trials:
            return {}
        sampled = {
            name: self._independent_sampler.sample_independent(study, trial, name, distribution)
            for name, distribution in search_space.items()
            if not _is_axis(distribution)
        }
        numeric = {name: distribution for name, distribution in search_space.items() if name not in sampled}
        if numeric:
            with self._lock:
                self._follow(study)
                beside = self._varies_beside(study, numeric)
                if self._problem is None or (self._problem.distributions, self._problem.noisy) != (numeric, beside):
                    self._problem = self._problem_in(numeric, noisy=beside)
                point = self._claimed_point(study, trial, self._problem)
                sampled.update(self._problem.cube.params(point))
        return sampled

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Return one parameter outside of the search space."""
        _check_one_objective(study)
        known = self._complete(study) >= max(1, self._n_startup_trials)
        if self._warn_independent_sampling and known and not self._is_common(study, param_name, param_distribution):
            self._warn_once(
                ("parameter", param_name),
                "Parameter %s is sampled independently, by %s, in trial %d and perhaps later: %s samples float and int "
                "parameters that all trials have with the same range. Silence this with "
                "warn_independent_sampling=False.",
                shown(param_name),
                self._independent_sampler,
                trial.number,
                type(self).__name__,
            )
        return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)

    def _is_common(self, study: Study, name: str, distribution: BaseDistribution) -> bool:
        """Return True for a parameter that all complete trials have: one that began before them could not know."""
        trials = study.get_trials(deepcopy=False, states=self._counted)
        return _is_axis(distribution) and all(trial.distributions.get(name) == distribution for trial in trials)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Hand over to the independent sampler."""
        self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Warn of constraints, and hand over to the independent sampler."""
        if getattr(trial, "constraints", None):  # which Optuna 4 does not have
            self._warn_once(
                ("constraints",),
                "Constraints are set in trial %d; %s does not use them: a trial that violates them ranks by its value.",
                trial.number,
                type(self).__name__,
            )
        self._independent_sampler.after_trial(study, trial, state, values)

    def _warn_once(self, subject: tuple[str, ...], message: str, *arguments: object) -> None:
        if subject not in self._warned:
            self._warned.add(subject)
            _logger.warning(message, *arguments)

    def _complete(self, study: Study) -> int:
        """Return the number of trials that count as complete."""
        return len(study.get_trials(deepcopy=False, states=self._counted))

    @property
    def _counted(self) -> tuple[TrialState, ...]:
        """States of trials that count as complete."""
        return (TrialState.COMPLETE, TrialState.PRUNED) if self._consider_pruned_trials else (TrialState.COMPLETE,)

    def _claimed_point(self, study: Study, trial: FrozenTrial, problem: "_Problem") -> Array:
        """Return the point of a trial, shape (D,): as soon as no other worker's claim contradicts its own."""
        claim: PointClaim | None = None
        point: Array | None = None
        conflicts = 0
        for attempt in range(1, ATTEMPTS + 1):
            trials = {other.number: other for other in study.get_trials(deepcopy=False)}
            run = self._run(study, trial, trials, problem)
            if claim is not None and point is not None and claim.founder == run.founding.trial and run.confirms(claim):
                return point
            conflicts += claim is not None
            if attempt < ATTEMPTS and (ending := run.ending(trial)) is not None:
                _write(study, trial, CLAIM, ending)
            else:
                claim, point = run.claim(trial, conflicts)
                _write(study, trial, CLAIM, claim)
        assert point is not None  # noqa: S101 the last attempt claims one
        return point

    def _run(self, study: Study, trial: FrozenTrial, trials: Trials, problem: "_Problem") -> StoredRun:
        """Return the run of this sampler's call, up to where the trials are; begin one where there is none."""
        maximize = study.direction == StudyDirection.MAXIMIZE
        values = TrialValues(problem.cube, maximize=maximize, pruned=self._consider_pruned_trials)
        foundings = (founding_of(other.number, other.system_attrs) for other in trials.values())
        founding = next((one for one in foundings if one is not None and self._is_ours(one, problem.digest)), None)
        if founding is None:
            ended = tuple(n for n, other in trials.items() if values.has_value(other))
            seed = secrets.randbits(64) if self._seed is None else self._seed
            founding = Founding(trial.number, problem.digest, seed, ended[-MOST_LEARNED:])
            _write(study, trial, FOUNDING, founding)
        run = self._runs.pop(founding.trial, None)
        for _ in range(2):
            if run is None or run.founding != founding:
                run = StoredRun(founding, self._call(founding, problem, trials, values), values)
            try:
                run.follow(trials)
                break
            except OtherRunError:
                run = None
        assert run is not None  # noqa: S101 a new run knows nothing that could be contradicted
        self._runs[founding.trial] = run
        while len(self._runs) > MOST_RUNS:
            del self._runs[next(iter(self._runs))]
        self._warn_of_strangers(run)
        return run

    def _is_ours(self, founding: Founding, call: str) -> bool:
        return founding.call == call and self._seed in {None, founding.seed}

    def _varies_beside(self, study: Study, numeric: Mapping[str, BaseDistribution]) -> bool:
        """Return True if trials have other parameters that vary: to the optimizer their values are noise."""
        names = numeric.keys()
        return any(
            not (trial.distributions.keys() <= names)
            and any(name not in names and not one.single() for name, one in trial.distributions.items())
            for trial in study.get_trials(deepcopy=False, states=self._counted)
        )

    def _problem_in(self, distributions: Mapping[str, BaseDistribution], *, noisy: bool) -> "_Problem":
        """Return the problem in a search space."""
        cube = UnitCube(distributions)
        x0 = cube.rounded(_initial_point(cube, self._x0))  # as the archive has it where a trial is at x₀
        if others := [name for name in self._x0 if name not in cube.names]:
            self._warn_once(
                ("x0",),
                "x0 has %s, which is not among the parameters that are optimized: %s.",
                shown(others[0]),
                shown(", ".join(cube.names)),
            )
        settings = self._method.settings.model_dump(mode="json")
        parts = [cube.digest, x0.tolist(), settings, self._consider_pruned_trials, noisy]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return _Problem(dict(distributions), cube, x0, digest, noisy)

    def _call(self, founding: Founding, problem: "_Problem", trials: Trials, values: TrialValues) -> Call:
        """Return the call of a run."""
        known = values.archive([trials[n] for n in founding.learned if n in trials])
        D = problem.cube.dimension
        call = checked_call(
            problem.x0,
            self._sigma0,
            Limits(),
            bounds=Bounds(np.zeros(D), np.ones(D)),
            scale=None,
            method=self._method,
            population_size=None,
            seed=founding.seed,
            archive=known,
        )
        call = replace(call, noisy=problem.noisy)
        return replace(call, box=replace(call.box, grid=problem.cube)) if problem.cube.discrete else call

    def _warn_of_strangers(self, run: StoredRun) -> None:
        if run.strangers:
            self._warn_once(
                ("strangers",),
                "Trial %d has other parameters than it was given, or was given them by a worker that computes "
                "otherwise (another version of NumPy or sacma?); its value is known to the model alone.",
                min(run.strangers),
            )


@dataclass(frozen=True, eq=False)
class _Problem:
    """A search space with the settings of its optimizer, all but the seed; the same for all workers of a run."""

    distributions: Mapping[str, BaseDistribution]
    cube: UnitCube
    x0: Array  # shape (D,)
    digest: str  # of all this and the settings, in 64 characters
    noisy: bool  # whether trials have other parameters, which are sampled independently


class _IndependentSampler(BaseSampler):
    """Samples x₀ in the first trial of a study, and at random in others: by a seed, the trial's number and the name."""

    def __init__(self, seed: int | None, x0: Mapping[str, Any]) -> None:
        self._seed = secrets.randbits(64) if seed is None else seed
        self._x0 = x0

    def __str__(self) -> str:
        return "RandomSampler"

    def reseed_rng(self) -> None:
        self._seed = secrets.randbits(64)

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002 Optuna's
        return {}

    def sample_relative(self, *_: Any) -> dict[str, Any]:
        return {}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        if trial.number == 0 and _is_axis(param_distribution):
            cube = UnitCube({param_name: param_distribution})
            return cube.params(_initial_point(cube, self._x0))[param_name]
        entropy = [self._seed, trial.number, *param_name.encode()]
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        return RandomSampler(seed=seed).sample_independent(study, trial, param_name, param_distribution)


def _initial_point(cube: UnitCube, given: Mapping[str, Any]) -> Array:
    """Return x₀ in the cube, shape (D,): the values given by name, and the centre of all other axes."""
    x0 = np.full(cube.dimension, 0.5)
    for i, (name, coordinate) in enumerate(cube.coordinates(given).items()):
        if name in given:
            if coordinate is None:
                refuse(f"x0[{name!r}]", given[name], "a number within the range of the parameter")
            x0[i] = coordinate
    return x0


def _is_axis(distribution: BaseDistribution) -> bool:
    """Return True for a float or int parameter that can vary."""
    return isinstance(distribution, FloatDistribution | IntDistribution) and not distribution.single()


def _check_one_objective(study: Study) -> None:
    if len(study.directions) != 1:
        raise ValueError(
            f"the study has {len(study.directions)} objectives; SurrogateCMASampler allows one: take NSGAIISampler or "
            "another sampler of Optuna for several"
        )


def _write(study: Study, trial: FrozenTrial, key: str, record: PointClaim | Founding) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, key, stored(record))  # noqa: SLF001 as all samplers do
