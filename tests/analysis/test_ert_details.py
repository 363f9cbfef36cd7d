"""Expected running times with dispersion, ratios to the best of 2009 and tests: by hand, and by cocopp."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from sacma.analysis.ert_details import best_2009, ert_details, formatted
from sacma.analysis.run_lengths import TARGETS, targets
from sacma.analysis.trials import external_trials
from sacma.coco.formats import load_one
from sacma.store.store import Store
from tests.analysis.made import trial
from tests.commands import printed_by, sacma
from tests.conftest import CONFIGS

COCOPP = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import cocopp
from cocopp import toolsstats
cocopp.genericsettings.verbose = False
np.random.seed(1)  # its quantiles are of a global random state
targets, *folders = json.loads(sys.argv[1])
both = [{data.funcId: data for data in cocopp.load(folder)} for folder in folders]
found = []
for f, ours in both[0].items():
    tests = toolsstats.significancetest(ours, both[1][f], targets)
    for target, evals, (z, p) in zip(targets, ours.detEvals(targets), tests):
        there = ~np.isnan(evals)
        runs = evals[there], ours.maxevals[~there]
        quantiles = toolsstats.drawSP(*runs, [10, 90], samplesize=2000)[0] if there.any() else [0, 0]
        found.append([int(f), target, float(p), *map(float, quantiles)])
print("\\n" + json.dumps(found))
"""


def test_by_hand() -> None:
    """Quantiles of trials and of their restarts, ratios, and the exact test of trials that reach a target or do not."""
    trials = [trial("A", 1, (1, 99.0), (n, 1.0), ended=50) for n in (11, 12, 13, 14, 15)]
    trials += [trial("B", 1, (1, 99.0), (40 + n, 1.0), ended=50) for n in range(3)]
    trials += [trial("B", 1, (1, 99.0), (9, 30.0), ended=50), trial("B", 1, (1, 99.0), (9, 20.0), ended=60)]
    found = ert_details(trials, [1.0, 1e-8], "B", of_2009=True)
    ours, never, theirs, _ = (row for _, row in found.iterrows())
    assert (ours["ert"], ours["ert_10"], ours["ert_90"], ours["best_2009"]) == (13, 11, 15, 6)
    assert ours["ratio"] == pytest.approx(13 / 6)
    assert ours["p_value"] == ours["p_holm"] == pytest.approx(2 / math.comb(10, 5))  # all before all
    assert ours["significant"]
    assert math.isnan(theirs["p_value"])
    assert theirs["ert"] == pytest.approx((40 + 41 + 42 + 50 + 60) / 3)
    assert theirs["ert_10"] == 40
    assert theirs["ert_90"] > 42 + 50
    assert (never["ert"], never["ert_10"], never["successes"]) == (np.inf, np.inf, 0)
    assert not never["significant"]
    (table,) = formatted(found, "B")
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.blocks[0].rows}
    assert rows["best 2009"][0] == "6"
    assert rows["A"] == ["2.17 (1.8, 2.5)", "∞"]
    assert rows["B"][0].endswith("3/5")
    assert table.blocks[0].rows[1][1].star


def test_the_best_of_2009_is_that_of_its_targets() -> None:
    """At targets of run lengths that both tables have, the ERT is the same."""
    known = targets(5)
    rows = known[["function", "target", "best_2009_art"]].to_numpy()
    pairs = [(art, best_2009(5, f, target)) for f, target, art in rows]
    there = np.array([pair for pair in pairs if np.isfinite(pair).all()])
    assert len(there) > 100
    np.testing.assert_allclose(there[:, 1], there[:, 0], rtol=1e-5)


def test_real_trials_agree_with_cocopp(tmp_path: Path) -> None:
    """Tests and quantiles of two algorithms: those of cocopp are by the normal distribution, and by other samples."""
    configs = [CONFIGS / "cmaes.yaml", CONFIGS / "baselines" / "random_search.yaml"]
    problems = ("--functions", "1,8", "--dimensions", 2, "--budget", 90, "--jobs", 1)
    assert sacma("run", *configs, *problems, cwd=tmp_path).returncode == 0
    store = Store(tmp_path / "results")
    names = ("CMA-ES", "Random-Search")
    for study in store.studies():
        store.derive(study)
    folders = [str(store.coco_folder(name)) for name in names]
    trials = [
        t for name, at in zip(names, folders, strict=True) for t in external_trials(name, load_one(Path(at)), 1e-8)
    ]
    printed = printed_by(COCOPP, json.dumps([TARGETS, *folders]), cwd=tmp_path, MPLBACKEND="Agg")
    details = ert_details(trials, TARGETS, "Random-Search", of_2009=True)
    found = details[details["algorithm"] == "CMA-ES"].set_index(["function", "target"]).to_dict("index")
    compared = 0
    for f, target, p, low, high in json.loads(printed.splitlines()[-1]):
        ours = found[f, target]
        if ours["successes"]:
            assert ours["ert_10"] == pytest.approx(low, rel=0.1)
            assert ours["ert_90"] == pytest.approx(high, rel=0.15)
        if p < 1:  # cocopp says 1 where the one ahead has the higher ERT
            assert ours["p_value"] == pytest.approx(p, rel=0.4, abs=1e-3)
            compared += 1
    assert compared > 10
    wide = details.pivot(index=["function", "target"], columns="algorithm", values="ert")
    ahead = [key for key, row in found.items() if row["significant"]]
    assert ahead
    assert (wide.loc[ahead, "CMA-ES"] < wide.loc[ahead, "Random-Search"]).all()
