"""Every block of code and every command of the documentation runs, in the order of its page.

Simple commands of sacma run in this process; benchmarks only have to be there: ``tests/test_scripts.py`` runs each of
them in small.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import matplotlib as mpl
import pytest
import yaml
from math_core import LatexToMathML

from sacma.config.study import load_study
from sacma.config.sweep import load_sweep
from tests.commands import blank_figures, sacma, successful
from tests.docs.pages import PAGES, ROOT, Block, blocks

mpl.use("Agg")

OUTPUT = {"", "text", "console", "csv"}  # languages of blocks that show what came out

SECONDS = 300

COMMANDS = re.compile(
    r"^((?:(?:srun )?sacma (?:run|sweep|plan)|python -m benchmarks\.trial_cost)\b[^|>#\n]*?)(\s*(?:#.*)?)$",
    re.MULTILINE,
)

BENCHMARK = re.compile(r"python -m ((?:benchmarks|reproduction)\.\w+)\b(?!.*[|>])")

SIMPLE = re.compile(r"(?:srun )?sacma [^|;&<>]*")  # a command of ours that needs nothing of a shell but its words


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study, as `make run` leaves it, for pages that look at results."""
    folder = tmp_path_factory.mktemp("study")
    configs = [ROOT / "configs" / f"{name}.yaml" for name in ("cmaes", "ada_kendall", "gp1")]
    options = ("--functions", "1,8", "--dimensions", 2, "--instances", "1-2", "--budget", 60, "--results", "quick")
    successful("run", *configs, *options, "--jobs", 1, cwd=folder)
    return folder / "quick"


@pytest.fixture
def checkout(tmp_path: Path, results: Path) -> Path:
    """A folder with what a clone has for users, results of a small study, and the command on the path."""
    for name in ("configs", "examples", "benchmarks", "reproduction", "Makefile", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(results, tmp_path / "results" / "quick")
    (tmp_path / "bin").mkdir()
    python = f'exec "{sys.executable}"'
    commands = {
        "sacma": f'{python} -m sacma "$@"',
        "python": f'{python} "$@"',
        "srun": 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
    }
    for name, line in commands.items():
        command = tmp_path / "bin" / name
        command.write_text(f"#!/bin/sh\n{line}\n")
        command.chmod(0o755)
    return tmp_path


@blank_figures()
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=page_name)
def test_blocks_of_a_page(page: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in one folder: Python in one namespace, commands in a shell each."""
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("PATH", f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "1")
    namespace: dict[str, object] = {"__name__": "__page__"}
    for block in blocks(page):
        where = f"{page_name(page)}:{block.line}"
        if block.language in OUTPUT or block.not_run:
            continue
        if block.title:
            Path(block.title).write_text(block.text)
            continue
        match block.language:
            case "python":
                exec(compile("\n" * block.line + block.text, str(page), "exec"), namespace)  # noqa: S102 our own text
            case "sh":
                run_commands(block, where)
            case "yaml":
                load(block, checkout)
            case "math":
                LatexToMathML().convert_with_local_state(block.text, displaystyle=True)
            case "toml":
                tomllib.loads(block.text)
            case other:
                pytest.fail(f"{where}: no test knows what to do with a block of {other}")


def run_commands(block: Block, where: str) -> None:
    """Run the lines of a shell block; of make only whether the targets are there."""
    text = re.sub(r"\\\n\s*", "", block.text)
    text = re.sub(r"^make ", "make -n ", text, flags=re.MULTILINE)
    if block.in_small:
        text = COMMANDS.sub(lambda m: f"{m[1]} {block.in_small}{m[2]}", text)
        text = re.sub(r"^sacma postprocess\b", "sacma postprocess --no-pages --no-pdf", text, flags=re.MULTILINE)
    lines = [line for line in (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines()) if line]
    for line in [text] if "<<" in text else (line.partition(" | tail -n ")[0] for line in lines):
        if script := BENCHMARK.match(line):
            assert (ROOT / f"{script[1].replace('.', '/')}.py").is_file(), f"{where}: {line}"
            continue
        done = sacma(*words(line), cwd=Path.cwd()) if SIMPLE.fullmatch(line) else shell(line)
        assert done.returncode == 0, f"{where}: {line}\n{done.stdout}\n{done.stderr}"


def words(line: str) -> list[str]:
    """Return the arguments of a simple command, as the shell expands them."""
    expanded = shell(f"printf '%s\\0' {line.partition('sacma ')[2]}")
    return expanded.stdout.split("\0")[:-1]


def shell(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],  # noqa: S607 the user's own shell
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def load(block: Block, folder: Path) -> None:
    """Load a config or a sweep."""
    path = folder / "block.yaml"
    path.write_text(block.text)
    content = yaml.safe_load(block.text)
    if "grid" in content:
        load_sweep(path)
    elif "algorithm" in content:
        load_study(path)
