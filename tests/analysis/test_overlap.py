"""Aggregates are over the functions and instances that all compared algorithms have, and what is left out is said."""

from pathlib import Path

import numpy as np
import pytest

from sacma.analysis import postprocess
from sacma.analysis.comparison import Comparison, ExternalData, compare
from sacma.analysis.notes import notes, scope
from sacma.analysis.section import Findings
from sacma.analysis.sections import find
from sacma.analysis.sections.costs import PARTS
from sacma.analysis.sections.summary import summarise
from sacma.coco.reader import CocoData, Curve
from sacma.config.plan import TrialSpec
from sacma.store.store import Store
from tests.analysis.made import Improvements, compared, made

PROTOCOL: dict[str, object] = {"functions": "1-3", "dimensions": "2", "instances": "1-3", "budget": 50}
MORE: dict[str, object] = {**PROTOCOL, "functions": "1-5", "dimensions": "2,3", "instances": "1-5"}


def found(function: int, instance: int) -> Improvements:
    """Return what a trial finds: more on functions and instances of low numbers."""
    return [(1, 100.0), (10 * instance, 10.0 ** (function - 3)), (90, 10.0 ** (function + instance - 8))]


def of(spec: TrialSpec) -> Improvements:
    return found(spec.function, spec.instance)


def theirs(functions: range, instances: range, name: str = "Theirs", dimension: int = 2) -> ExternalData:
    """Make up data of others, known at every evaluation."""
    curves = []
    for f in functions:
        for i in instances:
            at, to = (np.array(values, float) for values in zip(*found(f, i), strict=True))
            curves.append(Curve(f, dimension, i, 50 * dimension, at, to, np.arange(1.0, 50 * dimension + 1)))
    return ExternalData(name, Path("x.tgz"), CocoData(tuple(curves), name, (), {}))


def all_of(findings: Findings, name: str, dimension: int = 2) -> dict[float, float]:
    """Return the curve of all functions."""
    ecdf = findings["ecdf"]
    rows = ecdf[(ecdf["algorithm"] == name) & (ecdf["group"] == "all") & (ecdf["dimension"] == dimension)]
    assert set(rows["functions"]) == {3}
    at = rows["evaluations_per_dimension"]
    return dict(zip(at[at <= 50], rows["proportion"], strict=False))


def whole() -> Comparison:
    return compared(made("cmaes", of, PROTOCOL), made("gp5", of, PROTOCOL))


EXTENDED = {
    "studies": lambda: compared(made("cmaes", of, PROTOCOL), made("gp5", of, MORE)),
    "data of others": lambda: compare([made("cmaes", of, PROTOCOL)], [theirs(range(1, 6), range(1, 6))]),
}


@pytest.mark.parametrize("kind", EXTENDED)
def test_more_functions_and_instances_change_nothing(kind: str) -> None:
    """Whoever has more than others shows the same curves, medians, ranks and tests as with what all have."""
    expected, findings = find(whole()), find(EXTENDED[kind]())
    other = {"studies": "GP-5", "data of others": "Theirs"}[kind]
    for name in ("CMA-ES", "best 2009"):
        assert all_of(findings, name) == all_of(expected, name)
    assert all_of(findings, other) == all_of(expected, "GP-5")
    medians = findings["median_delta_f"].query("dimension == 2 and function <= 3")
    assert medians["median_delta_f"].to_list() == expected["median_delta_f"]["median_delta_f"].to_list()
    assert set(medians["trials"]) == {3}
    ranks = findings["mean_ranks"].query("dimension == 2")
    for column in ("functions", "mean_rank", "low", "high"):
        assert ranks[column].to_list() == expected["mean_ranks"][column].to_list()
    tests = findings["rank_tests"].query("dimension == 2")
    assert tests["p_value"].to_list() == pytest.approx(expected["rank_tests"]["p_value"].to_list(), nan_ok=True)
    gains = findings["gains"].query("dimension == 2")
    for column in ("decades", "p_value", "p_holm"):
        assert gains[column].to_list() == expected["gains"][column].to_list()


