"""Kept outcomes: Δf is exact where the report looks, and close to it elsewhere; a table is read like results."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sacma.analysis.trials import our_trial
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.trial import run_trial
from sacma.store.completeness import completeness_of_studies
from sacma.store.kept import LEVELS, KeptStudy, KeptTrial, read_kept, write_kept
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy
from tests.commands import refusal, reported, successful
from tests.conftest import CONFIGS, one_line

LOOKS = (20, 33, 40)


@pytest.fixture
def kept(study: Callable[..., Study]) -> KeptStudy:
    of = study("cmaes", functions="1,8", dimensions="2", instances="1", budget=30)
    records = map(run_trial, plan([of]))
    trials = [KeptTrial(r.spec, r.outcome, r.provenance.environment, r.provenance.ended[:10]) for r in records]
    return KeptStudy(StoredStudy((of,)), trials)


@pytest.fixture
def folder(kept: KeptStudy, tmp_path: Path) -> Path:
    write_kept(Store(tmp_path).kept_file, [kept], lambda dimension, function: LOOKS)
    return tmp_path


def test_what_the_report_looks_at_is_exact(kept: KeptStudy, folder: Path) -> None:
    """Δf has seven digits at the numbers given and at the end; all targets are reached when they were."""
    (again,) = read_kept(folder / "outcomes.parquet")
    assert again.study == kept.study
    targets = 10.0 ** (np.arange(-8 * 5, 2 * 5 + 1) / 5)
    for old, new in zip(kept.trials, again.trials, strict=True):
        assert (new.spec, new.environment, new.day) == (old.spec, old.environment, old.day)
        assert new.outcome.fits == old.outcome.fits
        assert new.outcome.cpu.total == pytest.approx(old.outcome.cpu.total)
        one, other = (our_trial(trial.spec, trial.outcome) for trial in (old, new))
        looks = np.array([*LOOKS, old.outcome.evaluations], float)
        np.testing.assert_allclose(other.best_after(looks), one.best_after(looks), rtol=1e-7)
        everywhere = np.arange(1.0, old.outcome.evaluations + 1)
        ratio = other.best_after(everywhere) / one.best_after(everywhere)
        assert ratio.min() > 1 - 1e-6
        assert ratio.max() < 10 ** (1 / LEVELS) * (1 + 1e-6)
        for trial in (one, other):
            assert len(trial.at) == len(trial.to)
        reached = [[(trial.best_after(everywhere) <= target).argmax() for target in targets] for trial in (one, other)]
        assert reached[0] == reached[1]


def test_a_table_is_read_like_results(folder: Path) -> None:
    """Commands show it, and report on it; no trial can be added to it."""
    ((stored, there),) = completeness_of_studies(Store(folder))
    assert there.complete
    assert there.manifest is not None
    assert there.manifest.name == stored.name
    status = successful("status", folder, cwd=folder)
    assert "CMA-ES" in status.stdout
    reported(folder, "--dimensions", 2, cwd=folder)
    assert (folder / "report" / "index.html").exists()
    asked = ("--functions", 1, "--dimensions", 2, "--results", folder)
    assert "holds kept outcomes" in refusal("run", CONFIGS / "cmaes.yaml", *asked, cwd=folder)
    assert not (folder / "records").exists()


@pytest.mark.parametrize("change", ["cut", "column", "order", "negative", "lengths", "json", "studies"])
def test_a_damaged_table_is_refused(folder: Path, change: str) -> None:
    """In one line that names the file."""
    path = folder / "outcomes.parquet"
    table = parquet.read_table(path)

    def replaced(name: str, values: object) -> pa.Table:
        at = table.schema.get_field_index(name)
        return table.set_column(at, table.schema.field(at), [pa.array(values, table.schema.field(at).type)])

    changed = {
        "column": lambda: table.drop_columns(["day"]),
        "order": lambda: replaced("improved_after", [[-n for n in of] for of in table["improved_after"].to_pylist()]),
        "negative": lambda: replaced("evaluations", [-1] * len(table)),
        "lengths": lambda: replaced("fallen_by", [[1]] * len(table)),
        "json": lambda: replaced("environment", ["{"] * len(table)),
        "studies": lambda: table.replace_schema_metadata({"studies": "[[{}]]"}),
    }
    if change == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        parquet.write_table(changed[change](), path)
    assert "outcomes.parquet is not a table of outcomes: " in one_line(read_kept, path)


@pytest.mark.parametrize(
    "path", sorted((CONFIGS.parent / "data").glob("*/outcomes.parquet")), ids=lambda p: p.parent.name
)
def test_outcomes_of_the_repository_are_read(path: Path) -> None:
    """With settings that are gone since then, where the code has their values."""
    assert all(study.trials for study in read_kept(path))
