"""What all commands share: consoles, options, messages and exit codes."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sacma.files.printable import printable

if TYPE_CHECKING:
    from sacma.experiment.check_result import CheckResult
    from sacma.store.store import Damage

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2


class PrintableConsole(Console):
    """A console that shows texts of files, algorithms and arguments, and obeys none of them.

    Whatever is printed goes through ``render``: the only control characters that pass are rich's own.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render with what does not print escaped."""
        for segment in super().render(renderable, options):
            plain = segment.control is None and not segment.text.isprintable()
            yield Segment(printable(segment.text, keep="\n"), segment.style) if plain else segment


out = PrintableConsole(highlight=False, markup=False, emoji=False)
err = PrintableConsole(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _backends() -> list[str]:
    from sacma.experiment.backends import BACKENDS  # noqa: PLC0415 needed by completion only

    return list(BACKENDS)


PROGRESS_MODES = ("auto", "bar", "lines", "json", "quiet")

Configs = Annotated[list[Path] | None, typer.Argument(help="YAML files, one algorithm each.", metavar="CONFIG")]
Suite = Annotated[str | None, typer.Option(help="COCO suite: bbob, bbob-noisy or bbob-largescale.")]
Functions = Annotated[str | None, typer.Option(help="Functions, like 1-5,8.")]
Dimensions = Annotated[str | None, typer.Option(help="Dimensions, like 2,5.")]
Instances = Annotated[str | None, typer.Option(help="Instances, like 1-5,41-50.")]
Budget = Annotated[float | None, typer.Option(help="True evaluations of a trial, divided by D.")]
Target = Annotated[float | None, typer.Option(help="Δf at which a trial stops.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the study.")]
Results = Annotated[Path, typer.Option(help="Folder of results.", envvar="SACMA_RESULTS")]
ResultsArgument = Annotated[Path, typer.Argument(help="Folder of results.", envvar="SACMA_RESULTS", metavar="RESULTS")]
AlgorithmFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--algorithm-file", help="Python file with algorithms of your own; may be given again.", metavar="FILE"
    ),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Parallel trials; default: the number of cores.")]
Backend = Annotated[
    str, typer.Option(help="loky (worker processes), dask (clusters) or serial.", autocompletion=_backends)
]
Scheduler = Annotated[str | None, typer.Option(help="Of a dask cluster, like tls://host:8786.", metavar="ADDRESS")]
Retries = Annotated[int, typer.Option(min=0, help="How often a trial that fails is tried again.")]
TrialTimeout = Annotated[
    float | None, typer.Option(min=0.001, max=1e8, help="Seconds after which a trial is ended, as failed.")
]
FailedOnly = Annotated[bool, typer.Option("--failed-only", help="Run only what failed before.")]
Progress = Annotated[
    str,
    typer.Option(help="bar, lines, json, quiet, or auto for what suits.", autocompletion=lambda: list(PROGRESS_MODES)),
]
Shard = Annotated[str | None, typer.Option(help="Only shard K of N, like 2/10: for job arrays.", metavar="K/N")]

LONGEST_LIST = 20
"""Lines of a list of trials."""


def redraws(console: Console) -> bool:
    """Return whether ``console`` is a terminal that can redraw a line; a log cannot, even coloured by FORCE_COLOR."""
    return console.is_interactive and console.file.isatty()


def fail(message: str, code: int) -> NoReturn:
    """Say in one line what is wrong, and exit."""
    err.print(Text(f"sacma: {' '.join(message.split())}"))
    sys.exit(code)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, one or many."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def print_list(what: str, lines: Sequence[str], console: Console = out) -> None:
    """Print lines, each with what it is about; the first of them, where they are many."""
    for line in lines[:LONGEST_LIST]:
        console.print(Text(f"{what}: {line}"), soft_wrap=True)
    if len(lines) > LONGEST_LIST:
        console.print(f"{what}: … and {len(lines) - LONGEST_LIST} lines more")


def print_damage(damages: "Iterable[Damage]", console: Console = err) -> None:
    """Say which files are in the place of records and are none, and why; every command says it so."""
    print_list("damaged", [f"{damage.path}: {damage.reason}" for damage in damages], console)


MARKS = {True: "ok", False: "BROKEN", None: "note"}


def print_check_results(results: "Iterable[CheckResult]") -> int:
    """Print results of checks as they come, reasons folded beside them; return how many failed."""
    broken = 0
    for result in results:
        broken += result.sound is False
        line = Table.grid(padding=(0, 2))
        for width in (0, 6, 14):
            line.add_column(width=width)
        line.add_column(overflow="fold")
        line.add_row(
            "", Text(MARKS[result.sound], style="" if result.sound else "bold"), result.point, Text(result.reason)
        )
        out.print(line)
    return broken
