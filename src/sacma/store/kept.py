"""Kept outcomes: the trials of a study as one compressed table, without traces and COCO's files.

    FOLDER/outcomes.parquet

has a row for each trial: its outcome, where it ran and when. Of the improvements it keeps those that pass a level of
Δf, 200 a decade, each rounded up to its level; at given numbers of evaluations, and at the end, Δf has the seven
digits of single precision. So Δf at these budgets, and the evaluations to any target that is a level, are exact.
"""

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.atomic import atomic_file
from sacma.files.printable import one_line
from sacma.files.untrusted import parse_json, parse_json_as, read_file
from sacma.store.outcome import CPUSeconds, Outcome, TrialStatus
from sacma.store.provenance import Environment, Manifest, Provenance
from sacma.store.stored_study import StoredStudy
from sacma.types import Array

LEVELS = 200  # levels of Δf in a decade
NO_LEVEL = -(1 << 15)  # level of Δf ≤ 0
ROUNDING = 1e-9  # of a level, relative to the distance of levels
BELOW = 1.0 - 1e-12  # factor of a level: a Δf that is rounded up to a target reaches it, however the target is rounded
LARGEST, LARGEST_UNPACKED = 64 << 20, 1 << 30  # bytes of a table, as a file and in memory
Problem = tuple[str, int, int, int]  # algorithm, function, dimension, instance

COUNTS = ("evaluations", "true_generations", "model_generations", "restarts")
TEXTS = ("algorithm", "status", "fits", "environment", "day")
PLACE = ("function", "dimension", "instance")
CPU = tuple(f"{field.name}_seconds" for field in fields(CPUSeconds))

SCHEMA = pa.schema(
    [
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in TEXTS),
        *((name, pa.int32()) for name in (*PLACE, *COUNTS)),
        *((name, pa.float32()) for name in CPU),
        ("improved_after", pa.list_(pa.int32())),  # evaluations since the improvement before
        ("fallen_by", pa.list_(pa.int32())),  # levels since the improvement before; the first is below level 0
        ("improved_to", pa.list_(pa.float32())),  # Δf; null: the level
    ]
)

# Settings of kept studies that became constants of the code, and their values.
GONE: Mapping[str, object] = {
    "covariance": "matern-5/2",
    "length_start": 0.5,
    "signal_std_start": 2.0,
    "warm_start": True,
    "transfer_steepness": 2.0,
    "raises_predictions": False,
    "first": 0.05,
    "smallest": 0.04,
    "largest": 1.0,
    "error_update_rate": 0.3,
    "first_error": 0.05,
    "second_search_below": 0.1,
    "discount": 2.0,
}


@dataclass(frozen=True)
class KeptTrial:
    """A trial without its trace and files; ``day`` of its end, ISO 8601."""

    spec: TrialSpec
    outcome: Outcome
    environment: Environment
    day: str


@dataclass(frozen=True)
class KeptStudy:
    """A study and its kept trials."""

    study: StoredStudy
    trials: Sequence[KeptTrial]

    @property
    def manifest(self) -> Manifest:
        """The manifest of the trials, without hosts and times of the day."""
        of = ((Provenance(t.environment, "", t.day, t.day), t.outcome.cpu.total) for t in self.trials)
        return Manifest(self.study.name, self.study.dump(), list(of))

    def called(self, name: str) -> "KeptStudy":
        """Return study and trials under another name; seeds stay those of the old one."""
        parts = (part.model_copy(update={"name": name}) for part in self.study.parts)
        trials = [replace(trial, spec=replace(trial.spec, name=name)) for trial in self.trials]
        return KeptStudy(StoredStudy(tuple(parts)), trials)


