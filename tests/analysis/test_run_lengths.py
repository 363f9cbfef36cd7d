"""Distributions of run lengths: by hand, by brute force, by the reference data themselves and by cocopp."""

import json
import math
import tarfile
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.run_lengths import _targets_reached, by_function, by_group, distributions, run_lengths, targets
from sacma.analysis.trials import Trial, our_trial
from sacma.coco.suites import BBOB, BEST_2009
from sacma.config.study import load_study
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.analysis.made import trial
from tests.commands import printed_by, run_here
from tests.conftest import CONFIGS

ROOT = Path(__file__).parent.parent.parent
DIMENSIONS = (2, 3, 5, 10, 20, 40)
BUDGETS = np.logspace(np.log10(0.5), np.log10(50), 31)

# What cocopp draws of one algorithm in one dimension: run lengths / D of best 2009, then of the algorithm.
COCOPP = """
import json, sys, tempfile, warnings
warnings.simplefilter("ignore")
import numpy as np
from cocopp import config, genericsettings, pproc
from cocopp.compall import pprldmany
genericsettings.isExpensive, genericsettings.verbose = True, False
_, names, data = pproc.processInputArgs(sys.argv[1:])
config.config("bbob")
np.random.seed(1)
drawn, draw = [], pprldmany.plotdata
def record(lengths, *args, **kwargs):
    drawn.append(sorted(float(n) for n in lengths))
    return draw(lengths, *args, **kwargs)
pprldmany.plotdata, pprldmany.save_figure = record, False
with tempfile.TemporaryDirectory() as folder:
    pprldmany.main(data, order=names, outputdir=folder)
print("\\n" + json.dumps(drawn))
"""


def some_trials(algorithm: str, functions: range, seed: int, dimension: int = 2) -> list[Trial]:
    """Return 15 trials a function that come down from 1e4, some of them as far as 1e-9."""
    rng = np.random.default_rng(seed)
    found = []
    for function, _ in product(functions, range(15)):
        at = np.sort(rng.choice(np.arange(1.0, 100.0 * dimension), 30, replace=False))
        to = np.geomspace(1e4, 10.0 ** rng.uniform(-9, 1), 30)
        hit = np.flatnonzero(to <= 1e-8)
        last = hit[0] + 1 if hit.size else 30
        ended = int(at[last - 1]) if hit.size else 100 * dimension
        found.append(trial(algorithm, function, *zip(at[:last], to[:last], strict=True), D=dimension, ended=ended))
    return found


def curve(ecdf: pd.DataFrame, algorithm: str = "A", group: str = "all") -> pd.DataFrame:
    return ecdf[(ecdf["algorithm"] == algorithm) & (ecdf["group"] == group)]


def one_target(*trials: tuple[float, float]) -> pd.DataFrame:
    """Return run lengths of trials, each given as (reached, length), at one target of f1 in 1-D."""
    reached, length = zip(*trials, strict=True)
    rows = {"reached": reached, "length": length, "trial": range(1, len(trials) + 1)}
    return pd.DataFrame(rows).assign(algorithm="A", dimension=1, function=1, k=0.5, best_2009_art=7.0)


def bootstrapped_ecdf(lengths: pd.DataFrame, rng: np.random.Generator, **options: Any) -> pd.DataFrame:
    return by_group(distributions(lengths, rng, **options))


def test_targets_follow_from_the_reference_data() -> None:
    """All targets and aRTs again, from cocopp's archive without cocopp: the first row behind the last within k·D."""
    (package,) = find_spec("cocopp").submodule_search_locations  # type: ignore[union-attr, misc]
    data = {}
    with tarfile.open(Path(package) / "refalgs" / "best2009-bbob.tar.gz") as archive:
        for member in archive:
            if member.name.endswith(".dat"):
                lines = archive.extractfile(member).read().decode().splitlines()  # type: ignore[union-attr]
                rows = [[float(cell) for cell in line.split()[:2]] for line in lines if not line.startswith("%")]
                function, dimension = (int(part[1:]) for part in Path(member.name).stem.split("_")[1:])
                data[function, dimension] = np.array(rows).T
    assert set(data) == set(product(range(1, 25), DIMENSIONS))
    for dimension in DIMENSIONS:
        table = targets(dimension)
        assert (table["dimension"] == dimension).all()
        for function in range(1, 25):
            art, delta_f = data[function, dimension]
            within = [delta_f[art <= max(1.0, k * dimension)].min() for k in BUDGETS]
            wanted = np.maximum(np.array(within) * 10**-0.2 * (1 + 1e-9), 1e-8)
            first = [i for i in range(31) if i == 0 or wanted[i] != wanted[i - 1]]
            best = [art[delta_f <= target][0] for target in wanted[first]]
            found = table[table["function"] == function]
            assert found["k"].to_list() == pytest.approx(BUDGETS[first])
            assert found["target"].to_list() == pytest.approx(wanted[first], rel=1e-12)
            assert found["best_2009_art"].to_list() == best


