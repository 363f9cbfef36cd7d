"""Accuracy of the time left that `sacma run` predicts.

The events of ``--progress json`` hold the seconds left after each trial; at the end the truth is known.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joblib import cpu_count

from benchmarks.harness import REDUCED, TINY_STUDY
from benchmarks.report import CONFIGS, config_paths, parsed, print_table, write

STUDIES = {
    "reduced study": REDUCED,
    "2-D to 20-D": {"functions": "1,3,8,13,15,21", "dimensions": "2,3,5,10,20", "instances": "1", "budget": "250"},
}
MOMENTS = (0.1, 0.25, 0.5)


def main() -> None:
    """Run the studies, print the table and write ``out/progress.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=cpu_count())
    options = parsed(parser, jobs=1)
    studies = {"tiny": TINY_STUDY | {"instances": "1-4"}} if options.tiny else STUDIES
    configs = config_paths(CONFIGS[:1] if options.tiny else CONFIGS)
    rows = [row for name, protocol in studies.items() for row in measure(name, configs, protocol, options.jobs)]
    print("seconds left, as told and as it was, after a share of the trials")
    print_table(rows)
    write("progress", vars(options), time_left=rows)


def measure(name: str, configs: Sequence[Path], protocol: dict[str, str], jobs: int) -> list[dict[str, Any]]:
    """Return a row for each moment of one study."""
    with tempfile.TemporaryDirectory(prefix="sacma-") as folder:
        options = [part for key, value in protocol.items() for part in (f"--{key}", value)]
        command = [sys.executable, "-m", "sacma", "run", *map(str, configs), *options]
        command += ["--results", folder, "--jobs", str(jobs), "--progress", "json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    trials = [event for event in events if event["event"] == "trial"]
    end = trials[-1]["elapsed"]
    rows = []
    for moment in MOMENTS:
        event = trials[max(1, round(moment * len(trials))) - 1]
        actual = end - event["elapsed"]
        rows.append(
            {
                "study": name,
                "trials": f"{event['done']} of {event['total']}",
                "told": event["seconds_left"],
                "was": actual,
                "error, %": 100 * (event["seconds_left"] / actual - 1) if actual else math.nan,
                "bound, %": "±30" if moment == MOMENTS[0] else "",
            }
        )
    return rows


if __name__ == "__main__":
    main()
