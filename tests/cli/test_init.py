"""sacma init writes what the documentation's commands need, and nothing over anything."""

from pathlib import Path

from sacma.config.study import load_study
from tests.commands import refusal, sacma, successful
from tests.conftest import CONFIGS

EXAMPLES = CONFIGS.parent / "examples"
SHIPPED = {f"configs/{path.relative_to(CONFIGS)}" for path in CONFIGS.rglob("*.yaml")} | {
    f"examples/{path.name}" for path in EXAMPLES.iterdir() if path.suffix in {".py", ".yaml"}
}


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_shipped_files(tmp_path: Path) -> None:
    """All configs and the example, as they are in the repository; a second time nothing is written."""
    done = successful("init", "new/folder", cwd=tmp_path)
    folder = tmp_path / "new" / "folder"
    assert files(folder) == SHIPPED
    assert all((folder / name).read_bytes() == (CONFIGS.parent / name).read_bytes() for name in SHIPPED)
    assert f"{len(SHIPPED)} files written" in done.stdout
    assert "next: sacma run new/folder/configs/ada_kendall.yaml" in done.stdout
    assert load_study(folder / "configs" / "ada_kendall.yaml").name == "ADA-Kendall"
    again = sacma("init", "new/folder", cwd=tmp_path)
    assert f"0 files written, {len(SHIPPED)} were there" in again.stdout


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    """A config of one's own stays as it is."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "gp1.yaml").write_text("mine")
    done = successful("init", cwd=tmp_path)
    assert (tmp_path / "configs" / "gp1.yaml").read_text() == "mine"
    assert ", 1 were there" in done.stdout
    assert files(tmp_path) == SHIPPED


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """One line says what is in the way."""
    (tmp_path / "file").write_text("")
    done = sacma("init", "file", cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "could not be written" in done.stderr


def test_a_config_that_is_not_there_leads_to_init(tmp_path: Path) -> None:
    """Who has only the wheel learns where configs come from."""
    done = refusal("run", "configs/ada_kendall.yaml", cwd=tmp_path)
    assert "no such config file; sacma init writes the shipped ones" in done
