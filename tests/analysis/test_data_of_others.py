"""Data of others: what is damaged, hidden, forged or of several algorithms costs no more than itself."""

import re
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import cocoex
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sacma.analysis import postprocess
from sacma.analysis.comparison import ExternalData, compare, load_external_data
from sacma.analysis.notes import notes
from sacma.analysis.postprocess import write_pages
from sacma.errors import SacmaError
from sacma.store.store import Store
from tests.commands import refusal, reported

MANY = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
CELLS = [(f, D) for f in (1, 8) for D in (2, 5)]  # functions and dimensions of observed data
CHOSEN = "function_indices:1,8 dimensions:2,5"


def observe(
    folder: Path, result: str, name: str, *, instances: str = "1-3", suite: str = "bbob", chosen: str = CHOSEN
) -> Path:
    """Let COCO's observer write random points to ``folder/exdata/result``, of an algorithm with or without a name."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(len(result))
    options = f'outer_folder: "{folder}/exdata" result_folder: {result} {f"algorithm_name: {name}" if name else ""}'
    observer = cocoex.Observer(suite, options)
    for problem in cocoex.Suite(suite, "", f"{chosen} instance_indices:{instances}"):
        problem.observe_with(observer)
        for _ in range(30):
            problem(rng.uniform(-5, 5, problem.dimension))
        problem.free()
    return folder / "exdata"


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of two functions in two dimensions on three instances, as COCO writes them."""
    return observe(tmp_path_factory.mktemp("observed"), "mine", "MINE") / "mine"


def loaded(path: Path) -> ExternalData:
    (data,) = load_external_data([str(path)], (), None)
    return data


def trials(data: ExternalData) -> dict[tuple[int, int, int], tuple[list[float], list[float]]]:
    return {(c.function, c.dimension, c.instance): (c.at.tolist(), c.to.tolist()) for c in data.data.curves}


def said(data: ExternalData) -> str:
    return " ".join(notes(compare((), (data,))))


HIDDEN = {
    "._bbobexp_f1.info": b"\0\5\x16\7\0\2\0\0Mac OS X",
    ".bbobexp_f1.info": b"funcId = 1, DIM = 2, algId = 'EDITED'\n%\ndata_f1/bbobexp_f1_DIM2.dat, 1:7|1",
    "data_f1/._bbobexp_f1_DIM2.dat": b"\0\5\x16\7",
    "__MACOSX/._bbobexp_f8.info": b"\0\5\x16\7",
    "__MACOSX/bbobexp_f8.info": b"\0\5\x16\7",
    ".ipynb_checkpoints/bbobexp_f8-checkpoint.info": b"funcId = 8",
}


@pytest.mark.parametrize("kind", ["folder", "tar", "gztar"])
def test_hidden_copies_are_no_data(observed: Path, tmp_path: Path, kind: str) -> None:
    """Packed on a Mac or copied by an editor: what begins with a dot, and __MACOSX, is as if it were not there."""
    folder = shutil.copytree(observed, tmp_path / ".cache" / "mine")
    for name, content in HIDDEN.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    where = folder
    if kind != "folder":
        (tmp_path / "archives").mkdir()
        where = Path(shutil.make_archive(str(tmp_path / "archives" / "mine"), kind, folder.parent, "mine"))
        where.with_name(f"._{where.name}").write_bytes(b"\0\5\x16\7")
        where = where.parent  # a folder of archives
    data = loaded(where)
    assert data.name == "mine"
    assert trials(data) == trials(loaded(observed))
    assert (data.data.notes, data.data.left_out) == ((), {})


