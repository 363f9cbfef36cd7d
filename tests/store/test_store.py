"""Results folders: resuming, replacing, setting aside."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sacma.config.study import Study
from sacma.errors import SacmaError
from sacma.store.store import Store
from tests.commands import run_here
from tests.conftest import coco_files

MakeStudy = Callable[..., Study]
PROTOCOL = {"functions": "1,8", "dimensions": "2,3", "instances": "1-3", "budget": 40}


def test_what_is_there_is_not_run_again(study: MakeStudy, tmp_path: Path) -> None:
    """The second run of the same study runs nothing; a wider one runs what is new and covers both."""
    assert len(run_here(tmp_path, study("cmaes", **PROTOCOL))) == 12
    assert len(run_here(tmp_path, study("cmaes", **PROTOCOL))) == 0
    assert len(run_here(tmp_path, study("cmaes", **{**PROTOCOL, "functions": "8,15"}))) == 6
    (stored,) = Store(tmp_path).studies()
    assert {spec.function for spec in stored.specs()} == {1, 8, 15}
    assert len(stored.specs()) == 18
    assert (tmp_path / "coco" / "CMA-ES" / "bbobexp_f1.info").exists()
    assert (tmp_path / "coco" / "CMA-ES" / "bbobexp_f15.info").exists()


def test_other_settings_do_not_mix(study: MakeStudy, tmp_path: Path) -> None:
    """Another budget replaces the study in derived data, runs all its trials, and the old records stay."""
    run_here(tmp_path, study("cmaes", **PROTOCOL))
    before = set((tmp_path / "records").rglob("*.record"))
    assert len(run_here(tmp_path, study("cmaes", **{**PROTOCOL, "budget": 50}))) == 12
    (stored,) = Store(tmp_path).studies()
    assert {spec.budget for spec in stored.specs()} == {100, 150}
    assert before < set((tmp_path / "records").rglob("*.record"))
    assert len(run_here(tmp_path, study("cmaes", **PROTOCOL))) == 0


def test_damaged_and_foreign_records_are_set_aside(study: MakeStudy, tmp_path: Path) -> None:
    """A truncated record, and one under another's name, never count as done; they are kept aside and run again."""
    asked = study("cmaes", **PROTOCOL)
    run_here(tmp_path, asked)
    expected = coco_files(tmp_path)
    first, second, third = sorted((tmp_path / "records").rglob("*.record"))[:3]
    first.write_bytes(first.read_bytes()[:-20])
    second.write_bytes(third.read_bytes())
    assert len(run_here(tmp_path, asked)) == 2
    assert coco_files(tmp_path) == expected
    assert len(list((tmp_path / "records").rglob("*.damaged-1"))) == 2


def test_study_files(study: MakeStudy, tmp_path: Path) -> None:
    """A Mac's hidden copy is none; a file that is no study is an error that says how to mend it; nothing else stays."""
    run_here(tmp_path, study("cmaes", functions="1", dimensions="2", instances="1", budget=10))
    assert not list(tmp_path.rglob(".*"))
    (tmp_path / "studies" / "._CMA-ES.json").write_bytes(b"\0\5\x16\7")
    assert [stored.name for stored in Store(tmp_path).studies()] == ["CMA-ES"]
    (tmp_path / "studies" / "CMA-ES.json").write_text("{")
    with pytest.raises(SacmaError, match="delete it and run the config again"):
        Store(tmp_path).studies()
    other = study("cmaes", functions="1", dimensions="2", instances="1", budget=10).model_copy(
        update={"name": "cma-es"}
    )
    with pytest.raises(SacmaError, match="has results of CMA-ES, which differs from cma-es in case only"):
        run_here(tmp_path, other)
