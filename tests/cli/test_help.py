"""The help of every command: aligned at 80 columns, with examples that are right."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sacma.cli.app import ClickError, app
from sacma.experiment import installation_check
from sacma.experiment.installation_check import CheckResult
from tests.commands import printed_by, sacma
from tests.conftest import CONFIGS

SMALL = ("--functions", "1", "--dimensions", "2", "--instances", "1", "--budget", "5")
GROUP: Any = typer.main.get_command(app)
MADE: dict[str, Any] = {name: GROUP.get_command(None, name) for name in GROUP.commands}


def shown(*arguments: str, width: int = 80) -> list[str]:
    done = CliRunner().invoke(app, [*arguments, "--help"], prog_name="sacma", env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    return done.stdout.splitlines()


EXAMPLES = [(name, line) for name, command in MADE.items() for line in command.epilog.splitlines()]


@pytest.mark.parametrize("name", ["", *MADE])
def test_examples_are_shown(name: str) -> None:
    """One a line as they are written, at the end, within 80 columns; whole even where the terminal is narrow."""
    arguments = [name] if name else []
    expected = (MADE[name] if name else GROUP).epilog.splitlines()
    assert expected
    for width in (80, 40):
        lines = shown(*arguments, width=width)
        assert lines[-len(expected) - 1 :] == ["Examples:", *(f"  {line}" for line in expected)]
    assert max(map(len, shown(*arguments))) <= 80


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_examples_are_right(name: str, line: str) -> None:
    """Each is of its command, its options exist and have allowed values, and so do the files that are shipped."""
    program, command, *arguments = shlex.split(line, comments=True)
    assert (program, command) == ("sacma", name)
    try:
        MADE[name].make_context(name, arguments)
    except ClickError as error:
        pytest.fail(f"{line}: {error.format_message()}")
    for path in re.findall(r"(?:configs|examples)/\S+", line):
        assert (CONFIGS.parent / path).is_file(), path


def test_every_command_has_a_summary_of_one_line() -> None:
    """The list of commands is not folded."""
    lines = shown()
    start = lines.index("Commands:")
    assert len(lines[start + 1 : lines.index("", start)]) == len(MADE)


def test_results_by_default() -> None:
    """They are in results/, or where the environment says; the help tells."""
    context = MADE["status"].make_context("status", [])
    assert context.params["results"] == Path("results")
    assert any("SACMA_RESULTS" in line for line in shown("status"))


@pytest.mark.parametrize(
    "command",
    [
        ("plan", CONFIGS / "cmaes.yaml", *SMALL),
        ("plan",),
        ("status",),
        ("sweep", CONFIGS / "sweeps" / "step_size.yaml", *SMALL, "--plan"),
        ("postprocess",),
        ("export",),
        ("doctor",),
    ],
)
def test_the_folder_of_results_is_an_argument_or_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    """Every command takes it either way, and refuses two of them; the environment gives way to both."""
    monkeypatch.setattr(installation_check, "examine", lambda results, _: [CheckResult(str(results), True, "")])
    said = []
    for number, folder in enumerate([("there",), ("--results", "there"), ("--results", "there", "there")]):
        cwd = tmp_path / str(number)
        cwd.mkdir()
        done = sacma(*command, *folder, cwd=cwd, SACMA_RESULTS="another")
        assert "another" not in done.stdout + done.stderr
        printed = re.sub(r"[\d,]+ MB free", "", done.stdout)  # which other processes change
        said.append((done.returncode, printed, done.stderr, len(list(cwd.iterdir()))))
    assert said[0] == said[1] == said[2]
    two = sacma(*command, "there", "--results", "elsewhere", cwd=tmp_path)
    assert (two.returncode, two.stderr) == (
        2,
        "sacma: two folders of results are given, there and elsewhere; give one\n",
    )


def test_help_and_version_import_no_command(tmp_path: Path) -> None:
    """Nor what only commands need, like the consoles: what is left is Python and the parser."""
    code = (
        "import sys; import sacma.cli.app; sys.argv = ['sacma', {option!r}]; sacma.cli.app.main(); "
        "print([name for name in sys.modules if name != 'sacma.cli.app' "
        "and name.startswith(('sacma.cli.', 'rich', 'pydantic', 'numpy', 'cma', 'coco', 'pandas'))])"
    )
    for option in ("--help", "--version"):
        assert printed_by(code.format(option=option), cwd=tmp_path).splitlines()[-1] == "[]"
