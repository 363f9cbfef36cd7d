"""One file and one line: kinds of one's own in a copy of the package, from a config to its results.

Backends, sections of the report and algorithms have tests of their own: ``experiment/test_own_backend.py``,
``analysis/sections`` and ``test_own_algorithm.py``.
"""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import sacma as package
from tests.commands import environment, sacma

ROOT = Path(__file__).parent.parent
FILES = Path(__file__).parent / "extensions"


@dataclass(frozen=True)
class Kind:
    """A kind of one's own: its file, and its line in a registry.

    Args:
        folder: that the file is put into.
        registry: in the ``__init__`` of that folder.
        line: added to it.
    """

    folder: str
    registry: str
    line: str


KINDS = {
    "quadratic": Kind("surrogate/models", "MODELS = kinds(", '"sacma.surrogate.models.quadratic:Quadratic",'),
    "oldest": Kind("surrogate/selections", "SELECTIONS = kinds(", '"sacma.surrogate.selections.oldest:Oldest",'),
    "squared_exponential": Kind(
        "surrogate/covariances",
        "COVARIANCES: Mapping[str, str] = {",
        '"squared-exponential": "sacma.surrogate.covariances.squared_exponential",',
    ),
    "neighbours": Kind("strategy/errors", "ERRORS = kinds(", '"sacma.strategy.errors.neighbours:Neighbours",'),
    "best_half": Kind("strategy/control", "CONTROLS = kinds(", '"sacma.strategy.control.best_half:BestHalf",'),
    "mean": Kind("strategy/proposals", "PROPOSALS = kinds(", '"sacma.strategy.proposals.mean:Mean",'),
    "lowest": Kind("strategy/criteria", "CRITERIA = kinds(", '"sacma.strategy.criteria.lowest:Lowest",'),
    "alternating": Kind("strategy/shares", "SHARES = kinds(", '"sacma.strategy.shares.alternating:Alternating",'),
}

TOGETHER = {
    "model": {"name": "quadratic", "ridge": 1e-8},
    "training_set": {"n_max_factor": 6, "selection": {"name": "oldest"}},
    "control": {"name": "doubly-trained", "share": {"name": "alternating"}, "criterion": {"name": "lowest"}},
    "proposals": {"name": "mean"},
}
"""As many of them as go together."""

OTHERS = {
    "best_half": {"model": {"name": "quadratic"}, "control": {"name": "best-half"}},
    "neighbours": {
        "model": {"name": "gaussian-process", "covariance": "squared-exponential"},
        "control": {"name": "adaptive-generations", "error": {"name": "neighbours"}},
    },
}

IN_PROCESS = """
import json, sys
import numpy as np
import sacma
from sacma.strategy.control import best_half
from sacma.strategy.criteria import lowest
from sacma.strategy.errors import neighbours
from sacma.strategy.proposals import mean
from sacma.strategy.settings import StrategySettings
from sacma.strategy.shares import alternating
from sacma.strategy.surrogate_cmaes import SurrogateStrategy
from sacma.surrogate.models import quadratic
from sacma.surrogate.selections import oldest

calls = {}

def count(name, owner, attribute):
    function = getattr(owner, attribute)
    def counted(*arguments, **more):
        calls[name] = calls.get(name, 0) + 1
        return function(*arguments, **more)
    setattr(owner, attribute, counted)

count("quadratic", quadratic.Regression, "fit")
count("oldest", oldest.Oldest, "choose")
count("lowest", lowest.Lowest, "worth")
count("alternating", alternating.InTurns, "judge")
count("mean", mean.MeanProposer, "propose")
count("best_half", best_half.Halves, "evaluate")
count("neighbours", neighbours, "neighbour_error")

by_model = {}
for name, content in json.load(sys.stdin).items():
    rng, generations = np.random.default_rng(1), []
    box = (np.full(2, -5.0), np.full(2, 5.0))
    settings = StrategySettings.model_validate(content)
    es = SurrogateStrategy(
        settings, initial_point=lambda: rng.uniform(-4, 4, 2), box=box, rng=rng, on_generation=generations.append
    )
    while es.true_evaluations < 60:
        es.tell([float(np.sum((x - 1.0) ** 2)) for x in es.ask()])
    sizes = [g.population_size for g in generations]
    by_model[name] = sum(sizes) - generations[-1].true_evaluations
compiled = [name for name in sys.modules if name.startswith("sacma.surrogate.likelihood_squared_exponential")]
print(json.dumps({"file": sacma.__file__, "calls": calls, "by_model": by_model, "compiled": compiled}))
"""


def example_of_contributing() -> str:
    """Return the error measure that CONTRIBUTING.md shows."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if block.startswith("# src/sacma/strategy/errors/neighbours.py"))
    return str(block)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has all of them."""
    folder = tmp_path_factory.mktemp("extended")
    copy = folder / "sacma"
    shutil.copytree(Path(package.__file__).parent, copy)  # with what is compiled
    for name, kind in KINDS.items():
        file = FILES / f"{name}.py"
        text = file.read_text(encoding="utf-8") if file.exists() else example_of_contributing()
        (copy / kind.folder / f"{name}.py").write_text(text, encoding="utf-8")
        registry = copy / kind.folder / "__init__.py"
        before = registry.read_text(encoding="utf-8")
        assert before.count(f"{kind.registry}\n") == 1
        registry.write_text(
            before.replace(f"{kind.registry}\n", f"{kind.registry}\n    {kind.line}\n"), encoding="utf-8"
        )
    return folder


def test_a_run_from_a_config(extended: Path, tmp_path: Path) -> None:
    """It runs to its results and is listed like sacma's own; misspelt, it is in the error."""
    config = {"name": "Own", "algorithm": "surrogate-cmaes", "settings": TOGETHER}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    place = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 20, "--backend", "serial")
    ran = sacma("run", "config.yaml", *place, "--results", "results", cwd=tmp_path, PYTHONPATH=extended)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (entry,) = (tmp_path / "results" / "coco").rglob("*.info")
    assert "1:40|" in entry.read_text(encoding="utf-8")
    listed = sacma("algorithms", cwd=tmp_path, PYTHONPATH=extended)
    assert listed.returncode == 0, listed.stderr
    for name in ("quadratic", "oldest", "alternating", "lowest", "best-half", "neighbours", "squared-exponential"):
        assert name in listed.stdout
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config).replace("name: lowest", "name: lowesst"))
    wrong = sacma("plan", "config.yaml", cwd=tmp_path, PYTHONPATH=extended)
    assert wrong.returncode == 2
    assert "lowest" in wrong.stderr
    assert wrong.stderr.count("\n") == 1


def test_all_of_them_are_used(extended: Path) -> None:
    """Those that go together, and the others: each is called, and a model stands in for f."""
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS],
        input=json.dumps({"together": TOGETHER, **OTHERS}),
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONPATH=extended),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["file"]).parent == extended / "sacma"
    assert set(found["calls"]) == KINDS.keys() - {"squared_exponential"}
    assert len(found["compiled"]) == 1
    assert all(points > 0 for points in found["by_model"].values())
