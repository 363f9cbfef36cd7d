"""sacma replay: run one trial again, and compare it bit by bit."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sacma.cli.common import EXIT_FAILED, fail, out
from sacma.errors import RunError, SacmaError

EXAMPLES = ("sacma replay results/records/GP-1/f008-d05-i001-*.record",)


def replay(
    record: Annotated[Path, typer.Argument(help="A file *.record of a results folder.", metavar="RECORD")],
    algorithm_file: list[Path] | None = None,
) -> None:
    """Run the trial of RECORD again, and tell if it gives the same bits, or where it first differs.

    Exit code 1 if it differs. What differs between the environments then and now is listed too.
    """
    from sacma.files.untrusted import read_file
    from sacma.store.outcome import DamagedRecordError
    from sacma.store.record import decode

    try:
        content = decode(read_file(record))
    except OSError as error:
        raise SacmaError(f"{record} cannot be read: {error.strerror}") from None
    except DamagedRecordError as error:
        raise SacmaError(f"{record} is damaged or no record: {error}") from None
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.experiment.replay import replay as run_again
    from sacma.experiment.resolve_algorithm import resolve_algorithm

    old = content.provenance
    out.print(f"{content.spec}, run on {old.host} at {old.started} with sacma {old.environment.sacma}", soft_wrap=True)
    ALGORITHMS.add_files(algorithm_file or ())
    resolve_algorithm(content.spec)
    try:
        result = run_again(content)
    except Exception as error:
        raise RunError(f"{content.spec} fails now: {type(error).__name__}: {error}") from error
    for phrase in result.environment:
        out.print(Text(f"environment differs, then / now: {phrase}"), soft_wrap=True)
    if result.difference is None:
        out.print("bit-identical")
        return
    fail(f"differs first at {result.difference}", EXIT_FAILED)
