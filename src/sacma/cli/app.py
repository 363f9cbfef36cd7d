"""The command line: parsing, progress, messages and exit codes; nothing else. A module is a command.

A command's module is imported when the command is looked at, and heavy modules by the commands that need them, so that
help and completion are quick.
"""

import io
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, NoReturn, cast

import typer
import typer.core

from sacma import __version__
from sacma.errors import RunError, SacmaError

NUMBA_CONFIG = ".numba_config.yaml"
"""File that Numba reads in the current folder; it can name a folder of pickles, which are code.

Who looks into a folder of results, which may come from anybody, does not mean to have its code run.
"""

EXAMPLES = (
    "sacma run configs/ada_kendall.yaml configs/cmaes.yaml --dimensions 2,5",
    "sacma postprocess",
    "sacma run --help",
)


SUMMARIES: Mapping[str, str] = {
    "init": "Write the shipped configs and examples to a folder.",
    "run": "Run the trials that are not there yet.",
    "plan": "Show what a run would run, and what it will cost.",
    "status": "Show how complete results are, and what to do next.",
    "sweep": "Run a grid of settings and rank them.",
    "replay": "Run one trial again and compare it bit by bit.",
    "algorithms": "List algorithms and their settings.",
    "check-algorithm": "Check an algorithm of your own against its contract.",
    "postprocess": "Make pages and tables of results.",
    "export": "Pack COCO data for submission to the COCO data archive.",
    "doctor": "Look whether all that sacma needs is there and works.",
}
"""The commands in the order of the help. Each is the function of its name, in the module of its name."""


class _WithExamples:
    """Help that ends in examples, one a line, which are never folded: they can be copied."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 click's protocol
        with formatter.section("Examples"):
            for line in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(_WithExamples, typer.core.TyperCommand):
    """A command with examples."""


class Commands(Mapping[str, Command]):
    """The commands by name, each made of its module when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        if name not in self._made:
            self._made[name] = _made(name, SUMMARIES[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in SUMMARIES

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


def _made(name: str, summary: str) -> Command:
    module = import_module(f"sacma.cli.{name.replace('-', '_')}")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, short_help=summary, cls=Command, epilog="\n".join(module.EXAMPLES))(
        getattr(module, module.__name__.rpartition(".")[2])
    )
    return cast("Command", typer.main.get_command(alone))


class Group(_WithExamples, typer.core.TyperGroup):
    """The commands, with examples."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 click's protocol
        """Return their names."""
        return list(SUMMARIES)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 idem
        """List them with their summaries, without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


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
        _fail(f"{error.format_message().removesuffix('.')}; see: {command} --help", SacmaError.exit_code)
    except BrokenPipeError:
        _fail("whoever read the output has gone", RunError.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}", RunError.exit_code)


def _fail(message: str, code: int) -> NoReturn:
    from sacma.cli.common import fail  # noqa: PLC0415 it brings the consoles

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
    if os.path.lexists(NUMBA_CONFIG):
        raise SacmaError(
            f"the current folder holds {NUMBA_CONFIG}, by which Numba may run code; "
            "start sacma elsewhere, or remove the file: environment variables NUMBA_… do the same"
        )
