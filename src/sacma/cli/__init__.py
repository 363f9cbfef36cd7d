"""The command line: parsing, progress, messages and exit codes; nothing else. A module is a command.

Heavy modules are imported by the commands that need them, so that help is quick.
"""

import io
import sys
from typing import Annotated, cast

import typer

from sacma import __version__
from sacma.cli import algorithms, check_algorithm, doctor, export, init, plan, postprocess, replay, run, status, sweep
from sacma.cli.common import EXIT_BAD_INPUT, EXIT_FAILED, fail, out
from sacma.errors import SacmaError

app = typer.Typer(
    name="sacma",
    help="Benchmark surrogate-assisted CMA-ES on COCO/BBOB.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
        fail(str(error), error.exit_code)
    except ClickError as error:
        fail(f"{error.format_message()} (see: sacma --help)", EXIT_BAD_INPUT)
    except BrokenPipeError:
        fail("whoever read the output has gone", EXIT_FAILED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}", EXIT_FAILED)


def _version(asked: bool) -> None:
    if asked:
        out.print(f"sacma {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Benchmark surrogate-assisted CMA-ES on COCO/BBOB."""


# In the order of the help.
app.command(short_help="Write the shipped configs and examples to a folder.")(init.init)
app.command(short_help="Run the trials that are not there yet.")(run.run)
app.command(short_help="Show what a run would run, and what it will cost.")(plan.plan)
app.command(short_help="Show how complete results are, and what to do next.")(status.status)
app.command(short_help="Run a grid of settings and rank them.")(sweep.sweep)
app.command(short_help="Run one trial again and compare it bit by bit.")(replay.replay)
app.command(short_help="List algorithms and their settings.")(algorithms.algorithms)
app.command(short_help="Check an algorithm of your own against its contract.")(check_algorithm.check_algorithm)
app.command(short_help="Make pages and tables of results.")(postprocess.postprocess)
app.command(short_help="Pack COCO data for submission to the COCO data archive.")(export.export)
app.command(short_help="Look whether all that sacma needs is there and works.")(doctor.doctor)
