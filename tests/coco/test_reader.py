"""Foreign COCO data: formats of all years are read as cocopp reads them; what does not fit together is said."""

import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

from sacma.coco.formats import load_one
from sacma.coco.reader import Curve
from sacma.coco.suites import LARGESCALE, NOISY
from sacma.coco.writer import merge
from sacma.config.plan import plan
from sacma.errors import SacmaError
from sacma.experiment.trial import run_trial
from sacma.store.record import TrialRecord
from tests.conftest import CONFIGS, best_after, best_of

Data = tuple[Path, list[TrialRecord]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Our own COCO folder of twelve trials, and their records."""
    from sacma.config.study import load_study  # noqa: PLC0415

    study = load_study(
        CONFIGS / "gp5.yaml", {"functions": "1,8", "dimensions": "2,3", "instances": "1,3,41", "budget": 30}
    )
    records = [run_trial(spec) for spec in plan([study])]
    folder = tmp_path_factory.mktemp("coco") / "GP-5"
    for name, text in merge([(r.spec.place, r.coco) for r in records], "ours").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder, records


def at(curves: tuple[Curve, ...], function: int, dimension: int) -> list[Curve]:
    return [c for c in curves if (c.function, c.dimension) == (function, dimension)]


def test_best_after_any_number(data: Data) -> None:
    """Best Δf is that of the records: exact at COCO's triggers, and never lower than it in between."""
    folder, records = data
    loaded = load_one(folder)
    assert loaded.algorithm == "GP-5"
    assert loaded.notes == ()
    assert len(loaded.curves) == len(records) == 12
    for record in records:
        spec, outcome = record.spec, record.outcome
        (curve,) = [c for c in at(loaded.curves, spec.function, spec.dimension) if c.instance == spec.instance]
        assert curve.evaluations == outcome.evaluations
        assert best_of(curve, 0) == np.inf
        for multiple in (25, 30):
            assert best_of(curve, multiple * spec.dimension) == pytest.approx(
                best_after(outcome, multiple * spec.dimension), rel=1e-8
            )
        for number in range(1, spec.budget + 1):
            assert best_of(curve, number) >= best_after(outcome, number) * (1 - 1e-8)


def test_as_cocopp_reads_it(data: Data, tmp_path: Path) -> None:
    """Instances, evaluations and best Δf are cocopp's, or better known than it knows them."""
    copy = shutil.copytree(data[0], tmp_path / "GP-5")
    curves = load_one(data[0]).curves
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of three instances only, of no network
        import cocopp  # noqa: PLC0415 it speaks when it is imported

        sets = cocopp.load(str(copy))
    for theirs in sets:
        ours = at(curves, theirs.funcId, theirs.dim)
        assert [c.instance for c in ours] == list(theirs.instancenumbers)
        assert [c.evaluations for c in ours] == [int(n) for n in theirs.maxevals]
        for number in (1, 10, 50, 75):
            row = theirs.funvals[np.searchsorted(theirs.funvals[:, 0], number, "right") - 1, 1:]
            assert all(best_of(c, number) <= value * (1 + 1e-9) for c, value in zip(ours, row, strict=True))


OLD_INFO = """funcId = 3, DIM = 2, Precision = 1.000e-08, algId = 'OLD'
% of 2009
data_f3\\bbobexp_f3_DIM2.dat, 1:4|3.0e-01, 1:3|-9.9e-09
funcId = 3, DIM = 3, Precision = 1.000e-08, algId = 'OLD'
%
data_f3/bbobexp_f3_DIM3.dat, 2:2|1.0e+00
"""
OLD_RUN = """% function evaluation | noise-free fitness - Fopt (-4.6e+02) | best noise-free fitness - Fopt | x1
1 +5.0e+00 +5.0e+00 +1.0e+00 +1.0e+00 +1.0
3 +9.0e+00 +4.0e-01 +1.0e+00 +1.0e+00 +1.0
4 +3.0e-01 +3.0e-01 +1.0e+00 +1.0e+00 +1.0
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Data of 2009: no suite, backslashes, the same instance twice, no .tdat in one dimension."""
    folder = tmp_path / "old"
    (folder / "data_f3").mkdir(parents=True)
    (folder / "bbobexp_f3.info").write_text(OLD_INFO)
    (folder / "data_f3" / "bbobexp_f3_DIM2.dat").write_text(OLD_RUN + "% second\n1 2 2 2 2 1\n3 -1e-8 -1e-8 0 0 1\n")
    (folder / "data_f3" / "bbobexp_f3_DIM2.tdat").write_text("% a\n2 8 4.5 1 1 1\n% b\n2 1 1.5 0 0 1\n")
    (folder / "data_f3" / "bbobexp_f3_DIM3.dat").write_text("% one\n1 7 7 7 7 1\n2 1 1 1 1 1\n")
    return folder


def test_old_format(old: Path) -> None:
    """Both runs of an instance are trials; .dat and .tdat complete each other."""
    first, second, third = load_one(old).curves
    assert (first.instance, second.instance, third.instance) == (1, 1, 2)
    assert [best_of(first, n) for n in (1, 2, 3, 4, 9)] == [5.0, 4.5, 0.4, 0.3, 0.3]
    assert [best_of(second, n) for n in (1, 2, 3)] == [2.0, 1.5, -1e-8]
    assert best_of(third, 2) == 1.0


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("bbobexp_f3.info", "nonsense", "a line of runs has no header"),
        ("bbobexp_f3.info", "funcId = 3, DIM = x, algId = 'A'\nd.dat, 1:2", "not an entry of COCO's"),
        ("bbobexp_f3.info", "funcId = 3, DIM = 2, algId = 'A'\nd.dat, 1:2", "names d.dat, which is not there"),
        ("bbobexp_f3.info", "suite = 'bbob-biobj', function = 3, dim = 2\nd.dat, 1:2", "is of the suite bbob-biobj"),
        (
            "bbobexp_f3.info",
            "suite = 'bbob-largescale', function = 3, dim = 20\nd.dat, 1:2",
            "of the suite bbob-largescale",
        ),
        (
            "bbobexp_f3.info",
            "funcId = 101, DIM = 2, algId = 'A'\nd.dat, 1:2",
            "is of function 101; only bbob's noiseless",
        ),
        ("bbobexp_f3.info", "funcId = 3, DIM = 7, algId = 'A'\nd.dat, 1:2", "is of dimension 7; .* 2,3,5,10,20,40"),
        ("bbobexp_f3.info", "funcId = 3, DIM = 2\nd.dat, 1:3", "not an entry of COCO's"),
        ("bbobexp_f3.info", "funcId = 3, DIM = 2, algId = 'A'\nd.dat,", "names no run of d.dat"),
        ("bbobexp_f3.info", OLD_INFO.replace("1:4", "1:inf"), "not a run of COCO's: '1:inf|3.0e-01'"),
        ("bbobexp_f3.info", OLD_INFO.replace("1:4", "1:0"), "not a run of COCO's: '1:0|3.0e-01'"),
        ("bbobexp_f3.info", OLD_INFO + "funcId = 3, DIM = 5, algId = 'A'\n", "a header has no line of runs after it"),
        ("bbobexp_f3.info", "", "name no trial"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN, "has 1 runs, bbobexp_f3.info says 2"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN + "% b\n1 2\n", "line 6: not COCO data: '1 2'"),
        ("data_f3/bbobexp_f3_DIM2.dat", "1 2 3\n", "line 1: not COCO data"),
        ("data_f3/bbobexp_f3_DIM2.dat", f"1 2 3\n{OLD_RUN}{OLD_RUN}", "line 1: not COCO data"),
        ("data_f3/bbobexp_f3_DIM3.dat", "% one\n", "run 1: it is empty"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN + "% b\n", "run 2: it is empty"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("4.0e-01", "nan"), "line 3: Δf is not a number that bbob"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("4.0e-01", "inf"), "line 3: Δf is not a number that bbob"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("+3.0e-01", "-5.0e0"), "line 4: Δf is not a number that bbob"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("4.0e-01", "6.0e0"), "line 3: the best Δf rises"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("\n4", "\n2"), "line 4: evaluation numbers go back"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("\n1", "\n0"), "line 2: the evaluation number is not"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("\n4", "\n4.5"), "line 4: the evaluation number is not"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN.replace("\n4", "\ninf"), "line 4: the evaluation number is not"),
        ("data_f3/bbobexp_f3_DIM2.dat", OLD_RUN[:-10], "line 4: not COCO data"),
        (
            "data_f3/bbobexp_f3_DIM2.tdat",
            "% a\n2 1 .35 1 1\n% b\n2 1 1.5 0 0\n",
            "run 1: the files contradict each other",
        ),
    ],
)
def test_what_is_wrong_is_said(old: Path, file: str, text: str, message: str) -> None:
    """Broken, foreign and incomplete files: one line that names the file and the line."""
    (old / file).write_text(text)
    try:
        said = list(load_one(old).left_out.values())
    except SacmaError as error:
        said = [str(error)]
    assert any(re.search(message, line) for line in said), said


