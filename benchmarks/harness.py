"""Cost of the harness beside the trials: CPU time against a bare script, and throughput of two workers.

The bare script is what one would write without a harness: it imports what it needs, and runs the same trials one after
the other under one COCO observer an algorithm, which writes the same data. Against it stand whole commands, from the
start of Python to the merged folders. Everything is a process of its own, of which all CPU time is counted.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import CONFIGS, config_paths, parsed, print_table, write

REDUCED = {"functions": "1,3,6,8,10,13,15,17,20,21", "dimensions": "2,5", "instances": "1-3", "budget": "100"}

THROUGHPUT = {"functions": REDUCED["functions"], "dimensions": "10", "instances": "1-2", "budget": "250"}

TINY_STUDY = {"functions": "1", "dimensions": "2", "instances": "1", "budget": "10"}

BARE = """
import sys
from pathlib import Path
import cocoex
from sacma.config.study import load_studies
from sacma.coco.writer import observer_options
from sacma.config.plan import plan
from sacma.experiment.trial import solve

names = ("functions", "dimensions", "instances", "budget")
folder, *values = sys.argv[1:6]
overrides = dict(zip(names, [*values[:3], float(values[3])]))
cocoex.log_level("warning")
for study in load_studies([Path(path) for path in sys.argv[6:]], overrides):
    suite = cocoex.Suite("bbob", "instances: " + overrides["instances"], "dimensions: " + overrides["dimensions"])
    options = observer_options(folder=Path(folder) / study.name, name=study.name, triggers="25,50,100")
    observer = cocoex.Observer("bbob", options)
    specs = {spec.place: spec for spec in plan([study])}
    for problem in suite:
        spec = specs.get((problem.id_function, problem.dimension, problem.id_instance))
        if spec is not None:
            problem.observe_with(observer)
            solve(spec, problem)
            problem.free()
"""


def main() -> None:
    """Measure, print the tables and write ``out/harness.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parsed(parser, repeats=1)
    if options.tiny:
        configs, reduced, throughput_of = CONFIGS[:1], TINY_STUDY, TINY_STUDY
    else:
        configs, reduced, throughput_of = CONFIGS, REDUCED, THROUGHPUT
    overhead = measure_overhead(options.repeats, config_paths(configs), reduced)
    print("CPU seconds of the reduced study: six algorithms, 360 trials")
    print_table(overhead)
    throughput = measure_throughput(options.repeats, config_paths(configs[1:] or configs), throughput_of)
    print("\nWall-clock seconds of 100 trials of five algorithms in 10-D, whole commands")
    print_table(throughput)
    write("harness", vars(options), overhead=overhead, throughput=throughput)


def measure_overhead(repeats: int, configs: Sequence[Path], protocol: dict[str, str]) -> list[dict[str, Any]]:
    """Return a row for each way of running the reduced study: the least CPU seconds of some turns."""
    ways = {
        "bare script": None,
        "sacma run --backend serial": ["--backend", "serial"],
        "sacma run --jobs 1": ["--jobs", "1"],
        "sacma run --jobs 2": ["--jobs", "2"],
    }
    if len(configs) == 1:  # a tiny run
        ways = dict(list(ways.items())[:2])
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way, arguments in ways.items():
            with tempfile.TemporaryDirectory(prefix="sacma-") as folder:
                if arguments is None:
                    command = [sys.executable, "-c", BARE, folder, *protocol.values(), *map(str, configs)]
                else:
                    command = sacma_run(folder, configs, protocol, arguments)
                seconds[way].append(cpu_seconds(command))
    bare = min(seconds["bare script"])
    return [
        {"way": way, "CPU s": min(found), "over bare, %": 100 * (min(found) / bare - 1), "bound, %": bound}
        for (way, found), bound in zip(seconds.items(), ("", 3, "", ""), strict=False)
    ]


def measure_throughput(repeats: int, configs: Sequence[Path], protocol: dict[str, str]) -> list[dict[str, Any]]:
    """Return a row each turn: one worker, two workers, and their ratio."""
    rows = []
    for _ in range(repeats):
        walls = []
        for jobs in ("1", "2"):
            with tempfile.TemporaryDirectory(prefix="sacma-") as folder:
                begin = time.perf_counter()
                cpu_seconds(sacma_run(folder, configs, protocol, ["--jobs", jobs]))
                walls.append(time.perf_counter() - begin)
        rows.append({"one worker": walls[0], "two workers": walls[1], "ratio": walls[0] / walls[1], "bound": 1.85})
    return rows


def sacma_run(folder: str, configs: Sequence[Path], protocol: dict[str, str], arguments: Sequence[str]) -> list[str]:
    """Return the command that runs ``configs`` under ``protocol``."""
    options = [part for key, value in protocol.items() for part in (f"--{key}", value)]
    results = ["--results", str(Path(folder) / "results"), "--progress", "quiet"]
    return [sys.executable, "-m", "sacma", "run", *map(str, configs), *options, *results, *arguments]


def cpu_seconds(command: Sequence[str]) -> float:
    """Run a command and return the CPU seconds of it and all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


if __name__ == "__main__":
    main()