def test_run_lengths_are_evaluations_until_a_target() -> None:
    """A target counts from the first best Δf at or below it; a trial's length is what it made."""
    wanted = pd.DataFrame({"dimension": 2, "function": [1, 1, 1, 2], "k": [1.0, 2.0, 3.0, 1.0]})
    wanted = wanted.assign(target=[10.0, 1.0, 1e-8, 5.0], best_2009_art=[2.0, 3.0, 4.0, 5.0])
    trials = [
        trial("A", 1, (1, 20.0), (4, 10.0), (9, 2.0), (11, 0.1), ended=500),
        trial("A", 2, (3, 4.0), ended=400),
        trial("A", 1, (2, 0.5), (30, 1e-8), ended=30),
    ]
    found = run_lengths(trials, wanted)
    assert found["reached"].to_list() == pytest.approx([4, 11, math.nan, 3, 2, 2, 30], nan_ok=True)
    assert found["length"].to_list() == [500, 500, 500, 400, 30, 30, 30]
    assert found["trial"].to_list() == [1, 1, 1, 1, 2, 2, 2]
    assert found["k"].to_list() == [1, 2, 3, 1, 1, 2, 3]
    assert found["best_2009_art"].to_list() == [2, 3, 4, 5, 2, 3, 4]
    assert run_lengths([], wanted).empty


def test_without_failures_it_is_the_plain_distribution() -> None:
    """Where all trials succeed nothing is random, up to a point between numbers of evaluations that are told."""
    frame = one_target((3, 10), (5, 20), (5, 20), (40, 50))
    ecdf = bootstrapped_ecdf(frame, np.random.default_rng(1))
    steps = curve(ecdf)
    at = steps["evaluations_per_dimension"].to_numpy()
    assert steps["proportion"].to_list() == [np.mean(np.array([3, 5, 5, 40]) <= x) for x in at]
    assert {2, 3, 4, 5, 50} < set(at)
    assert (steps["largest_length"] == 50).all()


REACHED = np.array([[30.0, math.nan, 12.0, math.nan, math.nan], [math.nan, math.nan, math.nan, 90.0, math.nan]])
LENGTH = np.array([100.0, 100.0, 40.0, 95.0, 60.0])


def test_restarts_agree_with_brute_force() -> None:
    """Draw trials until one is successful and add up: the same distribution, of two targets, within 5 errors."""
    runs = 20_000
    rng = np.random.default_rng(7)
    points = np.arange(1.0, 2000.0)
    expected, variance = np.zeros(points.size), np.zeros(points.size)
    for reached in REACHED:
        totals = []
        for _ in range(runs):
            total = 0.0
            while math.isnan(reached[drawn := int(rng.integers(5))]):
                total += LENGTH[drawn]
            totals.append(total + reached[drawn])
        proportion = np.searchsorted(np.sort(totals), points, side="right") / runs
        expected += proportion
        variance += 2 * proportion * (1 - proportion) / runs
    found = _targets_reached(points, REACHED, LENGTH, runs, np.random.default_rng(3))
    assert (np.abs(found - expected) <= 5 * np.sqrt(variance) + 1e-3).all()
    for level in (0.5, 1, 1.5):
        assert points[np.argmax(found >= level)] == pytest.approx(points[np.argmax(expected >= level)], rel=0.05)


def test_order_and_company_change_nothing() -> None:
    """With the same random numbers an algorithm has the same curve, to the last bit, whatever is with it."""
    wanted = pd.concat([targets(2), targets(5)])
    trials = [
        t for D, (seed, name) in product((2, 5), enumerate("ABC")) for t in some_trials(name, range(1, 8), seed, D)
    ]
    keys = ["algorithm", "dimension", "group", "evaluations_per_dimension"]

    def of(chosen: list[Trial], seed: int = 1) -> pd.DataFrame:
        ecdf = bootstrapped_ecdf(run_lengths(chosen, wanted), np.random.default_rng(seed))
        return ecdf.sort_values(keys).reset_index(drop=True)

    together = of(trials)
    pd.testing.assert_frame_equal(of(trials[::-1]), together, check_exact=True)
    alone = of([t for t in trials if t.algorithm == "B"])
    own = together[together["algorithm"] == "B"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone[alone["algorithm"] == "B"].reset_index(drop=True), own, check_exact=True)
    assert not of(trials, seed=2)["proportion"].equals(together["proportion"])


