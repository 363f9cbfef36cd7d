"""Sweep files: what they expand to, and errors that say where and what."""

import re
from pathlib import Path

import pytest

from sacma.config.study import load_study
from sacma.config.sweep import MOST_SETTINGS, Sweep, load_sweep
from sacma.strategy.generation_control import AdaptiveGenerations
from sacma.strategy.settings import StrategySettings
from tests.conftest import CONFIGS, one_line

TABLE_1 = CONFIGS / "sweeps" / "paper_table1.yaml"
PLAIN = "name: S\nalgorithms:\n  - name: A\n    algorithm: surrogate-cmaes\n"
MINIMAL = PLAIN + "    settings: {model: {name: gaussian-process}, control: {name: generations}}\n"
KEYS = MINIMAL + "grid:\n  %s\n"
GRID = MINIMAL + "grid:\n  training_set.radius: [8, 64]\n  training_set.selection.name: [recent, nearest]\n"


def loaded(tmp_path: Path, text: str, **overrides: object) -> Sweep:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return load_sweep(path, overrides)


def error_of(tmp_path: Path, text: str, **overrides: object) -> str:
    return one_line(loaded, tmp_path, text, **overrides).replace(str(tmp_path / "s.yaml"), "s.yaml")


def test_table_1_is_the_papers() -> None:
    """γ × ε_T × g_m^max × r_u: 36 settings of each measure, on 12 functions, ranked at 25, 50, 125 and 250·D."""
    sweep = load_sweep(TABLE_1)
    protocol = sweep.studies[0].protocol
    assert protocol.functions == (2, 3, 6, 8, 12, 13, 15, 17, 18, 21, 23, 24)
    assert protocol.dimensions == (2, 3, 5, 10, 20)
    assert protocol.instances == (*range(1, 6), *range(41, 51))
    assert protocol.budget == 250
    assert sweep.rank_at == (25, 50, 125, 250)
    for settings, measure in zip(
        sweep.settings.values(), ("kullback-leibler", "kendall", "ranking-difference"), strict=True
    ):
        combinations = set()
        for setting in settings:
            s = setting.study.settings
            assert isinstance(s, StrategySettings)
            assert isinstance(s.control, AdaptiveGenerations)
            assert (s.control.error.name, s.training_set.radius) == (measure, 64)
            c = s.control
            combinations.add((c.transfer, c.error_threshold, c.max_model_generations, c.update_rate))
        assert combinations == {
            (gamma, threshold, most, rate)
            for gamma in ("T1", "T2")
            for threshold in (0.5, 0.9)
            for most in (5, 10, 20)
            for rate in (0.2, 0.5, 0.8)
        }


@pytest.mark.parametrize("name", ["ada_kl", "ada_kendall", "ada_rd"])
def test_the_papers_choice_is_in_its_grid(name: str) -> None:
    """The settings of the configs of the study are one of the combinations."""
    study = load_study(CONFIGS / f"{name}.yaml")
    found = [each for each in load_sweep(TABLE_1).settings[study.name] if each.study.settings == study.settings]
    assert len(found) == 1


def test_names_of_settings() -> None:
    """Readable, in the order of the file's keys, the last of which varies fastest; one study each."""
    sweep = load_sweep(TABLE_1)
    assert tuple(sweep.grid) == tuple(
        f"control.{key}" for key in ("transfer", "error_threshold", "max_model_generations", "update_rate")
    )
    names = [study.name for study in sweep.studies]
    assert len(set(names)) == len(names) == 108
    assert names[:2] == ["ADA-KL.T1-0.5-5-0.2", "ADA-KL.T1-0.5-5-0.5"]
    assert names[-1] == "ADA-RD.T2-0.9-20-0.8"
    assert sweep.settings["ADA-Kendall"][18].combination == {
        "control.transfer": "T2",
        "control.error_threshold": "0.5",
        "control.max_model_generations": "5",
        "control.update_rate": "0.2",
    }


