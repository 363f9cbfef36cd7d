"""The per-generation trace of trials as columns, small enough to keep for every trial.

Columns of a trial are plain lists in its record; the traces of an algorithm's trials make one Parquet file,
``pandas.read_parquet(...)`` away. What no analysis needs to full precision is rounded: Δf after any number of
evaluations is exact in the record's improvements.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import Trace
from sacma.strategy.generation import Generation

DIGITS = 4
"""Significant digits kept of σ, errors and Δf."""

TICK = 1e-5
"""Resolution of CPU times, in seconds."""

PLACE = {"function": "uint8", "dimension": "uint8", "instance": "uint32"}

COLUMNS = {
    "generation": "uint32",
    "restart": "uint16",
    "evaluated_by": "text",
    "population_size": "uint32",
    "true_evaluations": "uint32",
    "model_generations": "uint16",
    "error": "float32",
    "smoothed_error": "float32",
    "training_set_size": "uint32",
    "fit_status": "text",
    "likelihood_evaluations": "uint16",
    "half_evaluations": "uint16",
    "jitters": "uint8",
    "searched_from": "text",
    "sigma": "float32",
    "best_delta_f": "float32",
    "fit_seconds": "float32",
    "predict_seconds": "float32",
}
"""Columns of a trace and their types; texts are categories."""

ENCODINGS = {
    "generation": "DELTA_BINARY_PACKED",
    "true_evaluations": "DELTA_BINARY_PACKED",
    "sigma": "BYTE_STREAM_SPLIT",
}
"""Columns of which Parquet's dictionaries would be as long as the column: their steps or bytes compress better."""

COMPRESSION_LEVEL = 6
"""Of Zstandard: 19 takes ten times as long for 3 % less."""


def trace_columns(generations: Sequence[Generation], f_opt: float) -> Trace:
    """Return the trace of one trial, a column a quantity and a row a generation."""
    return {
        "generation": [g.generation for g in generations],
        "restart": [g.restart for g in generations],
        "evaluated_by": [str(g.evaluated_by) for g in generations],
        "population_size": [g.population_size for g in generations],
        "true_evaluations": [g.true_evaluations for g in generations],
        "model_generations": [g.model_generations for g in generations],
        "error": [_rounded(g.error) for g in generations],
        "smoothed_error": [_rounded(g.smoothed_error) for g in generations],
        "training_set_size": [g.training_set_size for g in generations],
        "fit_status": [str(g.fit_status) for g in generations],
        "likelihood_evaluations": [g.likelihood_evaluations for g in generations],
        "half_evaluations": [g.half_evaluations for g in generations],
        "jitters": [g.jitters for g in generations],
        "searched_from": [str(g.searched_from) for g in generations],
        "sigma": [_rounded(g.sigma) for g in generations],
        "best_delta_f": [_rounded(g.best_value - f_opt) for g in generations],
        "fit_seconds": [round(g.fit_seconds / TICK) * TICK for g in generations],
        "predict_seconds": [round(g.predict_seconds / TICK) * TICK for g in generations],
    }


def _rounded(x: float) -> float:
    return float(f"{x:.{DIGITS - 1}e}") if math.isfinite(x) else x


def write_traces(path: Path, traces: Iterable[tuple[TrialSpec, Trace]]) -> None:
    """Write the traces of many trials as one Parquet file, with the place of each trial in front.

    Raises:
        ValueError: a trace is not one.
    """
    import pyarrow as pa  # noqa: PLC0415 half as much to import as all else that a run needs
    from pyarrow import parquet  # noqa: PLC0415

    pairs = list(traces)
    lengths = [len(trace["generation"]) for _, trace in pairs]
    trial_of_row = pa.array(list(chain.from_iterable([i] * n for i, n in enumerate(lengths))), "uint32")
    columns = {}
    for position, name in enumerate(PLACE):
        places = pa.array([spec.place[position] for spec, _ in pairs], PLACE[name])
        columns[name] = places.take(trial_of_row)
    for name, kind in COLUMNS.items():
        rows = list(chain.from_iterable(trace[name] for _, trace in pairs))
        values = pa.array(rows, "string" if kind == "text" else kind)
        columns[name] = values.dictionary_encode() if kind == "text" else values
    parquet.write_table(
        pa.table(columns),
        path,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=[name for name in columns if name not in ENCODINGS],
        column_encoding=ENCODINGS,
    )
