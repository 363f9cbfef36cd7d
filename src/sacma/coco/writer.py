"""COCO's data files of a trial, and the canonical folder of many trials.

Each trial has its own observer and folder. The canonical folder of an algorithm holds what a single observer would have
written, byte for byte.
"""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from sacma.errors import SacmaError

PREFIX = "bbobexp"
SUFFIXES = ("dat", "tdat", "rdat", "mdat")


@dataclass(frozen=True)
class CocoFiles:
    """Files of a trial, as written by its observer."""

    header: str  # first line of the ``.info`` entry, the same for all trials of a function and dimension
    entry: str  # ``instance:evaluations|Δf``
    data: Mapping[str, str]  # contents of the data files by suffix

    @property
    def f_opt(self) -> float:
        """The optimal value, to 12 digits; ValueError if the files do not have it."""
        found = re.match(r"%.*Fopt \((\S+)\)", self.data["dat"])
        if found is None:
            raise ValueError(f"COCO's .dat file does not name the optimal value: {self.data['dat'][:80]!r}")
        return float(found[1])

    def improvements(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return evaluation numbers (ascending) and values (descending) of improvements of the noise-free best Δf.

        COCO logs the evaluations at which Δf passes targets, 20 per decade with 1e-8 among them, and Δf at certain
        numbers of evaluations: in between, Δf may have been lower by up to one target.
        """
        lines = [line.split() for suffix in ("dat", "tdat") for line in self.data[suffix].splitlines()]
        rows = sorted((int(line[0]), float(line[2])) for line in lines if not line[0].startswith("%"))
        at, to = [rows[0][0]], [rows[0][1]]
        for evaluation, delta_f in rows:
            if delta_f < to[-1]:
                at.append(evaluation)
                to.append(delta_f)
        return tuple(at), tuple(to)


def header_of(suite: str, function: int, dimension: int, name: str) -> str:
    """Return the beginning of an entry's header for algorithm ``name``; the rest depends on COCO's version."""
    return f"suite = '{suite}', funcId = {function}, DIM = {dimension}, Precision = 1.000e-08, algId = '{name}'"


DATA_FORMAT = "bbob-new2"  # attribute: the columns of data files

Place = tuple[int, int, int]  # function, dimension, instance


def observer_options(*, folder: Path, name: str, triggers: str, description: str = "") -> str:
    """Return the options of an observer that writes to ``folder``, in COCO's syntax."""
    return (
        f'outer_folder: "{folder.parent}" result_folder: {folder.name} algorithm_name: {name} '
        f'algorithm_info: "{description}" base_evaluation_triggers: {triggers}'
    )


class IncompleteTrialError(RuntimeError):
    """COCO's files of a trial are incomplete: COCO ignores failed writes."""


def read_trial(folder: Path, function: int, dimension: int, evaluations: int) -> CocoFiles:
    """Read the files of a trial with one or more ``evaluations`` from the folder of its observer.

    The folder must hold exactly one complete trial: else an IncompleteTrialError says what is missing.
    """
    stem = f"data_f{function}/{PREFIX}_f{function}_DIM{dimension}"
    try:
        header, _, entry = (folder / f"{PREFIX}_f{function}.info").read_text(encoding="utf-8").splitlines()
        data = {suffix: (folder / f"{stem}.{suffix}").read_text(encoding="utf-8") for suffix in SUFFIXES}
    except (OSError, ValueError) as error:
        raise IncompleteTrialError(f"COCO's files of the trial are not complete ({error}); {_WHY}") from None
    run = entry.removeprefix(f"{stem}.dat, ")
    if not re.fullmatch(rf"\d+:{evaluations}\|\S+", run):
        raise IncompleteTrialError(f"COCO's index says {run!r}, not {evaluations} evaluations; {_WHY}")
    for suffix, text in data.items():
        lines = text.splitlines()
        complete = text.endswith("\n") and text.startswith("%") and sum(line.startswith("%") for line in lines) == 1
        last = lines[-1].split()[0] if complete and suffix in {"dat", "tdat"} else str(evaluations)
        if not complete or last != str(evaluations):
            raise IncompleteTrialError(f"COCO's .{suffix} file of the trial is not complete; {_WHY}")
    return CocoFiles(header, run, data)


_WHY = "is the disk of temporary files full? TMPDIR says where it is"


def merge(trials: Iterable[tuple[Place, CocoFiles]], description: str) -> dict[str, str]:
    """Return the files of an algorithm's canonical folder by relative path.

    Dimensions ascend in each ``.info`` file and instances in each data file, as in COCO's suite; ``trials`` may have
    any order. A SacmaError is raised where trials of one function and dimension are of several versions of COCO.
    """
    ordered = sorted(trials, key=itemgetter(0))
    contents: dict[str, str] = {}
    for function, of_function in itertools.groupby(ordered, key=lambda trial: trial[0][0]):
        blocks = []
        for dimension, group in itertools.groupby(of_function, key=lambda trial: trial[0][1]):
            files = [of_trial for _, of_trial in group]
            if len({f.header for f in files}) > 1:
                raise SacmaError(
                    f"the records of f{function} in {dimension}-D disagree on COCO's header, which names its version; "
                    "delete the older ones and run again"
                )
            stem = f"data_f{function}/{PREFIX}_f{function}_DIM{dimension}"
            entries = ", ".join([f"{stem}.dat", *(f.entry for f in files)])
            blocks.append("\n".join([files[0].header, f"% {description}", entries]))
            for suffix in SUFFIXES:
                contents[f"{stem}.{suffix}"] = "".join(f.data[suffix] for f in files)
        contents[f"{PREFIX}_f{function}.info"] = "\n".join(blocks)
    return contents
