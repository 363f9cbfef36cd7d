"""The per-generation trace of trials: a table small enough to keep for every trial.

Records hold the packed table; the traces of all trials of an algorithm make one Parquet file. Values are rounded where
no analysis needs full precision: Δf after any number of evaluations is exact in the record's improvements.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import numpy as np

from sacma.config.plan import TrialSpec
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.types import Array

DIGITS = 4  # significant digits of σ, errors and Δf
TICK = 1e-5  # resolution of CPU times, in seconds

# Columns of a trial's place and their types; dimensions beyond 255 take a wider one.
PLACE = {"function": "uint8", "dimension": "uint8", "instance": "uint32"}

# Columns of a trace and their types.
COLUMNS = {
    "generation": "<u4",
    "restart": "<u2",
    "evaluated_by": "<U5",
    "population_size": "<u4",
    "true_evaluations": "<u4",
    "model_generations": "<u2",
    "error": "<f4",
    "smoothed_error": "<f4",
    "training_set_size": "<u4",
    "fit_status": "<U20",
    "likelihood_evaluations": "<u2",
    "half_evaluations": "<u2",
    "jitters": "<u1",
    "searched_from": "<U20",
    "sigma": "<f4",
    "axis_ratio": "<f4",
    "best_delta_f": "<f4",
    "fit_seconds": "<f4",
    "predict_seconds": "<f4",
}

ROW = np.dtype(list(COLUMNS.items()))  # a row of a trace

TEXTS = tuple(name for name, kind in COLUMNS.items() if "U" in kind)

# Parquet encodings of columns with so many values that dictionaries are no gain.
ENCODINGS = {
    "generation": "DELTA_BINARY_PACKED",
    "true_evaluations": "DELTA_BINARY_PACKED",
    "sigma": "BYTE_STREAM_SPLIT",
}

COMPRESSION_LEVEL = 6  # Zstandard's: 19 takes ten times as long for 3 % less
Trace = np.ndarray[Any, np.dtype[np.void]]  # a trace: an array of ``ROW``, one for each generation

# Returns the values of a generation for the columns.
_ENTRIES = attrgetter(*(name if name != "best_delta_f" else "best_value" for name in COLUMNS))


def trace_of(generations: Sequence[Generation], f_opt: float) -> Trace:
    """Return the trace of a trial; with noise, its Δf is of measured values."""
    trace: Trace = np.zeros(len(generations), ROW)
    columns = dict(zip(COLUMNS, zip(*map(_ENTRIES, generations), strict=True), strict=False))
    for name, column in columns.items():
        if COLUMNS[name] != "<f4":
            trace[name] = column
        elif name.endswith("_seconds"):
            trace[name] = np.round(np.array(column) / TICK) * TICK
        elif name == "best_delta_f":
            trace[name] = _significant(np.array(column) - f_opt)
        else:
            trace[name] = _significant(np.array(column))
    return trace


def _significant(x: Array) -> "np.ndarray[Any, Any]":
    """Round to ``DIGITS`` significant digits, except where the result would not be finite."""
    with np.errstate(all="ignore"):
        tick = 10.0 ** (np.floor(np.log10(np.abs(x))) - (DIGITS - 1))
        rounded = np.round(x / tick) * tick
        limited: np.ndarray[Any, Any] = np.where(np.isfinite(rounded), rounded, x).astype("float32")
    return limited


def counts_of(trace: Trace) -> tuple[int, int, int, Mapping[str, int]]:
    """Return the numbers of true and model-evaluated generations, of restarts, and of fits by status."""
    by_model = int(np.count_nonzero(trace["evaluated_by"] == EvaluatedBy.MODEL.value))
    fits = Counter(status for status in trace["fit_status"].tolist() if status)
    return len(trace) - by_model, by_model, int(trace["restart"][-1]) if len(trace) else 0, dict(fits)


def pack_trace(trace: Trace) -> bytes:
    """Return the bytes of a trace, first bytes of all rows first: this compresses well."""
    return trace.view("u1").reshape(len(trace), ROW.itemsize).T.tobytes()


def unpack_trace(content: bytes) -> Trace:
    """Return the trace that ``pack_trace`` packed; raise ValueError for anything else."""
    planes = np.frombuffer(content, "u1").reshape(ROW.itemsize, -1)
    trace: Trace = np.ascontiguousarray(planes.T).view(ROW)[:, 0]
    for name in TEXTS:
        trace[name].tolist()  # raises ValueError for invalid characters
    return trace


def write_traces(file: Path | IO[bytes], traces: Iterable[tuple[TrialSpec, Trace]]) -> None:
    """Write the traces of many trials as one Parquet file, with columns for the trials' places."""
    import pyarrow as pa  # noqa: PLC0415 slow to import
    from pyarrow import parquet  # noqa: PLC0415

    pairs = list(traces)
    rows = [len(trace) for _, trace in pairs]
    table = np.concatenate([np.zeros(0, ROW), *(trace for _, trace in pairs)])

    def column(values: "np.ndarray[Any, Any]") -> Any:  # pa.array would import pandas
        kind = pa.from_numpy_dtype(values.dtype)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])

    def categories(values: "np.ndarray[Any, Any]") -> Any:
        texts, codes = np.unique(values, return_inverse=True)
        encoded = [text.encode() for text in texts.tolist()]
        ends = np.cumsum([0, *map(len, encoded)], dtype="int32")
        there = pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
        return pa.DictionaryArray.from_arrays(column(codes.astype(np.min_scalar_type(-max(1, len(encoded))))), there)

    columns = {}
    for position, (name, kind) in enumerate(PLACE.items()):
        values = [spec.place[position] for spec, _ in pairs]
        fitting = np.promote_types(kind, np.min_scalar_type(max(values, default=0)))
        columns[name] = column(np.repeat(np.array(values, fitting), rows))
    for name in COLUMNS:
        columns[name] = categories(table[name]) if name in TEXTS else column(table[name])
    parquet.write_table(
        pa.table(columns),
        file,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=[name for name in columns if name not in ENCODINGS],
        column_encoding=ENCODINGS,
    )
