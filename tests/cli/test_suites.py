"""The commands on COCO's other suites: the whole way from config to pages, and what does not go together."""

import re
from pathlib import Path

import pytest

from sacma.coco.formats import load_one
from sacma.coco.suites import SUITES
from sacma.config.study import load_study
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.commands import blank_figures, refusal, sacma, successful
from tests.conftest import CONFIGS
from tests.test_cli import broken_links

NOISY = ("--suite", "bbob-noisy", "--functions", "123", "--dimensions", "2")
LARGESCALE = ("--suite", "bbob-largescale", "--functions", "6", "--dimensions", "40,80")


@pytest.mark.parametrize(
    ("protocol", "budget", "trials", "left_out"),
    [(NOISY, "12", 15, ("run lengths",)), (LARGESCALE, "3", 4, ("cocopp",))],
)
@blank_figures()
def test_from_config_to_pages(
    tmp_path: Path, protocol: tuple[str, ...], budget: str, trials: int, left_out: tuple[str, ...]
) -> None:
    """run, plan, replay, postprocess and export; the page is of the suite and says what it leaves out."""
    suite = protocol[1]
    asked = (CONFIGS / "cmaes.yaml", *protocol, "--instances", "1-15" if trials == 15 else "1-2", "--budget", budget)
    done = successful("run", *asked, "--results", "out", "--jobs", 1, cwd=tmp_path)
    assert f"all {trials} trials in out" in done.stdout
    if suite == "bbob-noisy":
        assert "nothing to run" in sacma("plan", *asked, "--results", "out", cwd=tmp_path).stdout
        record = next((tmp_path / "out" / "records").rglob("*.record"))
        assert "bit-identical" in sacma("replay", record, cwd=tmp_path).stdout
    data = load_one(tmp_path / "out" / "coco" / "CMA-ES", SUITES[suite])
    outcomes = [
        outcome
        for _, completeness in completeness_of_studies(Store(tmp_path / "out"))
        for _, outcome in completeness.trials
    ]
    assert sorted(curve.to[-1] for curve in data.curves) == pytest.approx(sorted(o.best_delta_f for o in outcomes))

    made = successful("postprocess", "out", "--no-pdf", "--jobs", 1, cwd=tmp_path)
    tables = tmp_path / "out" / "report" / "tables"
    page = (tmp_path / "out" / "report" / "index.html").read_text()
    said = re.findall(rf"note: {suite}: (.*)", made.stderr)
    assert any(word in line for line in said for word in left_out)
    assert all(re.sub("'", "&#39;", line) in page for line in said)
    assert f"CMA-ES on {suite}; up to" in re.sub(r"</?span[^>]*>", "", page)
    assert "Against the publication" not in page
    assert not list(tables.glob("paper_*"))
    assert broken_links(tmp_path / "out" / "report" / "index.html") == []
    (pages,) = (tmp_path / "out" / "cocopp" / "comparison").glob("index*.html")
    assert [broken_links(each) for each in (pages.parent.parent / "index.html", pages)] == [[], []]
    successful("export", "out", *["--accept-warnings"] * (trials < 15), cwd=tmp_path)


def test_a_suite_has_its_own_functions_dimensions_and_instances() -> None:
    """Of a protocol that gives none."""
    noisy, large = (
        load_study(CONFIGS / "cmaes.yaml", {"suite": name}).protocol for name in ("bbob-noisy", "bbob-largescale")
    )
    assert (len(noisy.functions), noisy.dimensions, noisy.instances[-1]) == (30, (2, 3, 5, 10, 20), 15)
    assert (len(large.functions), large.dimensions, large.instances[-1]) == (24, (20, 40, 80), 15)
    assert (noisy.budget, noisy.target) == (large.budget, large.target) == (250, 1e-8)


def test_one_suite_a_folder(tmp_path: Path) -> None:
    """Results of another suite are not added to, and a folder in which both were copied is not compared."""
    few = ("--functions", "1", "--dimensions", "20", "--instances", "1", "--budget", "1", "--results", "out")
    assert sacma("run", CONFIGS / "cmaes.yaml", *few, "--jobs", 1, cwd=tmp_path).returncode == 0
    other = sacma("run", CONFIGS / "gp1.yaml", "--suite", "bbob-largescale", *few, cwd=tmp_path)
    assert other.returncode == 2
    assert other.stderr == (
        "sacma: out would hold studies of several suites: bbob (like CMA-ES), bbob-largescale (like GP-1); give each "
        "suite a folder of its own\n"
    )
    Store(tmp_path / "out").register(load_study(CONFIGS / "gp1.yaml", {"suite": "bbob-noisy"}))
    mixed = refusal("postprocess", "out", "--partial", "--no-pages", "--no-pdf", cwd=tmp_path)
    assert "give each suite a folder of its own" in mixed
