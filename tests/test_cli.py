"""The command line: exit codes, one-line errors, interruption, and the whole way from config to pages."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.commands import blank_figures, refusal, reported, sacma, successful
from tests.conftest import CONFIGS, SIX, hostile_config
from tests.processes import left_alive, start, wait_for_a_record

if sys.platform == "win32":
    pytest.skip("signals and files of POSIX", allow_module_level=True)

SMALL = ("--functions", "1,8", "--dimensions", "2", "--instances", "1-2", "--budget", "20")
ONE = ("--functions", "8", "--dimensions", "2", "--instances", "1-4", "--budget", "20")


def but_compiling(stderr: str) -> list[str]:
    """Return the lines of a command but for the note that loading takes long, as on a busy machine."""
    return [line for line in stderr.splitlines() if not line.startswith("compiling")]


def test_from_config_to_pages(tmp_path: Path) -> None:
    """run, run again, plan and postprocess: exit code 0, a page, tables, and the stable paths that were printed."""
    configs = [CONFIGS / "gp5.yaml", CONFIGS / "cmaes.yaml"]
    first = successful("run", *configs, *ONE, "--results", "out", cwd=tmp_path, process=True)
    assert "8 trials: 0 there, 8 to run" in first.stdout
    assert "next: sacma postprocess out" in first.stdout
    again = sacma("run", *configs, *ONE, "--results", "out", cwd=tmp_path)
    assert "8 trials: 8 there, 0 to run" in again.stdout
    planned = sacma("plan", *configs, *ONE, "--instances", "1-6", "--results", "out", cwd=tmp_path)
    assert "4/6" in planned.stdout
    assert "8/12" in planned.stdout
    assert "by 8 finished trials" in planned.stdout
    assert "wall time:" in planned.stdout
    whole = sacma("plan", *(CONFIGS / f"{name}.yaml" for name in SIX), cwd=tmp_path)
    assert "0/2160" in whole.stdout
    assert "by shipped figures" in whole.stdout
    assert all(len(line) <= 80 for line in [*planned.stdout.splitlines(), *whole.stdout.splitlines()])
    status = sacma("status", "out", cwd=tmp_path)
    assert "next: sacma postprocess out" in status.stdout
    assert all(len(line) <= 80 for line in status.stdout.splitlines())

    with blank_figures():
        done = successful("postprocess", "out", "--no-pages", cwd=tmp_path)
    assert "open:    out/report/index.html" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    medians = pd.read_csv(tmp_path / "out" / "report" / "tables" / "median_delta_f.csv")
    assert set(medians["algorithm"]) == {"GP-5", "CMA-ES"}
    assert len(medians) == 2 * 3  # algorithms, scenarios
    ranks = pd.read_csv(tmp_path / "out" / "report" / "tables" / "mean_ranks.csv")
    assert ranks.groupby("scenario")["mean_rank"].sum().to_list() == pytest.approx([3.0] * 3)
    assert re.search(r"GP-5 .*\d\.\d\d", done.stdout)
    assert broken_links(tmp_path / "out" / "report" / "index.html") == []
    marked_where_partial(tmp_path)


def marked_where_partial(tmp_path: Path) -> None:
    """Take a record away: that is refused, or marked in all that is made, cocopp's pages among it."""
    next((tmp_path / "out" / "records").rglob("*.record")).unlink()
    refused = refusal("postprocess", "out", cwd=tmp_path)
    assert "(1 of 4)" in refused
    assert "missing: " in refused
    with blank_figures():
        partial = successful("postprocess", "out", "--partial", "--no-pdf", cwd=tmp_path)
    assert partial.stdout.count("PARTIAL") == 2  # the table and a line
    pages = {page: page.read_text() for page in (tmp_path / "out" / "cocopp").rglob("*.html")}
    for page, text in pages.items():
        assert "PARTIAL RESULTS: " in text, page
        assert "lacks 1 of 4 trials" in text
    assert "GP-5" in "".join(pages.values())
    assert "CMA-ES" in "".join(pages.values())
    for folder in (".", "comparison"):
        assert broken_links(tmp_path / "out" / "cocopp" / folder / "index.html") == []
    assert "PARTIAL RESULTS: " in (tmp_path / "out" / "report" / "index.html").read_text()
    tables = {path.stem: pd.read_csv(path) for path in (tmp_path / "out" / "report" / "tables").glob("*.csv")}
    of_results = {name: table for name, table in tables.items() if "partial" in table}
    assert {"median_delta_f", "mean_ranks", "pairwise", "convergence", "ecdf", "cpu"} <= of_results.keys()
    lacking = {name for name, table in of_results.items() if len(table) and not table["partial"].any()}
    assert lacking <= {"control_frequency"}  # which is not of CMA-ES


