"""Checks of a record: each part by itself, and the parts against each other.

A record may come from somebody else and have a right checksum, so impossible values are rejected, and trace, outcome
and COCO files that contradict each other. All checks raise DamagedRecordError.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sacma.algorithms.settings import canonical_json
from sacma.coco.ranges import LARGEST as LARGEST_INSTANCE
from sacma.coco.suites import SUITES
from sacma.coco.writer import DATA_FORMAT, SUFFIXES, CocoFiles, header_of
from sacma.config.plan import TrialSpec
from sacma.config.study import check_name
from sacma.files.printable import one_line
from sacma.files.untrusted import parse_json
from sacma.store.outcome import DamagedRecordError, Outcome, TrialStatus
from sacma.store.provenance import Environment, Provenance
from sacma.store.trace import TICK, Trace
from sacma.strategy.generation import EvaluatedBy

LONGEST_TEXT = 4096
"""Characters of a name, a version or a path."""

ROUNDING = 1e-10
"""Rounding error of Δf = f − f_opt with |f_opt| ≤ 1000."""

LEAST_DELTA_F = -1e-6
"""Lowest Δf that rounding explains."""

MOST_SECONDS = 1e9
"""CPU seconds of a trial: thirty years."""


def check_spec(spec: TrialSpec) -> None:
    """Check that the spec can be planned."""
    suite = SUITES.get(spec.suite)
    _require(suite is not None, f"there is no suite {one_line(spec.suite, 40)}")
    assert suite is not None  # noqa: S101 for the type checker
    _require(spec.function in suite.functions, f"{suite.name} has no function {spec.function}")
    _require(spec.dimension in suite.dimensions, f"{suite.name} has no dimension {spec.dimension}")
    _require(1 <= spec.instance <= LARGEST_INSTANCE, f"there is no instance {spec.instance}")
    _require(1 <= spec.budget <= 1e7 * spec.dimension, f"the budget is {spec.budget}")
    _require(0 < spec.target < math.inf, f"the target is {spec.target}")
    _require(0 <= spec.seed < 1 << 63, "the seed is out of range")
    _require(re.fullmatch(r"[1-9][0-9]{0,8}(,[1-9][0-9]{0,8}){0,20}", spec.triggers) is not None, "odd triggers")
    for text in (spec.algorithm, spec.version):
        _require(text.isprintable() and len(text) <= LONGEST_TEXT, "a name or version is not printable")
    try:
        check_name(spec.name)
        settings = parse_json(spec.settings)
        _require(isinstance(settings, dict) and canonical_json(settings) == spec.settings, "odd settings")
    except (ValueError, RecursionError) as error:
        raise DamagedRecordError(one_line(str(error), 200)) from None


def check_outcome(spec: TrialSpec, outcome: Outcome) -> None:
    """Check that a trial with this spec can have the outcome."""
    at, to = outcome.improved_at, outcome.improved_to
    _require(1 <= outcome.evaluations <= spec.budget, f"it has {outcome.evaluations} evaluations of {spec.budget}")
    _require(len(at) == len(to), "improvements lack an evaluation or a Δf")
    _require(not at or (at[0] >= 1 and at[-1] <= outcome.evaluations), "an improvement is before or after all others")
    _require(at == tuple(sorted(set(at))), "improvements are not in order")
    _require(all(map(math.isfinite, to)) and to == tuple(sorted(set(to), reverse=True)), "improvements are not such")
    _require(not to or LEAST_DELTA_F <= to[-1] <= to[0] < math.inf, "Δf is not a number, or below the optimum")
    _require(outcome.best_delta_f == (to[-1] if to else math.inf), "the best Δf is not that of the improvements")
    hit = outcome.best_delta_f <= spec.target
    _require(hit == (outcome.status == TrialStatus.TARGET_HIT), f"its status is {outcome.status}")
    used = outcome.evaluations == spec.budget
    _require(hit or used == (outcome.status == TrialStatus.BUDGET_USED), f"its status is {outcome.status}")
    counts = (outcome.true_generations, outcome.model_generations, outcome.restarts, *outcome.fits.values())
    _require(min(counts) >= 0 and max(counts) < 1 << 32, "a number of generations, restarts or fits is out of range")
    seconds = vars(outcome.cpu).values()
    _require(all(0 <= s <= MOST_SECONDS for s in seconds), "CPU seconds are out of range")


def check_trace(outcome: Outcome, trace: Trace) -> None:
    """Check the trace against the outcome."""
    rows = len(trace["generation"])
    counted = {EvaluatedBy.TRUTH.value: outcome.true_generations, EvaluatedBy.MODEL.value: outcome.model_generations}
    _require(_holds(trace["evaluated_by"], counted), "the trace has other generations than the outcome")
    unfitted = {"": rows - sum(outcome.fits.values())}
    _require(_holds(trace["fit_status"], {**outcome.fits, **unfitted}), "the trace has other fits than the outcome")
    if not rows:
        _require(outcome.restarts == 0, "there are restarts without a trace")
        return
    restarts, evaluations = trace["restart"], trace["true_evaluations"]
    _require(restarts[-1] == outcome.restarts, "the trace has other restarts than the outcome")
    _require(bool((restarts[1:] >= restarts[:-1]).all()), "restarts are not in order")
    ordered = bool((evaluations[1:] >= evaluations[:-1]).all())
    _require(ordered and evaluations[-1] <= outcome.evaluations, "the trace's evaluations are not the trial's")
    _require(_ascends(trace["generation"]), "generations are not in order")
    for name, total in (("fit_seconds", outcome.cpu.fit), ("predict_seconds", outcome.cpu.predict)):
        seconds = trace[name]
        found = float(seconds.sum(dtype=float))
        _require(bool(np.all(seconds >= 0)) and abs(found - total) <= TICK * (rows + 1) + 1e-4 * total, f"odd {name}")


def _holds(column: "np.ndarray[Any, Any]", counts: Mapping[str, int]) -> bool:
    """Return True if a text column holds these texts as often as given, and no others."""
    there = {text: int(np.count_nonzero(column == text)) for text in counts}
    return there == counts and sum(there.values()) == len(column)


_OF_VERSION = re.compile(
    r", coco_version = '[\w.+-]{1,40}', logger = '([\w-]+)', data_format = '([\w-]+)'(?:, settings = '')?", re.ASCII
)
_ENTRY = re.compile(r"(\d+):(\d+)\|[-+0-9.einfa]{1,20}", re.ASCII)
_COLUMNS = re.compile(r"% f evaluations \| [ -<>-~]{1,300}", re.ASCII)  # what has "=" is an attribute for cocopp
_ROW = re.compile(r"^(\d{1,15}) 0 (\S{1,30}) ", re.ASCII | re.MULTILINE)
_OF_NUMBERS = str.maketrans("", "", "+-.0123456789einfa \n")
"""Deletes the characters of numbers, inf and nan, and white space."""

COLUMNS_OF_VALUES = 5
"""COCO's data files: evaluations, constraints, best Δf, measured f, best measured f; the point may follow."""

