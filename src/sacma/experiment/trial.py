"""One trial, from spec to record: a pure function that can run in any process.

An algorithm is warmed up before the first trial in a process: imports, compiling, the first call of a library, tables
that are read, whatever it leaves until it is needed would else be in the CPU time of that trial.
"""

import contextlib
import json
import math
import platform
import tempfile
import time
import traceback
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import cocoex
import numpy as np
from threadpoolctl import ThreadpoolController

from sacma.algorithms.registry import ALGORITHMS
from sacma.coco.suites import BBOB, SUITES
from sacma.coco.writer import CocoFiles, observer_options, read_trial
from sacma.config.plan import TrialSpec, add_missing_algorithm, resolve_algorithm
from sacma.experiment.problem import BudgetedProblem, TrialEnd, optimal_value
from sacma.experiment.seeding import begin_noise, sampling
from sacma.files.printable import printable
from sacma.process_wide import contained
from sacma.store.log import log_of
from sacma.store.outcome import CPUSeconds, FailureKind, Outcome, TrialFailure, TrialStatus, failed, now
from sacma.store.provenance import Provenance, environment
from sacma.store.record import FinishedTrial, TrialRecord, finished
from sacma.store.trace import Trace, counts_of, trace_of
from sacma.types import Array

WARM_UP_DIMENSION = 2

WARM_UP_EVALUATIONS = 40  # enough for a surrogate to be fitted and used
MOST_SECONDS = 3.0  # seconds from the first evaluation of a warm-up to its last: what is expensive is met soon


def run_trial(spec: TrialSpec, scratch: Path | None = None) -> TrialRecord:
    """Run one trial and return its record; writes only to a temporary folder of its own, in ``scratch``.

    Raises whatever the algorithm raises.
    """
    started = now()
    cocoex.log_level("warning")
    with tempfile.TemporaryDirectory(prefix="sacma-", dir=scratch) as temporary:
        folder = Path(temporary) / "trial"
        options = observer_options(folder=folder, name=spec.name, triggers=spec.triggers)
        # Suite and observer stay referenced: COCO's logger reads their names until the problem is freed.
        suite, observer = suite_of(spec), cocoex.Observer(spec.suite, options)
        if SUITES[spec.suite].noisy:
            begin_noise(spec)
        observed = suite[0]
        if (observed.id_function, observed.dimension, observed.id_instance) != spec.place:
            raise RuntimeError(f"COCO's suite {spec.suite} gave {observed.id} for {spec}")
        observed.observe_with(observer)
        try:
            with contained():  # what an algorithm sets must not reach the next trial in the process
                problem, seconds = solve(spec, observed)
        finally:
            observed.free()
        if problem.evaluations == 0:
            raise ValueError(f"{spec.algorithm} made no evaluation")
        coco = read_trial(folder, spec.function, spec.dimension, problem.evaluations)
    if not math.isclose(coco.f_opt, problem.f_opt, rel_tol=1e-12, abs_tol=1e-12):  # COCO writes 12 digits
        raise RuntimeError(f"COCO's optimal value is {coco.f_opt}, not {problem.f_opt}, for {spec}")
    trace = trace_of(problem.generations, problem.f_opt)
    provenance = Provenance(environment(), printable(platform.node()), started, now())
    outcome = _outcome(spec, problem, seconds, coco, trace)
    return TrialRecord(spec, outcome, trace, coco, provenance, log_of(problem.logged))


def solve(spec: TrialSpec, observed: cocoex.Problem) -> tuple[BudgetedProblem, float]:
    """Run the trial's algorithm on an observed COCO problem; return the problem's tally and the CPU seconds.

    Raises SacmaError if the algorithm is not there in the trial's version, and whatever the algorithm raises.
    """
    problem = BudgetedProblem(spec, observed, optimal_value(spec))
    warm_up(spec)
    seconds = run_algorithm(spec, problem)
    if observed.evaluations != problem.evaluations:
        raise RuntimeError(f"COCO counted {observed.evaluations} evaluations, sacma {problem.evaluations}")
    return problem, seconds


def run_algorithm(spec: TrialSpec, problem: BudgetedProblem) -> float:
    """Run the trial's algorithm on its problem; return the CPU seconds. Raises as ``solve``."""
    resolve_algorithm(spec)
    algorithm = ALGORITHMS[spec.algorithm]
    settings = algorithm.settings.model_validate(json.loads(spec.settings))
    pools = prepare(spec.algorithm, spec.settings)
    start = time.process_time()
    try:
        with pools.limit(limits=1), contextlib.suppress(TrialEnd):  # one BLAS thread, for the same bits everywhere
            algorithm.run(problem, settings, sampling(spec))
    except Exception as error:
        error.add_note(f"after {problem.evaluations} of {spec.budget} evaluations of {spec}")
        raise
    return time.process_time() - start


