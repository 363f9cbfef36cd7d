"""Archives for the COCO data archive: what is sound passes, and each fault is found."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sacma.analysis.export import EMPTY_SETTINGS, load_in_cocopp, pack, read_folder
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.store.store import Store
from tests.commands import refusal, run_here, sacma
from tests.conftest import CONFIGS

Exported = tuple[dict[str, str], list[TrialSpec]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The COCO folder of CMA-ES on two functions, two dimensions and the study's 15 instances."""
    from sacma.config.study import load_study  # noqa: PLC0415

    study = load_study(CONFIGS / "cmaes.yaml", {"functions": "1,8", "dimensions": "2,3", "budget": 20})
    root = tmp_path_factory.mktemp("export")
    run_here(root, study)
    return read_folder(Store(root).coco_folder("CMA-ES")), list(plan([study]))


def test_a_sound_folder_loads_without_a_warning(exported: Exported) -> None:
    """Cocopp has nothing to say, and the archive is the same bytes each time."""
    contents, specs = exported
    places = [spec.place for spec in specs]
    archive = pack("CMA-ES", contents)
    assert archive == pack("CMA-ES", contents)
    assert load_in_cocopp("CMA-ES", archive, places) == []
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        assert {entry.name.split("/")[0] for entry in opened} == {"CMA-ES"}
        assert len(opened.getnames()) == len(contents) == 2 + 2 * 2 * 4
    assert not any(EMPTY_SETTINGS in text for text in contents.values())


def test_commands(tmp_path: Path, study: Callable[..., Study]) -> None:
    """Incomplete studies are refused; few instances need a yes; then there is an archive."""
    arguments = [CONFIGS / "cmaes.yaml", "--functions", 1, "--dimensions", 2, "--budget", 10]
    assert sacma("run", *arguments, "--instances", "1-2", cwd=tmp_path).returncode == 0
    warned = sacma("export", cwd=tmp_path)
    assert warned.returncode == 1
    assert "cocopp warns: less than 15 instances" in warned.stderr
    assert "to export it as it is: sacma export --accept-warnings" in warned.stderr
    assert sacma("export", "--accept-warnings", cwd=tmp_path).returncode == 0
    assert (tmp_path / "results" / "export" / "CMA-ES.tgz").exists()
    next((tmp_path / "results").rglob("*.record")).unlink()
    refused = refusal("export", cwd=tmp_path)
    assert "missing: CMA-ES 2-D: f1 instances 1" in refused
    assert "trials are missing: CMA-ES (1 of 2)" in refused
    assert "--partial" not in refused  # an option of postprocess
