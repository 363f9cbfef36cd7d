"""What the README shows works as it stands there."""

import re
from pathlib import Path

import pytest

from sacma.config import load_study

README = (Path(__file__).parent.parent / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_config_is_valid(tmp_path: Path) -> None:
    """The config of the README loads."""
    (example,) = blocks("yaml")
    (tmp_path / "c.yaml").write_text(example)
    assert load_study(tmp_path / "c.yaml").name == "ADA-Kendall"


def test_optimizer_solves_its_example(capsys: pytest.CaptureFixture[str]) -> None:
    """The last Python block runs and reaches 1e-8 within its 2000 evaluations."""
    exec(compile(blocks("python")[-1], "README.md", "exec"), {})  # noqa: S102 our own text
    evaluations, best = capsys.readouterr().out.split()
    assert int(evaluations) <= 2000
    assert float(best) <= 1e-8


def test_commands_exist() -> None:
    """Every make target and every command that the README names is there."""
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    for target in set(re.findall(r"make ([a-z-]+)", README)) - {"s"}:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