@pytest.mark.parametrize("kind", EXTENDED)
def test_what_is_left_out_is_said(kind: str) -> None:
    """Of which algorithm, which functions, instances and dimensions; in the summary, and below tables and charts."""
    comparison = EXTENDED[kind]()
    (note,) = [note for note in notes(comparison) if "differ in their problems" in note]
    name = {"studies": "GP-5", "data of others": "Theirs"}[kind]
    assert f"left out of {name}: f4,5 in 2-D, some instances of f1-3 in 2-D" in note
    assert ("3-D is without CMA-ES" in note) == (kind == "studies")
    assert "see Data for what is left out" in scope(comparison)
    assert "on 3 functions of bbob in 2-D" in summarise(find(comparison)).compared
    rows = comparison.compared.overlap.table.query(f"algorithm == '{name}' and dimension == 2")
    assert rows[["functions", "compared", "instances", "compared_instances"]].to_numpy().tolist() == [
        ["1-3", "1-3", "1-5", "1-3"],
        ["4,5", "", "1-5", "1-5"],
    ]


def test_no_instance_in_common() -> None:
    """All trials are taken then, and that is said."""
    comparison = compare([made("cmaes", of, PROTOCOL)], [theirs(range(1, 4), range(11, 14))])
    assert len(comparison.compared.shared) == 18
    (note,) = [note for note in notes(comparison) if "differ in their problems" in note]
    assert "no instance is common to all on f1-3 in 2-D: all trials are taken, of different problems" in note


def test_trials_of_one_instance_are_trials() -> None:
    """Of data of 2009, three of each instance: all of them count, and that is said."""
    once = theirs(range(1, 4), range(1, 4))
    thrice = ExternalData("Old", once.path, CocoData(once.data.curves * 3, "Old", (), {}))
    comparison = compare([made("cmaes", of, PROTOCOL)], [thrice])
    assert set(find(comparison)["median_delta_f"].query("algorithm == 'Old'")["trials"]) == {9}
    assert "Old has several trials of some instances: all count" in notes(comparison)


def test_trials_that_are_missing_take_nothing_from_others() -> None:
    """With --partial medians are over those that are there; a function without any is in no aggregate, of nobody."""

    def some(spec: TrialSpec) -> Improvements | None:
        return None if spec.function == 2 or (spec.function, spec.instance) == (1, 2) else of(spec)

    comparison = compared(made("cmaes", of, PROTOCOL), made("gp5", some, PROTOCOL))
    findings = find(comparison)
    trials = findings["median_delta_f"].query("scenario == '50·D'").set_index(["algorithm", "function"])["trials"]
    assert trials["CMA-ES"].to_dict() == {1: 3, 2: 3, 3: 3}
    assert trials["GP-5"].to_dict() == {1: 2, 2: 0, 3: 3}
    assert set(findings["ecdf"].query("group == 'all'")["functions"]) == {2}
    assert findings["ecdf"]["partial"].any()
    assert findings["mean_ranks"]["partial"].all()


def test_cpu_time_is_of_the_same_trials() -> None:
    """It depends on functions and instances too: those that all of ours have, whatever others have."""

    def seconds(comparison: Comparison) -> dict[tuple[str, str], float]:
        cpu = find(comparison)["cpu"].query("dimension == 2")
        assert set(cpu["trials"]) == {9}
        return dict(zip(zip(cpu["algorithm"], cpu["part"], strict=True), cpu["seconds_per_evaluation"], strict=True))

    assert seconds(EXTENDED["studies"]()) == seconds(whole())
    alone = find(compare([made("cmaes", of, PROTOCOL)], [theirs(range(1, 2), range(1, 2))]))["cpu"]
    assert set(alone["trials"]) == {9}
    assert set(alone["part"]) == {*PARTS, "total"}


@pytest.mark.parametrize("differ", [False, True])
def test_cocopps_pages_say_that_they_are_over_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, differ: bool
) -> None:
    """Above all of them, where algorithms have other functions or instances."""
    said: list[str] = []
    monkeypatch.setattr(postprocess, "make_pages", lambda _folders, _output, banner, **_: said.append(banner))
    postprocess.write_pages(Store(tmp_path), EXTENDED["studies"]() if differ else whole())
    assert ["over all trials of each algorithm" in banner for banner in said] == [differ]
