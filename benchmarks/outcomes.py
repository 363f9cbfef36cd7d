"""Outcomes of a study's trials in a few small files, from which its figures are found again without running it.

Run as ``python -m benchmarks.outcomes RESULTS FOLDER``: it writes

    FOLDER/studies/NAME.json           the study of each algorithm, as in RESULTS
    FOLDER/N-D-instance-I.parquet      a row for each trial of dimension N and instance I: its outcome, where it ran
                                       and when

of all trials that RESULTS has. Those that FOLDER has of other problems stay there: a study may come from several
folders of results, one after the other. Traces and COCO's files are left out, and Δf has the seven digits of single
precision.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from benchmarks.common import ROOT, end, parsed
from sacma.analysis.comparison import Comparison, Covered, compare
from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.store.completeness import Completeness, completeness_of_studies
from sacma.store.outcome import CPUSeconds, Outcome, TrialStatus
from sacma.store.record import RecordHead, TrialRecord
from sacma.store.store import Damage, Store

Row = Mapping[str, Any]
Place = tuple[str, int]  # algorithm, function

CPU = [f"{field.name}_seconds" for field in fields(CPUSeconds)]
COUNTS = ["evaluations", "true_generations", "model_generations", "restarts"]
TEXTS = ["algorithm", "status", "fits", "environment", "day"]  # fits and environment as JSON
NUMBERS = ["function", "instance", *COUNTS]
SCHEMA = pa.schema(
    [
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in TEXTS),
        *((name, pa.int32()) for name in NUMBERS),
        *((name, pa.float32()) for name in CPU),
        ("improved_at", pa.list_(pa.int32())),
        ("improved_to", pa.list_(pa.float32())),
    ]
)


def main() -> None:
    """Write the files, and say how many trials there are in each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("folder", type=Path)
    given = parsed(parser, {})
    for path in keep(Store(given.results), Store(given.folder)):
        print(f"{path}: {parquet.read_metadata(path).num_rows:,} trials, {path.stat().st_size / 1e6:.1f} MB")


def keep(results: Store, kept: Store) -> Iterator[Path]:
    """Write the outcomes of the trials of ``results`` beside those that are kept, and yield the files."""
    studies, specs = results.studies(), defaultdict(list)
    for study in studies:  # before anything is written
        known = kept.study(study.name)
        if known is not None and not all(map(known.mixes_with, study.parts)):
            end(f"{kept.root} has another study of {study.name}; give another folder")
    for study in studies:
        for part in study.parts:
            kept.register(_without_folder(part))
        for spec in study.specs():
            specs[spec.dimension, spec.instance].append(spec)
    for (D, instance), theirs in sorted(specs.items()):
        records = (found for found in results.records(theirs) if not isinstance(found, Damage))
        path = _path(kept.root, D, instance)
        rows = _by_place([*_rows(path), *map(_row, records)])
        if not rows:
            continue
        parquet.write_table(
            pa.Table.from_pylist([rows[place] for place in sorted(rows)], SCHEMA),
            path,
            compression="zstd",
            compression_level=19,
            use_dictionary=[*TEXTS, *NUMBERS],
            column_encoding={"improved_to.list.element": "BYTE_STREAM_SPLIT"},
        )
        yield path


def _without_folder(study: Study) -> Study:
    """Return the study with the path of its algorithm's file from the repository's root, or only the file's name.

    Where a clone lay on one machine helps nobody; the version, a hash of the file, stays.
    """
    if study.origin is None or not study.origin.is_file:
        return study
    path = Path(study.origin.source)
    source = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return study.model_copy(update={"origin": replace(study.origin, source=source)})


def _row(record: TrialRecord) -> Row:
    outcome = record.outcome
    return {
        "algorithm": record.spec.name,
        "function": record.spec.function,
        "instance": record.spec.instance,
        "status": str(outcome.status),
        "fits": json.dumps(dict(outcome.fits)),
        "environment": json.dumps(asdict(record.provenance.environment)),
        "day": record.provenance.ended[: len("2000-01-01")],
        **{name: getattr(outcome, name) for name in COUNTS},
        **dict(zip(CPU, astuple(outcome.cpu), strict=True)),
        "improved_at": outcome.improved_at,
        "improved_to": outcome.improved_to,
    }


def comparison_of(folder: Path) -> Comparison:
    """Return the comparison of the algorithms of a folder of results, or of their outcomes where these were kept."""
    return compare(covered_in(folder))


def covered_in(folder: Path, *, needed: bool = True) -> Sequence[Covered]:
    """Return the studies of a folder of results or of outcomes, each with what is there; ``needed``: at least one."""
    store = Store(folder)
    if not any(folder.glob("*.parquet")):
        return list(completeness_of_studies(store, needed=needed))
    studies = store.studies()
    files = {(spec.dimension, spec.instance) for study in studies for spec in study.specs()}
    outcomes = {(D, instance): _by_place(_rows(_path(folder, D, instance))) for D, instance in files}
    return [(study, _completeness(study.specs(), outcomes)) for study in studies]


def _path(folder: Path, dimension: int, instance: int) -> Path:
    return folder / f"{dimension}-D-instance-{instance}.parquet"


def _rows(path: Path) -> list[Row]:
    """Return the rows of a file, none where there is no file."""
    return parquet.read_table(path).to_pylist() if path.exists() else []


def _by_place(rows: Iterable[Row]) -> dict[Place, Row]:
    """Return rows of a file by algorithm and function, of several the last."""
    return {(row["algorithm"], row["function"]): row for row in rows}


def _completeness(specs: Sequence[TrialSpec], outcomes: Mapping[tuple[int, int], Mapping[Place, Row]]) -> Completeness:
    found = ((spec, outcomes[spec.dimension, spec.instance].get((spec.name, spec.function))) for spec in specs)
    return Completeness(tuple(specs), {spec.key: _head(spec, row) for spec, row in found if row}, {}, ())


def _head(spec: TrialSpec, row: Row) -> RecordHead:
    outcome = Outcome(
        status=TrialStatus(row["status"]),
        best_delta_f=row["improved_to"][-1],
        improved_at=tuple(row["improved_at"]),
        improved_to=tuple(row["improved_to"]),
        fits=json.loads(row["fits"]),
        cpu=CPUSeconds(*(row[name] for name in CPU)),
        **{name: row[name] for name in COUNTS},
    )
    return RecordHead(spec, outcome, row["environment"])


if __name__ == "__main__":
    main()