def _cut(lines: list[str], at: int) -> list[str]:
    return [*lines[:at], lines[at][: len(lines[at]) // 2]]


def _rising(lines: list[str], at: int) -> list[str]:
    values = lines[at].split()
    return [*lines[:at], " ".join([*values[:2], "+9e+20", *values[3:]]), *lines[at + 1 :]]


DAMAGES: list[Callable[[list[str], int], list[str]]] = [
    _cut,
    _rising,
    lambda lines, at: [*_cut(lines, at), *lines[at + 1 :]],
    lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    lambda lines, at: [*lines[:at], "\0\x1b garbage", *lines[at + 1 :]],
    lambda lines, at: [*lines[: at + 1], *lines[at:]],
]


@MANY
@given(data=st.data())
def test_damage_costs_the_damaged_part(observed: Path, tmp_path: Path, data: st.DataObject) -> None:
    """Of any line of any file: other functions and dimensions keep all trials, and what is lost is named."""
    folder = tmp_path / "theirs"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(observed, folder)
    everything = trials(loaded(folder))
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".info", ".dat", ".tdat"})
    file = data.draw(st.sampled_from(files))
    lines = file.read_text().split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    damage = data.draw(st.sampled_from(DAMAGES))
    file.write_text("\n".join(damage(lines, at)))
    found = loaded(folder)
    there = trials(found)
    (f,) = map(int, re.findall(r"_f(\d+)", file.name))
    dimensions = [5] if file.suffix == ".info" and at > 2 else [int(D) for D in re.findall(r"DIM(\d+)", file.name)]
    dimensions = dimensions or ([2, 5] if damage is _cut else [2])
    touched = {(f, D) for D in dimensions}
    assert {place: run for place, run in everything.items() if place[:2] not in touched}.items() <= there.items()
    assert there.keys() <= everything.keys()
    for place, (numbers, values) in there.items():  # of a trial that lacks lines less is known, and nothing else
        best = dict(zip(*everything[place], strict=True))
        for number, value in zip(numbers, values, strict=True):
            assert value >= min(v for n, v in best.items() if n <= number)
    for f, D in {place[:2] for place in everything.keys() - there.keys()}:
        assert re.search(rf"f{f} in (2,)?{D}-D|f{f}_DIM{D}", said(found)), said(found)


def test_one_line_that_rises_costs_its_function(observed: Path, tmp_path: Path) -> None:
    """It is named by its function, dimension, file and line; the report is over what is there."""
    folder = shutil.copytree(observed, tmp_path / "theirs")
    file = folder / "data_f8" / "bbobexp_f8_DIM5.tdat"
    lines = file.read_text().split("\n")
    second = [number for number, line in enumerate(lines) if line.startswith("%")][1]
    file.write_text("\n".join(_rising(lines, second + 4)))
    gone = trials(loaded(observed)).keys() - trials(loaded(folder)).keys()
    assert {place[:2] for place in gone} == {(8, 5)}
    done = reported("alone", "--with", "theirs", cwd=tmp_path, width=500)
    assert "theirs: left out as damaged or not of the suite: f8 in 5-D: theirs: data_f8" in done.stderr
    assert f"line {second + 5}: the best Δf rises" in done.stderr
    page = (tmp_path / "alone" / "report" / "index.html").read_text()
    assert "f8 in 5-D" in page


@pytest.mark.parametrize("suite", ["bbob-biobj", "bbob-constrained", "bbob-largescale"])
def test_data_of_another_suite(observed: Path, tmp_path: Path, suite: str) -> None:
    """They are called that; beside data of the suite they are left out."""
    chosen = {"bbob-largescale": "function_indices:1 dimensions:20"}.get(suite, "function_indices:1 dimensions:2")
    observe(tmp_path, "other", "MINE", instances="1-2", suite=suite, chosen=chosen)
    refused = refusal("postprocess", "alone", "--with", observed, "--with", "exdata/other", cwd=tmp_path)
    assert f"is of the suite {suite}; only bbob's noiseless functions" in refused
    shutil.copytree(observed, tmp_path / "exdata" / "mine")
    both = loaded(tmp_path / "exdata") if suite != "bbob-largescale" else None
    if both is not None:
        assert trials(both) == trials(loaded(observed))
        assert f"is of the suite {suite}" in said(both)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_each_algorithm_of_an_observers_folder(tmp_path: Path, named: bool, packed: bool) -> None:  # noqa: FBT001
    """Each is called as the observer was told, or as its folder where that was nothing; a batch is none by itself."""
    for result, name, instances in (("a-1", "A", "1-2"), ("a-2", "A", "3"), ("b", "B (tuned)", "1-3")):
        if named or result != "a-2":
            observe(tmp_path, result, f'"{name}"' if named else "", instances=instances)
    where = tmp_path / "exdata"
    if packed:
        where = Path(shutil.make_archive(str(tmp_path / "packed"), "gztar", tmp_path, "exdata"))
    found = load_external_data([str(where)], (), None)
    assert [data.name for data in found] == (["A", "B-tuned"] if named else ["a-1", "b"])
    assert [len(data.data.curves) for data in found] == ([12, 12] if named else [8, 12])
    again = load_external_data([f"X={where}"], [data.name for data in found], None)
    assert [data.name for data in again] == [f"X-{data.name}" for data in found]
    with pytest.raises(SacmaError, match=r"there is an algorithm .* already; name the data yourself, like old=PATH"):
        load_external_data([str(where)], [data.name for data in found], None)


