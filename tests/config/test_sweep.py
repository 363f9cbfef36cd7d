"""Sweep files: what they expand to, and errors that say where and what."""

import re
from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel, ConfigDict

from sacma.algorithms.base import Algorithm
from sacma.algorithms.registry import ALGORITHMS
from sacma.config.study import load_study
from sacma.config.sweep import MOST_SETTINGS, Sweep, load_sweep
from sacma.errors import SacmaError
from sacma.strategy.settings import AdaptiveSCMAESSettings
from tests.conftest import CONFIGS

TABLE_1 = CONFIGS / "sweeps" / "paper_table1.yaml"
MINIMAL = "name: S\nalgorithms:\n  - name: A\n    algorithm: scmaes\n"
GRID = MINIMAL + "grid:\n  training_radius: [8, 64]\n  selection: [recent, nearest]\n"


def loaded(tmp_path: Path, text: str, **overrides: object) -> Sweep:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return load_sweep(path, overrides)


def error_of(tmp_path: Path, text: str, **overrides: object) -> str:
    with pytest.raises(SacmaError) as caught:
        loaded(tmp_path, text, **overrides)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(tmp_path / "s.yaml"), "s.yaml")


def test_table_1_is_the_papers() -> None:
    """γ × ε_T × g_m^max × r_u: 36 settings of each measure, on 12 functions, ranked at 25, 50, 125 and 250·D."""
    sweep = load_sweep(TABLE_1)
    assert sweep.protocol.functions == (2, 3, 6, 8, 12, 13, 15, 17, 18, 21, 23, 24)
    assert sweep.protocol.dimensions == (2, 3, 5, 10, 20)
    assert sweep.protocol.instances == (*range(1, 6), *range(41, 51))
    assert sweep.protocol.budget == 250
    assert sweep.rank_at == (25, 50, 125, 250)
    for algorithm, measure in zip(sweep.algorithms, ("kullback_leibler", "kendall", "ranking_difference"), strict=True):
        combinations = set()
        for setting in algorithm.settings:
            s = setting.study.settings
            assert isinstance(s, AdaptiveSCMAESSettings)
            assert (s.model_error, s.training_radius) == (measure, 64)
            combinations.add((s.transfer, s.error_threshold, s.max_model_generations, s.update_rate))
        assert combinations == {
            (gamma, threshold, most, rate)
            for gamma in ("T1", "T2")
            for threshold in (0.5, 0.9)
            for most in (5, 10, 20)
            for rate in (0.2, 0.5, 0.8)
        }


@pytest.mark.parametrize("name", ["ada_kl", "ada_kendall", "ada_rd"])
def test_references_are_the_configs_of_the_study(name: str) -> None:
    """What the sweep compares its winners with is what the paper found, and what configs/ have."""
    study = load_study(CONFIGS / f"{name}.yaml")
    (algorithm,) = [algorithm for algorithm in load_sweep(TABLE_1).algorithms if algorithm.name == study.name]
    (reference,) = [setting for setting in algorithm.settings if setting.name == algorithm.reference]
    assert reference.study.settings == study.settings


def test_names_of_settings() -> None:
    """Readable, in the order of the file's keys, the last of which varies fastest; one study each."""
    sweep = load_sweep(TABLE_1)
    assert sweep.keys == ("transfer", "error_threshold", "max_model_generations", "update_rate")
    names = [study.name for study in sweep.studies]
    assert len(set(names)) == len(names) == 108
    assert names[:2] == ["ADA-KL.T1-0.5-5-0.2", "ADA-KL.T1-0.5-5-0.5"]
    assert names[-1] == "ADA-RD.T2-0.9-20-0.8"
    assert sweep.algorithms[1].settings[18].labels == {
        "transfer": "T2",
        "error_threshold": "0.5",
        "max_model_generations": "5",
        "update_rate": "0.2",
    }


def test_values_of_all_kinds(tmp_path: Path) -> None:
    """Whole numbers for fractions, infinity, null and truth values have names; how a number is written is no matter."""
    text = MINIMAL + (
        "grid:\n  training_radius: [8, .inf, 1e-8]\n  population_size: [null, 10]\n  warm_start: [true, false]\n"
    )
    names = [study.name for study in loaded(tmp_path, text).studies]
    assert names[:5] == ["A.8-null-true", "A.8-null-false", "A.8-10-true", "A.8-10-false", "A.inf-null-true"]
    assert names[-1] == "A.1e-08-10-false"
    assert [study.name for study in loaded(tmp_path, text.replace("[8,", "[8.0,")).studies] == names