def test_values_of_all_kinds(tmp_path: Path) -> None:
    """Whole numbers for fractions, infinity, null and booleans have names; how a number is written is no matter."""
    text = MINIMAL + (
        "grid:\n  training_set.radius: [8, .inf, 1e-8]\n  sampling.population_size: [null, 10]\n"
        "  sampling.active: [true, false]\n"
    )
    names = [study.name for study in loaded(tmp_path, text).studies]
    assert names[:5] == ["A.8-null-true", "A.8-null-false", "A.8-10-true", "A.8-10-false", "A.inf-null-true"]
    assert names[-1] == "A.1e-08-10-false"
    assert [study.name for study in loaded(tmp_path, text.replace("[8,", "[8.0,")).studies] == names


def test_overrides_and_where_settings_are_ranked(tmp_path: Path) -> None:
    """Options replace the protocol; budgets beyond a smaller one are left out, and the budget takes their place."""
    sweep = loaded(tmp_path, GRID, functions="1-2", budget=60)
    assert sweep.studies[0].protocol.functions == (1, 2)
    assert sweep.rank_at == (25, 50, 60)
    assert loaded(tmp_path, GRID, budget=10).rank_at == (10,)
    assert loaded(tmp_path, GRID + "rank_at: [100, 10.5]\n").rank_at == (10.5, 100)
    assert loaded(tmp_path, GRID + "rank_at: [100]\n", budget=50).rank_at == (50,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GRID + "rank_att: [1]\n", "s.yaml:9: rank_att: unknown key; the nearest valid key is rank_at"),
        (
            GRID.replace("{name: gaussian-process}", "{name: random-forest, tree: 3}"),
            "s.yaml:5: algorithms.0.settings.model.tree: unknown key; the nearest valid key is trees",
        ),
        (GRID.replace("[8, 64]", "8"), "s.yaml:7: grid.training_set.radius: 8 is not a list of values; write it like"),
        (MINIMAL + "grid: {}\n", "s.yaml:6: grid: {} is not allowed"),
        (KEYS % "training_set.radius: [8]", "grid: it has a single combination; a sweep ranks two or more"),
        (MINIMAL, "s.yaml: grid: is missing"),
        ("name: S\nalgorithms: []\ngrid: {a: [1, 2]}\n", "s.yaml:2: algorithms: [] is not a list of values"),
        (GRID.replace("name: A", "name: NO"), "algorithms.0.name: False is not allowed: YAML reads it so; text such"),
        (GRID.replace("name: A", "name: ../A"), "s.yaml:3: algorithms.0.name: '../A' cannot name a folder"),
        (GRID.replace("name: A", "name: " + "A" * 60), "s.yaml:6: grid: '" + "A" * 60 + ".8-recent' cannot name"),
        (
            MINIMAL + "grid:\n  training_set.n_req_factor: [3, 20, 30]\n  training_set.n_max_factor: [15, 25]\n",
            (
                "n_max_factor is 15, less than n_req_factor + n_req_offset, 20 + 0; allowed: no more than n_max_factor "
                "(A with training_set.n_req_factor: 20, training_set.n_max_factor: 15)"
            ),
        ),
        (GRID.replace("[8, 64]", "[8, 8.0]"), "s.yaml:6: grid: several settings would be called a.8-recent"),
        (
            PLAIN + PLAIN.partition("algorithms:\n")[2].lower() + "grid: {sampling.active: [true, false]}\n",
            "grid: several settings would be called a.true",
        ),
        (GRID + "rank_at: [0]\n", "s.yaml:9: rank_at.0: 0 is not allowed: should be greater than 0"),
        ("- 1\n", "s.yaml: a sweep is a mapping with at least the keys name, algorithms and grid"),
        (KEYS % "training_set.radus: [8]", "grid.training_set.radus: unknown key; the nearest valid key is radius"),
        (KEYS % "training_set.selection: [{name: recent}, {name: best}]", "grid.training_set.selection: 'best' is"),
        (KEYS % "control.model_generations: [5, -1]", "grid.control.model_generations: -1 is not allowed: should be"),
        (
            KEYS % "training_set.radius: [8, 64]\n  training_set: [{radius: 8}, {radius: 64}]",
            "s.yaml:7: grid.training_set.radius: is set by training_set of the grid as well; leave one of them out",
        ),
        (
            PLAIN + "    settings: {model: {}}\ngrid:\n  control: [{name: generations}, {name: none}]\n",
            "model has no effect with control: {name: none}",
        ),
    ],
)
def test_errors_say_where_and_what(tmp_path: Path, text: str, expected: str) -> None:
    """One line with the file, its line, the key, what was given and what is allowed."""
    message = error_of(tmp_path, text)
    assert expected in message
    assert message.startswith("s.yaml")


