"""Cost of ``sacma postprocess`` for the whole study, but for cocopp: time, and the size of the report.

Of a results folder that is given; without one, of 10,800 records, each of a trial of its algorithm and dimension on one
of a few functions, written under another place.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.common import config_paths, parsed
from sacma.config.plan import TrialSpec, plan_study
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.store.record import TrialRecord, finished
from sacma.store.store import Store

FUNCTIONS = (1, 8, 15, 21)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--keep", type=Path, help="make the records there, and keep them")
    small = {"functions": "1", "dimensions": "2", "instances": "1-2"}
    protocol = {"functions": "1-24", "dimensions": "2,3,5,10,20", "instances": "1-5,41-50"}
    options = parsed(parser, small, **protocol)
    with tempfile.TemporaryDirectory(prefix="sacma-postprocessing-") as temporary:
        results = options.results or options.keep or Path(temporary)
        if options.results is None:
            make_records(Store(results), {key: getattr(options, key) for key in protocol})
        measure(results, *["--no-pdf"] * options.tiny)


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


def moved(record: TrialRecord, spec: TrialSpec) -> TrialRecord:
    """Return a record as of another trial with the same dimension and budget, its files too."""
    header = re.sub(r"funcId = \d+", f"funcId = {spec.function}", record.coco.header)
    header = header.replace(f"algId = '{record.spec.name}'", f"algId = '{spec.name}'")
    entry = f"{spec.instance}:{record.coco.entry.partition(':')[2]}"
    return replace(record, spec=spec, coco=replace(record.coco, header=header, entry=entry))


def measure(results: Path, *more: str) -> None:
    """Make the report, with more options of its command, and print the figures."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "sacma", "postprocess", str(results), "--no-pages", *more], check=True)
    seconds = time.perf_counter() - start
    report = results / "report"
    figures = len(list((report / "figures").glob("*.svg")))
    size = (report / "index.html").stat().st_size / 1e6
    print(f"sacma postprocess --no-pages: {seconds:.0f} s, {figures} figures; report/index.html: {size:.1f} MB")


if __name__ == "__main__":
    main()
