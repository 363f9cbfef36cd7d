"""Configs: the shipped ones hold the paper's values, and errors say where and what."""

from pathlib import Path

import pytest

from sacma.config.study import Protocol, load_studies, load_study
from sacma.errors import SacmaError
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.control import NoControl
from sacma.strategy.generation_control import AdaptiveGenerations, Generations
from sacma.strategy.restarts import IPOP
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.models import GaussianProcessModel
from tests.conftest import CONFIGS, SIX, one_line

MINIMAL = "name: A\nalgorithm: surrogate-cmaes\n"
WITH_MODEL = MINIMAL + "settings:\n  model: {name: gaussian-process}\n"


def error_of(tmp_path: Path, text: str, **overrides: object) -> str:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    return one_line(load_study, path, overrides).replace(str(path), "c.yaml")


def test_default_protocol_is_the_papers() -> None:
    """24 functions, D = 2, 3, 5, 10, 20, instances 1–5 and 41–50, 250·D evaluations, Δf = 1e-8."""
    protocol = Protocol()
    assert protocol.functions == tuple(range(1, 25))
    assert protocol.dimensions == (2, 3, 5, 10, 20)
    assert protocol.instances == (1, 2, 3, 4, 5, *range(41, 51))
    assert protocol.evaluations(20) == 5000
    assert protocol.target == 1e-8


@pytest.mark.parametrize("name", SIX)
def test_shipped_configs_run_the_papers_protocol(name: str) -> None:
    """No config of the study changes the protocol, and all share CMA-ES's settings."""
    study = load_study(CONFIGS / f"{name}.yaml")
    assert study.protocol == Protocol()
    s = study.settings
    assert s.sampling == CMAESSampling(sigma0=8 / 3, population_size=None, active=False, bounds="none")
    assert s.restarts == IPOP(initial_range=4.0, population_factor=2.0, max_restarts=4, after_last_restart="start_over")
    assert (s.acceptance.name, s.proposals.name) == ("ranks-population", "none")


@pytest.mark.parametrize(("folder", "radius", "noise"), [("", 64.0, 0.01), ("as_printed", 8.0, 0.1)])
def test_shipped_configs_hold_the_papers_values(folder: str, radius: float, noise: float) -> None:
    """All that the paper states for its five surrogate algorithms; as printed the radius is 8, and σ_n² 0.01."""
    studies = {name: load_study(CONFIGS / folder / f"{name}.yaml").settings for name in SIX[1:]}
    for s in studies.values():
        t = s.training_set
        assert (t.radius, t.n_req_factor, t.n_max_factor, t.selection.name) == (radius, 3, 15, "recent")
        assert s.model == GaussianProcessModel(noise_std_start=noise)
    for name, g_m in (("gp1", 1), ("gp5", 5)):
        assert studies[name].control == Generations(model_generations=g_m)
    for name, expected in (
        ("ada_kl", ("kullback-leibler", "T2", 0.9, 0.5)),
        ("ada_kendall", ("kendall", "T2", 0.5, 0.2)),
        ("ada_rd", ("ranking-difference", "T1", 0.5, 0.2)),
    ):
        a = studies[name].control
        assert isinstance(a, AdaptiveGenerations)
        assert (a.error.name, a.transfer, a.error_threshold, a.update_rate) == expected
        assert a.max_model_generations == 5


def test_baseline_has_no_model() -> None:
    """Plain CMA-ES is the strategy with none of the parts of a surrogate."""
    s = load_study(CONFIGS / "cmaes.yaml").settings
    assert s == StrategySettings()
    assert (s.model, s.control) == (None, NoControl())


