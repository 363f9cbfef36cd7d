"""Costs of starting: the command line's help, compilation with a cold and a warm cache, and a worker's memory."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.report import ROOT, parsed, print_table, write

HELP = "import sys; from sacma.__main__ import main; sys.argv = ['sacma', '--help']; main()"

FIT = """
import time
import numpy as np
from sacma.surrogate.gaussian_process import Hyperparameters, fit_gaussian_process
from sacma.surrogate.training_set import TrainingSet
X = np.random.default_rng(0).standard_normal((30, 2))
start = time.perf_counter()
fit_gaussian_process(TrainingSet(X, np.sum(X**2, axis=1)), start=Hyperparameters(0.5, 2.5e-5)).predict(X)
print(time.perf_counter() - start)
"""

COMPILE = """
import time
import numpy as np
from sacma.surrogate.likelihood import standardise
start = time.perf_counter()
standardise(np.arange(3.0))
print(time.perf_counter() - start)
"""
"""The same of one small function, for a tiny run."""

WHOLE = "import cma"
IMPORT = """
import time
{}
print(time.process_time())
"""
PYCMA = {
    "import cma, CPU seconds": WHOLE,
    "the same with parts deferred": "from sacma.strategy.pycma import pycma; pycma()",
}

WORKER = """
import resource, sys
from pathlib import Path
from sacma.config.study import load_studies
from sacma.config.plan import plan
from sacma.experiment.trial import run_trial
overrides = {"functions": "8", "dimensions": sys.argv[2], "instances": "1"}
run_trial(plan(load_studies([Path(sys.argv[1])], overrides))[0])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    """Start processes, print the table and write ``out/footprint.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", default="sacma,ada_kendall,ada_kl,gp1,baselines/forest_scmaes", help="of workers")
    parser.add_argument("--dimension", default="20")
    options = parsed(parser, configs="cmaes", dimension="2")
    rows: list[dict[str, Any]] = []
    start = time.perf_counter()
    _run(HELP)
    rows.append({"what": "sacma --help, seconds", "figure": time.perf_counter() - start, "bound": 0.5})
    with tempfile.TemporaryDirectory() as cache:
        for kind, bound in (("cold", ""), ("warm", 0.5)):
            seconds = float(_run(COMPILE if options.tiny else FIT, NUMBA_CACHE_DIR=cache))
            rows.append({"what": f"first fit, {kind} cache, seconds", "figure": seconds, "bound": bound})
    for what, statement in PYCMA.items():
        rows.append({"what": what, "figure": float(_run(IMPORT.format(statement))), "bound": ""})
    configs = options.configs.split(",")
    for name in configs:
        mebibytes = float(_run(WORKER, str(ROOT.parent / "configs" / f"{name}.yaml"), options.dimension))
        rows.append(
            {"what": f"worker of {Path(name).name} in {options.dimension}-D, MiB", "figure": mebibytes, "bound": 400}
        )
    whole = float(_run(f"{WHOLE}\n{WORKER}", str(ROOT.parent / "configs" / f"{configs[0]}.yaml"), options.dimension))
    rows.append({"what": "the first of these with all of pycma, MiB", "figure": whole, "bound": ""})
    print_table(rows)
    write("footprint", {}, figures=rows)


def _run(code: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


if __name__ == "__main__":
    main()
