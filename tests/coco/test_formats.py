"""Data of IOHprofiler, of Nevergrad and in plain tables: read as COCO's, with the values of COCO's functions."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import cocoex
import numpy as np
import pandas as pd
import pytest

from sacma.coco.formats import load_any, load_one
from sacma.coco.reader import CocoData
from sacma.coco.suites import BBOB, NOISY
from sacma.errors import SacmaError
from sacma.types import Array
from tests.commands import reported, sacma
from tests.conftest import best_of, one_line

SAMPLES = Path(__file__).parent / "samples"  # its README says how they are made

EVALUATIONS = 20


def points(function: int, instance: int) -> Array:
    """Return the points of the samples."""
    return np.random.default_rng([function, instance]).uniform(-5, 5, (EVALUATIONS, 2))


def values(function: int, instance: int) -> tuple[Array, float]:
    """Return f of the points by COCO, and its optimal value."""
    problem = cocoex.BareProblem("bbob", function, 2, instance)
    return np.array([problem(x) for x in points(function, instance)]), problem.best_value()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The same trials as a table, two of each instance."""
    lines = ["algorithm,trial,dimension,function,instance,evaluation,value,comment"]
    for function in (1, 8):
        for instance in (1, 2):
            f, _ = values(function, instance)
            for trial in (1, 2):
                lines += [f"mine,{trial},2,{function},{instance},{n},{v!r},-" for n, v in enumerate(f.tolist(), 1)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def check(data: CocoData, digits: float) -> None:
    """Check trials against COCO's functions."""
    assert {(c.function, c.dimension, c.instance) for c in data.curves} == {(f, 2, i) for f in (1, 8) for i in (1, 2)}
    for curve in data.curves:
        f, f_opt = values(curve.function, curve.instance)
        best = np.minimum.accumulate(f - f_opt)
        assert curve.evaluations == EVALUATIONS
        found = [best_of(curve, n) for n in range(1, EVALUATIONS + 1)]
        np.testing.assert_allclose(found, best, rtol=digits, atol=1e-9)


def test_samples_have_the_values_of_coco() -> None:
    """Those that IOHprofiler's and Nevergrad's loggers wrote of points that are known."""
    for form in ("iohprofiler", "iohprofiler_old"):
        ioh = load_one(SAMPLES / form)
        assert ioh.algorithm == "random search"
        check(ioh, 1e-9)
    nevergrad = load_one(SAMPLES / "nevergrad")
    assert nevergrad.algorithm == "RandomSearch"
    check(nevergrad, 1e-12)


def test_tables_have_the_values_of_coco(table: Path) -> None:
    """With f, or with Δf under its name; trials of an instance are told apart; without improvements all is known."""
    data = load_one(table)
    assert data.algorithm == "mine"
    assert len(data.curves) == 8
    check(data, 1e-12)
    text = table.read_text()
    rows = [line.split(",") for line in text.splitlines()[1:]]
    lines = ["dimension,function,instance,evaluation,delta_f"]
    for _, trial, D, f, i, n, v, _ in rows:
        if trial == "1":
            lines.append(",".join([D, f, i, n, repr(float(v) - values(int(f), int(i))[1])]))
    table.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())  # as Windows saves it
    again = load_one(table)
    assert again.algorithm == "table"
    check(again, 1e-9)


