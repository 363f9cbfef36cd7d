"""Consoles, messages and exit codes that all commands share."""

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sacma.errors import SacmaError
from sacma.files.atomic import why_no_folder
from sacma.files.printable import printable

if TYPE_CHECKING:
    from sacma.experiment.installation_check import CheckResult
    from sacma.store.store import Damage

EXIT_FAILED = 1


class PrintableConsole(Console):
    """A console that escapes control characters in texts of files, algorithms and arguments; rich's own pass.

    Where whoever reads the output has gone it raises BrokenPipeError, for the command to end with a message; rich's own
    exits without one.
    """

    def on_broken_pipe(self) -> None:
        """Print nothing more, and raise BrokenPipeError."""
        self.quiet = True
        with contextlib.suppress(OSError, ValueError):  # a stream without a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render, with unprintable characters escaped."""
        for segment in super().render(renderable, options):
            plain = segment.control is None and not segment.text.isprintable()
            yield Segment(printable(segment.text, keep="\n"), segment.style) if plain else segment


class MessageConsole(PrintableConsole):
    """A console of messages; where they cannot be written, the command goes on without them."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does."""
        try:
            super().print(*objects, **options)
        except OSError:
            with contextlib.suppress(OSError):
                self.on_broken_pipe()


# A terminal that does not know its width may say 0 columns: rich would print nothing.
_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "COLUMNS" or value.strip("0")}

out = PrintableConsole(highlight=False, markup=False, emoji=False, _environ=_ENVIRONMENT)
err = MessageConsole(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True, _environ=_ENVIRONMENT)


def as_argument(path: Path) -> str:
    """Return a path as an argument that is not taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


LONGEST_LIST = 20  # lines of a list of trials


def redraws(console: Console) -> bool:
    """Return whether ``console`` is a terminal that can redraw a line; a log cannot, even coloured by FORCE_COLOR."""
    return console.is_interactive and console.file.isatty()


def output_folder(output: Path | None, usual: Path) -> Path:
    """Return the folder to write to, of the option or the usual one; refuse it before what takes long."""
    folder = output or usual
    if why := why_no_folder(folder):
        option, another = ("--output: ", "another") if output else ("", "another with --output")
        raise SacmaError(f"{option}{folder} cannot be a folder: {why}; give {another}")
    return folder


def fail(message: str, code: int) -> NoReturn:
    """Print one line that says what is wrong, and exit."""
    err.print(Text(f"sacma: {' '.join(message.split())}"))
    sys.exit(code)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in the unit in which it is neither tiny nor huge.

    >>> duration(0.084), duration(90), duration(16920), duration(4e6)
    ('0.08 s', '1.50 min', '4.70 h', '1,111 h')
    """
    unit, size = next((unit, size) for unit, size in (("h", 3600), ("min", 60), ("s", 0)) if seconds >= size)
    value = seconds / (size or 1)
    return f"{value:,.{max(0, 2 - len(f'{value:.0f}') + 1)}f} {unit}"


def print_list(word: str, lines: Sequence[str], console: Console = out) -> None:
    """Print the first ``LONGEST_LIST`` lines, each after a word, and the number of the others."""
    for line in lines[:LONGEST_LIST]:
        console.print(Text(f"{word}: {line}"), soft_wrap=True)
    if len(lines) > LONGEST_LIST:
        console.print(f"{word}: … and {len(lines) - LONGEST_LIST} lines more")


def print_damage(damages: "Iterable[Damage]", console: Console = err) -> None:
    """Print the files of damaged records, and why they are damaged."""
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
