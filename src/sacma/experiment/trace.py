"""The per-generation trace of trials as columns, small enough to keep for every trial.

Columns of a trial are plain lists in its record; the traces of an algorithm's trials make one Parquet file,
``pandas.read_parquet(...)`` away. What no analysis needs to full precision is rounded: Δf after any number of
evaluations is exact in the record's improvements.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sacma.experiment.plan import TrialSpec
from sacma.experiment.record import Trace
from sacma.strategy.generation import Generation

DIGITS = 4
"""Significant digits kept of σ, errors and Δf."""

TICK = 1e-5
"""Resolution of CPU times, in seconds."""

SMALL_INTEGERS = {
    "function": "uint8",
    "dimension": "uint8",
    "instance": "uint32",
    "generation": "uint32",
    "restart": "uint16",
    "population_size": "uint32",
    "true_evaluations": "uint32",
    "model_generations": "uint16",
    "training_set_size": "uint32",
    "likelihood_evaluations": "uint16",
    "half_evaluations": "uint16",
    "jitters": "uint8",
}


ENCODINGS = {
    "generation": "DELTA_BINARY_PACKED",
    "true_evaluations": "DELTA_BINARY_PACKED",
    "sigma": "BYTE_STREAM_SPLIT",
}
"""Columns of which Parquet's dictionaries would be as long as the column: their steps or bytes compress better."""


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


_TEXTS = ("evaluated_by", "fit_status", "searched_from")


def trace_frame(spec: TrialSpec, trace: Trace) -> pd.DataFrame:
    """Return a trial's trace as a data frame with columns function, dimension and instance in front."""
    frame = pd.DataFrame(trace)
    for position, (name, value) in enumerate(zip(("function", "dimension", "instance"), spec.place, strict=True)):
        frame.insert(position, name, value)
    narrow = {name: SMALL_INTEGERS.get(name, "float32") for name in frame.columns if name not in _TEXTS}
    return frame.astype({**narrow, **dict.fromkeys(_TEXTS, "category")})


def write_traces(path: Path, frames: Sequence[pd.DataFrame]) -> None:
    """Write the traces of many trials as one Parquet file, there wholly or not at all."""
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    # Trials know different texts: together they are categories again.
    frame = frame.astype({name: "category" for name in _TEXTS if name in frame.columns})
    temporary = path.with_name(f".{path.name}.new")
    encoded = {name: encoding for name, encoding in ENCODINGS.items() if name in frame.columns}
    frame.to_parquet(
        temporary,
        index=False,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in frame.columns if name not in encoded],
        column_encoding=encoded,
    )
    temporary.replace(path)
