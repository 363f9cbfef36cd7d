"""Every script of the repository runs, in its tiny form, and by public names alone."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import matplotlib as mpl
import pytest

from sacma.store.kept import read_kept
from tests.browser import needs_chromium
from tests.commands import NoWorkers, blank_figures, environment, no_workers, successful
from tests.sizes import sizes

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(
    path for name in ("benchmarks", "reproduction", "tools", "examples") for path in (ROOT / name).glob("*.py")
)

PARTS = ("__init__", "agreement", "checks", "claims", "evidence", "resampling")
STUDY = "«study»"  # stands for the results that ``benchmarks/postprocessing.py`` makes of a small study
FOLDER = "«folder»"  # stands for an empty folder

# How each script runs in small, and what it prints.
TINY: dict[str, tuple[list[str], list[str] | str]] = {
    "benchmarks/ablation.py": (
        ["--results", FOLDER, "--variants", "one Gaussian process,no proposals", "--tiny"],
        "no proposals",
    ),
    "benchmarks/comparison.py": (
        [STUDY, "--of", "GP-5", "--algorithms", "GP-5,CMA-ES", "--report", FOLDER, "--tiny"],
        ["| mean rank at |", "minus virtual best", " figures"],
    ),
    "benchmarks/constraints.py": (["--tiny"], "median log10 gap of the best"),
    "benchmarks/gp_fit.py": (["--tiny"], "warm >= cold"),
    "benchmarks/mixed.py": (["--tiny"], "ellipsoid, steep integers"),
    "benchmarks/noise.py": (["--tiny"], "within two errors of fun"),
    "benchmarks/overhead.py": (["--tiny"], "CPU ms of ask and tell"),
    "benchmarks/real_problems.py": (["--results", FOLDER, "--images", FOLDER, "--tiny"], "| mean rank at |"),
    "benchmarks/trial_cost.py": (["--tiny"], "objective"),
    "benchmarks/transformations.py": (["--tiny"], "1e10 20th"),
    "reproduction/attribution.py": (["--results", FOLDER, "--tiny"], "over GP-5"),
    "reproduction/open_readings.py": (["--results", FOLDER, "--tiny"], "as-run"),
    "examples/ask_and_tell.py": ([], "{'target': 0.001}"),
    "examples/journal.py": ([], ["power: 50 evaluations are on the disk", "used up: 120 evaluations were paid for"]),
    "examples/minimize.py": ([], "the target, 1e-06, is reached"),
    "examples/own_model.py": ([], ""),
    "examples/own_optimizer.py": ([], ""),
    "examples/parallel.py": ([], "the same points: True"),
    "tools/best2009_targets.py": ([f"{FOLDER}/targets.csv", "--tiny"], "targets written to"),
    "tools/build_twice.py": (["--tiny"], "built twice, 1 files with the same bytes"),
    "tools/compat.py": (["--tiny", sys.executable], "sacma --version: ok"),
    "tools/gallery.py": ([STUDY, FOLDER], "report.html: "),
    "tools/oldest_versions.py": ([], "numpy=="),
    "tools/pictures.py": ([STUDY, FOLDER, "--tiny"], "run_lengths.svg"),
    "tools/reference.py": (["--check"], ""),
    "tools/same_bits.py": (["--tiny"], ["CMA-ES", "the same"]),
    "tools/same_calls.py": (["--tiny", "HEAD"], "1 of    1 calls with the same points and values"),
    "tools/tape.py": (["--tiny"], ["```text", "CPU time:"]),
}

ELSEWHERE = {
    "benchmarks/common.py": "a part of the others",
    "benchmarks/competitors.py": "algorithms: tests/benchmarks/test_competitors.py",
    "benchmarks/outcomes.py": "below: its outcomes are enough",
    "benchmarks/postprocessing.py": "makes the small study of this module",
    **dict.fromkeys((f"reproduction/{name}.py" for name in PARTS), "a part of tables.py"),
    "reproduction/tables.py": "below: it says the same of kept outcomes",
    "examples/half_the_evaluations.py": "below: its claim is tested",
    "tools/chromium.py": "a part of others, like screens.py",
    "tools/first_picture.py": "below: in a process of its own",
    "tools/mutants.py": "runs the tests",
    "tools/screens.py": "below: in a process of its own, apart from the browser of other tests",
    "tools/size.py": "tests/test_size.py",
    "tools/site_doctests.py": "below: an extension of griffe's",
    "tools/site_hooks.py": "below: a hook of MkDocs",
}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run(name: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a script in this process, its figures blank: a module as ``python -m`` would, another as ``python NAME``."""
    path = ROOT / name
    module = ".".join(Path(name).with_suffix("").parts)
    is_module = path.parent.name in {"benchmarks", "reproduction"}
    one_core = mock.patch("joblib.cpu_count", return_value=1)
    here = mock.patch("benchmarks.common.LocalWorkers", NoWorkers)
    with mpl.rc_context(), no_workers(), here, one_core, blank_figures():
        mpl.use("Agg")
        monkeypatch.syspath_prepend(ROOT if is_module else path.parent)
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        monkeypatch.delitem(sys.modules, module, raising=False)
        if is_module:
            runpy.run_module(module, run_name="__main__")
        else:
            runpy.run_path(str(path), run_name="__main__")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results and the report of a small study of all six algorithms, made by a benchmark."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as monkeypatch:
        run("benchmarks/postprocessing.py", ["--tiny", "--keep", str(folder)], monkeypatch)
    return folder