def given_to_cocopp(folder: Path) -> Path:
    """Return a copy of what cocopp is run on for the data in a folder."""
    with pytest.MonkeyPatch.context() as patch:

        def look(folders: list[Path], *_: object, **__: object) -> Path:
            return Path(shutil.copytree(folders[-1], folder.parent / "given" / folder.name))

        shutil.rmtree(folder.parent / "given", ignore_errors=True)
        patch.setattr(postprocess, "make_pages", look)
        return write_pages(Store(folder.parent), compare((), (loaded(folder),)))


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


ATTRIBUTES = [
    *("folder = '../../elsewhere'", "reference_values_hash = '\\input{/etc/passwd}'", "data_format = 'bbob-biobj'"),
    *("indicator = 'hyp'", "_evals = 3", "comment = 'x'", "Precision = 1e-300", "algId = '\\x1b[31m'", "dim = 40"),
    *("instance = 3, reference value = 7", "algorithm type = best", "coco_version = '\\write18{ls}'"),
]


@settings(MANY, max_examples=30)
@given(attribute=st.sampled_from(ATTRIBUTES), at=st.sampled_from(["header", "comment", "line of runs", "head of data"]))
def test_no_attribute_of_others_reaches_cocopp(observed: Path, tmp_path: Path, attribute: str, at: str) -> None:
    """Wherever it stands: cocopp is given what was read, and nothing else."""
    folder = tmp_path / "mine"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(observed, folder)
    index, data = folder / "bbobexp_f8.info", folder / "data_f8" / "bbobexp_f8_DIM2.dat"
    lines = index.read_text().split("\n")
    match at:
        case "header":
            lines[0] += f", {attribute}"
        case "comment":
            lines[1] += f", {attribute}"
        case "line of runs":
            lines[2] = lines[2].replace(", 1:", f", {attribute}, 1:")
        case _:
            data.write_text(data.read_text().replace("\n%", f"\n%, {attribute}, "))
    index.write_text("\n".join(lines))
    (folder / "x.pickle").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    found = contents(given_to_cocopp(folder))
    text = "\n".join(found.values())
    assert attribute not in text
    assert {name.rpartition(".")[2] for name in found} == {"info", "dat", "tdat", "rdat", "mdat"}
    assert set(re.findall(r"(\w+) *= *('mine')?", text)) == {("algId", "'mine'"), *((key, "") for key in KNOWN)}


KNOWN = ("suite", "funcId", "DIM", "Precision", "data_format")


def test_cocopp_reads_the_same(observed: Path, tmp_path: Path) -> None:
    """From what it is given it has the same evaluations to each of its targets as from what the observer wrote."""
    folder = shutil.copytree(observed, tmp_path / "mine")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few instances, of no network
        import cocopp  # noqa: PLC0415 it speaks when it is imported

        theirs, ours = (
            {(d.funcId, d.dim): d for d in cocopp.load(str(path))} for path in (observed, given_to_cocopp(folder))
        )
    assert ours.keys() == theirs.keys() == set(CELLS)
    targets = [10.0 ** (i / 5) for i in range(-40, 60)]
    for cell, one in ours.items():
        np.testing.assert_array_equal(one.detEvals(targets), theirs[cell].detEvals(targets))
        assert one.instancenumbers == theirs[cell].instancenumbers
        assert list(one.maxevals) == list(theirs[cell].maxevals)
