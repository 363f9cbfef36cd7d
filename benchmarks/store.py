"""Cost of the results folder: planning 100,000 trials, reading 11,000 records, merging 1,800 trials.

Records are those of one real trial a dimension, of 250 D evaluations, written again under other places. The disk's
cache is warm. CPU seconds and wall-clock seconds.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.report import CONFIGS, ROOT, config_paths, parsed, print_table, write
from benchmarks.studies import moved
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.store.completeness import completeness_of, to_run
from sacma.store.record import TrialRecord, finished
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy

Result = TypeVar("Result")


def main() -> None:
    """Measure, print the table and write ``out/store.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    options = parsed(parser, functions="1", dimensions="2")
    protocol = {"functions": options.functions, "dimensions": options.dimensions}
    folder = Path(tempfile.mkdtemp(prefix="sacma-store-"))
    try:
        rows = measure(Store(folder), protocol)
    finally:
        shutil.rmtree(folder)
    print_table(rows)
    write("store", protocol, figures=rows)


def measure(store: Store, protocol: dict[str, str]) -> list[dict[str, object]]:
    """Return a row for each of the figures."""
    rows: list[dict[str, object]] = []

    def timed(what: str, bound: float | str, function: Callable[[], Result]) -> Result:
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        rows.append(
            {
                "what": what,
                "seconds": time.perf_counter() - wall,
                "CPU seconds": time.process_time() - cpu,
                "bound": bound,
            }
        )
        return result

    many = [load_study(path, {**protocol, "instances": "1-140"}) for path in config_paths(CONFIGS)]
    timed("planning 100,800 trials, none there", 2, lambda: to_run(completeness_of(store, plan(many))))

    studies = [load_study(path, protocol) for path in config_paths(CONFIGS[:5])]
    studies.append(load_study(config_paths(CONFIGS)[5], {**protocol, "instances": "1-5,41-52"}))
    specs = plan(studies)
    store.prepare()
    patterns: dict[int, TrialRecord] = {}
    for spec in specs:
        if spec.dimension not in patterns:
            patterns[spec.dimension] = run_trial(pattern(spec.dimension))
        store.commit(finished(moved(patterns[spec.dimension], spec)))
    size = sum(path.stat().st_size for path in store.root.rglob("*.record"))
    print(f"{len(specs)} records, {size / 1e6:.0f} MB")
    timed("reading 11,040 records", 2, lambda: completeness_of(store, specs))
    timed("planning 100,800 trials, 10,800 there", "", lambda: to_run(completeness_of(store, plan(many))))
    one = StoredStudy((studies[4],))
    timed("merging 1,800 trials: COCO files, traces, manifest", 2, lambda: store.derive(one))
    print(f"traces: {store.trace_file(one.name).stat().st_size / 1e6:.1f} MB")
    return rows


def pattern(dimension: int) -> TrialSpec:
    """Return the trial whose record stands for all of its dimension."""
    (spec,) = plan(
        [
            load_study(
                ROOT.parent / "configs" / "ada_kendall.yaml", {"functions": 8, "dimensions": dimension, "instances": 1}
            )
        ]
    )
    return spec


if __name__ == "__main__":
    main()