def test_curves_are_short_monotone_and_told_where_trials_end() -> None:
    """Every curve rises from one evaluation to 1000·D, on about 200 points, the end of the longest trial among them."""
    frame = run_lengths(some_trials("A", range(1, 25), seed=3), targets(2))
    ecdf = bootstrapped_ecdf(frame, np.random.default_rng(1))
    assert set(ecdf["group"]) == set(BBOB.groups)
    for (name, _), steps in ecdf.groupby(["algorithm", "group"]):
        at = steps["evaluations_per_dimension"].to_list()
        assert (at[0], at[-1]) == (0.5, 1000)
        assert len(at) <= 201
        assert all(a < b for a, b in pairwise(at))
        assert steps["proportion"].is_monotonic_increasing
        assert steps["proportion"].between(0, 1).all()
        if name == "A":
            assert (steps["largest_length"] == 100).all()
            assert 100 in at
        else:
            assert steps["largest_length"].isna().all()


def test_curves_go_on_to_the_end_of_the_longest_trial() -> None:
    """Trials of more than 1000·D evaluations are shown whole, and all curves of a dimension end where they do."""
    longer = one_target((3000, 3000), (math.nan, 5000))
    other = one_target((8, 8), (math.nan, 70))
    frames = [longer, longer.assign(function=2, length=4000), other.assign(algorithm="B")]
    ecdf = bootstrapped_ecdf(pd.concat(frames), np.random.default_rng(1))
    for name, largest in (("A", 5000), ("B", 70), (BEST_2009, math.nan)):
        steps = curve(ecdf, name)
        assert steps["evaluations_per_dimension"].iloc[-1] == 5000
        assert steps["largest_length"].to_list() == pytest.approx([largest] * len(steps), nan_ok=True)
        assert math.isnan(largest) or largest in steps["evaluations_per_dimension"].to_list()


def test_curves_are_told_where_they_are_asked_for() -> None:
    """At 25·D and at 83⅓·D, rounded down, a curve has points of its own; its others stay as they are."""
    frame = run_lengths(some_trials("A", range(1, 4), seed=3), targets(2))
    plain, asked = (
        curve(bootstrapped_ecdf(frame, np.random.default_rng(1), told_at=at)).set_index("evaluations_per_dimension")
        for at in ((), (25, 250 / 3, 0.1, 5000))
    )
    assert {25.0, 83.0} <= set(asked.index)
    assert set(asked.index) - set(plain.index) <= {25.0, 83.0}
    assert asked["proportion"][plain.index].to_list() == plain["proportion"].to_list()


def test_groups_are_made_of_their_functions() -> None:
    """The targets reached of single functions, told where they rise, add up to the curve of each group."""
    trials = some_trials("A", range(1, 25), seed=5)
    found = distributions(run_lengths(trials, targets(2)), np.random.default_rng(1))
    single, groups = by_function(found), by_group(found)
    assert (single.groupby(["algorithm", "function"])["reached"].diff().dropna() > 0).all()
    assert set(single["algorithm"]) == {"A", BEST_2009}
    for (name, group), steps in groups.groupby(["algorithm", "group"]):
        at = steps["evaluations_per_dimension"].to_numpy()
        reached, count = np.zeros(len(at)), 0
        for function in BBOB.groups[str(group)]:
            of = single[(single["algorithm"] == name) & (single["function"] == function)]
            before = np.searchsorted(of["evaluations_per_dimension"].to_numpy(), at, side="right")
            reached += of["reached"].to_numpy()[before - 1]
            count += of["targets"].iloc[0]
        assert steps["proportion"].to_numpy() == pytest.approx(reached / count, abs=1e-12)


def test_real_trials_agree_with_cocopp(tmp_path: Path) -> None:
    """What cocopp draws of CMA-ES: the same until a first unsuccessful trial ends, then within bootstrap errors."""
    study = load_study(CONFIGS / "cmaes.yaml", {"functions": "1,3,8", "dimensions": "2", "budget": 120})
    run_here(tmp_path, study)
    store = Store(tmp_path)
    ((_, completeness),) = completeness_of_studies(store)
    printed = printed_by(COCOPP, store.coco_folder("CMA-ES"), cwd=tmp_path, MPLBACKEND="Agg")
    theirs = dict(zip((BEST_2009, "CMA-ES"), json.loads(printed.splitlines()[-1]), strict=True))

    lengths = run_lengths([our_trial(*finished) for finished in completeness.trials], targets(2))
    ecdf = bootstrapped_ecdf(lengths, np.random.default_rng(1), samples=10_000)
    shortest = lengths[lengths["reached"].isna()]["length"].min() / 2
    assert 10 < shortest <= 120
    for name, drawn in theirs.items():
        steps = curve(ecdf, name)
        at, ours = (steps[column].to_numpy() for column in ("evaluations_per_dimension", "proportion"))
        expected = np.searchsorted(drawn, at, side="right") / len(drawn)
        exact = at < (shortest if name == "CMA-ES" else math.inf)
        assert ours[exact] == pytest.approx(expected[exact], abs=1e-12)
        error = np.sqrt(ours * (1 - ours) / len(drawn))
        assert (np.abs(ours - expected) <= 4 * error + 1e-12).all()