def test_they_stand_beside_each_other(tmp_path: Path, table: Path) -> None:
    """All formats, in one command, from the home folder and cocopp's cache; equal trials are ties."""
    home = tmp_path / "home"
    shutil.copytree(SAMPLES / "iohprofiler", home / "ioh")
    cache = home / ".cache" / "cocopp" / "das" / "x"
    cache.mkdir(parents=True)
    options = ("--functions", "1,8", "--dimensions", 2, "--instances", "1-2", "--budget", 10, "--results", "r")
    config = Path(__file__).parents[2] / "configs" / "baselines" / "random_search.yaml"
    assert sacma("run", config, *options, "--jobs", 1, cwd=tmp_path).returncode == 0
    assert sacma("export", "r", "--accept-warnings", cwd=tmp_path).returncode == 0
    shutil.move(tmp_path / "r" / "export" / "Random-Search.tgz", cache / "2099-random.tgz")
    given = ["IOH=~/ioh", f"NG={SAMPLES / 'nevergrad'}", f"table={table}", "archive=2099-rand"]
    arguments = [word for each in given for word in ("--with", each)]
    reported("new", *arguments, cwd=tmp_path, HOME=home, XDG_CACHE_HOME="")
    medians = pd.read_csv(tmp_path / "new" / "report" / "tables" / "median_delta_f.csv")
    wide = medians.pivot(index=["scenario", "function"], columns="algorithm", values="median_delta_f")
    assert set(wide) == {"IOH", "NG", "table", "archive"}
    np.testing.assert_allclose(wide["IOH"], wide["NG"], rtol=1e-6)
    np.testing.assert_allclose(wide["table"], wide["NG"], rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.replace("value", "fitness"), r"(?<!: )table.csv, line 1: it lacks the columns value; columns"),
        (lambda t: t.replace("trial,", "value,"), "line 1: a column is there twice"),
        (lambda t: t.replace("2,1,1,3,", "2,1,1,3.5,"), "line 4: 3.5 is no number of an evaluation"),
        (lambda t: t.replace("2,1,1,3,", "2,1,1,2,"), "evaluation 2 comes after 2; name trials in a column trial"),
        (lambda t: t.replace("mine,1,2,1,1,3,", "mine,1,2,99,1,3,"), "f99 in 2-D is not of bbob"),
        (lambda t: t.replace("mine,1,2,1,1,3,", "mine,1,2,x\x1b,1,3,"), r"not numbers of .*'x\\x1b, 2, 1, 3"),
        (lambda t: t.replace(",-\n", "\n", 1), "line 2: it has 7 cells, the first line 8"),
        (
            lambda t: t.replace("value", "delta_f"),
            r"line \d+: a value of f\d+ in 2-D, instance \d is .* below the optimum",
        ),
        (lambda t: t[:60] + '"' + "x" * 200_000, r"(?<!: )table.csv, line"),
        (lambda t: t.replace("1,1,1,", "1,1,1,-1e9\n#", 1), "cells"),
        (lambda t: t[:60] + '"' + "x" * 200_000, "not CSV"),
        (lambda t: "", "holds no trial"),
    ],
)
def test_damaged_tables_are_refused(table: Path, change: Callable[[str], str], said: str) -> None:
    """In one line that names file, line and what is allowed."""
    table.write_text(change(table.read_text()))
    assert re.search(said, one_line(load_any, table, None))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("iohprofiler/IOHprofiler_f1_Sphere.json", lambda t: t[:100], "not an index of IOHprofiler"),
        ("iohprofiler/IOHprofiler_f1_Sphere.json", lambda t: t.replace('Sphere"', 'OneMax"'), "is no function of bbob"),
        ("iohprofiler/IOHprofiler_f1_Sphere.json", lambda t: t.replace("data_f1", "../x"), "is not there"),
        ("iohprofiler/data_f1_Sphere/IOHprofiler_f1_DIM2.dat", lambda t: t[:40], "has 1 runs, .* says 2"),
        ("iohprofiler/data_f1_Sphere/IOHprofiler_f1_DIM2.dat", lambda t: t.replace("raw_y", "y"), "no column raw_y"),
        ("iohprofiler/data_f1_Sphere/IOHprofiler_f1_DIM2.dat", lambda t: t + "1 2 3\n", "not a row of numbers"),
        ("iohprofiler_old/IOHprofiler_f1_Sphere.info", lambda t: t[:60], "not an index of IOHprofiler"),
        ("iohprofiler_old/IOHprofiler_f1_Sphere.info", lambda t: t + ", 3:x", "not an index of IOHprofiler"),
        (
            "iohprofiler_old/IOHprofiler_f1_Sphere.info",
            lambda t: t + t.replace("h", "x"),
            "not an index of IOHprofiler",
        ),
        ("iohprofiler_old/IOHprofiler_f1_Sphere.info", lambda t: t + ", 3:9|1", "has 2 runs, .* says 3"),
        ("iohprofiler_old/IOHprofiler_f1_Sphere.info", lambda t: t.replace('= "F"', '= "T"'), "is maximised"),
        ("iohprofiler_old/data_f1_Sphere/IOHprofiler_f1_DIM2.dat", lambda t: t.replace("f(x)", "y"), "no column raw_y"),
        ("nevergrad/f1.json", lambda t: t[:-9], "not a line of Nevergrad's"),
        ("nevergrad/f1.json", lambda t: t.replace("bbob_f001", "sphere"), "no name of a problem"),
        ("nevergrad/f1.json", lambda t: "[" * 100_000, "not a line of Nevergrad's"),
        ("nevergrad/f1.json", lambda t: t.replace('loss": ', 'loss": -1e9, "x": '), "below the optimum"),
    ],
)
def test_damaged_logs_are_refused(tmp_path: Path, name: str, change: Callable[[str], str], said: str) -> None:
    """As tables are."""
    shutil.copytree(SAMPLES, tmp_path / "s")
    file = tmp_path / "s" / name
    file.write_text(change(file.read_text()))
    assert re.search(said, one_line(load_any, tmp_path / "s" / name.partition("/")[0], None))


def test_other_suites_and_no_data_are_refused(tmp_path: Path) -> None:
    """IOHprofiler's functions are of bbob; a folder with anything else holds no data."""
    with pytest.raises(SacmaError, match="compared on bbob alone"):
        load_any(SAMPLES / "iohprofiler", NOISY)
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(SacmaError, match=r"holds no data: neither COCO's"):
        load_any(tmp_path, BBOB)
    (tmp_path / "x.json").write_text(json.dumps({"a": 1}))
    with pytest.raises(SacmaError, match="not a line of Nevergrad's"):
        load_any(tmp_path, BBOB)
