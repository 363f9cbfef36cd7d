"""Write the pages of docs/reference/ that follow from the code: commands, and the keys of configs and sweeps.

python tools/reference.py            # writes them
python tools/reference.py --check    # exits with 1 where one is not up to date
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

from sacma.algorithms.registry import ALGORITHMS
from sacma.cli import app
from sacma.config import Config, Protocol
from sacma.sweep import AlgorithmEntry, SweepFile
from sacma.terminal import allowed_by, default_of

DOCS = Path(__file__).parent.parent / "docs" / "reference"
GENERATED = "<!-- made by tools/reference.py; `make reference` -->"


def commands() -> Iterator[str]:
    """Yield the lines of the page of commands."""
    yield from ("# Commands", "", GENERATED, "")
    yield "`sacma --version` and `sacma --help` are there too, and `sacma --install-completion`, after which the shell"
    yield "completes commands and options. Exit codes: 0 done, 1 something failed (and is listed), 2 the input is wrong"
    yield "(one line says how), 130 interrupted, 143 ended by SIGTERM."
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option"]
        usage = " ".join(_argument(p) for p in arguments)
        yield from (
            "",
            f"## sacma {name}",
            "",
            "```text",
            f"sacma {name} {'[OPTIONS] ' * bool(options)}{usage}",
            "```",
            "",
        )
        yield from command.help.splitlines()
        yield from ("", "| | |", "| --- | --- |")
        for parameter in (*arguments, *options):
            yield _parameter(parameter)
        yield from ("", "```text", *command.epilog.splitlines(), "```")


def _argument(parameter: Any) -> str:
    shown = parameter.metavar or parameter.name.upper()
    return f"{'' if parameter.required else '['}{shown}{'…' * (parameter.nargs < 0)}{'' if parameter.required else ']'}"


def _parameter(parameter: Any) -> str:
    names = [name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]
    shown = ", ".join(f"`{name}`" for name in names) or f"`{_argument(parameter)}`"
    plain = isinstance(parameter.default, bool) or parameter.default is None or callable(parameter.default)
    return _row(shown, f"{parameter.help or ''}{'' if plain else f' Default: `{parameter.default}`.'}")


def config() -> Iterator[str]:
    """Yield the lines of the page of keys."""
    yield from ("# Keys of configs and sweeps", "", GENERATED, "")
    yield "YAML files; every key that is not listed here is an error. `sacma algorithms` prints the same in a terminal."
    yield from ("", "## A config", "", *_table(Config))
    yield from ("", "## `protocol`", "", "What is run, of any algorithm.", "", *_table(Protocol))
    known: dict[str, Any] = {}
    for name, algorithm in ALGORITHMS.items():
        yield from ("", f"## `settings` of `{name}`", "", f"{algorithm.summary}.", "")
        fields = algorithm.settings.model_fields
        again = [key for key, info in fields.items() if key in known and default_of(known[key]) == default_of(info)]
        if again:
            yield from (f"As above: {', '.join(f'`{key}`' for key in again)}.", "")
        if len(again) < len(fields):
            yield from _table(algorithm.settings, leave_out=again)
        elif not fields:
            yield "None."
        known.update(fields)
    yield from ("", "## A sweep", "", *_table(SweepFile))
    yield from ("", "## An entry of `algorithms` of a sweep", "", *_table(AlgorithmEntry))


def _table(model: type[BaseModel], leave_out: list[str] | None = None) -> Iterator[str]:
    yield from ("| key | default | allowed | meaning |", "| --- | --- | --- | --- |")
    for name, info in model.model_fields.items():
        if name not in (leave_out or ()):
            yield _row(f"`{name}`", default_of(info), allowed_by(info), info.description or "")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


PAGES: Mapping[str, Any] = {"commands.md": commands, "config.md": config}


def main() -> None:
    """Write or check all pages."""
    DOCS.mkdir(exist_ok=True)
    for name, lines in PAGES.items():
        text = "\n".join(lines()) + "\n"
        path = DOCS / name
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
            print(path)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is not up to date; make reference")


if __name__ == "__main__":
    main()
