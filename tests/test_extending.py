"""A part or a section of the report is one file and one line: of each there is one here, in a copy of sacma.

Copied are the package with its compiled code, the tools and the configs: registries, the report and the reference know
the new ones. CONTRIBUTING's example is one of them.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.commands import Completed, commands_of, environment
from tests.docs.pages import blocks

ROOT = Path(__file__).parent.parent
FILES = Path(__file__).parent / "extensions"

# Files of kinds of parts, each with its class, and the module and name of the registry.
PARTS = {
    "quadratic": ("Quadratic", "strategy/settings.py", "MODELS"),
    "oldest": ("Oldest", "surrogate/training_set.py", "SELECTIONS"),
    "best_half": ("BestHalf", "strategy/settings.py", "CONTROLS"),
    "mean": ("Mean", "strategy/settings.py", "PROPOSALS"),
    "lowest": ("Lowest", "strategy/criteria.py", "CRITERIA"),
    "alternating": ("Alternating", "strategy/doubly_trained.py", "SHARES"),
}

# Their parts, as many at once as go together.
STUDIES = {
    "Together": {
        "model": {"name": "quadratic", "ridge": 1e-8},
        "training_set": {"n_max_factor": 6, "selection": {"name": "oldest"}},
        "control": {"name": "doubly-trained", "share": {"name": "alternating"}, "criterion": {"name": "lowest"}},
        "proposals": {"name": "mean"},
    },
    "Half": {"model": {"name": "quadratic"}, "control": {"name": "best-half"}},
    "Neighbours": {
        "model": {"name": "gaussian-process"},
        "control": {"name": "adaptive-generations", "error": {"name": "neighbours"}},
    },
}


def put(path: Path, place: str, text: str) -> None:
    """Replace a text that a file has once."""
    before = path.read_text()
    assert before.count(place) == 1
    path.write_text(before.replace(place, text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the copy, configs of studies and of a sweep."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("src", "tools"):
        shutil.copytree(ROOT / name, folder / name)
    source = folder / "src" / "sacma"
    for name, (kind, module, registry) in PARTS.items():
        shutil.copy(FILES / f"{name}.py", source / "strategy" / f"own_{name}.py")
        line = f"from sacma.strategy.own_{name} import {kind}\n"
        put(source / module, f"{registry} = Kinds(", f"{line}{registry} = Kinds({kind}, ")
    (example,) = (block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.language == "python")
    put(source / "strategy" / "errors.py", "ERRORS = Kinds(", f"{example}\n\nERRORS = Kinds(Neighbours, ")
    sections = source / "analysis" / "sections"
    shutil.copy(FILES / "lowest_values.py", sections)
    put(sections / "__init__.py", "FILES = (", 'FILES = ("lowest_values", ')
    for name, settings in STUDIES.items():
        config = {"name": name, "algorithm": "surrogate-cmaes", "settings": settings}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(config))
    misspelt = (folder / "Together.yaml").read_text().replace("name: lowest", "name: lowesst")
    (folder / "misspelt.yaml").write_text(misspelt)
    sweep = (ROOT / "configs" / "sweeps" / "paper_table1.yaml").read_text()
    (folder / "sweep.yaml").write_text(sweep.replace("{name: kendall}", "{name: neighbours}"))
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> Mapping[str, Completed]:
    """What commands of the copy did, by name."""
    run = ("run", *(f"{name}.yaml" for name in STUDIES), "--functions", "1", "--dimensions", "2", "--instances", "1-2")
    run = (*run, "--budget", "30")
    commands = {
        "run": run,
        "report": ("postprocess", "--no-pages", "--no-pdf"),
        "algorithms": ("algorithms",),
        "sweep": ("sweep", "sweep.yaml", "--plan"),
        "misspelt": ("plan", "misspelt.yaml"),
    }
    return dict(zip(commands, commands_of(folder / "src", *commands.values(), cwd=folder), strict=True))


def test_parts_of_all_kinds(folder: Path, done: Mapping[str, Completed]) -> None:
    """They run to their results, and a model stands in for f; they are listed like sacma's own, and so in errors."""
    assert (done["run"].returncode, done["run"].stderr) == (0, "")
    for name in STUDIES:
        for _, trace in pd.read_parquet(folder / "results" / "traces" / f"{name}.parquet").groupby("instance"):
            assert trace["population_size"].sum() > trace["true_evaluations"].max()
            assert (trace["fit_status"] == "trained").any()
    assert (done["algorithms"].returncode, done["sweep"].returncode) == (0, 0)
    for name in ("quadratic", "oldest", "alternating", "lowest", "best-half", "neighbours"):
        assert name in done["algorithms"].stdout
    assert done["misspelt"].returncode == 2
    assert "lowest" in done["misspelt"].stderr
    assert done["misspelt"].stderr.count("\n") == 1


def test_a_section_of_the_report(folder: Path, done: Mapping[str, Completed]) -> None:
    """Its data frame, table and chart are in the report."""
    assert done["report"].returncode == 0, done["report"].stderr
    report = folder / "results" / "report"
    frame = pd.read_csv(report / "tables" / "lowest.csv")
    assert frame.columns.to_list() == ["algorithm", "dimension", "delta_f", "partial"]
    for ending in ("csv", "tex", "md", "html"):
        assert f"{frame['delta_f'].iloc[0]:.1e}" in (report / "tables" / f"lowest_table.{ending}").read_text()
    assert (report / "figures" / "lowest.svg").exists()
    page = (report / "index.html").read_text()
    piece = re.search(r'<section id="lowest">\n<h2>Lowest values</h2>(.*?)</section>', page, flags=re.DOTALL)
    assert piece
    for text in ("The lowest of all.", "tables/lowest.csv", "tables/lowest_table.tex", 'data-chart="lowest"'):
        assert text in piece[1]
    assert '<a href="#lowest">Lowest</a>' in page
    assert "neighbours" in (report / "tables" / "table_settings.md").read_text()


def test_the_reference(folder: Path) -> None:
    """Its page of settings has them."""
    reference = [sys.executable, "tools/reference.py"]
    (folder / "docs").mkdir()
    subprocess.run(reference, cwd=folder, env=environment(PYTHONPATH=folder / "src"), check=True)
    assert "neighbours" in (folder / "docs" / "reference" / "config.md").read_text()