class Nested(BaseModel):
    """Settings that are no words or numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    shape: dict[str, int] = {}
    title: str = ""


def test_values_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mappings and sentences can be swept: called by a hash, which does not hang on their place in the list."""
    monkeypatch.setitem(cast("dict[str, Algorithm]", ALGORITHMS._own), "nested", Algorithm("", Nested, "x:y"))
    grid = "name: S\nalgorithms:\n  - {name: H, algorithm: nested}\ngrid:\n  %s: [%s]\n"
    for key, first, second in (("shape", "{a: 1}", "{a: 2}"), ("title", "two words", "two other words")):
        names, turned = (
            [study.name for study in loaded(tmp_path, grid % (key, ", ".join(order))).studies]
            for order in ((first, second), (second, first))
        )
        assert names == turned[::-1]
        assert len(set(names)) == 2
        assert all(len(name) == len("H.") + 6 for name in names)


def test_overrides_and_where_settings_are_ranked(tmp_path: Path) -> None:
    """Options replace the protocol; budgets beyond a smaller one are left out, and the budget takes their place."""
    sweep = loaded(tmp_path, GRID, functions="1-2", budget=60, instances=None)
    assert sweep.protocol.functions == (1, 2)
    assert sweep.rank_at == (25, 50)
    assert loaded(tmp_path, GRID, budget=10).rank_at == (10,)
    assert loaded(tmp_path, GRID + "rank_at: [100, 10.5]\n").rank_at == (10.5, 100)
    assert loaded(tmp_path, GRID + "rank_at: [100]\n", budget=50).rank_at == (50,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GRID + "rank_att: [1]\n", "s.yaml:8: rank_att: unknown key; the nearest valid key is rank_at"),
        (
            GRID.replace("training_radius", "trainig_radius"),
            "s.yaml:6: grid.trainig_radius: scmaes: unknown key; the nearest valid key is training_radius",
        ),
        (
            GRID.replace("scmaes\n", "scmaes\n    setings: {}\n"),
            "s.yaml:5: algorithms.0.setings: unknown key; the nearest valid key is settings",
        ),
        (
            GRID.replace("scmaes\n", "scmaes\n    settings:\n      warm_strat: true\n"),
            "s.yaml:6: algorithms.0.settings.warm_strat: unknown key; the nearest valid key is warm_start",
        ),
        (
            GRID.replace("scmaes\n", "scmaes\n    settings:\n      warm_start: 3\n"),
            "s.yaml:6: algorithms.0.settings.warm_start: 3 is not allowed: should be a valid boolean",
        ),
        (
            GRID + "protocol:\n  dimension: 2\n",
            "s.yaml:9: protocol.dimension: unknown key; the nearest valid key is dimensions",
        ),
        (
            GRID.replace("nearest", "best"),
            "s.yaml:7: grid.selection: 'best' is not allowed: should be 'recent', 'nearest' or 'kmeans'",
        ),
        (GRID.replace("[8, 64]", "8"), "s.yaml:6: grid.training_radius: 8 is not a list of values; write it like"),
        (GRID.replace("[8, 64]", "[]"), "s.yaml:6: grid.training_radius: [] is not a list of values"),
        (MINIMAL + "grid: {}\n", "s.yaml:5: grid: {} is not allowed"),
        (MINIMAL, "s.yaml: grid: is missing"),
        ("name: S\ngrid: {sigma0: [1, 2]}\n", "s.yaml: algorithms: is missing"),
        ("name: S\nalgorithms: []\ngrid: {sigma0: [1, 2]}\n", "s.yaml:2: algorithms: [] is not a list of values"),
        (GRID.replace("algorithm: scmaes", "algorithm: scmae"), "s.yaml:4: algorithms.0.algorithm: unknown algorithm"),
        (GRID.replace("name: A", "name: ../A"), "s.yaml:3: algorithms.0.name: '../A' cannot name a folder"),
        (GRID.replace("name: S", "name: ../S"), "s.yaml:1: name: '../S' cannot name a folder"),
        (GRID.replace("name: A", "name: " + "A" * 60), "s.yaml:5: grid: '" + "A" * 60 + ".8-recent' cannot name"),
        (
            GRID.replace("scmaes\n", "scmaes\n    settings: {selection: kmeans}\n"),
            "s.yaml:5: algorithms.0.settings.selection: is a key of the grid as well; leave it out here or there",
        ),
        (
            MINIMAL + "grid:\n  n_req_factor: [3, 20, 30]\n  n_max_factor: [15, 25]\n",
            (
                "s.yaml:5: grid: A refuses the combination n_req_factor: 20, n_max_factor: 15: n_max_factor is 15, "
                "less than n_req_factor, 20; allowed: n_max_factor ≥ n_req_factor (and 2 more combinations)"
            ),
        ),
        (
            GRID.replace("[8, 64]", "[8, 8.0]"),
            (
                "s.yaml:5: grid: training_radius: 8, selection: recent and training_radius: 8, selection: recent "
                "would both be called A.8-recent"
            ),
        ),
        (MINIMAL + "grid: {sigma0: [1]}\n", "s.yaml:5: grid: there is one combination only"),
        (
            GRID.replace("grid:", "  - name: a\n    algorithm: gp\ngrid:").replace(": gp", ": scmaes"),
            "s.yaml:3: algorithms.0.name: A is there twice",
        ),
        (GRID + "rank_at: [25, 25]\n", "s.yaml:8: rank_at: 25, 25: give each number once"),
        (GRID + "rank_at: 25\n", "s.yaml:8: rank_at: 25 is not a list of values"),
        (GRID + "rank_at: [0]\n", "s.yaml:8: rank_at.0: 0 is not allowed: should be greater than 0"),
        (GRID + "rank_at:\n  - 25\n  - 300\n", "s.yaml:8: rank_at: 300 evaluations/D are beyond the budget, 250"),
        (
            GRID.replace("scmaes\n", "scmaes\n    reference: {selection: recent}\n"),
            "s.yaml:5: algorithms.0.reference: training_radius is missing; give a value of each key of the grid",
        ),
        (
            GRID.replace("scmaes\n", "scmaes\n    reference: {selection: recent, training_radius: 9}\n"),
            "s.yaml:5: algorithms.0.reference.training_radius: 9 is not in the grid, which has 8, 64",
        ),
        (
            GRID.replace("scmaes\n", "scmaes\n    reference: {selecton: recent, training_radius: 8}\n"),
            "s.yaml:5: algorithms.0.reference.selecton: unknown key; the nearest valid key is selection",
        ),
        (
            MINIMAL.replace("scmaes", "ascmaes") + "grid: {update_rate: [0.2, 0.5]}\n",
            "s.yaml:3: algorithms.0.settings.model_error: is missing",
        ),
        ("name: A\nalgorithm: cmaes\n", "s.yaml: this is a config, not a sweep; run it with: sacma run s.yaml"),
        ("- 1\n", "s.yaml: a sweep is a mapping with at least the keys name, algorithms and grid"),
        (GRID + "name: T\n", "s.yaml:8: name: given twice, first on line 1"),
        (GRID.replace("[8, 64]", "[!!python/name:os.system , 8]"), "s.yaml:6: not valid YAML"),
    ],
)
def test_errors_say_where_and_what(tmp_path: Path, text: str, expected: str) -> None:
    """One line with the file, its line, the key, what was given and what is allowed."""
    assert expected in error_of(tmp_path, text)


