"""Logs of Nevergrad's callback ``ParametersLogger``: a line of JSON for each point that an optimizer is told.

    problem = cocoex.Suite("bbob", "", "")[0]
    parametrization = nevergrad.p.Array(shape=(problem.dimension,)).set_name(problem.id)
    optimizer = nevergrad.optimizers.OnePlusOne(parametrization, budget=100)
    optimizer.register_callback("tell", nevergrad.callbacks.ParametersLogger(f"log/{problem.id}.json"))

The problem is the one whose name in COCO, like bbob_f001_i01_d02, is in that of the parametrization or of the file; the
loss is f as COCO returns it. Nevergrad's own benchmarks are of other functions.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sacma.coco.index_file import lines_of, quoted
from sacma.coco.points import Place, Points, located
from sacma.coco.reader import CocoData
from sacma.coco.suites import Suite
from sacma.files.untrusted import parse_json

PROBLEM = re.compile(r"f(\d{1,3})_i(\d{1,9})_d(\d{1,4})(?!\d)")


def load_nevergrad(path: Path, files: Mapping[str, bytes], suite: Suite) -> tuple[CocoData, ...]:
    """Return the data of each optimizer; raise SacmaError if a line is damaged, or of no problem of the suite."""
    points = Points(path, suite)
    for name, content in sorted(files.items()):
        runs, evaluations = Counter[str](), Counter[Place]()
        for number, line in enumerate(lines_of(located(path, quoted(name)), content), 1):
            where = f"{quoted(name)}, line {number}"
            if not line.strip():
                continue
            try:
                told: Any = parse_json(line)
                named = str(told["#parametrization"])
                loss, optimizer, session = float(told["#loss"]), quoted(told["#optimizer"]), quoted(told["#session"])
                runs[session] += int(told["#num-tell"]) == 0  # sessions are seconds, and several runs may begin in one
            except (ValueError, TypeError, KeyError, OverflowError):
                points.refuse(where, f"not a line of Nevergrad's ParametersLogger: '{quoted(line)}'")
            problem = PROBLEM.search(named) or PROBLEM.search(name)
            if problem is None:
                points.refuse(where, "no name of a problem, like bbob_f001_i01_d02, in the file's name or the line")
            function, instance, dimension = (int(problem[number]) for number in (1, 2, 3))
            place = optimizer, function, dimension, instance, f"{name} {session} {runs[session]}"
            evaluations[place] += 1
            points.add(place, evaluations[place], loss, where)
    return points.data_sets(of_f=True)
