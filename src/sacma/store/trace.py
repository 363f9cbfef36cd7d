"""The per-generation trace of trials as columns, small enough to keep for every trial.

Records hold packed columns; the traces of all trials of an algorithm make one Parquet file. Values are rounded where
no analysis needs full precision: Δf after any number of evaluations is exact in the record's improvements.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import IO, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, NonNegativeInt

from sacma.config.plan import TrialSpec
from sacma.files.untrusted import check_plain, parse_json_as
from sacma.strategy.generation import Generation

DIGITS = 4
"""Significant digits of σ, errors and Δf."""

TICK = 1e-5
"""Resolution of CPU times, in seconds."""

PLACE = {"function": "uint8", "dimension": "uint8", "instance": "uint32"}
"""Columns of a trial's place and their types; dimensions beyond 255 take a wider one."""

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
"""Parquet encodings of columns with so many values that dictionaries are no gain."""

COMPRESSION_LEVEL = 6
"""Zstandard's: 19 takes ten times as long for 3 % less."""

Trace = Mapping[str, "np.ndarray[Any, Any]"]
"""Columns of a trace by name, each an array with one entry per generation."""

_ENTRIES = attrgetter(*(name if name != "best_delta_f" else "best_value" for name in COLUMNS))
"""Returns the values of a generation for the columns."""


def trace_columns(generations: Sequence[Generation], f_opt: float) -> Trace:
    """Return the trace of a trial; with noise, Δf is that of measured values."""
    rows = map(_ENTRIES, generations)
    columns: dict[str, Sequence[Any]] = dict.fromkeys(COLUMNS, ())
    columns |= zip(COLUMNS, zip(*rows, strict=True), strict=False)
    columns["best_delta_f"] = [value - f_opt for value in columns["best_delta_f"]]
    rounded = {
        name: np.round(np.array(column) / TICK) * TICK if name.endswith("_seconds") else _significant(column)
        for name, column in columns.items()
        if COLUMNS[name] == "float32"
    }
    return {
        name: np.array(rounded.get(name, column), _DTYPES.get(COLUMNS[name], str)) for name, column in columns.items()
    }


_DTYPES = {kind: np.dtype(kind).newbyteorder("<") for kind in set(COLUMNS.values()) - {"text"}}

_ROW = np.dtype([(name, _DTYPES.get(kind, np.dtype("u1"))) for name, kind in COLUMNS.items()])
"""A row of a packed trace; texts are indices of their categories."""

MOST_CATEGORIES, LONGEST_CATEGORY = 255, 80
"""Different texts of a column, and characters of each."""


def _printable(text: str) -> str:
    check_plain(text)
    return text


_Category = Annotated[str, Field(max_length=LONGEST_CATEGORY), AfterValidator(_printable)]


@dataclass(frozen=True)
class _TraceHead:
    """The first line of a packed trace: number of rows, categories of the text columns."""

    rows: NonNegativeInt
    texts: dict[str, Annotated[list[_Category], Field(max_length=MOST_CATEGORIES)]]


def _significant(numbers: Sequence[float]) -> "np.ndarray[Any, Any]":
    """Round to ``DIGITS`` significant digits, except where the result would not be finite."""
    x = np.array(numbers, float)
    with np.errstate(all="ignore"):
        tick = 10.0 ** (np.floor(np.log10(np.abs(x))) - (DIGITS - 1))
        rounded = np.round(x / tick) * tick
        limited: np.ndarray[Any, Any] = np.where(np.isfinite(rounded), rounded, x).astype("float32")
    return limited


def pack_trace(trace: Trace) -> bytes:
    """Return a trace as a line of JSON and the columns, bytes of the same rank together: this compresses well."""
    texts: dict[str, list[str]] = {}
    packed = []
    for name, kind in COLUMNS.items():
        column = trace[name]
        if kind == "text":
            categories, column = np.unique(column, return_inverse=True)
            texts[name] = categories.tolist()
            column = column.astype("u1")
        packed.append(np.ascontiguousarray(column).view("u1").reshape(len(column), column.itemsize).T.tobytes())
    return _head_json(len(trace["generation"]), texts) + b"\n" + b"".join(packed)


def _head_json(rows: int, texts: Mapping[str, Sequence[str]]) -> bytes:
    return json.dumps({"rows": rows, "texts": texts}, separators=(",", ":")).encode()


def unpack_trace(content: bytes) -> Trace:
    """Return the trace that ``pack_trace`` packed; raise ValueError for anything else."""
    line, _, packed = content.partition(b"\n")
    head = parse_json_as(_TraceHead, line)
    rows, texts = head.rows, head.texts
    if list(texts) != [name for name, kind in COLUMNS.items() if kind == "text"] or _head_json(rows, texts) != line:
        raise ValueError("its head holds more than rows and texts, or in another form")
    if len(packed) != rows * _ROW.itemsize:
        raise ValueError(f"it has {len(packed)} bytes in {rows} rows")
    planes = np.frombuffer(packed, "u1").reshape(_ROW.itemsize, rows)
    table = np.ascontiguousarray(planes.T).view(_ROW)[:, 0]
    trace = {name: table[name] for name in COLUMNS}
    for name in texts:
        if rows and trace[name].max() >= len(texts[name]):
            raise ValueError(f"{name} has an index beyond its texts")
        trace[name] = np.array(texts[name] or [""], str)[trace[name]]
    return trace


def write_traces(file: Path | IO[bytes], traces: Iterable[tuple[TrialSpec, Trace]]) -> None:
    """Write the traces of many trials as one Parquet file, with columns for the trials' places."""
    import pyarrow as pa  # noqa: PLC0415 slow to import
    from pyarrow import parquet  # noqa: PLC0415

    pairs = list(traces)
    rows = [len(trace["generation"]) for _, trace in pairs]

    def column(values: "np.ndarray[Any, Any]") -> Any:  # pa.array would import pandas
        kind = pa.from_numpy_dtype(values.dtype)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])

    def texts(values: Sequence[str]) -> Any:
        encoded = [value.encode() for value in values]
        ends = np.cumsum([0, *map(len, encoded)], dtype="int32")
        return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))

    columns = {}
    for position, (name, kind) in enumerate(PLACE.items()):
        values = [spec.place[position] for spec, _ in pairs]
        fitting = np.promote_types(kind, np.min_scalar_type(max(values, default=0)))
        columns[name] = column(np.repeat(np.array(values, fitting), rows))
    for name, kind in COLUMNS.items():
        parts = [trace[name] for _, trace in pairs]
        if kind == "text":
            categories = sorted({text for part in parts for text in set(part.tolist())})
            codes = np.searchsorted(np.array(categories, str), np.concatenate([np.array([], str), *parts]))
            columns[name] = pa.DictionaryArray.from_arrays(
                column(codes.astype(np.min_scalar_type(-max(1, len(categories))))), texts(categories)
            )
        else:
            columns[name] = column(np.concatenate([np.array([], kind), *parts]))
    parquet.write_table(
        pa.table(columns),
        file,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=[name for name in columns if name not in ENCODINGS],
        column_encoding=ENCODINGS,
    )