def test_errors_of_options_name_the_option(tmp_path: Path) -> None:
    """An error in an option does not blame the file."""
    assert error_of(tmp_path, GRID, dimensions="7").startswith("--dimensions: bbob has no dimension 7")


def test_grids_beyond_reason_are_refused_at_once(tmp_path: Path) -> None:
    """A thousand settings are allowed, more are not, nor 10¹⁸ of them, which are not made to be counted."""
    values = ", ".join(str(n) for n in range(1, MOST_SETTINGS + 1))
    assert len(loaded(tmp_path, MINIMAL + f"grid: {{sigma0: [{values}]}}\n").studies) == MOST_SETTINGS
    message = error_of(tmp_path, MINIMAL + f"grid: {{sigma0: [{values}], n_req_factor: [3, 4]}}\n")
    assert "s.yaml:5: grid: 2,000 settings; a sweep takes at most 1,000" in message
    keys = ["sigma0", "initial_range", "population_factor", "length_start", "signal_std_start", "noise_std_start"]
    grid = "\n".join(f"  {key}: [{values}]" for key in keys)
    assert "1,000,000,000,000,000,000 settings" in error_of(tmp_path, MINIMAL + f"grid:\n{grid}\n")


def test_a_sweep_is_no_config() -> None:
    """The command that runs configs says which one takes sweeps."""
    with pytest.raises(SacmaError, match=r"this is a sweep, not a config; run it with: sacma sweep .*table1\.yaml"):
        load_study(TABLE_1)


@pytest.mark.parametrize("path", sorted((CONFIGS / "sweeps").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_sweeps_load(path: Path) -> None:
    """Each of configs/sweeps, under the name of its file."""
    assert load_sweep(path).name == path.stem


def test_example_of_the_page(tmp_path: Path) -> None:
    """The sweep file of docs/sweep.md loads and is what the page says."""
    page = (CONFIGS.parent / "docs" / "sweep.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    (algorithm,) = loaded(tmp_path, example).algorithms
    assert algorithm.reference == "GP-5.64-recent"
    assert len(algorithm.settings) == 8
