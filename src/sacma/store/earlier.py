"""Earlier trials of the same algorithms under other protocols, in the same results folder."""

from collections.abc import Iterator, Sequence
from itertools import islice

from sacma.config.plan import TrialSpec
from sacma.files.untrusted import read_file
from sacma.store.outcome import DamagedRecordError, Outcome
from sacma.store.record import decode
from sacma.store.store import Store

MOST_RECORDS = 50
"""Records read for each algorithm and dimension: enough to know the cost of an evaluation."""


def earlier_trials(store: Store, specs: Sequence[TrialSpec]) -> Iterator[tuple[TrialSpec, Outcome]]:
    """Yield finished trials with the algorithms, settings and versions of ``specs`` that are not among ``specs``."""
    planned = {store.path_of(spec) for spec in specs}
    for wanted in {(spec.name, spec.dimension): spec for spec in specs}.values():
        folder = store.path_of(wanted).parent
        # Records stay when their study is replaced by one with another budget, seed or target.
        paths = (p for p in sorted(folder.glob(f"f*-d{wanted.dimension:02d}-*.record")) if p not in planned)
        for path in islice(paths, MOST_RECORDS):
            try:
                record = decode(read_file(path))
            except (OSError, DamagedRecordError):  # this trial is not part of the study
                continue
            if _kind(record.spec) == _kind(wanted) and store.path_of(record.spec) == path:
                yield record.spec, record.outcome


def _kind(spec: TrialSpec) -> tuple[str | int, ...]:
    return spec.suite, spec.name, spec.algorithm, spec.settings, spec.version, spec.dimension