def broken_links(page: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    links = re.findall(r"""href=["']([^"'#:]+)["'#]""", page.read_text(), flags=re.IGNORECASE)
    assert links
    return [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "missing.yaml"], "missing.yaml: no such config file"),
        (["run", "broken.yaml"], "broken.yaml:1: not valid YAML"),
        (["run", "good.yaml", "--dimensions", "7"], "bbob has no dimension 7"),
        (["run", "good.yaml", "--functions", ""], "--functions: the list is empty"),
        (["run", "good.yaml", "--results", "file/results"], "cannot be written to"),
        (["run", "good.yaml", "--results", "file"], "results folder file cannot be written to (File exists)"),
        (["plan", "good.yaml", "--results", "file/results"], "file is no folder; give another folder"),
        (["run", "good.yaml", "--jobs", "1000"], "--jobs: 1000 is not allowed"),
        (["run", "good.yaml", "--shard", "4/3"], "--shard: '4/3' is not allowed; give K/N"),
        (["run"], "results holds no study to continue; name at least one CONFIG"),
        (["plan"], "results holds no study to continue"),
        (["status", "nowhere"], "nowhere does not exist"),
        (["status", "file"], "file is no folder; name a folder with results"),
        (["status", "."], "holds no results; name a folder with results, or make some with: sacma run CONFIG"),
        (["export", "nowhere"], "nowhere does not exist"),
        (["replay", "nowhere"], "nowhere cannot be read"),
        (["replay", "good.yaml"], "good.yaml is damaged or no record"),
        (["postprocess", "nowhere"], "nowhere does not exist"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: list[str], expected: str) -> None:
    """Exit code 2, one line on the error stream, no traceback, nothing written."""
    (tmp_path / "broken.yaml").write_text("name: [")
    (tmp_path / "good.yaml").write_text("name: A\nalgorithm: surrogate-cmaes\n")
    (tmp_path / "file").write_text("")
    before = set(tmp_path.rglob("*"))
    done = sacma(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("sacma: ")
    assert expected in done.stderr
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("jobs", "dimension", "strikes"),
    [
        ("2", "10", 1),
        ("1", "2", 3),
        *(pytest.param("1", dimension, 1, marks=pytest.mark.torture) for dimension in ("2", "10")),
        *(pytest.param("2", "2", strikes, marks=pytest.mark.torture) for strikes in (1, 3)),
    ],
)
def test_interruption_keeps_what_is_finished(tmp_path: Path, jobs: str, dimension: str, strikes: int) -> None:
    """Ctrl-C, once or in a fury: exit code 130, one line that resumes, finished trials kept, nothing left running."""
    arguments = ["run", str(CONFIGS / "ada_kl.yaml"), "--dimensions", dimension, "--budget", "60"]
    (tmp_path / "tmp").mkdir()
    process = start(*arguments, "--jobs", jobs, "--results", "out", cwd=tmp_path, TMPDIR=tmp_path / "tmp")
    wait_for_a_record(tmp_path / "out")
    for _ in range(strikes):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.03)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stdout + stderr
    assert len(but_compiling(stderr)) == 1, stderr
    kept = len(list((tmp_path / "out").rglob("*.record")))
    assert kept >= 1
    assert f"{kept} of 360 trials are kept; resume with: sacma run" in stderr
    assert left_alive(process.pid) == []
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_end_of_a_job(tmp_path: Path) -> None:
    """SIGTERM, as a cluster sends it at the end: exit code 143, one line that resumes, nothing left running."""
    arguments = ["run", str(CONFIGS / "gp1.yaml"), "--dimensions", "5", "--jobs", "2", "--budget", "60"]
    process = start(*arguments, "--results", "out", cwd=tmp_path)
    wait_for_a_record(tmp_path / "out")
    process.terminate()
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 143, stdout + stderr
    assert len(but_compiling(stderr)) == 1, stderr
    kept = len(list((tmp_path / "out").rglob("*.record")))
    assert f"{kept} of 360 trials are kept; resume with: sacma run" in stderr
    assert left_alive(process.pid) == []


