"""Cost of `sacma postprocess` for the whole study, but for cocopp: time, memory, and the size of the report.

Of a results folder that is given; without one, of 10,800 records, each of a real trial of its algorithm and dimension
on one of a few functions, taken at random and written again under another place. Memory is that of all its processes
together, looked at ten times a second: what they share is counted in each.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import config_paths, parsed, print_table, write
from benchmarks.studies import moved
from sacma.config.plan import plan_study
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.store.record import TrialRecord, finished
from sacma.store.store import Store

FUNCTIONS = (1, 8, 15, 21)


def main() -> None:
    """Measure, print the table and write ``out/postprocessing.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--keep", type=Path, help="make the records there, and keep them")
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--instances", default="1-5,41-50")
    options = parsed(parser, functions="1", dimensions="2", instances="1-2")
    protocol = {"functions": options.functions, "dimensions": options.dimensions, "instances": options.instances}
    with tempfile.TemporaryDirectory(prefix="sacma-postprocessing-") as temporary:
        results = options.results or options.keep or Path(temporary)
        if options.results is None:
            make_records(Store(results), protocol)
        rows = measure(results)
    print_table(rows)
    write("postprocessing", {"results": "given" if options.results else "made of 120 trials"}, figures=rows)


def make_records(store: Store, protocol: dict[str, str]) -> None:
    """Write the records of the whole study, or a part."""
    rng = np.random.default_rng(1)
    store.prepare()
    for path in config_paths():
        study = load_study(path, protocol)
        patterns: dict[tuple[int, int], TrialRecord] = {}
        for spec in plan_study(study):
            kind = int(rng.choice(FUNCTIONS)), spec.dimension
            if kind not in patterns:
                patterns[kind] = run_trial(replace(spec, function=kind[0], instance=1))
            store.commit(finished(moved(patterns[kind], spec)))
        store.register(study)


def measure(results: Path) -> list[dict[str, object]]:
    """Return a row for each figure."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "sacma", "postprocess", str(results), "--no-pages"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    largest = 0.0
    while process.poll() is None:
        largest = max(largest, _memory(process.pid))
        time.sleep(0.1)
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(process.returncode)
    report = results / "report"
    size = (report / "index.html").stat().st_size
    return [
        {"what": "sacma postprocess --no-pages, seconds", "figure": seconds, "bound": 60},
        {"what": "memory of all its processes, GiB", "figure": largest, "bound": 2},
        {"what": "report/index.html, MB", "figure": size / 1e6, "bound": 8},
        {"what": "figures", "figure": len(list((report / "figures").glob("*.svg"))), "bound": ""},
    ]


def _memory(pid: int) -> float:
    """Return the resident memory of a process and those below it, in GiB."""
    total = 0
    for process in [pid, *_below(pid)]:
        try:
            pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        total += pages * 4096
    return total / 2**30


def _below(pid: int) -> list[int]:
    try:
        children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in _children(task)]
    except OSError:
        return []
    return children + [process for child in children for process in _below(child)]


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


if __name__ == "__main__":
    main()