def write_kept(path: Path, studies: Iterable[KeptStudy], looks: Callable[[int, int], Iterable[int]]) -> None:
    """Write a table; ``looks`` returns evaluation numbers of (dimension, function) at which Δf is exact."""
    kept = sorted(studies, key=lambda each: each.study.name)
    trials = [trial for each in kept for trial in sorted(each.trials, key=lambda t: (t.spec.dimension, t.spec.place))]
    columns: dict[str, list[Any]] = defaultdict(list)
    for trial in trials:
        spec, outcome = trial.spec, trial.outcome
        at, level, to = _thinned(outcome, [*looks(spec.dimension, spec.function), outcome.evaluations])
        row = {
            "algorithm": spec.name,
            "status": str(outcome.status),
            "fits": json.dumps(dict(outcome.fits)),
            "environment": json.dumps(asdict(trial.environment)),
            "day": trial.day,
            **{name: getattr(spec, name) for name in PLACE},
            **{name: getattr(outcome, name) for name in COUNTS},
            **dict(zip(CPU, astuple(outcome.cpu), strict=True)),
            "improved_after": np.diff(at, prepend=0),
            "fallen_by": -np.diff(level, prepend=0),
            "improved_to": to,
        }
        for name, value in row.items():
            columns[name].append(value)
    table = pa.table({field.name: pa.array(columns[field.name], field.type) for field in SCHEMA})
    said = {"studies": json.dumps([each.study.dump() for each in kept])}
    split = ["improved_after.list.element", "fallen_by.list.element", "improved_to.list.element"]
    with atomic_file(path) as file:
        parquet.write_table(
            table.replace_schema_metadata(said),
            file,
            compression="zstd",
            compression_level=19,
            use_dictionary=list(TEXTS),
            column_encoding=dict.fromkeys([*split, *PLACE, *COUNTS, *CPU], "BYTE_STREAM_SPLIT"),
        )


def _thinned(outcome: Outcome, looks: Iterable[int]) -> tuple[Array, Array, Sequence[float | None]]:
    """Return evaluation numbers, levels and exact values, None where the level is enough, of improvements to keep."""
    at, to = np.array(outcome.improved_at, int), np.array(outcome.improved_to)
    if not len(at):
        return at, at, []
    levels = np.full(len(to), NO_LEVEL)
    levels[to > 0] = np.ceil(LEVELS * np.log10(to[to > 0]) - ROUNDING)
    exact = np.zeros(len(at), bool)
    seen = np.searchsorted(at, list(looks), side="right") - 1
    exact[seen[seen >= 0]] = True
    keep = exact | np.append(True, levels[1:] < levels[:-1])
    values = [value if known else None for value, known in zip(to[keep].tolist(), exact[keep], strict=True)]
    return at[keep], levels[keep], values


def as_kept(outcome: Outcome, looks: Iterable[int]) -> Outcome:
    """Return an outcome as a table would hold it that is exact at some evaluation numbers alone."""
    at, level, values = _thinned(outcome, looks)
    to = _exact(level, np.array([np.nan if value is None else value for value in values], np.float32)).tolist()
    return replace(
        outcome, improved_at=tuple(at.tolist()), improved_to=tuple(to), best_delta_f=min(to, default=math.inf)
    )


def _exact(level: Array, to: Array) -> Array:
    """Return Δf, that of the level where it is NaN."""
    of_level = 10.0 ** (np.clip(level, NO_LEVEL, -NO_LEVEL) / LEVELS) * BELOW
    return np.where(np.isnan(to), of_level, to.astype(float))


def read_kept(path: Path) -> tuple[KeptStudy, ...]:
    """Return the studies of a table by name; raise SacmaError if it cannot be read, or is not such a table."""
    try:
        table = _table(read_file(path, LARGEST))
        metadata = table.schema.metadata or {}
        dumps = parse_json(metadata.get(b"studies", b""))
        studies = [StoredStudy.load(_without_gone(dump), dump[0]["name"]) for dump in dumps]
        rows = _rows(table)
    except OSError as error:
        raise SacmaError(f"{path} cannot be read: {one_line(str(error.strerror or error), 200)}") from None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, pa.ArrowException) as error:
        raise SacmaError(f"{path} is not a table of outcomes: {one_line(str(error), 200)}") from None
    found = []
    for study in sorted(studies, key=lambda study: study.name):
        of = ((spec, rows.get((spec.name, *spec.place))) for spec in study.specs())
        found.append(KeptStudy(study, [KeptTrial(spec, *row) for spec, row in of if row]))
    return tuple(found)


