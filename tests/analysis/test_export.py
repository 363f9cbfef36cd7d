"""Archives for the COCO data archive: what is sound passes, and each fault is found."""

import io
import re
import tarfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest
from pyarrow import parquet

from sacma.analysis.export import EMPTY_SETTINGS, find_faults, load_in_cocopp, pack, read_folder
from sacma.analysis.trials import external_trials
from sacma.coco.archives import read_files
from sacma.coco.reader import load_coco
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment.run import run_campaign
from sacma.store.store import Store
from tests.commands import NoWorkers, sacma
from tests.conftest import CONFIGS

ROOT = CONFIGS.parent / "results"
Exported = tuple[dict[str, str], list[TrialSpec]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The COCO folder of CMA-ES on two functions, two dimensions and the study's 15 instances."""
    from sacma.config.study import load_study  # noqa: PLC0415

    study = load_study(CONFIGS / "cmaes.yaml", {"functions": "1,8", "dimensions": "2,3", "budget": 20})
    root = tmp_path_factory.mktemp("export")
    store = Store(root)
    store.prepare()
    store.register(study)
    specs = plan([study])
    run_campaign(specs, store, workers=NoWorkers(), retries=0)
    (stored,) = store.studies()
    store.derive(stored)
    return read_folder(store.coco_folder("CMA-ES")), list(specs)


def test_a_sound_folder_loads_without_a_warning(exported: Exported) -> None:
    """No fault is found, cocopp has nothing to say, and the archive is the same bytes each time."""
    contents, specs = exported
    places = [spec.place for spec in specs]
    assert find_faults(contents, places) == []
    archive = pack("CMA-ES", contents)
    assert archive == pack("CMA-ES", contents)
    assert load_in_cocopp("CMA-ES", archive, places) == []
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        assert {entry.name.split("/")[0] for entry in opened} == {"CMA-ES"}
        assert len(opened.getnames()) == len(contents) == 2 + 2 * 2 * 4
    assert not any(EMPTY_SETTINGS in text for text in contents.values())


INFO, DATA = "bbobexp_f8.info", "data_f8/bbobexp_f8_DIM3.dat"


@pytest.mark.parametrize(
    ("file", "change", "fault"),
    [
        (INFO, lambda text: text.replace(", 41:", ", 5:"), "there more than once"),
        (INFO, lambda text: text.replace(", 41:", ", 40:"), "not of the study"),
        (INFO, lambda text: re.sub(r", 41:[^,]*", "", text), "missing"),
        (INFO, lambda text: text.replace("algId = 'CMA-ES'", "algId = 'other'", 1), "headers differ"),
        (INFO, lambda text: "\n".join(text.splitlines()[:-1]), "not three a data set"),
        (INFO, lambda text: text.replace("DIM3.dat", "DIM5.dat"), "names data_f8/bbobexp_f8_DIM5.dat"),
        (DATA, lambda text: text[: len(text) // 2], "runs, bbobexp_f8.info says 15"),
        (DATA, lambda text: text + text, "has 30 runs"),
    ],
)
def test_faults_are_found(exported: Exported, file: str, change: Callable[[str], str], fault: str) -> None:
    """Doubled, foreign and missing trials, other headers, damaged indices and data."""
    contents, specs = exported
    changed = {**contents, file: change(contents[file])}
    assert any(fault in found for found in find_faults(changed, [spec.place for spec in specs]))


PAPERS = (*range(1, 6), *range(41, 51))
"""The instances of the paper."""


@pytest.mark.parametrize(
    ("name", "dimensions", "instances"), [("sacma", (2, 3, 5, 10), PAPERS), ("sacma_20-D", (20,), PAPERS[:5])]
)
def test_archives_of_the_repository(name: str, dimensions: Sequence[int], instances: Sequence[int]) -> None:
    """They have no fault, and say of each trial what its outcome of the comparison says."""
    path = ROOT / "coco_data" / f"{name}.tgz"
    files = {
        file: data.decode() for file, data in read_files(path, (".info", ".dat", ".tdat", ".rdat", ".mdat")).items()
    }
    contents = {file.partition("/")[2]: text for file, text in files.items()}
    assert find_faults(contents, product(range(1, 25), dimensions, instances)) == []
    trials = external_trials("sacma", load_coco(path), 1e-8)
    found = {(t.dimension, t.instance, t.function): (t.evaluations, t.to[-1]) for t in trials}
    for D, instance in product(dimensions, instances):
        table = parquet.read_table(
            ROOT / "comparison" / f"{D}-D-instance-{instance}.parquet", filters=[("algorithm", "=", "sacma")]
        )
        for row in table.to_pylist():
            evaluations, best = found.pop((D, instance, row["function"]))
            assert evaluations == row["evaluations"]
            assert best == pytest.approx(row["improved_to"][-1], rel=1e-5, abs=1e-12)
    assert not found


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
    refused = sacma("export", cwd=tmp_path)
    assert refused.returncode == 2
    assert "missing: CMA-ES 2-D: f1 instances 1" in " ".join(refused.stderr.split())
    assert "trials are missing: CMA-ES (1 of 2)" in refused.stderr
    assert "--partial" not in refused.stderr  # an option of postprocess