@cache
def prepare(algorithm: str, settings: str) -> ThreadpoolController:
    """Prepare an algorithm, once a process, and return the thread pools of the libraries that it has loaded."""
    entry = ALGORITHMS[algorithm]
    entry.prepare(entry.settings.model_validate_json(settings))
    return ThreadpoolController()  # libraries that are loaded later would escape


def prepare_all(algorithms: Iterable[tuple[str, str]]) -> None:
    """Prepare algorithms with settings; trials will meet errors again, and report them."""
    with contextlib.suppress(Exception):
        for name, settings in algorithms:
            prepare(name, settings)


def warm_up(spec: TrialSpec) -> None:
    """Run the algorithm of a trial, with its settings, on a tiny problem, once a process.

    The random numbers are those of another place and seed. The trial will meet again what the algorithm raises; what
    ends its process, or does not end, is the trial's end as it would be later.
    """
    tiny = replace(spec, name=spec.algorithm, suite=BBOB.name, function=1, dimension=WARM_UP_DIMENSION, instance=1)
    _warm_up(replace(tiny, seed=0, budget=WARM_UP_EVALUATIONS, target=-np.inf, triggers=""))


@cache
def _warm_up(spec: TrialSpec) -> None:
    # At the border of a trial, SystemExit and GeneratorExit are failures, too.
    with contextlib.suppress(Exception, SystemExit, GeneratorExit, TrialEnd), contained():
        run_algorithm(spec, BudgetedProblem(spec, _Sphere(), 0.0, MOST_SECONDS))


class _Sphere:
    """Stands in for a COCO problem, whose state warming up must not touch."""

    lower_bounds = np.full(WARM_UP_DIMENSION, -5.0)
    upper_bounds = np.full(WARM_UP_DIMENSION, 5.0)

    def __call__(self, x: Array) -> float:
        return float(np.sum((x - 1.0) ** 2))


def attempt(spec: TrialSpec, files: Iterable[Path] = (), scratch: Path | None = None) -> FinishedTrial | TrialFailure:
    """Run one trial and return its record as bytes, or its failure.

    ``files`` with algorithms are those that the user has named, in another process perhaps.
    """
    try:
        add_missing_algorithm(spec, files)
        return finished(run_trial(spec, scratch))
    except BaseException as error:  # noqa: BLE001 the border of a trial: all is reported
        kind = FailureKind.OUT_OF_MEMORY if isinstance(error, MemoryError) else FailureKind.EXCEPTION
        lines = traceback.format_exception_only(error)  # which survives a __str__ that raises
        first_line = next((line for line in "".join(lines[:1]).splitlines() if line.strip()), type(error).__name__)
        return failed(spec, kind, first_line, traceback.format_exc())


def suite_of(spec: TrialSpec) -> cocoex.Suite:
    """Return a suite of the trial's problem alone. COCO reads its name as long as the problem is used: keep it."""
    suite = cocoex.Suite(
        spec.suite,
        f"instances: {spec.instance}",
        f"dimensions: {spec.dimension} function_indices: {SUITES[spec.suite].index(spec.function)}",
    )
    # A filter that COCO does not understand gives the whole suite.
    if len(suite) != 1:
        raise RuntimeError(f"COCO's suite {spec.suite} has no single problem for {spec}")
    return suite


def _outcome(spec: TrialSpec, problem: BudgetedProblem, seconds: float, coco: CocoFiles, trace: Trace) -> Outcome:
    at, to = tuple(problem.improved_at), tuple(problem.improved_to)
    if SUITES[spec.suite].noisy:
        at, to = coco.improvements()
    best = to[-1] if to else math.inf
    if best <= spec.target:
        status = TrialStatus.TARGET_HIT
    else:
        status = TrialStatus.STOPPED if problem.evaluations_left else TrialStatus.BUDGET_USED
    generations = problem.generations
    true_generations, model_generations, restarts, fits = counts_of(trace)
    cpu = {
        "objective": problem.objective_seconds,
        "fit": sum((g.fit_seconds for g in generations), 0.0),
        "predict": sum((g.predict_seconds for g in generations), 0.0),
        "strategy": sum((g.strategy_seconds for g in generations), 0.0),
    }
    return Outcome(
        status=status,
        evaluations=problem.evaluations,
        best_delta_f=best,
        improved_at=at,
        improved_to=to,
        true_generations=true_generations,
        model_generations=model_generations,
        restarts=restarts,
        fits=fits,
        cpu=CPUSeconds(**cpu, other=max(0.0, seconds - sum(cpu.values()))),
    )
