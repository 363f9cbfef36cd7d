"""The command line: parsing, progress, messages and exit codes; nothing else. A module is a command.

Heavy modules are imported by the commands that need them, so that help is quick.
"""

import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

import typer
import typer.core

from sacma import __version__
from sacma.cli import algorithms, check_algorithm, doctor, export, init, plan, postprocess, replay, run, status, sweep
from sacma.cli.common import EXIT_BAD_INPUT, EXIT_FAILED, fail, out
from sacma.errors import SacmaError

NUMBA_CONFIG = ".numba_config.yaml"
"""File that Numba reads in the current folder; it can name a folder of pickles, which are code.

Who looks into a folder of results, which may come from anybody, does not mean to have its code run.
"""

EXAMPLES = (
    "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
    "sacma postprocess",
    "sacma run --help",
)


class _WithExamples:
    """Help that ends in examples, one a line, which are never folded: they can be copied."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 click's protocol
        with formatter.section("Examples"):
            for line in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(_WithExamples, typer.core.TyperCommand):
    """A command with examples."""


class Group(_WithExamples, typer.core.TyperGroup):
    """The commands, with examples."""


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
        fail(str(error), error.exit_code)
    except ClickError as error:
        command = error.ctx.command_path if error.ctx is not None else "sacma"
        fail(f"{error.format_message().removesuffix('.')}; see: {command} --help", EXIT_BAD_INPUT)
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
    version: Annotated[  # noqa: ARG001 its callback answers
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Benchmark surrogate-assisted CMA-ES on COCO/BBOB."""
    if os.path.lexists(NUMBA_CONFIG):
        raise SacmaError(
            f"the current folder holds {NUMBA_CONFIG}, by which Numba may run code; "
            "start sacma elsewhere, or remove the file: environment variables NUMBA_… do the same"
        )


def _add(command: Callable[..., None], summary: str, examples: Sequence[str]) -> None:
    app.command(short_help=summary, cls=Command, epilog="\n".join(examples))(command)


# In the order of the help.
_add(init.init, "Write the shipped configs and examples to a folder.", init.EXAMPLES)
_add(run.run, "Run the trials that are not there yet.", run.EXAMPLES)
_add(plan.plan, "Show what a run would run, and what it will cost.", plan.EXAMPLES)
_add(status.status, "Show how complete results are, and what to do next.", status.EXAMPLES)
_add(sweep.sweep, "Run a grid of settings and rank them.", sweep.EXAMPLES)
_add(replay.replay, "Run one trial again and compare it bit by bit.", replay.EXAMPLES)
_add(algorithms.algorithms, "List algorithms and their settings.", algorithms.EXAMPLES)
_add(check_algorithm.check_algorithm, "Check an algorithm of your own against its contract.", check_algorithm.EXAMPLES)
_add(postprocess.postprocess, "Make pages and tables of results.", postprocess.EXAMPLES)
_add(export.export, "Pack COCO data for submission to the COCO data archive.", export.EXAMPLES)
_add(doctor.doctor, "Look whether all that sacma needs is there and works.", doctor.EXAMPLES)