def test_names_of_shipped_configs_differ() -> None:
    """All shipped configs can be run into one results folder."""
    load_studies([path for path in sorted(CONFIGS.rglob("*.yaml")) if path.parent.name != "sweeps"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MINIMAL + "settings:\n  modle: {}\n", "c.yaml:4: settings.modle: unknown key; the nearest valid key is model"),
        (MINIMAL + "settings: 3\n", "c.yaml:3: settings: 3 is not a mapping"),
        (MINIMAL + "protocol:\n  functions: []\n", "c.yaml:4: protocol.functions: the list is empty"),
        (MINIMAL + "protocol:\n  functions: 1-30\n", "bbob has no function 25-30; it has 1-24"),
        (MINIMAL + "protocol:\n  suite: bbob-nosy\n", "protocol.suite: unknown suite 'bbob-nosy'; known: bbob,"),
        (MINIMAL + "protocol:\n  suite: bbob-noisy\n  functions: 1,101\n", "protocol.functions: bbob-noisy has no"),
        (MINIMAL + "protocol:\n  budget: 0.1\n", "allows no evaluation in 2-D"),
        (MINIMAL + "protocol:\n  seed: -1\n", "protocol.seed: -1 is not allowed"),
        ("name: A\nalgorithm: cmaess\n", "c.yaml:2: algorithm: unknown algorithm 'cmaess'; known: surrogate-cmaes,"),
        ("algorithm: surrogate-cmaes\n", "c.yaml: name: is missing"),
        ("name: coco\nalgorithm: surrogate-cmaes\n", "(at most 64), no reserved name as this one is"),
        ("name: A\nname: B\nalgorithm: surrogate-cmaes\n", "c.yaml:2: name: given twice, first on line 1"),
        (MINIMAL + "description: 'a \"b\"'\n", "COCO's files take one line of ASCII"),
        ("name: [\n", "not valid YAML"),
        (WITH_MODEL.replace("process", "process, noise_std_start: .inf"), "settings.model.noise_std_start: inf is"),
        (MINIMAL + "protocol: {instances: 1:30}\n", "'1:30' is not a whole number"),
        (MINIMAL + "protocol: {functions: 010}\n", "'010' is not a whole number"),
    ],
)
def test_errors_say_where_and_what(tmp_path: Path, text: str, expected: str) -> None:
    """One line with the file, its line, the key, what was given and what is allowed."""
    assert expected in error_of(tmp_path, text)


def test_numbers_are_read_as_people_write_them(tmp_path: Path) -> None:
    """1e-8, 1.5, .5 and 2 are numbers, and a section with nothing in it is as good as none."""
    path = tmp_path / "c.yaml"
    sampling, process = "{sigma0: .5}", "{name: gaussian-process, noise_std_start: 1e-3}"
    settings = f"settings: {{sampling: {sampling}, model: {process}, control: {{name: generations}}}}\n"
    path.write_text(MINIMAL + settings + "protocol:\n")
    s = load_study(path).settings
    assert (s.sampling.sigma0, s.model.noise_std_start) == (0.5, 1e-3)
    assert load_study(path).protocol == Protocol()


def test_errors_of_overrides_name_the_option(tmp_path: Path) -> None:
    """An error in an option does not blame the file."""
    assert error_of(tmp_path, MINIMAL, dimensions="2,7").startswith("--dimensions: bbob has no dimension 7")
    assert error_of(tmp_path, MINIMAL, budget=0.1).startswith("--budget: budget 0.1 allows no evaluation")
    assert error_of(tmp_path, MINIMAL, budget=-3.0).startswith("--budget: -3.0 is not allowed")


def test_overrides_replace_the_file(tmp_path: Path) -> None:
    """Options win over the file; what they do not name stays."""
    path = tmp_path / "c.yaml"
    path.write_text(MINIMAL + "protocol:\n  functions: 1-3\n  budget: 10\n  target: 1e-3\n")
    protocol = load_study(path, {"functions": "8", "budget": None}).protocol
    assert protocol.functions == (8,)
    assert protocol.budget == 10
    assert protocol.target == 1e-3
    assert protocol.instances == Protocol().instances


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    """A missing file, a folder and a file that is not text are errors of the user's."""
    (tmp_path / "binary.yaml").write_bytes(b"# a\n\xff\xfe\x00")
    for path, expected in (
        (tmp_path / "no.yaml", "no such config file"),
        (tmp_path, "cannot be read: Is a directory; name its config files, like "),
        (tmp_path / "binary.yaml", "binary.yaml:2: cannot be read: it is not UTF-8; save it as that"),
    ):
        with pytest.raises(SacmaError, match=expected):
            load_study(path)


def test_same_name_twice_is_refused(tmp_path: Path) -> None:
    """Two configs with one name, even in other case, would share a folder."""
    for file, name in (("a.yaml", "X"), ("b.yaml", "x")):
        (tmp_path / file).write_text(f"name: {name}\nalgorithm: surrogate-cmaes\n")
    with pytest.raises(SacmaError, match="also that of"):
        load_studies([tmp_path / "a.yaml", tmp_path / "b.yaml"])