def test_old_data_of_noisy_functions(old: Path) -> None:
    """They name no suite either: their functions have other numbers."""
    index = old / "bbobexp_f3.info"
    index.write_text(OLD_INFO.replace("funcId = 3", "funcId = 103"))
    assert {curve.function for curve in load_one(old, NOISY).curves} == {103}
    with pytest.raises(SacmaError, match="is of function 103; only bbob's noiseless"):
        load_one(old)
    index.write_text(OLD_INFO)
    with pytest.raises(SacmaError, match=r"is of function 3; only bbob-noisy's functions .* 101-130"):
        load_one(old, NOISY)
    with pytest.raises(SacmaError, match="is of the suite bbob; only bbob-largescale's"):
        load_one(old, LARGESCALE)


def test_trials_end_where_their_data_end(old: Path) -> None:
    """Where an index counts more evaluations than the data have, or fewer, nothing is known beyond the last line."""
    index = old / "bbobexp_f3.info"
    index.write_text(OLD_INFO.replace("1:4|", "1:900|").replace("1:3|", "1:2|"))
    loaded = load_one(old)
    assert [curve.evaluations for curve in loaded.curves] == [4, 3, 2]
    (note,) = loaded.notes
    assert "of 2 of 3 trials index and data files say different numbers of evaluations" in note


