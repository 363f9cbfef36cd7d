"""Messages of errors as a set: every message of the sources has the same form and tone."""

import ast
import re
import shlex
import shutil
from pathlib import Path

import pytest

import sacma as package
from tests.commands import refusal, sacma
from tests.conftest import CONFIGS

SOURCES = sorted(Path(package.__file__).parent.rglob("*.py"))
CONFIG = str(CONFIGS / "cmaes.yaml")
SAYING = {"SacmaError", "RunError", "FolderInUseError", "DamagedRecordError", "fail", "Interrupted"}

# What a message does without: it says what is, what may be and how to mend it.
NOT_OURS = re.compile(
    r"please|sorry|oops|invalid|illegal|failure|must not|unable|wrong|whoops|error:|!|  |\n", re.IGNORECASE
)


def text_of(node: ast.expr) -> str:
    """Return a literal as it is shown, with … for what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.BinOp(left=left, right=right):
            return text_of(left) + text_of(right)
        case _:
            return "…"


def messages() -> list[tuple[str, str]]:
    """Return place and text of each message of the sources."""
    return [
        (f"{path.name}:{node.lineno}", text_of(node.args[0]))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id in SAYING
    ]


def test_form_and_tone() -> None:
    """One line, no full stop, no reproach; small letters at the beginning, but for names."""
    found = messages()
    assert len(found) > 90
    for where, text in found:
        assert not NOT_OURS.search(text), f"{where}: {text}"
        assert not text.endswith((".", ":", " ", ";")), f"{where}: {text}"
        assert re.match(r"[a-z…-]|COCO|\(", text), f"{where}: {text}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--bogus"), "No such option: --bogus"),
        (("run", "--jobs", "x"), "Invalid value for '--jobs'"),
        (("sweep",), "Missing argument 'SWEEP'"),
        (("bogus",), "No such command 'bogus'"),
    ],
)
def test_usage(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """What the command line cannot take is one line, with the help of the very command."""
    done = sacma(*arguments, cwd=tmp_path)
    command = f"sacma {arguments[0]}" if arguments[0] != "bogus" else "sacma"
    assert done.returncode == 2
    assert done.stderr.startswith(f"sacma: {said}")
    assert done.stderr.endswith(f"; see: {command} --help\n")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [  # typer's words for what is allowed differ between its versions
        (("run", "--jobs", "0"), ("'--jobs': ", "1", "given: '0'")),
        (("run", "--jobs=x"), ("'--jobs': ", "valid integer", "given: 'x'")),
        (("run", "--retries", "-1"), ("'--retries': ", "0", "given: '-1'")),
        (("run", "--trial-timeout", "0"), ("'--trial-timeout': ", "0.001", "given: '0'")),
        (("run", "--seed", "1.5"), ("'--seed': ", "valid integer", "given: '1.5'")),
        (("postprocess", "--budget", "0.5"), ("'--budget': ", "1", "given: '0.5'")),
        (("postprocess", "--budget", "nan"), ("'--budget': ", "1000000000", "given: 'nan'")),
        (("postprocess", "--budget", "inf"), ("'--budget': ", "1000000000", "given: 'inf'")),
        (("postprocess", "--jobs", "a\x1b[2J"), ("'--jobs': ", "valid integer")),
        (("run", CONFIG, "--budget", "nan"), ("--budget: nan is not allowed: should be a finite number",)),
        (("run", CONFIG, "--target", "nan"), ("--target: nan is not allowed: should be a finite number",)),
        (("run", CONFIG, "--budget", "0"), ("--budget: 0.0 is not allowed: should be greater than 0",)),
        (("run", "nan.yaml"), ("budget: nan is not allowed: should be a finite number",)),
        (("run", CONFIG, "--shard", "1/1000000000"), ("'1/1000000000'", "K/N with 1 <= K <= N <= 9999999, like 2/10")),
    ],
)
def test_numbers_that_are_not_allowed(tmp_path: Path, arguments: tuple[str, ...], said: tuple[str, ...]) -> None:
    """One line has the option, the value that was given, and what is allowed."""
    (tmp_path / "nan.yaml").write_text("name: A\nalgorithm: surrogate-cmaes\nprotocol: {budget: .nan}\n")
    done = sacma(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert all(part in done.stderr for part in said), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_an_algorithm_without_a_name_is_no_baseline(tmp_path: Path) -> None:
    """An empty --baseline is not the default, and a budget that no trial has is named."""
    small = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 5)
    assert sacma("run", CONFIG, *small, cwd=tmp_path).returncode == 0
    done = sacma("postprocess", "--baseline", "", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "sacma: --baseline: there is no algorithm ''; there are CMA-ES\n")
    longer = sacma("postprocess", "--budget", 6, cwd=tmp_path)
    assert longer.returncode == 2
    assert longer.stderr == "sacma: --budget: no trial has more than 5·D evaluations; give at most that, not 6\n"


@pytest.mark.parametrize("command", ["status", "postprocess", "export"])
def test_suggested_commands_can_be_typed(tmp_path: Path, command: str) -> None:
    """Paths in them are quoted, so that the shell takes them for what they are."""
    done = sacma(command, "my results; ls", cwd=tmp_path)
    assert done.returncode == 2
    suggested = done.stderr.partition("make some with: ")[2]
    assert shlex.split(suggested) == ["sacma", "run", "CONFIG…", "--results", "my results; ls"]


def test_suggested_commands_for_files_can_be_typed(tmp_path: Path) -> None:
    """The same where a config is given for a sweep, and the other way round."""
    for command, other, file in (("run", "sweep", "sweeps/step_size"), ("sweep", "run", "cmaes")):
        copy = tmp_path / f"my {command}.yaml"
        shutil.copy(CONFIGS / f"{file}.yaml", copy)
        done = sacma(command, copy.name, cwd=tmp_path)
        assert done.returncode == 2
        assert shlex.split(done.stderr.partition("run it with: ")[2]) == ["sacma", other, copy.name]


@pytest.mark.parametrize(
    ("given", "why"),
    [("file", "file is no folder"), ("file/below/it", "file is no folder"), ("nowhere/it", "nowhere is no folder")],
)
def test_an_export_is_refused_before_it_is_made(tmp_path: Path, given: str, why: str) -> None:
    """Where --output can be no folder nothing is derived, and the message says what is in the way."""
    small = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 5)
    assert sacma("run", CONFIGS / "cmaes.yaml", *small, "--results", "out", cwd=tmp_path).returncode == 0
    shutil.rmtree(tmp_path / "out" / "coco")
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("gone")
    done = sacma("export", "out", "--output", given, "--accept-warnings", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"sacma: --output: {given} cannot be a folder: {tmp_path / why}; give another\n"
    assert not (tmp_path / "out" / "coco").exists()
    (tmp_path / "out" / "export").touch()
    assert "give another with --output" in refusal("export", "out", "--accept-warnings", cwd=tmp_path)
