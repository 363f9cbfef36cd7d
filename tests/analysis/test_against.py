"""Algorithms whose outcomes come with sacma, beside one's own: the numbers are those of running them here."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sacma.analysis.against import beside_kept, kept_beside
from sacma.analysis.comparison import Comparison, ExternalData, compare
from sacma.analysis.notes import notes
from sacma.coco.reader import CocoData, Curve
from sacma.errors import SacmaError
from sacma.store.completeness import completeness_of_studies
from sacma.store.store import Store
from tests.commands import reported, sacma, successful
from tests.conftest import CONFIGS

COMPARED = CONFIGS.parent / "docs" / "data" / "comparison_ranks.csv"
FAMILY = ("lmm-CMA-ES", "rank-lq-CMA-ES", "SLSQP+lq-CMA-ES", "IPOP-saACM-ES", "BIPOP-saACM-ES-k")
OTHERS = ("Nelder-Mead", "Random-Search")


def run(folder: Path, name: str, *configs: str, budget: int = 250) -> None:
    own = CONFIGS.parent / "examples" / "own_optimizer"
    paths = [f"{own}.yaml", *(CONFIGS / "baselines" / config for config in configs)]
    problems = ("--functions", "1,8", "--dimensions", 2, "--instances", "2-3", "--budget", budget)
    given = (*paths, "--algorithm-file", f"{own}.py", *problems, "--results", name, "--jobs", 1)
    successful("run", *given, cwd=folder)


def report(folder: Path, name: str, *options: str) -> tuple[dict[str, pd.DataFrame], str]:
    """Return tables at fixed budgets, and what was said; the place of one's own is that of the tables."""
    done = reported(name, "--jobs", 1, *options, cwd=folder)
    tables = folder / name / "report" / "tables"
    frames = {table: pd.read_csv(tables / f"{table}.csv") for table in ("mean_ranks", "median_delta_f")}
    areas = pd.read_csv(tables / "areas.csv").set_index("algorithm")
    own = areas.loc["one-plus-one-ES"]
    place = 1 + (areas["area"] > own["area"]).sum()
    interval = f"{own['area']:.3f} [{own['lower']:.3f}, {own['upper']:.3f}]"
    told = f"; area under the run lengths {interval}, {place} of {len(areas)}"
    assert (told in " ".join(done.stdout.split())) == bool(options)
    return {table: frame[frame["scenario"].str.endswith("D")] for table, frame in frames.items()}, done.stderr


def test_numbers_are_those_of_running_them(tmp_path: Path) -> None:
    """Of two that are run here or kept; of the same study there is only one, of another with the name of it two."""
    run(tmp_path, "all", "nelder_mead.yaml", "random_search.yaml")
    run(tmp_path, "mine")
    here, said = report(tmp_path, "all")
    kept, _ = report(tmp_path, "mine", "--against", ",".join(OTHERS))
    for name, frame in here.items():
        by = [column for column in ("algorithm", "dimension", "function", "scenario") if column in frame]
        one, other = (of.set_index(by).sort_index()[frame.columns.difference(by)] for of in (frame, kept[name]))
        pd.testing.assert_frame_equal(one, other, rtol=1e-6)
    again, said = report(tmp_path, "all", "--against", "Random-Search,sacma")
    assert "the kept Random-Search is left out: yours is the same study" in said
    assert set(again["mean_ranks"]["algorithm"]) == {*OTHERS, "one-plus-one-ES", "sacma"}
    run(tmp_path, "short", "random_search.yaml", budget=100)
    (_, notes) = kept_beside(Comparison(tuple(completeness_of_studies(Store(tmp_path / "short"))), ()), "all", None)
    assert "left out of all, as yours are the same but for the budget: Random-Search" in notes
    both, _ = report(tmp_path, "short", "--against", "Random-Search")
    assert set(both["mean_ranks"]["algorithm"]) == {"Random-Search", "Random-Search-kept", "one-plus-one-ES"}
    ranks = both["mean_ranks"].set_index(["scenario", "algorithm"])["mean_rank"].unstack()
    pd.testing.assert_series_equal(ranks["Random-Search"], ranks["Random-Search-kept"], check_names=False)


def test_all_are_those_of_the_comparison() -> None:
    """And the family; without shorter ones and other readings: these by name."""
    covered, notes = kept_beside(Comparison((), ()), "all", 250)
    names = {study.name for study, _ in covered}
    assert names == {*pd.read_csv(COMPARED)["algorithm"], *FAMILY}
    left_out, said = notes[0].split(": ")
    assert said.startswith("left out of all")
    others = set(left_out.split(", "))
    assert others == {"Py-BOBYQA", "TuRBO"}
    (reading,), _ = kept_beside(Comparison((), ()), "GP-5-as-run", None)
    assert reading[1].complete
    for wrong in ("", "sacma,nonsense"):
        with pytest.raises(SacmaError, match=r"--against: .* give all, or some of ADA-KL"):
            kept_beside(Comparison((), ()), wrong, None)
    some, _ = kept_beside(Comparison((), ()), "SACMA, lq-cma-es,CMAES,cma-es", None)
    assert [study.name for study, _ in some] == ["sacma", "lq-CMA-ES", "CMA-ES"]
    with pytest.raises(SacmaError, match=r"no kept algorithm 'sacmaa' of bbob; is it sacma\? give all, or names that"):
        kept_beside(Comparison((), ()), "sacmaa", None)


def test_all_go_as_far_as_data_of_others_where_nothing_was_run() -> None:
    """And tables end where these do; where one that is named ends earlier, a note says which, and the remedy."""
    for length, end in ((500, "250"), (200, "100")):
        curves = tuple(Curve(f, 2, 1, length, np.array([1.0]), np.array([9.0])) for f in range(1, 25))
        data = (ExternalData("Mine", Path("mine.csv"), CocoData(curves, "Mine", (), {})),)
        comparison, said = comparison_beside("all", data)
        assert len(comparison.names) == 27
        assert f"{comparison.budget:g}" == end
        assert ("tables end at 100·D, where Mine ends; --budget 250 goes on with the others" in said) is (end == "100")
    comparison, said = comparison_beside("all,TuRBO,Py-BOBYQA", data)
    assert len(comparison.names) == 29
    assert "tables end at 25·D, where Py-BOBYQA and TuRBO end; --budget 250 goes on with the others" in said


def comparison_beside(names: str, data: tuple[ExternalData, ...]) -> tuple[Comparison, str]:
    """Return the comparison of data of others with kept algorithms, and its notes."""
    both, _ = beside_kept(Comparison((), data), names, None)
    comparison = compare(both.covered, both.external)
    return comparison, "; ".join(notes(comparison))


def test_commands_tell_of_them(tmp_path: Path) -> None:
    """They are listed with problems, budget and origin; a folder of them says what it is, and the command for it."""
    listed = sacma("algorithms", "--kept", cwd=tmp_path).stdout
    assert re.search(r"^TuRBO +2,3,5,10 +1-5 +25·D +turbo *$", listed, flags=re.MULTILINE)
    status = sacma("status", COMPARED.parents[2] / "data" / "turbo", cwd=tmp_path).stdout
    assert "kept outcomes of ended trials" in status
    assert "environments" not in status
    assert re.search("next: sacma postprocess RESULTS --against TuRBO$", status, flags=re.MULTILINE)
