"""Earlier trials: those of the same algorithms under other protocols that a results folder holds as well."""

from collections.abc import Iterator, Sequence
from itertools import islice

from sacma.config.plan import TrialSpec
from sacma.files.untrusted import read_file
from sacma.store.outcome import DamagedRecordError, Outcome
from sacma.store.record import decode
from sacma.store.store import Store

MOST_RECORDS = 50
"""Of an algorithm in a dimension, that are looked at: they tell the cost of an evaluation well enough."""


def earlier_trials(store: Store, specs: Sequence[TrialSpec]) -> Iterator[tuple[TrialSpec, Outcome]]:
    """Yield finished trials with the algorithms, settings and versions of ``specs``, but none of these trials.

    Args:
        store: the results.
        specs: trials; those of a name and a dimension have one algorithm.
    """
    planned = {store.path_of(spec) for spec in specs}
    for wanted in {(spec.name, spec.dimension): spec for spec in specs}.values():
        folder = store.path_of(wanted).parent
        # A study was replaced by one with another budget, seed or target: its records stay.
        paths = (p for p in sorted(folder.glob(f"f*-d{wanted.dimension:02d}-*.record")) if p not in planned)
        for path in islice(paths, MOST_RECORDS):
            try:
                record = decode(read_file(path))
            except (OSError, DamagedRecordError):  # nobody has asked for this trial
                continue
            if _kind(record.spec) == _kind(wanted) and store.path_of(record.spec) == path:
                yield record.spec, record.outcome


def _kind(spec: TrialSpec) -> tuple[str | int, ...]:
    return spec.suite, spec.name, spec.algorithm, spec.settings, spec.version, spec.dimension
