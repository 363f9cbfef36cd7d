"""The shell completes commands, options and their values."""

from pathlib import Path

import pytest

from tests.commands import successful


def completed(line: str, cwd: Path) -> list[str]:
    """Ask as bash does, with the cursor at the end of ``line``."""
    position = len(line.split(" ")) - 1
    done = successful(cwd=cwd, _SACMA_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=position)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [("sacma po", ["postprocess"]), ("sacma re", ["replay"]), ("sacma run --trial", ["--trial-timeout"])],
)
def test_completion(tmp_path: Path, line: str, expected: list[str]) -> None:
    """What begins so, and nothing else."""
    assert completed(line, tmp_path) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_is_to_load(tmp_path: Path, shell: str) -> None:
    """A script for the shell that asks the command itself."""
    done = successful(cwd=tmp_path, _SACMA_COMPLETE=f"source_{shell}")
    assert f"_SACMA_COMPLETE=complete_{shell}" in done.stdout
