"""The budget of a report: what is beyond it changes nothing, or is said to be of whole trials."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import reported, successful
from tests.conftest import CONFIGS

PROBLEMS = ("--functions", "1,3,8", "--dimensions", "2,3", "--instances", "1-3")
BUDGET = 25  # evaluations/D at which COCO's logger tells Δf
# Tables of whole trials, whose captions say so; CPU time differs from run to run, too.
WHOLE = {"cpu", "trial_costs", "control_frequency", "completeness", "strategy"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the same trials up to the budget and beyond it, those of CMA-ES in folders of their own, too."""
    folder = tmp_path_factory.mktemp("budgets")
    configs = [CONFIGS / f"{name}.yaml" for name in ("gp1", "cmaes")]
    for name, budget in (("short", BUDGET), ("long", 3 * BUDGET)):
        successful("run", *configs, *PROBLEMS, "--budget", budget, "--results", name, cwd=folder)
    successful("run", configs[0], *PROBLEMS, "--budget", BUDGET, "--results", "ours", cwd=folder)
    return folder


def report(folder: Path, *arguments: object) -> tuple[dict[str, pd.DataFrame], str, str]:
    """Return the tables of a report, its page and the notes of the command."""
    done = reported(*arguments, cwd=folder)
    written = folder / str(arguments[0]) / "report"
    tables = {path.stem: pd.read_csv(path) for path in (written / "tables").glob("*.csv") if path.stat().st_size > 1}
    return tables, (written / "index.html").read_text(), done.stderr


@pytest.mark.parametrize(
    ("longer", "expected", "of"),
    [
        (("long", "--budget", BUDGET), ("short",), "CMA-ES and GP-1"),
        (("ours", "--with", "Theirs=long/coco/CMA-ES"), ("ours", "--with", "Theirs=short/coco/CMA-ES"), "Theirs"),
        (("none", "--with", "A=long/coco/CMA-ES", "--budget", BUDGET), ("none", "--with", "A=short/coco/CMA-ES"), "A"),
    ],
    ids=["asked for", "data of others that are longer", "data of others alone"],
)
def test_all_is_cut_at_the_budget(
    folders: Path, longer: tuple[object, ...], expected: tuple[object, ...], of: str
) -> None:
    """Every table of longer trials is that of trials that end at the budget, but for those that say otherwise."""
    cut, page, notes = report(folders, *longer)
    whole, _, none = report(folders, *expected)
    assert cut.keys() == whole.keys()
    cost = r"CPU|control frequency"
    for name in cut.keys() - WHOLE:
        ours, theirs = (
            table[~table["quantity"].str.contains(cost)].reset_index(drop=True) if name == "summary" else table
            for table in (cut[name], whole[name])
        )
        pd.testing.assert_frame_equal(ours, theirs, obj=name)
    for name in (name for name in WHOLE if len(cut[name])):
        caption = rf'<p class="caption">[^<]*\b[wW]hole\b[^<]*(?:<(?!p\b)[^<]*)*href="tables/{name}\.csv"'
        assert re.search(caption, page), name
    said = f"of whole trials, those of {of} beyond {BUDGET}·D evaluations"
    assert said in notes
    assert said in page
    assert "of whole trials, those of" not in none
