"""A sampler for Optuna's studies."""

import hashlib
import itertools
import math
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
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
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from sacma.files.printable import shown
from sacma.optimize.arguments import checked_function, flag, refuse, whole
from sacma.optimize.call import LARGEST_SEED, SHARE, Call, checked_call, checked_sigma
from sacma.optimize.constraints import MOST_CONSTRAINTS
from sacma.optimize.evaluation import ConstrainedValue, Evaluation, evaluation_of
from sacma.optimize.exchange import Exchange
from sacma.optimize.methods import DEFAULT, composed, method_of
from sacma.optimize.parameters import Categorical, Integer, Parameter, Real
from sacma.optimize.run import Run
from sacma.optimize.space import Space
from sacma.strategy.settings import StrategySettings
from sacma.types import Array

RUN = "sacma:run"  # key of the system attribute of a trial with which a run begins
CONSTRAINTS = "constraints"  # Optuna's
MOST_REPEATED = 20  # points that are known

_logger = optuna.logging.get_logger("optuna.sacma")
_sampling = threading.Lock()  # of all samplers: threads of Python would compute no faster


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
    arguments. A trial that fails ranks behind all others, and so does a pruned one, unless ``consider_pruned_trials``.
    With the same seed and the same trials in the storage the next trial is the same.

    Args:
        seed: of all random numbers, an integer from 0 below 2**128; None: the time at which the study began, which is
            the same for all its workers.
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
            whole("seed", seed, "an integer ≥ 0 and below 2**128, or None", most=LARGEST_SEED)
        if x0 is not None and not isinstance(x0, Mapping):
            refuse("x0", x0, "values by the names of parameters, or None", of_type=True)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            refuse("independent_sampler", independent_sampler, "a sampler of Optuna, or None", of_type=True)
        if constraints_func is not None:
            checked_function("constraints_func", constraints_func)
        self._sigma0 = checked_sigma(sigma0)
        self._seed = seed
        self._x0 = dict(x0 or {})
        self._method = method_of(method, sigma0=self._sigma0, bounded=True, population_size=population_size)
        if self._method.strategy is None:
            refuse("method", method, f"{', '.join(composed())}, or StrategySettings")
        self._n_startup_trials = whole("n_startup_trials", n_startup_trials, "an integer ≥ 0")
        self._independent_sampler = independent_sampler or RandomSampler()
        self._samples_all = independent_sampler is None
        self._warned = set[str]()
        self._warns = flag("warn_independent_sampling", warn_independent_sampling)
        self._pruned_count = flag("consider_pruned_trials", consider_pruned_trials)
        self._constraints_func = constraints_func
        self._runs: dict[str, _StudyRun] = {}  # by digest of their calls; they follow from the trials

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_runs": {}}

    def reseed_rng(self) -> None:
        """Give the independent sampler another seed, as Optuna does in each thread; the rest follows from trials."""
        self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002 Optuna's
        """Return the parameters that all trials have in common and that can vary."""
        common = intersection_search_space(study.get_trials(deepcopy=False), include_pruned=self._pruned_count)
        return {name: one for name, one in common.items() if _parameter(one) is not None}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the parameters of a trial; none before the optimizer begins."""
        self._raise_error_if_multi_objective(study)
        counted = self._counted(study)
        parameters = {name: parameter for name, one in sorted(search_space.items()) if (parameter := _parameter(one))}
        if not parameters or len(counted) < self._n_startup_trials:
            return {}
        x0 = {name: value for name, value in self._x0.items() if name in parameters}
        if others := self._x0.keys() - x0.keys():
            words = "x0 has %s, which is not among the parameters that are optimized: %s."
            self._warn_once("", words, shown(min(others)), shown(", ".join(parameters)))
        m = max((len(_constraints_of(other)) for other in counted), default=0)
        # To the optimizer the values of other parameters, which vary beside, are noise.
        beside = {name for other in counted for name, one in other.distributions.items() if not one.single()}
        noisy = not m and not beside <= parameters.keys()
        seed = self._seed_of(study)
        parts = (parameters, x0, self._method.settings, self._pruned_count, noisy, m, seed, study.direction)
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()
        with _sampling:
            trials = study.get_trials(deepcopy=False)
            founder = next((other for other in trials if other.system_attrs.get(RUN) == digest), trial)
            if founder is trial:
                study._storage.set_trial_system_attr(trial._trial_id, RUN, digest)  # noqa: SLF001 as all samplers do

            def order(other: FrozenTrial) -> tuple[bool, datetime, int]:
                return other.number >= founder.number, other.datetime_complete or datetime.min, other.number  # noqa: DTZ901 Optuna's are naive

            ended = sorted((other for other in trials if other.state.is_finished()), key=order)
            run = self._runs.pop(digest, None)  # lost where this is interrupted, as by Ctrl-C
            if run is None or ended[: len(run.told)] != run.told:
                space = Space(parameters)
                chosen: dict[str, Any] = {"method": self._method, "seed": seed, "constraints": m}
                call = checked_call(x0, self._sigma0, space=space, **chosen)
                run = _StudyRun(replace(call, noisy=noisy), space)
            sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
            for other in ended[len(run.told) :]:
                run.tell(other, self._evaluation_of(other, sign, m), known=other.number < founder.number)
            sampled = run.ask(trial, trials)
            self._runs[digest] = run
        return sampled

    def _seed_of(self, study: Study) -> int:
        """Return the seed, or where there is none, the time at which the study began, in all workers the same."""
        if self._seed is not None:
            return self._seed
        begun = [trial.datetime_start for trial in study.get_trials(deepcopy=False) if trial.datetime_start is not None]
        return (min(begun, default=datetime.min) - datetime.min) // timedelta(microseconds=1)  # noqa: DTZ901 Optuna's are naive

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Return one parameter outside of the search space."""
        self._raise_error_if_multi_objective(study)
        parameter, counted, sampler = _parameter(param_distribution), self._counted(study), self._independent_sampler
        # A trial that began before all others ended has not known what is common to them.
        common = parameter and all(other.distributions.get(param_name) == param_distribution for other in counted)
        if self._warns and len(counted) >= max(1, self._n_startup_trials) and not common:
            self._warn_once(
                param_name,
                "Parameter %s is sampled independently, by %s, in trial %d and perhaps later: %s samples parameters "
                "that all trials have with the same range. Silence this with warn_independent_sampling=False.",
                *(shown(param_name), type(sampler).__name__, trial.number, type(self).__name__),
            )
        if self._samples_all and trial.number == 0 and parameter is not None:
            space = Space({param_name: parameter})
            given = {name: value for name, value in self._x0.items() if name == param_name}
            return space.params(np.clip(space.partial_point(given, "x0"), *space.bounds))[param_name]
        if self._samples_all:
            entropy = np.random.SeedSequence([self._seed_of(study), trial.number, *param_name.encode()])
            sampler = RandomSampler(seed=int(entropy.generate_state(1)[0]))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Hand over to the independent sampler."""
        self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Evaluate the constraints, and hand over to the independent sampler."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
        self._independent_sampler.after_trial(study, trial, state, values)

    def _warn_once(self, subject: str, message: str, *arguments: object) -> None:
        if subject not in self._warned:
            self._warned.add(subject)
            _logger.warning(message, *arguments)

    def _counted(self, study: Study) -> list[FrozenTrial]:
        """Return the trials that count as complete."""
        states = (TrialState.COMPLETE, TrialState.PRUNED) if self._pruned_count else (TrialState.COMPLETE,)
        return study.get_trials(deepcopy=False, states=states)

    def _evaluation_of(self, trial: FrozenTrial, sign: float, m: int) -> Evaluation:
        """Return the evaluation of a trial that has ended, with m constraints."""
        values: list[float] = []
        if trial.state == TrialState.COMPLETE:
            values = trial.values or []
        elif self._pruned_count and trial.state == TrialState.PRUNED and trial.intermediate_values:
            values = [trial.intermediate_values[max(trial.intermediate_values)]]
        if len(values) != 1:
            return Evaluation(math.nan, f"the trial ended as {trial.state.name}")
        value = sign * values[0]
        return evaluation_of(ConstrainedValue(value, _constraints_of(trial), m) if m else value)


class _StudyRun:
    """A run that is told the trials of a study, in the order in which they ended, those before its first one first."""

    def __init__(self, call: Call, space: Space) -> None:
        self._space, self.exchange = space, Exchange(Run(call))
        self._x0 = self.exchange.key(call.x0)
        self.told: list[FrozenTrial] = []
        self._keys = set[Hashable]()  # of their points
        self._given: dict[int, Mapping[str, Any]] = {}  # parameters of trials by number, which may not be stored yet

    def tell(self, trial: FrozenTrial, evaluation: Evaluation, *, known: bool) -> None:
        """Take a trial, of which models alone learn where it was ``known`` before the run, and not at x₀."""
        key, point = self._located(trial.params)
        if point is not None and known and key != self._x0:
            self.exchange.run.learn_of(point, evaluation)
        elif point is not None:
            self.exchange.observe(key, point, evaluation)
        self._keys.add(key)
        self.told.append(trial)

    def ask(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return parameters for a trial that no trial has which has ended or is running."""
        run, taken = self.exchange.run, set(self._keys)
        sampled = 0  # trials that are being sampled, as by other processes, get the points before, by their numbers
        for other in trials:
            if other.state == TrialState.RUNNING and other.number != trial.number:
                key, point = self._located(self._given.get(other.number, other.params))
                sampled += point is None and other.number < trial.number
                taken.add(key)
        most = len(taken) - len(self._keys) + sampled + MOST_REPEATED
        rng = np.random.default_rng([run.call.seed or 0, trial.number])
        drawn = run.call.box.another_start(run.call.x0, run.call.sigma0, rng)
        found = self._space.params(drawn)  # where the run has no point
        for _, point in itertools.islice(iter(run.begin, None), most):
            found = self._space.params(point)
            if self._space.key(found) not in taken:
                sampled -= 1
            if sampled < 0:
                break
        run.pending.clear()
        self._given[trial.number] = found | trial.system_attrs.get("fixed_params", {})
        return found

    def _located(self, params: Mapping[str, Any]) -> tuple[Hashable, Array | None]:
        """Return a point with its key; None where a value is missing or out of range."""
        given = {name: params[name] for name in self._space if name in params}
        try:
            return self._space.key(given), self._space.point(given)
        except (TypeError, ValueError):
            return None, None


def _constraints_of(trial: FrozenTrial) -> Sequence[float]:
    """Return the constraints of a trial: of a sampler's function, then its own in the order of their names."""
    listed = trial.system_attrs.get(CONSTRAINTS)
    named = sorted(name for name in trial.system_attrs if name.startswith(f"{CONSTRAINTS}:"))
    found = [*(listed if isinstance(listed, Sequence) else ()), *(trial.system_attrs[name] for name in named)]
    return found if len(found) <= MOST_CONSTRAINTS else ()


def _parameter(distribution: BaseDistribution) -> Parameter | None:
    """Return a distribution as a parameter of a space; None where it cannot vary, or is of other choices."""
    try:
        match distribution:
            case _ if distribution.single():
                return None
            case FloatDistribution(low=low, high=high, log=log, step=step):
                return Real(low, high, log=log, step=step)
            case IntDistribution(low=low, high=high, log=log, step=step):
                return Integer(low, high, log=log, step=step)
            case CategoricalDistribution(choices=choices):
                return Categorical(*choices)
    except (TypeError, ValueError):
        pass
    return None
