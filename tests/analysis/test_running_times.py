"""Expected running times: by hand, by brute force, and by cocopp on the same data."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.run_lengths import TARGETS, running_times, shares, virtual_best
from sacma.analysis.tables import median_delta_f
from sacma.analysis.trials import Trial, external_trials, fixed_budgets, our_trial
from sacma.coco.formats import load_one
from sacma.config.study import load_study
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.analysis.made import trial
from tests.commands import printed_by, run_here
from tests.conftest import CONFIGS
from tests.sizes import sizes

# What cocopp finds: ERT, successes and trials of each data set and target; the lowest ERT of each function.
COCOPP = """
import json, sys, warnings
warnings.simplefilter("ignore")
import cocopp
from cocopp.bestalg import BestAlgSet
cocopp.genericsettings.verbose = False
targets, *folders = json.loads(sys.argv[1])
found, sets = [], {}
for folder in folders:
    for data in cocopp.load(folder):
        sets.setdefault((data.dim, data.funcId), {})[folder] = [data]
        times, successes = data.detERT(targets), data.detSuccesses(targets)
        for target, ert, successes in zip(targets, times, successes):
            found.append([folder, int(data.dim), int(data.funcId), target, float(ert), int(successes), data.nbRuns()])
best = [
    [int(D), int(f), target, float(ert)]
    for (D, f), of in sets.items()
    for target, ert in zip(targets, BestAlgSet(of).detERT(targets))
]
print("\\n" + json.dumps([found, best]))
"""


def some_trials(seed: int, algorithms: Sequence[str] = "ABC") -> list[Trial]:
    """Return five trials of each algorithm on two functions in two dimensions, which end anywhere."""
    rng = np.random.default_rng(seed)
    found = []
    for algorithm in algorithms:
        for dimension, function, _ in np.ndindex(2, 2, 5):
            at = np.sort(rng.choice(np.arange(1.0, 60.0), 12, replace=False))
            to = np.geomspace(1e3, 10.0 ** rng.uniform(-9, 2), 12)
            ended = int(at[-1] + rng.integers(50))
            steps = zip(at, to, strict=True)
            found.append(trial(algorithm, function + 1, *steps, D=dimension + 2, ended=ended))
    return found


def test_by_hand() -> None:
    """Evaluations of all trials over successes; a target counts when Δf is at it."""
    trials = [
        trial("A", 1, (1, 99.0), (10, 10.0), ended=50),
        trial("A", 1, (1, 30.0), ended=70),
        trial("A", 1, (4, 1.0), (20, 1e-9), ended=20),
    ]
    found = running_times(trials, [1.0, 10.0, 1e-8, 1e-10]).set_index("target")
    assert list(found.index) == [10.0, 1.0, 1e-8, 1e-10]
    assert found["successes"].to_list() == [2, 1, 1, 0]
    assert found["evaluations"].to_list() == [10 + 70 + 4, 50 + 70 + 4, 50 + 70 + 20, 50 + 70 + 20]
    assert found["ert"].to_list() == [42.0, 124.0, 140.0, math.inf]
    assert found["ert_per_dimension"].to_list() == [21.0, 62.0, 70.0, math.inf]
    assert found["success_rate"].to_list() == pytest.approx([2 / 3, 1 / 3, 1 / 3, 0])
    assert (found["trials"] == 3).all()
    assert running_times([]).empty


def test_virtual_best_and_shares_by_brute_force() -> None:
    """Problem by problem: who has the lowest, and how much of it; ties are divided."""
    trials = some_trials(3)
    trials += [Trial("twin of A", *list(vars(t).values())[1:]) for t in trials if t.algorithm == "A"]
    times = running_times(trials)
    names = list(dict.fromkeys(times["algorithm"]))
    table = times.pivot(index=["dimension", "function", "target"], columns="algorithm", values="ert")[names]
    best = virtual_best(times).set_index(["dimension", "function", "target"]).to_dict("index")
    assert {each["algorithms"] for each in best.values()} >= {1, 2}
    share = shares(times).set_index(["dimension", "algorithm"])
    won = {(D, name): 0.0 for D in (2, 3) for name in names}
    ratios: dict[tuple[int, str], list[float]] = {key: [] for key in won}
    for (D, f, target), row in zip(table.index.to_list(), table.to_numpy(), strict=True):
        lowest = min(row)
        if math.isinf(lowest):
            assert (D, f, target) not in best
            continue
        winners = [name for name, ert in zip(names, row, strict=True) if ert == lowest]
        found = {"algorithm": winners[0], "algorithms": len(winners), "ert": lowest, "ert_per_dimension": lowest / D}
        assert best.pop((D, f, target)) == found
        for name, ert in zip(names, row, strict=True):
            won[D, name] += (name in winners) / len(winners)
            ratios[D, name].append(ert / lowest)
    assert best == {}
    assert min(map(len, ratios.values())) > 10
    for key, total in won.items():
        ratio = np.array(ratios[key])
        of = share.loc[key]
        assert of["best"] == pytest.approx(total)
        assert of["share"] == pytest.approx(total / len(ratio))
        assert (of["problems"], of["reached"]) == (len(ratio), np.isfinite(ratio).sum())
        assert of["median_ratio"] == np.median(ratio)
    assert share.groupby("dimension")["share"].sum().to_list() == pytest.approx([1, 1])
    assert virtual_best(times.iloc[:0]).empty
    assert shares(times.iloc[:0]).empty


@sizes("instances", small="1-4", full="1-5,41-50")
def test_real_trials_agree_with_cocopp(tmp_path: Path, instances: str) -> None:
    """ERT, successes and the lowest ERT of two algorithms, as cocopp reads them from the COCO folders."""
    protocol = {"functions": "1,8", "dimensions": "2,3", "instances": instances, "budget": 90}
    studies = [load_study(CONFIGS / f"{name}.yaml", dict(protocol)) for name in ("cmaes", "gp5")]
    run_here(tmp_path, *studies)
    store = Store(tmp_path)
    ours: list[Trial] = []
    theirs: list[Trial] = []
    folders = {}
    for stored, completeness in completeness_of_studies(store):
        ours += [our_trial(*finished) for finished in completeness.trials]
        folders[stored.name] = str(store.coco_folder(stored.name))
        theirs += external_trials(stored.name, load_one(Path(folders[stored.name])), 1e-8)
    printed = printed_by(COCOPP, json.dumps([TARGETS, *folders.values()]), cwd=tmp_path, MPLBACKEND="Agg")
    of_each, of_best = json.loads(printed.splitlines()[-1])
    columns = ["folder", "dimension", "function", "target", "ert", "successes", "trials"]
    expected = pd.DataFrame(of_each, columns=columns).set_index(columns[:4]).sort_index()
    assert len(expected) == 2 * 2 * 2 * len(TARGETS)
    assert 0 < (expected["successes"] == 0).sum() < len(expected)
    assert ((expected["successes"] > 0) & (expected["successes"] < expected["trials"])).sum() > 5
    for trials in (ours, theirs):  # from records, and from files
        times = running_times(trials)
        found = times.assign(folder=times["algorithm"].map(folders)).set_index(columns[:4]).sort_index()
        assert found["ert"].to_list() == pytest.approx(expected["ert"].to_list(), rel=1e-12)
        assert (
            found[["successes", "trials"]].to_numpy().tolist() == expected[["successes", "trials"]].to_numpy().tolist()
        )
        best = virtual_best(times).set_index(columns[1:4])["ert"].to_dict()
        lowest = {tuple(place): ert for *place, ert in of_best if math.isfinite(ert)}
        assert best == pytest.approx(lowest, rel=1e-12)


def test_medians_are_those_of_the_raw_files(tmp_path: Path) -> None:
    """The last Δf of each trial, at least 1e-8, read off the lines of its .tdat file; a comment begins a trial."""
    protocol = {"functions": "1,8", "dimensions": "2,3", "instances": "1-4", "budget": 40}
    run_here(tmp_path, load_study(CONFIGS / "gp5.yaml", protocol))
    store = Store(tmp_path)
    ((stored, completeness),) = completeness_of_studies(store)
    medians = median_delta_f([our_trial(*finished) for finished in completeness.trials], fixed_budgets({40.0: None}))
    for D, f, found in medians[["dimension", "function", "median_delta_f"]].itertuples(index=False):
        (file,) = store.coco_folder(stored.name).rglob(f"*_f{f}_DIM{D}.tdat")
        trials = re.split(r"^%.*\n", file.read_text(), flags=re.MULTILINE)[1:]
        assert len(trials) == 4
        last = [max(float(lines.split("\n")[-2].split()[2]), 1e-8) for lines in trials]
        assert found == pytest.approx(10.0 ** np.median(np.log10(last)), rel=1e-9)
