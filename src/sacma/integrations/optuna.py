"""A sampler for Optuna's studies."""

import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
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
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from sacma.files.printable import shown
from sacma.integrations.study_run import StudyRun, constraints_of_trial
from sacma.optimize.arguments import checked_function, flag, number, refuse, whole
from sacma.optimize.call import LARGEST_SIGMA, SHARE, SMALLEST_SIGMA, Call, Limits, checked_call
from sacma.optimize.constraints import number_of_constraints
from sacma.optimize.methods import DEFAULT, composed, method_of
from sacma.optimize.parameters import Categorical, Integer, Parameter, Real
from sacma.optimize.space import Space
from sacma.strategy.settings import StrategySettings

RUN = "sacma:run"  # key of the system attribute of a trial with which a run begins
LARGEST_SEED = 2**128 - 1
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

    Float, int and categorical parameters, with ``log`` and ``step`` too, that all trials so far have in common are the
    ``sacma.Space`` of an optimizer; others are sampled independently. Where this search space changes, the optimizer
    begins anew, and its model learns from all earlier trials.

    Each worker, thread and process tells an optimizer all trials that have ended, in the order in which they ended, and
    asks it for a point that no running trial has: any of them can stop, begin or go on at any time, with the same
    arguments. The storage gets the seed, and no more. A trial that fails ranks behind all others, and so does a pruned
    one, unless ``consider_pruned_trials``. With the same seed and the same trials in the storage the next trial is the
    same.

    Args:
        seed: of all random numbers, an integer from 0 below 2**128; None: one that is drawn, or the one with which
            another worker began the study.
        x0: initial point, values by the names of parameters; those that are missing are at the centre of their ranges.
        sigma0: initial standard deviation, in units of the ranges (of the logarithm, where ``log``).
        method: the name of one of sacma's own strategies, or ``StrategySettings``, as of ``sacma.Optimizer``. Methods
            that call f themselves, such as "cobyqa", are refused.
        population_size: λ of the first run; None: the strategy's.
        n_startup_trials: number of complete trials before the optimizer begins; until then parameters are sampled
            independently. The search space is known only after a complete trial, so that 0 is the same as 1.
        independent_sampler: samples the other parameters, and all of the start-up trials. None: the first trial of the
            study is at ``x0``, and others are random, by ``seed``, number of the trial and name.
        warn_independent_sampling: warn once of each parameter that is sampled independently after the start-up.
        consider_pruned_trials: take the last intermediate value of a pruned trial for its value.
        constraints_func: from a trial to its constraints, each kept where at most 0, as of Optuna's samplers. Those
            that trials set themselves are used all the same.

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
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        if seed is not None:
            seed = whole("seed", seed, "an integer ≥ 0 and below 2**128, or None", most=LARGEST_SEED)
        if x0 is not None and not isinstance(x0, Mapping):
            refuse("x0", x0, "values by the names of parameters, or None", of_type=True)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            refuse("independent_sampler", independent_sampler, "a sampler of Optuna, or None", of_type=True)
        if constraints_func is not None:
            checked_function("constraints_func", constraints_func)
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
        self._constraints_func = constraints_func
        self._lock = threading.Lock()
        self._begin(None)

    def _begin(self, study: Study | None) -> None:
        """Begin with a study; all of this follows from its trials."""
        self._study = None if study is None else (study._storage, study._study_id)  # noqa: SLF001 names are not unique
        self._search_space = IntersectionSearchSpace(include_pruned=self._consider_pruned_trials)
        self._warned: set[tuple[str, ...]] = set()
        self._runs: dict[tuple[str, int], StudyRun] = {}  # by digest, and number of the trial with which it begins
        self._given: dict[int, dict[str, Any]] = {}  # parameters of trials of this sampler, by number

    def _follow(self, study: Study) -> None:
        """Begin anew where the study is another than before."""
        if self._study is None or self._study[0] is not study._storage or self._study[1] != study._study_id:  # noqa: SLF001
            self._begin(study)

    def __getstate__(self) -> dict[str, Any]:
        computed = {"_lock", "_study", "_search_space", "_warned", "_runs", "_given"}
        return {name: value for name, value in self.__dict__.items() if name not in computed}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._begin(None)

    def reseed_rng(self) -> None:
        """Give the independent sampler another seed, as Optuna does in each thread; the optimizer keeps its own."""
        self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002 Optuna's
        """Return the parameters that all trials have in common and that can vary."""
        with self._lock:
            self._follow(study)
            common = self._search_space.calculate(study)
        return {name: one for name, one in common.items() if _parameter(one) is not None}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the parameters of a trial; none before the optimizer begins."""
        _check_one_objective(study)
        parameters = {name: parameter for name, one in search_space.items() if (parameter := _parameter(one))}
        if not parameters or self._complete(study) < self._n_startup_trials:
            return {}
        with self._lock:
            self._follow(study)
            trials = study.get_trials(deepcopy=False)
            run = self._run(study, trial, trials, parameters, search_space)
            try:
                run.follow(trials, study.direction == StudyDirection.MAXIMIZE, pruned=self._consider_pruned_trials)
                sampled = run.ask(trial, trials, self._given)
            except BaseException:  # such as Ctrl-C, perhaps halfway; what follows from the trials is computed again
                self._runs.clear()
                raise
            fixed = trial.system_attrs.get("fixed_params", {})
            self._given[trial.number] = {**sampled, **{name: fixed[name] for name in fixed if name in sampled}}
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
                "Parameter %s is sampled independently, by %s, in trial %d and perhaps later: %s samples parameters "
                "that all trials have with the same range. Silence this with warn_independent_sampling=False.",
                shown(param_name),
                self._independent_sampler,
                trial.number,
                type(self).__name__,
            )
        return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)

    def _is_common(self, study: Study, name: str, distribution: BaseDistribution) -> bool:
        """Return True for a parameter of all complete trials: a trial that began before them has not known it."""
        trials = study.get_trials(deepcopy=False, states=self._counted)
        return _parameter(distribution) is not None and all(t.distributions.get(name) == distribution for t in trials)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Hand over to the independent sampler."""
        self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Evaluate the constraints, and hand over to the independent sampler."""
        with self._lock:
            self._given.pop(trial.number, None)
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
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

    def _run(
        self,
        study: Study,
        trial: FrozenTrial,
        trials: Sequence[FrozenTrial],
        parameters: Mapping[str, Parameter],
        search_space: Mapping[str, BaseDistribution],
    ) -> "StudyRun":
        """Return the run in a search space; begin one with this trial where there is none."""
        counted = [other for other in trials if other.state in self._counted]
        # To the optimizer the values of other parameters, which vary beside, are noise.
        noisy = any(
            name not in parameters and not one.single()
            for other in counted
            for name, one in other.distributions.items()
        )
        m = max((len(constraints_of_trial(other)) for other in counted), default=0)
        described = {name: distribution_to_json(search_space[name]) for name in sorted(parameters)}
        x0 = {name: value for name, value in self._x0.items() if name in parameters}
        if others := self._x0.keys() - x0.keys():
            words = "x0 has %s, which is not among the parameters that are optimized: %s."
            self._warn_once(("x0",), words, shown(min(others)), shown(", ".join(described)))
        settings = self._method.settings.model_dump(mode="json")
        parts = [described, x0, settings, self._consider_pruned_trials, noisy and not m, m]
        digest = hashlib.sha256(json.dumps(parts, default=repr).encode()).hexdigest()
        begun = ((other, _seed_of(other, digest)) for other in trials)
        founder, seed = next(
            (each for each in begun if each[1] is not None and self._seed in {None, each[1]}), (trial, None)
        )
        if seed is None:
            seed = secrets.randbits(64) if self._seed is None else self._seed
            study._storage.set_trial_system_attr(trial._trial_id, RUN, {"call": digest, "seed": seed})  # noqa: SLF001 as all samplers do
        run = self._runs.pop((digest, founder.number), None)
        if run is None or run.seed != seed:
            space = Space({name: parameters[name] for name in sorted(parameters)})
            start = founder.datetime_start or datetime.min  # noqa: DTZ901 Optuna's are naive
            run = StudyRun(space, seed, self._call_of(space, x0, seed, m, noisy=noisy), start)
        self._runs[digest, founder.number] = run
        while len(self._runs) > MOST_RUNS:
            del self._runs[next(iter(self._runs))]
        return run

    def _call_of(self, space: Space, x0: Mapping[str, Any], seed: int, m: int, *, noisy: bool) -> Call:
        """Return the call of a run."""
        constraints = number_of_constraints(m)
        call = checked_call(
            x0, self._sigma0, Limits(), space=space, method=self._method, seed=seed, constraints=constraints
        )
        return replace(call, noisy=noisy and not m)


def _parameter(distribution: BaseDistribution) -> Parameter | None:
    """Return a distribution as a parameter of a space; None where it cannot vary, or is of other choices."""
    if distribution.single():
        return None
    try:
        match distribution:
            case FloatDistribution(low=low, high=high, log=log, step=step):
                return Real(low, high, log=log, step=step)
            case IntDistribution(low=low, high=high, log=log, step=step):
                return Integer(low, high, log=log, step=step)
            case CategoricalDistribution(choices=choices):
                return Categorical(*choices)
    except (TypeError, ValueError):
        pass
    return None


def _seed_of(trial: FrozenTrial, digest: str) -> int | None:
    """Return the seed of the run that a trial began; None where it began none."""
    match trial.system_attrs.get(RUN):
        case {"call": str(call), "seed": int(seed)} if call == digest and 0 <= seed <= LARGEST_SEED:
            return None if isinstance(seed, bool) else seed
    return None


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
        if trial.number == 0 and (parameter := _parameter(param_distribution)) is not None:
            space = Space({param_name: parameter})
            given = {name: value for name, value in self._x0.items() if name == param_name}
            return space.params(np.clip(space.partial_point(given, "x0"), *space.bounds))[param_name]
        entropy = [self._seed, trial.number, *param_name.encode()]
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        return RandomSampler(seed=seed).sample_independent(study, trial, param_name, param_distribution)


def _check_one_objective(study: Study) -> None:
    if len(study.directions) != 1:
        raise ValueError(
            f"the study has {len(study.directions)} objectives; SurrogateCMASampler allows one: take NSGAIISampler or "
            "another sampler of Optuna for several"
        )
