"""Write the pages of docs/reference/ from the code: commands, and keys of configs and sweeps.

python tools/reference.py            # writes them
python tools/reference.py --check    # exits with 1 at a page that is out of date
"""

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

from sacma.algorithms.registry import ALGORITHMS
from sacma.cli.app import app
from sacma.cli.tables import FieldRow, field_rows, part_models
from sacma.config.study import Config, Protocol
from sacma.config.sweep import AlgorithmEntry, SweepFile

DOCS = Path(__file__).parent.parent / "docs" / "reference"
GENERATED = "<!-- made by tools/reference.py; `make reference` -->"


NOT_SAID = "-"
SETUP = "Experimental Setup"
# Places of the paper that define a key of the protocol or of the study's algorithms.
SOURCES: Mapping[str, str] = {
    "functions": SETUP,
    "dimensions": SETUP,
    "instances": SETUP,
    "budget": SETUP,
    "target": SETUP,
    "sampling.sigma0": f"{SETUP}, CMA-ES",
    "sampling.population_size": f"{SETUP}, CMA-ES",
    "sampling.active": NOT_SAID,
    "sampling.bounds": NOT_SAID,
    "restarts.population_factor": f"{SETUP}, CMA-ES (IncPopSize)",
    "restarts.initial_range": NOT_SAID,
    "restarts.max_restarts": NOT_SAID,
    "restarts.after_last_restart": NOT_SAID,
    "restarts.evaluates_initial_points": NOT_SAID,
    "training_set.radius": f"{SETUP}, S-CMA-ES (8); Algorithm 1, step 5",
    "training_set.n_req_factor": "Algorithm 1; the value is the published code's",
    "training_set.n_req_offset": "Algorithm 1 has none",
    "training_set.n_max_factor": "Algorithm 1; the value is the published code's",
    "training_set.selection": NOT_SAID,
    "model.noise_std_start": f"{SETUP}, S-CMA-ES, where σ_n² is 0.01",
    "model.warm_evaluations": NOT_SAID,
    "control.model_generations": f"{SETUP}, S-CMA-ES: GP-1 and GP-5; it has no approximate ranking",
    "control.error": "Algorithm 2",
    "control.transfer": "Algorithm 3, step 3; Figure 1",
    "control.error_threshold": "Algorithm 3, step 2",
    "control.update_rate": "Algorithm 3, step 1",
    "control.max_model_generations": "Algorithm 3, step 4",
}


def commands() -> Iterator[str]:
    """Yield the lines of the page of commands."""
    yield from ("# Commands", "", GENERATED, "")
    yield "`sacma --version` and `sacma --help` are there too, and `sacma --install-completion`, after which the shell"
    yield "completes commands and options. Exit codes: 0 done, 1 something failed (and is listed), 2 the input is wrong"
    yield "(one line says how), 130 interrupted, 143 ended by SIGTERM. The environment variable `SACMA_RESULTS` is the"
    yield "folder of results where none is given."
    group: Any = typer.main.get_command(app)
    made = {name: group.get_command(None, name) for name in group.commands}
    uses = Counter(_parameter(p) for command in made.values() for p in command.params)
    shared = {row: row[2 : row.index(" |", 2)] for row, count in uses.items() if count > 1}
    for name, command in made.items():
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
        rows = [_parameter(parameter) for parameter in (*arguments, *options)]
        if own := [row for row in rows if row not in shared]:
            yield from ("", "| | |", "| --- | --- |", *own)
        if again := [shared[row] for row in rows if row in shared]:
            yield from ("", f"[Shared](#shared-parameters): {', '.join(again)}.")
        yield from ("", "```text", *command.epilog.splitlines(), "```")
    yield from ("", "## Shared parameters", "", "| | |", "| --- | --- |", *shared)


def _argument(parameter: Any) -> str:
    shown = parameter.metavar or parameter.name.upper()
    return f"{'' if parameter.required else '['}{shown}{'…' * (parameter.nargs < 0)}{'' if parameter.required else ']'}"


def _parameter(parameter: Any) -> str:
    names = [name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]
    shown = ", ".join(f"`{name}`" for name in names) or f"`{_argument(parameter)}`"
    if names and parameter.metavar:
        shown += f" `{parameter.metavar}`"
    default = parameter.default
    if parameter.secondary_opts:
        default = default if default is None else names[0 if default else 1]
    plain = isinstance(default, bool) or default is None or callable(default)
    return _row(shown, f"{parameter.help or ''}{'' if plain else f' Default: `{default}`.'}")


def config() -> Iterator[str]:
    """Yield the lines of the page of keys."""
    yield from ("# Keys of configs and sweeps", "", GENERATED, "")
    yield "YAML files; every key that is not listed here is an error. `sacma algorithms` prints the same in a terminal."
    yield "In brackets is the place of the paper that has a key of its algorithms; [-]: it does not say."
    yield from ("", "## A config", "", *_table(Config))
    yield from ("", "## `protocol`", "", "What is run, of any algorithm.", "", *_table(Protocol))
    known: set[FieldRow] = set()
    for name, algorithm in ALGORITHMS.items():
        yield from ("", f"## `settings` of `{name}`", "", f"{algorithm.summary}.", "")
        yield from _settings(algorithm.settings, known)
        plain: dict[str, str] = {}
        for title, summary, model in part_models(algorithm.settings):
            rows = field_rows(model)
            if not known.issuperset(rows):
                yield from ("", f"### `{title}`", "", f"{summary}.", "")
                yield from _settings(model, known, f"{title.partition(':')[0]}.")
            else:
                again = ", ".join(f"`{key}`" for key, *_ in rows)
                plain.setdefault(
                    summary, _row(f"`{title}`", f"{summary}{f'; settings as above: {again}' if again else ''}.")
                )
        if plain:
            yield from ("", "### Without settings of their own", "", _row("kind", "meaning"), _row("---", "---"))
            yield from plain.values()
    yield from ("", "## A sweep", "", *_table(SweepFile))
    yield from ("", "## An entry of `algorithms` of a sweep", "", *_table(AlgorithmEntry))


def _settings(model: type[BaseModel], known: set[FieldRow], prefix: str = "") -> Iterator[str]:
    rows = field_rows(model)
    again = [row[0] for row in rows if row in known]
    if again:
        yield from (f"As above: {', '.join(f'`{key}`' for key in again)}.", "")
    if len(again) < len(rows):
        yield from _table(model, prefix, leave_out=again)
    known.update(rows)


def _table(model: type[BaseModel], prefix: str = "", leave_out: Collection[str] = ()) -> Iterator[str]:
    rows = [row for row in field_rows(model) if row[0] not in leave_out]
    yield _row("key", "default", "allowed", "meaning")
    yield _row(*["---"] * 4)
    for name, default, allowed, meaning in rows:
        source = SOURCES.get(f"{prefix}{name}", "")
        yield _row(f"`{name}`", default, allowed.replace(" | ", ", "), f"{meaning}{f' [{source}]' if source else ''}")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


PAGES: Mapping[str, Any] = {"commands.md": commands, "config.md": config}


def main() -> None:
    """Write or check all pages."""
    DOCS.mkdir(parents=True, exist_ok=True)
    for name, lines in PAGES.items():
        text = "\n".join(lines()).rstrip() + "\n"
        path = DOCS / name
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
            print(path)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is not up to date; make reference")


if __name__ == "__main__":
    main()