def test_every_script_is_run() -> None:
    """There is no file in these folders that no test runs, and none is named that is not there."""
    assert {name_of(path) for path in SCRIPTS} == TINY.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", TINY)
def test_it_runs_in_small(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """To its end, with the table that it prints in full."""
    arguments, expected = TINY[name]
    if STUDY in arguments:
        study = str(request.getfixturevalue("study"))
        arguments = [argument.replace(STUDY, study) for argument in arguments]
    arguments = [argument.replace(FOLDER, str(tmp_path)) for argument in arguments]
    if name in {"tools/build_twice.py", "tools/same_bits.py"} and not (ROOT / ".git").exists():
        pytest.skip("not a clone: there is no commit to build")
    monkeypatch.delenv("SACMA_RESULTS", raising=False)
    capfd.readouterr()
    run(name, arguments, monkeypatch)
    printed = capfd.readouterr().out
    for text in [expected] if isinstance(expected, str) else expected:
        assert text in printed


def test_outcomes_are_enough(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The pages on the reproduction and the comparison say the same from kept outcomes as from the study's records."""
    run("benchmarks/outcomes.py", [str(study), str(tmp_path)], monkeypatch)
    assert "outcomes.parquet: " in capfd.readouterr().out
    printed = []
    for folder in (study, tmp_path):
        run("reproduction/tables.py", [str(folder)], monkeypatch)
        run("benchmarks/comparison.py", [str(folder), "--of", "GP-5", "--without", "ADA-K*"], monkeypatch)
        printed.append(capfd.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("Claim ") == 8
    assert "hold, " in printed[0]
    assert "| GP-5 |" in printed[0].partition("### 2-D")[2]
    assert "ADA-KL" not in printed[0].partition("### 2-D")[2]
    table = tmp_path / "outcomes.parquet"
    before = table.read_bytes()
    for kept in ([str(study)], [str(tmp_path)], [str(tmp_path), str(study)]):
        run("benchmarks/outcomes.py", [*kept, str(tmp_path)], monkeypatch)  # once more changes nothing
        assert table.read_bytes() == before
    other = tmp_path / "other"
    shutil.copytree(study / "studies", other / "studies")
    changed = other / "studies" / "GP-1.json"
    changed.write_text(changed.read_text().replace('"seed": 1', '"seed": 2'))
    capfd.readouterr()
    with pytest.raises(SystemExit) as end:
        run("benchmarks/outcomes.py", [str(tmp_path), str(other), str(tmp_path)], monkeypatch)
    assert end.value.code == 2
    assert "two folders have GP-1 with other settings" in capfd.readouterr().err
    assert table.read_bytes() == before


@pytest.mark.parametrize("copied", [False, True])
def test_outcomes_name_no_folder_of_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, copied: bool) -> None:
    """The file of an algorithm is named as it is in the repository, or without its folder."""
    file = ROOT / "examples" / "own_optimizer.py"
    if copied:
        file = Path(shutil.copy(file, tmp_path))
    config = ROOT / "examples" / "own_optimizer.yaml"
    small = ("--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 5)
    successful("run", config, "--algorithm-file", file, *small, "--results", tmp_path / "results", cwd=tmp_path)
    run("benchmarks/outcomes.py", [str(tmp_path / "results"), str(tmp_path / "kept")], monkeypatch)
    (kept,) = read_kept(tmp_path / "kept" / "outcomes.parquet")
    origin = kept.study.parts[0].origin
    assert origin is not None
    assert origin.source == f"{'' if copied else 'examples/'}own_optimizer.py"


@sizes("instances", small=1, full=10)
def test_half_the_evaluations(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], instances: int
) -> None:
    """The example's claim: at most half of what pycma takes on all instances together."""
    run("examples/half_the_evaluations.py", [str(instances)], monkeypatch)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == instances + 3
    assert float(printed[-1].split()[-1]) <= 0.5


@needs_chromium
@pytest.mark.parametrize("tool", ["screens", "first_picture"])
def test_tools_with_a_browser(tool: str, study: Path, tmp_path: Path) -> None:
    """Pictures of the report on a desk and on a phone, or the times until its first chart is drawn in both."""
    arguments = {
        "screens": [str(tmp_path), "--tiny"],
        "first_picture": ["--times", "1", str(study / "report" / "index.html")],
    }[tool]
    command = [sys.executable, str(ROOT / "tools" / f"{tool}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    for text in {"screens": ("report.png", "report_narrow.png"), "first_picture": ("1400", "390")}[tool]:
        assert text in done.stdout


def test_hooks_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that stand elsewhere have their links right, formulas and symbols are set, and examples are code."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    hooks = runpy.run_path(str(ROOT / "tools" / "site_hooks.py"))
    page = SimpleNamespace(file=SimpleNamespace(src_uri="contributing.md"))
    shown = hooks["on_page_markdown"]("", page)
    assert "](decisions.md)" in shown
    page.file.src_uri = "reference/results.md"
    assert "](../comparison.md)" in hooks["on_page_markdown"]("", page)
    drawn = hooks["formula"]("\\frac{a}{b}", "math", "formula", {}, None)
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in drawn
    for written, shown in {
        "GP-5: g_m^max": '<span class="name">GP-5</span>: <span class="name">g<sub>m</sub><sup>max</sup></span>',
        "<code>x_i</code>, [0, 1]^D": "<code>x_i</code>, [0, 1]<sup>D</sup>",
        "<pre><code>a-b x_i</code></pre> max_model": "<pre><code>a-b x_i</code></pre> max_model",
        "<table></table>": '<div class="scrolls" tabindex="0"><table></table></div>',
    }.items():
        assert hooks["on_page_content"](written) == shown
    picture = '<img src="images/run_lengths.svg">'
    live = hooks["on_page_content"](f'<p><a href="gallery/report.html">{picture}</a></p>')
    assert '<iframe class="charts" src="gallery/charts.html"' in live
    assert f'srcset="images/run_lengths_narrow.svg">{picture}</picture>' in live
    doctests = runpy.run_path(str(ROOT / "tools" / "site_doctests.py"))["Doctests"]()
    documented = SimpleNamespace(docstring=SimpleNamespace(value="Add.\n\n>>> 1 + 1\n2\n"))
    doctests.on_object(obj=documented)
    assert documented.docstring.value == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n"