STEP = 10 ** (1 / 20) * (1 + 1e-6)
"""Quotient of successive targets, which have rows in .dat, and of evaluation numbers that have rows in .tdat."""

LARGEST_LOGGED = 1e21
"""Δf beyond which COCO writes 2e21 for NaN and 3e21 for anything larger."""

FINEST_TARGET = 1e-8
"""COCO's last target."""


def check_coco(spec: TrialSpec, outcome: Outcome, coco: CocoFiles) -> None:
    """Check the COCO files against spec and outcome."""
    # cocopp believes any attribute, also where to read the data, and as what.
    begin = header_of(spec.suite, spec.function, spec.dimension, spec.name)
    rest = _OF_VERSION.fullmatch(coco.header.removeprefix(begin))
    _require(
        coco.header.startswith(begin) and rest is not None and rest.groups() == (spec.suite, DATA_FORMAT),
        "COCO's header is of another trial",
    )
    entry = _ENTRY.fullmatch(coco.entry)
    of_trial = (str(spec.instance), str(outcome.evaluations))
    _require(entry is not None and entry.group(1, 2) == of_trial, "COCO's entry is of another trial")
    _require(tuple(coco.data) == SUFFIXES, "COCO's files are not those of a trial")
    tables = {suffix: _table(text, suffix, spec.dimension) for suffix, text in coco.data.items()}
    columns = {text.partition("\n")[0] for text in coco.data.values()}
    others = [tables[suffix] for suffix in coco.data if suffix not in {"dat", "tdat"}]  # COCO is told of no restarts
    _require(len(columns) == 1 and others == [([], [])] * len(others), "COCO's files are not those of a trial")
    improved_at, best = np.array([0, *outcome.improved_at]), np.array([math.inf, *outcome.improved_to])
    for suffix in ("dat", "tdat"):
        at, to = map(np.array, tables[suffix])
        _require(len(at) > 0 and at[-1] == outcome.evaluations, f"COCO's .{suffix} file is not complete")
        _require(_ascends(at), f"the rows of COCO's .{suffix} file are not in order")
        since = improved_at.searchsorted(at, side="right") - 1
        known = best[since]
        huge = (known >= LARGEST_LOGGED) & (to >= LARGEST_LOGGED)
        with np.errstate(invalid="ignore"):
            same = (np.abs(to - known) <= 1e-8 * known + ROUNDING) | huge
        _require(bool(same.all()), f"COCO's .{suffix} file has another Δf than the outcome")
        if suffix == "tdat":
            dense = at[1:] <= STEP * (at[:-1] + 1)
        else:
            before = best[improved_at.searchsorted(at[1:] - 1, side="right") - 1]
            # What is not huge is written where it is found, and once more at the end.
            found = (improved_at[since] == at)[:-1] | huge[:-1] | SUITES[spec.suite].noisy
            _require(bool(found.all()), f"COCO's .{suffix} file has another improvement than the outcome")
            dense = (to[:-1] <= STEP * before) | (before <= FINEST_TARGET) | SUITES[spec.suite].noisy
        _require(at[0] == 1 and bool(dense.all()), f"COCO's .{suffix} file lacks rows")
    if SUITES[spec.suite].noisy:
        improvements = (outcome.improved_at, outcome.improved_to)
        _require(coco.improvements() == improvements, "COCO's files have other improvements")


