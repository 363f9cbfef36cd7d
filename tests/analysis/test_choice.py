"""What is chosen is compared as if nothing else was there."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from sacma.analysis.choice import parse_choice
from sacma.analysis.comparison import compare
from sacma.analysis.notes import notes
from sacma.analysis.sections import find
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from tests.analysis.made import Improvements, made
from tests.commands import reported, sacma
from tests.conftest import CONFIGS, one_line

PROTOCOL = {"functions": "1-4", "dimensions": "2", "instances": "1-3", "budget": 40}


def found(spec: TrialSpec) -> Improvements:
    """Return what differs by algorithm, function and instance."""
    return [(1, 100.0), (20, 10.0 ** -((len(spec.name) * spec.function + spec.instance) % 7))]


def test_it_is_as_if_nothing_else_was_there() -> None:
    """Of some algorithms, functions, dimensions and instances all frames are those of a folder that has no others."""
    everything = [made(name, found, PROTOCOL) for name in ("cmaes", "gp5", "ada_kendall")]
    options = {"algorithms": "CMA-ES,ADA-Kendall", "functions": "2-3", "instances": "1,3"}
    ours, others = parse_choice(**options).apply(everything, ())
    assert others == ()
    protocol = {**PROTOCOL, "functions": "2-3", "instances": "1,3"}
    alone = compare([made(name, found, protocol) for name in ("cmaes", "ada_kendall")])
    chosen, expected = find(compare(ours)), find(alone)
    for name in ("mean_ranks", "ert", "final_values", "gains", "evaluations_to_target", "pairwise", "ecdf"):
        pd.testing.assert_frame_equal(chosen[name], expected[name])
    assert len(chosen["final_values"]) == 4
    both = [made(name, found, {**PROTOCOL, "dimensions": "2,3"}) for name in ("cmaes", "gp5", "ada_kendall")]
    ours, _ = parse_choice(**options, dimensions="2").apply(both, ())
    pd.testing.assert_frame_equal(find(compare(ours))["mean_ranks"], expected["mean_ranks"])
    with pytest.raises(SacmaError, match=r"--dimensions: there are no trials of dimensions 5; there are 2,3"):
        parse_choice(dimensions="5").apply(both, ())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"algorithms": "GP-5,Nobody"}, "--algorithms: there is no algorithm 'Nobody'; there are CMA-ES, GP-5"),
        ({"algorithms": " , "}, "--algorithms: the list is empty"),
        ({"functions": "3-9"}, "--functions: there are no trials of functions 5-9; there are 1-4"),
        ({"functions": ""}, "--functions: the list is empty"),
        ({"functions": "x"}, "--functions: 'x' is not a whole number or a range"),
        ({"targets": "1,-2"}, "--targets: '-2' is not a positive number; write them like 1e2..1e-8 or 10,1,1e-3"),
        ({"targets": ",".join(map(str, range(1, 102)))}, "--targets: there are 101; give at most 100"),
        ({"budgets": "0.1,0.5"}, "--budgets: the largest is 0.5 evaluations/D; give at least 1"),
        ({"algorithms": "a\x1bb"}, "--algorithms: there is no algorithm"),
    ],
)
def test_mistakes_are_said(options: dict[str, str], said: str) -> None:
    """In one line, with what there is."""
    everything = [made(name, found, PROTOCOL) for name in ("cmaes", "gp5")]
    assert said in one_line(lambda: parse_choice(**options).apply(everything, ()))


def test_an_algorithm_without_any_of_it_is_named() -> None:
    """It is not left out in silence, and not taken for one whose trials are missing."""
    other = made("gp5", found, {**PROTOCOL, "functions": "3"})
    everything = [made("cmaes", found, PROTOCOL), other]
    with pytest.raises(SacmaError, match="GP-5: no trials of functions 1,2; name the algorithms that have some with"):
        parse_choice(functions="1,2").apply(everything, ())
    ours, _ = parse_choice(functions="1,2", algorithms="CMA-ES").apply(everything, ())
    assert [study.name for study, _ in ours] == ["CMA-ES"]


def test_own_targets() -> None:
    """Running times are to these, those below the final target left out."""
    comparison = compare([made("cmaes", found, PROTOCOL)], targets=parse_choice(targets="0.5,1e-9,5").targets)
    assert sorted(find(comparison)["ert"]["target"].unique()) == [0.5, 5.0]
    assert "expected running times to 1e-09 are left out: Δf counts as no less than 1e-08" in notes(comparison)


def test_own_targets_that_no_trial_goes_to() -> None:
    """Targets that are all below the final one are refused, also below that of a study that stops earlier."""
    with pytest.raises(SacmaError) as error:
        compare([made("cmaes", found, PROTOCOL)], targets=parse_choice(targets="1e-9,1e-10").targets)
    assert str(error.value) == (
        "--targets: 1e-09, 1e-10 are below the final target, and Δf counts as no less; give at least one from 1e-08 up"
    )
    loose = made("cmaes", found, {**PROTOCOL, "target": 1e-2})
    with pytest.raises(SacmaError, match=r"--targets: 0\.001 is below .* give at least one from 0\.01 up"):
        compare([loose], targets=(1e-3,))
    assert not any("left out" in note for note in notes(compare([loose], targets=(1e-2,))))


def test_from_the_command_line(tmp_path: Path) -> None:
    """The report is of what is chosen and says so; a baseline that is not there is refused."""
    configs = [CONFIGS / f"{name}.yaml" for name in ("cmaes", "gp1", "gp5")]
    protocol = ("--functions", "1,2", "--dimensions", "2", "--instances", "1-2", "--budget", "12", "--jobs", 1)
    assert sacma("run", *configs, *protocol, cwd=tmp_path).returncode == 0
    shutil.copytree(tmp_path / "results" / "coco" / "GP-1", tmp_path / "theirs")
    given = ("--with", "Theirs=theirs", "--with", "Others=theirs")
    chosen = ("--algorithms", "GP-5,Theirs,CMA-ES", "--functions", "2", "--targets", "1,0.3", "--baseline", "GP-5")
    reported(*given, *chosen, cwd=tmp_path)
    tables = tmp_path / "results" / "report" / "tables"
    times = pd.read_csv(tables / "ert.csv")
    assert set(times["algorithm"]) == {"CMA-ES", "GP-5", "Theirs"}
    assert set(times["function"]) == {2}
    assert set(times["target"]) == {1, 0.3}
    assert set(pd.read_csv(tables / "gains.csv")["algorithm"]) == {"CMA-ES", "Theirs"}
    note = "only some of the results were chosen: algorithms GP-5, Theirs, CMA-ES; functions 2"
    assert note in (tables.parent / "index.html").read_text()
