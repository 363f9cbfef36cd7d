"""The command line: its commands, their examples, and errors of usage.

A command's module is imported when the command is asked for: help is quick.
"""

import io
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn, cast

import typer
import typer.core

from sacma import __version__
from sacma.errors import SacmaError

# File that Numba reads in the current folder, which may hold somebody else's results; it can name code to be run.
NUMBA_CONFIG = ".numba_config.yaml"

EXAMPLES = (
    "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
    "sacma postprocess",
    "sacma run --help",
)


class ListedCommand(NamedTuple):
    """A command in the help: a function of its name, with hyphens, in a module."""

    module: str
    summary: str
    examples: tuple[str, ...]


SETUP, RUNNING, RESULTS = "sacma.cli.setup", "sacma.cli.running", "sacma.cli.results"

# The commands in the order of the help.
COMMANDS: Mapping[str, ListedCommand] = {
    "init": ListedCommand(
        SETUP, "Write the shipped configs and examples to a folder.", ("sacma init", "sacma init ~/study")
    ),
    "run": ListedCommand(
        RUNNING,
        "Run the missing trials of configs.",
        (
            "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
            "sacma run configs/gp1.yaml --functions 1,8 --instances 1-5 --budget 50",
            "sacma run --results results/study                # go on with what is there",
            "sacma run --failed-only --trial-timeout 600",
        ),
    ),
    "plan": ListedCommand(
        RUNNING,
        "Show the trials that a run would run, and their cost.",
        ("sacma plan configs/ada_kendall.yaml configs/cmaes.yaml --jobs 8", "sacma plan --results results/study"),
    ),
    "status": ListedCommand(
        RESULTS,
        "Show how complete results are, and the next command.",
        ("sacma status results/study", "sacma status --tracebacks"),
    ),
    "sweep": ListedCommand(
        RUNNING,
        "Run a grid of settings and rank them.",
        (
            "sacma sweep configs/sweeps/step_size.yaml --plan",
            "sacma sweep configs/sweeps/step_size.yaml --dimensions 2 --results steps",
            "sacma sweep configs/sweeps/step_size.yaml --rank-only --results steps",
        ),
    ),
    "replay": ListedCommand(
        RESULTS,
        "Run one trial again and compare it bit by bit.",
        ("sacma replay results/records/GP-1/f008-d05-i001-*.record",),
    ),
    "algorithms": ListedCommand(
        SETUP,
        "List algorithms and their settings.",
        (
            "sacma algorithms",
            "sacma algorithms --algorithm-file examples/own_optimizer.py",
            "sacma algorithms --kept                # whose outcomes come with sacma",
        ),
    ),
    "check-algorithm": ListedCommand(
        SETUP,
        "Check an algorithm of your own against its contract.",
        ("sacma check-algorithm surrogate-cmaes", "sacma check-algorithm --algorithm-file examples/own_optimizer.py"),
    ),
    "postprocess": ListedCommand(
        "sacma.cli.postprocess",
        "Make the report, tables and pages of results.",
        (
            "sacma postprocess results/study",
            "sacma postprocess --no-pages --no-pdf            # the report alone, at once",
            "sacma postprocess --with BIPOP=downloads/bipop.tgz",
            "sacma postprocess results/archive --with downloads  # data of others alone",
            "sacma postprocess --against all                  # that come with sacma",
            "sacma postprocess --baseline GP-5                # measure gains against it",
            "sacma postprocess --algorithms GP-5,CMA-ES --functions 1-14",
        ),
    ),
    "export": ListedCommand(
        RESULTS,
        "Pack COCO data for submission to the COCO data archive.",
        ("sacma export results/study", "sacma export results/study --output archives --accept-warnings"),
    ),
    "doctor": ListedCommand(SETUP, "Check the installation.", ("sacma doctor", "sacma doctor /scratch/results")),
}


class _WithExamples:
    """Help that ends in examples, one a line and never folded, so that they can be copied."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 click's protocol
        with formatter.section("Examples"):
            for line in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(_WithExamples, typer.core.TyperCommand):
    """A command with examples."""


@cache
def _command(name: str) -> Command:
    from sacma.cli.options import declared

    entry = COMMANDS[name]
    function = getattr(import_module(entry.module), name.replace("-", "_"))
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    entered = alone.command(name, short_help=entry.summary, cls=Command, epilog="\n".join(entry.examples))
    entered(declared(function))
    return cast("Command", typer.main.get_command(alone))


class Group(_WithExamples, typer.core.TyperGroup):
    """The commands, each made from its module when it is first asked for, with examples."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # names, to list and suggest

    def get_command(self, ctx: Any, cmd_name: str) -> Command | None:  # noqa: ARG002 click's protocol
        """Return a command by its name."""
        return _command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 idem
        """List the commands with their summaries, without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


app = typer.Typer(
    name="sacma",
    help="Benchmark surrogate-assisted CMA-ES on COCO/BBOB.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    cls=Group,
    epilog="\n".join(EXAMPLES),
)

# click's base of usage errors: typer exports no name for it, and newer ones bring a click of their own.
ClickError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])


def main() -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # Δ and … on a terminal that has none
    try:
        return app(sys.argv[1:] or ["--help"], prog_name="sacma", standalone_mode=False) or 0
    except SacmaError as error:
        _fail(str(error), error.exit_code)
    except ClickError as error:
        command = error.ctx.command_path if error.ctx is not None else "sacma"
        words = [part for word in sys.argv for part in word.split("=", 1)]
        options = getattr(getattr(error, "param", None), "opts", ())
        given = "".join(f"; given: {value[:40]!r}" for word, value in pairwise(words) if word in options)
        _fail(f"{error.format_message().removesuffix('.')}{given}; see: {command} --help", SacmaError.exit_code)


def _fail(message: str, code: int) -> NoReturn:
    from sacma.cli.console import fail  # which brings the consoles

    fail(message, code)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sacma {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[  # noqa: ARG001 its callback answers
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Benchmark surrogate-assisted CMA-ES on COCO/BBOB."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise SacmaError("the current folder is gone; start sacma in another") from None
    if os.path.lexists(NUMBA_CONFIG):
        raise SacmaError(
            f"the current folder holds {NUMBA_CONFIG}, by which Numba may run code; "
            "start sacma elsewhere, or remove the file: environment variables NUMBA_… do the same"
        )
