"""COCO's data files: one trial's as they come from an observer, and many trials' as one canonical folder.

A trial runs under an observer of its own, in a folder of its own. The canonical folder of an algorithm is put
together from the trials' files in the order in which one observer would have written them, byte for byte.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sacma.errors import SacmaError

PREFIX = "bbobexp"
SUFFIXES = ("dat", "tdat", "rdat", "mdat")


@dataclass(frozen=True)
class CocoFiles:
    """What an observer wrote of one trial.

    Args:
        header: first line of its ``.info`` entry; the same for all trials of a function and dimension. The second
            line, the algorithm's description, is not a trial's own.
        entry: the trial's ``instance:evaluations|Δf``.
        data: contents of its data files by suffix.
    """

    header: str
    entry: str
    data: Mapping[str, str]


@dataclass(frozen=True)
class PlacedFiles:
    """The files of the trial on (function, dimension, instance)."""

    function: int
    dimension: int
    instance: int
    files: CocoFiles


def observer_options(*, folder: Path, name: str, triggers: str, description: str = "") -> str:
    """Return the options of an observer that writes to ``folder``, in COCO's own syntax."""
    return (
        f'outer_folder: "{folder.parent}" result_folder: {folder.name} algorithm_name: {name} '
        f'algorithm_info: "{description}" base_evaluation_triggers: {triggers}'
    )


def read_trial(folder: Path, function: int, dimension: int) -> CocoFiles:
    """Read what an observer wrote to ``folder`` of a single trial.

    Raises:
        ValueError: the folder does not hold exactly one complete trial.
    """
    lines = (folder / f"{PREFIX}_f{function}.info").read_text().splitlines()
    if len(lines) != 3:  # noqa: PLR2004 header, comment, entry
        raise ValueError(f"COCO's .info file has {len(lines)} lines in place of 3: {lines}")
    header, _, entry = lines
    stem = f"data_f{function}/{PREFIX}_f{function}_DIM{dimension}"
    data = {suffix: (folder / f"{stem}.{suffix}").read_text() for suffix in SUFFIXES}
    return CocoFiles(header, entry.removeprefix(f"{stem}.dat, "), data)


def merge(trials: Iterable[PlacedFiles], description: str) -> dict[str, str]:
    """Return the files of the canonical folder by relative path.

    Dimensions ascend in each ``.info`` file and instances in each data file, as in COCO's suite.

    Args:
        trials: of one algorithm, in any order.
        description: of the algorithm, one line.

    Raises:
        SacmaError: trials of one function and dimension were recorded by different versions of COCO.
    """
    ordered = sorted(trials, key=lambda t: (t.function, t.dimension, t.instance))
    contents: dict[str, str] = {}
    for function, of_function in itertools.groupby(ordered, key=lambda t: t.function):
        blocks = []
        for dimension, group in itertools.groupby(of_function, key=lambda t: t.dimension):
            files = [trial.files for trial in group]
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
