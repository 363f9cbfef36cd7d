"""Checks of a record beyond its schema: outcome, trace and COCO files must be those of one trial.

A record may come from somebody else and have a right checksum. All checks raise ValueErrors of one line.
"""

import math
import re
from operator import gt, lt

import numpy as np

from sacma.algorithms.settings import canonical_json
from sacma.coco.ranges import LARGEST as LARGEST_INSTANCE
from sacma.coco.suites import SUITES
from sacma.coco.writer import DATA_FORMAT, SUFFIXES, CocoFiles, header_of
from sacma.config.plan import TrialSpec
from sacma.config.study import check_name
from sacma.files.untrusted import check_plain, parse_json
from sacma.store.outcome import Outcome, TrialStatus
from sacma.store.provenance import Provenance
from sacma.store.trace import TEXTS, Trace, counts_of
from sacma.types import Array

ROUNDING = 1e-10
"""Rounding error of Δf = f − f_opt with |f_opt| ≤ 1000."""

LEAST_DELTA_F = -1e-6
"""Lowest Δf that rounding explains."""

LARGEST_LOGGED = 1e21
"""Δf beyond which COCO writes 2e21 for NaN and 3e21 for anything larger."""


def check_spec(spec: TrialSpec) -> None:
    """Check that the spec can be planned."""
    suite = SUITES.get(spec.suite)
    check_name(spec.name)
    check_plain([spec.algorithm, spec.version, spec.suite])
    settings = parse_json(spec.settings)
    _require(
        suite is not None
        and spec.function in suite.functions
        and spec.dimension in suite.dimensions
        and 1 <= spec.instance <= LARGEST_INSTANCE
        and 1 <= spec.budget <= 1e7 * spec.dimension
        and 0 < spec.target < np.inf
        and 0 <= spec.seed < 1 << 63
        and re.fullmatch(r"[1-9][0-9]{0,8}(,[1-9][0-9]{0,8}){0,20}", spec.triggers) is not None
        and isinstance(settings, dict)
        and canonical_json(settings) == spec.settings,
        "no study has it",
    )


def check_outcome(spec: TrialSpec, outcome: Outcome) -> None:
    """Check that a trial with this spec can have the outcome."""
    at, to, best = outcome.improved_at, outcome.improved_to, outcome.best_delta_f
    _require(outcome.evaluations <= spec.budget, f"it has {outcome.evaluations} evaluations of {spec.budget}")
    _require(len(at) == len(to), "improvements lack an evaluation or a Δf")
    if at:
        _require(at[0] >= 1 and at[-1] <= outcome.evaluations, "an improvement is before or after all evaluations")
        _require(LEAST_DELTA_F <= to[-1] <= to[0] < math.inf, "Δf is no number, or below the optimum")
    _require(all(map(lt, at, at[1:])) and all(map(gt, to, to[1:])), "improvements are not in order")
    _require(best == (to[-1] if to else np.inf), "the best Δf is not that of the improvements")
    unhit = TrialStatus.BUDGET_USED if outcome.evaluations == spec.budget else TrialStatus.STOPPED
    status = TrialStatus.TARGET_HIT if best <= spec.target else unhit
    _require(outcome.status == status, f"its status is {outcome.status}")


def check_trace(outcome: Outcome, trace: Trace) -> None:
    """Check the trace against the outcome."""
    counted = outcome.true_generations, outcome.model_generations, outcome.restarts, outcome.fits
    _require(counts_of(trace) == counted, "the trace has other generations, restarts or fits than the outcome")
    check_plain([text for name in TEXTS for text in np.unique(trace[name]).tolist()])


_OF_VERSION = re.compile(
    r", coco_version = '[\w.+-]{1,40}', logger = '([\w-]+)', data_format = '([\w-]+)'(?:, settings = '')?", re.ASCII
)
_ENTRY = re.compile(r"(\d+):(\d+)\|[-+0-9.einfa]{1,20}", re.ASCII)
_COLUMNS = re.compile(r"% f evaluations \| [ -<>-~]{1,300}", re.ASCII)  # what has "=" is an attribute for cocopp
_ROW = re.compile(r"(\d{1,15}) 0 ([-+0-9.einfa]{1,30})((?: [-+0-9.einfa]{1,30}){2,})", re.ASCII)


def check_coco(spec: TrialSpec, outcome: Outcome, coco: CocoFiles) -> None:
    """Check the COCO files against spec and outcome."""
    # cocopp believes any attribute, also where to read the data, and as what.
    begin = header_of(spec.suite, spec.function, spec.dimension, spec.name)
    rest = _OF_VERSION.fullmatch(coco.header.removeprefix(begin))
    ours = coco.header.startswith(begin) and rest is not None and rest.groups() == (spec.suite, DATA_FORMAT)
    _require(ours, "COCO's header is of another trial")
    entry = _ENTRY.fullmatch(coco.entry)
    of_trial = (str(spec.instance), str(outcome.evaluations))
    _require(entry is not None and entry.group(1, 2) == of_trial, "COCO's entry is of another trial")
    heads = {text.partition("\n")[0] for text in coco.data.values()}
    _require(
        tuple(coco.data) == SUFFIXES and len(heads) == 1 and _COLUMNS.fullmatch(*heads) is not None,
        "COCO's files are not those of a trial",
    )
    improved_at, best = np.array([0, *outcome.improved_at]), np.array([np.inf, *outcome.improved_to])
    for suffix, text in coco.data.items():
        at, to = _table(text, suffix)
        if suffix not in {"dat", "tdat"}:  # COCO is told of no restarts
            _require(not len(at), f"COCO's .{suffix} file has rows")
            continue
        complete = len(at) and at[0] == 1 and at[-1] == outcome.evaluations and (np.diff(at) > 0).all()
        _require(bool(complete), f"COCO's .{suffix} file is not complete")
        known = best[improved_at.searchsorted(at, side="right") - 1]
        same = np.isclose(to, known, rtol=1e-8, atol=ROUNDING) & np.isfinite(known)
        same |= (known >= LARGEST_LOGGED) & (to >= LARGEST_LOGGED)
        _require(bool(same.all()), f"COCO's .{suffix} file has another Δf than the outcome")


def _table(text: str, suffix: str) -> tuple[Array, Array]:
    """Return evaluation numbers and best Δf of a data file that holds nothing but numbers."""
    lines = text.split("\n")[1:]
    rows = [_ROW.fullmatch(line) for line in lines[:-1]]
    _require(lines[-1:] == [""] and all(rows), f"COCO's .{suffix} file is not a data file")
    found = np.array([row.group(1, 2) for row in rows if row]).reshape(-1, 2)
    _require(len({row[3].count(" ") for row in rows if row}) <= 1, f"COCO's .{suffix} file has odd rows")
    return found[:, 0].astype(float), found[:, 1].astype(float)


def check_provenance(provenance: Provenance, fingerprint: str) -> None:
    """Check that its texts are printable, and the fingerprint that of the record."""
    check_plain([provenance.host, provenance.started, provenance.ended, provenance.environment.content])
    _require(provenance.environment.fingerprint == fingerprint, "its environment has another fingerprint")


def _require(condition: bool, otherwise: str) -> None:  # noqa: FBT001 what is required
    if not condition:
        raise ValueError(otherwise)