def _without_gone(content: Any) -> Any:
    """Return the content of a study without settings that are gone, where they have the value of today's code."""
    if isinstance(content, dict):
        return {key: _without_gone(value) for key, value in content.items() if GONE.get(key, _without_gone) != value}
    return [_without_gone(each) for each in content] if isinstance(content, list) else content


def _table(content: bytes) -> pa.Table:
    file = parquet.ParquetFile(pa.BufferReader(content))
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    if sum(max(column.total_uncompressed_size, 8 * column.num_values) for column in columns) > LARGEST_UNPACKED:
        raise ValueError("it is too large")
    table = file.read()
    if not table.schema.equals(SCHEMA):
        raise ValueError("it has other columns")
    return table.combine_chunks()


def _rows(table: pa.Table) -> dict[Problem, tuple[Outcome, Environment, str]]:
    """Return outcome, environment and day of each trial."""
    numbers = {name: table[name].to_numpy() for name in (*PLACE, *COUNTS, *CPU)}
    if not all((column >= 0).all() and np.isfinite(column).all() for column in numbers.values()):
        raise ValueError("a number is negative, or none")
    texts = {name: table[name].to_pylist() for name in TEXTS}
    environments = {text: parse_json_as(Environment, text.encode()) for text in dict.fromkeys(texts["environment"])}
    fits = {text: parse_json_as(dict[str, int], text.encode()) for text in dict.fromkeys(texts["fits"])}
    at, to = _improvements(*(table[name].combine_chunks() for name in ("improved_after", "fallen_by", "improved_to")))
    outcomes = map(
        Outcome,
        map(TrialStatus, texts["status"]),
        numbers["evaluations"].tolist(),
        (of_one[-1] if of_one else math.inf for of_one in to),
        at,
        to,
        *(numbers[name].tolist() for name in COUNTS[1:]),
        (fits[text] for text in texts["fits"]),
        map(CPUSeconds, *(numbers[name].tolist() for name in CPU)),
    )
    problems = zip(texts["algorithm"], *(numbers[name].tolist() for name in PLACE), strict=True)
    ran = (
        (environments[text], one_line(day, 40)) for text, day in zip(texts["environment"], texts["day"], strict=True)
    )
    return {problem: (outcome, *there) for problem, outcome, there in zip(problems, outcomes, ran, strict=True)}


def _improvements(
    after: pa.ListArray, by: pa.ListArray, exact: pa.ListArray
) -> tuple[list[tuple[int, ...]], list[tuple[float, ...]]]:
    """Return evaluation numbers and Δf of the improvements of each trial."""
    ends = after.offsets.to_numpy()
    if not all(np.array_equal(column.offsets.to_numpy(), ends) for column in (by, exact)):
        raise ValueError("an improvement lacks a number")
    steps, falls, to = (column.values.to_numpy(zero_copy_only=False).astype(float) for column in (after, by, exact))
    first = np.repeat(ends[:-1], np.diff(ends))
    at, level = (np.append(0, np.cumsum(column)) for column in (steps, -falls))
    at, level = at[1:] - at[first], level[1:] - level[first]
    to = _exact(level, to)
    inside = np.arange(len(to)) > first
    if not ((steps > 0).all() and np.isfinite(to).all() and (to[1:] <= to[:-1] * (1 + ROUNDING))[inside[1:]].all()):
        raise ValueError("improvements are not in order")
    slices = [slice(*pair) for pair in itertools.pairwise(ends.tolist())]
    numbers, values = at.astype(int).tolist(), to.tolist()
    return [tuple(numbers[part]) for part in slices], [tuple(values[part]) for part in slices]