def _table(text: str, suffix: str, dimension: int) -> tuple[list[float], list[float]]:
    """Return evaluation numbers and best Δf of a data file that holds nothing but numbers."""
    head, newline, rest = text.partition("\n")
    if not rest and newline and _COLUMNS.fullmatch(head):
        return [], []
    lines = rest.split("\n")
    columns = len(lines[0].split())
    sound = (
        _COLUMNS.fullmatch(head) is not None
        and rest.isascii()
        and not rest.translate(_OF_NUMBERS)
        and not lines.pop()
        and {line.count(" ") for line in lines} <= {columns - 1}
        and columns in {COLUMNS_OF_VALUES, COLUMNS_OF_VALUES + dimension}
    )
    _require(sound, f"COCO's .{suffix} file is not a data file")
    # Columns that no result depends on are checked by their characters only.
    rows = _ROW.findall(rest)
    try:
        at, to = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    except ValueError:
        raise DamagedRecordError(f"COCO's .{suffix} file holds something else than numbers") from None
    _require(len(rows) == len(lines), f"COCO's .{suffix} file has a row without a number of evaluations or Δf")
    return at, to


def _ascends(numbers: "np.ndarray[Any, Any]") -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def check_provenance(provenance: Provenance, fingerprint: str) -> None:
    """Check that the texts are printable, the times valid, and the fingerprint that of the record."""
    host = provenance.host
    printable = _is_printable(provenance.environment) and host.isprintable() and len(host) <= LONGEST_TEXT
    _require(printable, "its provenance is not printable")
    for time in (provenance.started, provenance.ended):
        _require(_TIME.fullmatch(time) is not None, "its times are not ISO 8601")
    _require(provenance.environment.fingerprint == fingerprint, "its environment has another fingerprint")


@lru_cache(maxsize=64)
def _is_printable(environment: Environment) -> bool:
    plain = (vars(environment)[name] for name in ("sacma", "revision", "python", "processor", "target", "system"))
    packages = (text for package in environment.packages for text in package)
    texts = (*plain, *packages, *environment.blas)
    return all(text.isprintable() and len(text) <= LONGEST_TEXT for text in texts)


_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", re.ASCII)


def _require(condition: bool, otherwise: str) -> None:  # noqa: FBT001 what is required
    if not condition:
        raise DamagedRecordError(otherwise)