@pytest.mark.parametrize(
    "starts", [1.5, 3, 6, *(pytest.param(later, marks=pytest.mark.torture) for later in (4.5, 9, 12))]
)
def test_early_interruption(tmp_path: Path, starts: float) -> None:
    """Ctrl-C while modules are imported or workers start: exit code 130 and one line, no traceback.

    The moment is counted in starts of the command line on this machine, so that it comes after Python's own.
    """
    begin = time.monotonic()
    assert sacma("--version", cwd=tmp_path, process=True).returncode == 0
    delay = starts * (time.monotonic() - begin)
    process = start("run", str(CONFIGS / "gp1.yaml"), "--dimensions", "20", "--results", "out", cwd=tmp_path)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert len(but_compiling(stderr)) == 1, stderr


def test_interruption_that_a_library_hides(tmp_path: Path) -> None:
    """Ctrl-C is what is answered, though a compiled module that it passed through raised another exception."""
    stub = tmp_path / "stub.py"
    stub.write_text(
        "import os, signal, sys, types\n"
        "from sacma.__main__ import main\n"
        "def hides():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except BaseException:\n"
        "        raise ValueError('hidden') from None\n"
        "sys.modules['sacma.cli.app'] = types.SimpleNamespace(main=hides)\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, stub, "run", "a.yaml"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "sacma: interrupted; to do it again: sacma run a.yaml\n")


def test_foreign_data(tmp_path: Path) -> None:
    """With NAME=PATH: in all tables; what they do not tell is said; wrong ones are one line."""
    assert sacma("run", CONFIGS / "gp1.yaml", *SMALL, cwd=tmp_path).returncode == 0
    assert sacma("run", CONFIGS / "cmaes.yaml", *SMALL, "--results", "other", cwd=tmp_path).returncode == 0
    short = [*SMALL[:-1], "10"]
    assert sacma("run", CONFIGS / "cmaes.yaml", *short, "--results", "short", cwd=tmp_path).returncode == 0
    theirs = ("--with", "Theirs=other/coco/CMA-ES", "--with", "Short=short/coco/CMA-ES")
    done = reported(*theirs, cwd=tmp_path)
    said = "Short: 4 of 4 trials end before 20·D evaluations, off the target (first f1 in 2-D, instance 1);"
    assert said in done.stderr
    tables = tmp_path / "results" / "report" / "tables"
    known = pd.read_csv(tables / "median_delta_f.csv").query("scenario == '20·D'")
    medians = known.set_index(["algorithm", "function"])["median_delta_f"]
    reported("other", cwd=tmp_path)
    expected = pd.read_csv(tmp_path / "other" / "report" / "tables" / "median_delta_f.csv")
    expected = expected.query("scenario == '20·D'").set_index("function")
    for function in (1, 8):
        assert medians["Theirs", function] == pytest.approx(expected["median_delta_f"][function], rel=1e-6)
        assert np.isnan(medians["Short", function])
    reported("--with", "Theirs=other/coco/CMA-ES", "--output", "second", cwd=tmp_path)
    pairs = pd.read_csv(tmp_path / "second" / "report" / "tables" / "pairwise.csv")
    assert set(pairs["algorithm"]) == {"GP-1", "Theirs"}
    assert "Short" in set(pd.read_csv(tables / "pairwise.csv")["algorithm"])  # the first report is kept
    assert {"wins", "p_raw", "p_bergmann_hommel"} <= set(pairs.columns)
    for wrong, message in {
        "x": "no such folder or archive",
        "A=nowhere": "no such folder or archive",
        "A=": "'A=' has no path; give it like BIPOP=downloads/bipop.tgz",
        "other/coco/CMA-ES/..": "name the data yourself",
        "../a=other": "cannot name a folder of results",
        "GP-1=other/coco/CMA-ES": "there is an algorithm GP-1 already",
    }.items():
        assert message in refusal("postprocess", "--with", wrong, cwd=tmp_path)


def test_a_choice_of_which_nothing_is_finished(tmp_path: Path) -> None:
    """The refusal is of what is chosen, and has the command that runs it."""
    configs = [CONFIGS / f"{name}.yaml" for name in ("cmaes", "gp1")]
    assert sacma("run", *configs, *SMALL, cwd=tmp_path).returncode == 0
    for record in (tmp_path / "results" / "records" / "GP-1").glob("f001*"):
        record.unlink()
    said = "none of the chosen trials is finished; run them with: sacma run --results results, or choose others"
    assert said in refusal("postprocess", "--algorithms", "GP-1", "--functions", 1, "--partial", cwd=tmp_path)


def test_data_of_others_alone(tmp_path: Path) -> None:
    """A folder of archives is compared as the studies are that they are of, up to a budget that not all go to."""
    protocol = ("--functions", "1,8", "--dimensions", 2, "--instances", "1-2", "--results", "all")
    for name, budget in (("cmaes", 20), ("gp1", 20), ("gp5", 10)):
        config = CONFIGS / f"{name}.yaml"
        assert sacma("run", config, *protocol, "--budget", budget, cwd=tmp_path).returncode == 0
    assert sacma("export", "all", "--accept-warnings", cwd=tmp_path).returncode == 0

    def ranks(*arguments: object) -> pd.DataFrame:
        reported(*arguments, cwd=tmp_path)
        found = pd.read_csv(tmp_path / str(arguments[0]) / "report" / "tables" / "mean_ranks.csv")
        return found.sort_values(["scenario", "algorithm"], ignore_index=True)

    pd.testing.assert_frame_equal(ranks("all"), ranks("theirs", "--with", "all/export"))
    assert set(ranks("all")["scenario"]) == {"10·D", "#FE_t", "#FE_t/3"}
    said = "all/export holds no COCO data itself: it is a folder of 3 archives; give it without X="
    assert said in refusal("postprocess", "all", "--with", "X=all/export", cwd=tmp_path)
    longer = reported("theirs", "--with", "all/export", "--budget", 20, cwd=tmp_path)
    assert "GP-5: 4 of 4 trials end before 20·D evaluations, off the target" in " ".join(longer.stderr.split())
    medians = pd.read_csv(tmp_path / "theirs" / "report" / "tables" / "median_delta_f.csv")
    unknown = medians[medians["median_delta_f"].isna()]
    assert set(unknown["algorithm"]) == {"GP-5"}
    assert "20·D" in set(unknown["scenario"])


def test_partial_where_a_whole_function_is_missing(tmp_path: Path) -> None:
    """A cell without any trial is a row of its own, and marks its table."""
    configs = [CONFIGS / "gp1.yaml", CONFIGS / "cmaes.yaml"]
    assert sacma("run", *configs, *SMALL, cwd=tmp_path).returncode == 0
    for record in (tmp_path / "results" / "records" / "GP-1").glob("f001-*"):
        record.unlink()
    done = reported("--partial", cwd=tmp_path)
    assert done.stdout.count("PARTIAL") == 2
    medians = pd.read_csv(tmp_path / "results" / "report" / "tables" / "median_delta_f.csv")
    (row,) = medians[medians["partial"] & (medians["scenario"] == "20·D")].to_dict("records")
    assert (row["algorithm"], row["function"], row["trials"]) == ("GP-1", 1, 0)
    assert pd.read_csv(tmp_path / "results" / "report" / "tables" / "mean_ranks.csv")["partial"].all()


def test_an_algorithm_that_is_gone(tmp_path: Path) -> None:
    """What it did can be looked at without its package; what it is still to do says what is missing."""
    config = hostile_config(tmp_path, {})
    assert sacma("run", config, "--functions", 1, "--dimensions", 2, "--instances", "1-2", cwd=tmp_path).returncode == 0
    path = next((tmp_path / "results" / "records" / "Hostile").iterdir())
    without = os.environ.get("PYTHONPATH", "")
    assert sacma("status", cwd=tmp_path, PYTHONPATH=without).returncode == 0
    said = "the algorithm hostile of Hostile is not there; install its package"
    assert said in refusal("replay", path, cwd=tmp_path, PYTHONPATH=without)
    path.unlink()
    assert said in refusal("run", cwd=tmp_path, PYTHONPATH=without)


def test_a_broken_study_is_its_own_problem(tmp_path: Path) -> None:
    """Other algorithms run beside it."""
    arguments = (CONFIGS / "cmaes.yaml", "--functions", 1, "--dimensions", 2, "--instances", 1, "--budget", 10)
    (tmp_path / "results" / "studies").mkdir(parents=True)
    (tmp_path / "results" / "studies" / "Hostile.json").write_text('[{"protocol": []}]')
    assert sacma("run", *arguments, cwd=tmp_path).returncode == 0
    assert "delete it and run the config again" in sacma("status", cwd=tmp_path).stderr


def test_terminals_without_unicode(tmp_path: Path) -> None:
    """Where Δ cannot be written, a question mark is."""
    done = successful("algorithms", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.stderr == ""
    assert "?" in done.stdout