def test_runs_that_no_index_has(old: Path) -> None:
    """What was not finished, or lost its index, is left out and counted."""
    (old / "bbobexp_f3.info").write_text(OLD_INFO.replace(", 1:3|-9.9e-09", ""))
    (old / "other.dat").write_text(OLD_RUN)
    loaded = load_one(old)
    assert len(loaded.curves) == 2
    left = "data_f3/bbobexp_f3_DIM2.dat, other.dat"
    assert loaded.notes == (f"{old}: of its data files 2 runs are in no index file, and left out: {left}",)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_runs_are_counted_with_any_line_ends(data: Data, tmp_path: Path, end: str) -> None:
    """None is left out of a complete folder, one of a folder whose index lacks one."""
    folder = shutil.copytree(data[0], tmp_path / "theirs")
    for path in (path for path in folder.rglob("*") if path.is_file()):
        path.write_bytes(path.read_text().replace("\n", end).encode())
    assert load_one(folder).notes == ()
    index = folder / "bbobexp_f1.info"
    content = index.read_bytes()
    lacking = re.sub(rb", 41:[^,\r\n]*", b"", content, count=1)
    assert lacking != content
    index.write_bytes(lacking)
    (note,) = load_one(folder).notes
    assert "of its data files 1 run is in no index file, and left out: data_f1/bbobexp_f1_DIM2.dat" in note


def test_names_cannot_command_a_terminal(old: Path) -> None:
    """Escape sequences and bytes that are no text become marks."""
    (old / "bbobexp_f3.info").write_bytes(OLD_INFO.encode().replace(b"'OLD'", b"'\x1b[31mO\xffLD'"))
    assert load_one(old).algorithm == "\\x1b[31mO\N{REPLACEMENT CHARACTER}LD"


def test_data_of_several_algorithms_are_told_apart(old: Path, tmp_path: Path) -> None:
    """One name for all dimensions may be written in several ways; two algorithms on one function are not one."""
    index = old / "bbobexp_f3.info"
    index.write_text(OLD_INFO[::-1].replace("'OLD'"[::-1], "'OLD, 3-D'"[::-1], 1)[::-1])
    assert any("several algorithms: OLD, OLD, 3-D" in note for note in load_one(old).notes)
    shutil.copytree(old, tmp_path / "both" / "old")
    shutil.copytree(old, tmp_path / "both" / "new")
    (tmp_path / "both" / "new" / "bbobexp_f3.info").write_text(OLD_INFO.replace("'OLD'", "'NEW'"))
    with pytest.raises(SacmaError, match=r"several algorithms: NEW, OLD, OLD, 3-D; give the folder of each"):
        load_one(tmp_path / "both")