def test_whole_parts_are_values(tmp_path: Path) -> None:
    """A part can be a value, or its name, or a key within it; called by its name where it is no more than that."""
    kinds = (
        PLAIN
        + "    settings: {model: {}}\ngrid:\n  control:\n    - {name: generations}\n    - name: adaptive-generations\n"
        + "      error: {name: kendall}\n    - {name: doubly-trained}\n"
    )
    sweep = loaded(tmp_path, kinds)
    names = [study.name for study in sweep.studies]
    assert (names[0], names[2]) == ("A.generations", "A.doubly-trained")
    assert re.fullmatch(r"A\.[0-9a-f]{6}", names[1])
    assert [study.settings.control.name for study in sweep.studies] == [
        "generations",
        "adaptive-generations",
        "doubly-trained",
    ]
    by_part, by_name = (
        loaded(tmp_path, MINIMAL + f"grid:\n  training_set.radius: [8, 64]\n  training_set.selection{rest}\n")
        for rest in (": [{name: recent}, {name: kmeans}]", ".name: [recent, kmeans]")
    )
    assert by_part.studies == by_name.studies
    assert [study.settings.training_set.selection.name for study in by_part.studies] == ["recent", "kmeans"] * 2


def test_a_part_can_be_made_by_the_grid_alone(tmp_path: Path) -> None:
    """Where a part has a usual kind, its keys can be swept though the settings do not name it."""
    for key, values in (("sampling.active", "true, false"), ("restarts.max_restarts", "0, 9")):
        for given in ("", f"    settings:\n      {key.partition('.')[0]}:\n"):  # the second with nothing in it
            first, second = loaded(tmp_path, PLAIN + given + f"grid: {{{key}: [{values}]}}\n").studies
            assert (first.settings.sampling.name, first.settings.restarts.name) == ("cma-es", "ipop")
            assert first.settings != second.settings


def test_grids_beyond_reason_are_refused_at_once(tmp_path: Path) -> None:
    """A thousand settings are allowed, more are not, nor 10¹⁸ of them, which are not made to be counted."""
    values = ", ".join(str(n) for n in range(1, MOST_SETTINGS + 1))
    assert len(loaded(tmp_path, MINIMAL + f"grid: {{sampling.sigma0: [{values}]}}\n").studies) == MOST_SETTINGS
    message = error_of(tmp_path, MINIMAL + f"grid: {{sampling.sigma0: [{values}], sampling.active: [true, false]}}\n")
    assert "s.yaml:6: grid: 2,000 settings; a sweep takes at most 1,000" in message
    keys = ["sampling.sigma0", "restarts.initial_range", "restarts.population_factor"]
    keys += [f"model.{of}_start" for of in ("length", "signal_std", "noise_std")]
    grid = "\n".join(f"  {key}: [{values}]" for key in keys)
    assert "1,000,000,000,000,000,000 settings" in error_of(tmp_path, MINIMAL + f"grid:\n{grid}\n")


@pytest.mark.parametrize("path", sorted((CONFIGS / "sweeps").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_sweeps_load(path: Path) -> None:
    """Each of configs/sweeps, under the name of its file."""
    assert load_sweep(path).name == path.stem


def test_example_of_the_page(tmp_path: Path) -> None:
    """The sweep file of docs/sweep.md loads and is what the page says."""
    page = (CONFIGS.parent / "docs" / "sweep.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    assert len(loaded(tmp_path, example).studies) == 8
