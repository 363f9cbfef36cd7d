"""Safety of received files: they cannot run code, nor leave the results folder."""

import ast
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import sacma as package
from sacma.algorithms.registry import ALGORITHMS, DIGITS, Origin
from sacma.config.plan import plan, resolve_algorithm
from sacma.config.study import StoredSettings, Study, load_study
from sacma.errors import SacmaError
from sacma.experiment.trial import run_trial
from sacma.store.record import decode, finished
from sacma.store.store import Store
from tests.commands import refusal, sacma
from tests.conftest import one_line

NAMES = [
    *("../x", "/x", "a/b", "a\\b", "..", ".", "", "nul", "CON", "com1", "lpt9.txt", "records", "a.", "a b", "-rf", "ä"),
    "x" * 65,
]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_in_the_results_folder(tmp_path: Path, name: str) -> None:
    """Paths, reserved names and what some file system takes for something else are refused, with what is allowed."""
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"name": name, "algorithm": "cmaes"}))
    with pytest.raises(SacmaError, match="cannot name a folder of results; use letters"):
        load_study(path)


def test_studies_in_results_are_no_way_out(tmp_path: Path, study: Callable[..., Study]) -> None:
    """A study file in the results whose content has another name than the file is refused."""
    store = Store(tmp_path)
    store.prepare()
    store.register(study("cmaes"))
    path = tmp_path / "studies" / "CMA-ES.json"
    content = json.loads(path.read_text())
    for name in ("../x", "GP-1"):
        content[0]["name"] = name
        path.write_text(json.dumps(content))
        with pytest.raises(SacmaError, match="not a study of this version"):
            store.studies()


def test_no_pickle_is_read() -> None:
    """No module of ours imports what reads pickles, or calls what might."""
    for path in Path(package.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                found = {name.split(".")[0] for name in names}
                assert not {"pickle", "marshal", "shelve", "dill", "cloudpickle"} & found, path
            if isinstance(node, ast.Attribute):
                assert node.attr not in {"read_pickle", "to_pickle", "allow_pickle", "unsafe_load", "full_load"}, path
            if isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", path


SPY = '''
from pathlib import Path
import sacma

Path({sentinel!r}).touch()

@sacma.algorithm
def spy(problem, rng):
    """Finds nothing."""
    while True:
        problem(rng.uniform(-5, 5, problem.dimension))
'''


@pytest.fixture(params=["absolute", "relative"])
def received(
    tmp_path: Path, study: Callable[..., Study], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Make a results folder whose study and record name a Python file in it; return that file.

    One trial is there and one is missing. The file defines the algorithm in the very version that the trials say.
    """
    monkeypatch.setattr(ALGORITHMS, "_from_files", {})
    file = tmp_path / "spy.py"
    file.write_text(SPY.format(sentinel=str(tmp_path / "SENTINEL")))
    version = hashlib.sha256(file.read_bytes()).hexdigest()[:DIGITS]
    source = str(file) if request.param == "absolute" else "spy.py"
    true = study("cmaes", functions="1", dimensions="2", instances="1-2", budget=10)
    origin = Origin(source, version, is_file=True)
    forged = true.model_copy(update={"algorithm": "spy", "settings": StoredSettings({}), "origin": origin})
    store = Store(tmp_path)
    store.register(forged)
    (ran, _), (spec, _) = plan([true]), plan([forged])
    assert (spec.algorithm_file, spec.version) == (source, version)
    store.commit(finished(replace(run_trial(ran), spec=spec)))
    return file


def record_in(folder: Path) -> Path:
    (path,) = folder.rglob("*.record")
    return path


@pytest.mark.parametrize("name", ["replay", "run", "plan", "status", "postprocess", "export", "sweep"])
def test_no_file_is_run_because_results_name_it(received: Path, name: str) -> None:
    """Whatever is done with a folder whose record and study name a Python file in it, that file is not run."""
    folder = received.parent
    sweep = folder / "sweep.yaml"
    sweep.write_text("algorithms: [{name: A, algorithm: surrogate-cmaes}]\ngrid: {sampling.sigma0: [1.0, 2.0]}\n")
    arguments: dict[str, tuple[object, ...]] = {
        "replay": ("replay", record_in(folder)),
        "run": ("run", "--results", "."),
        "plan": ("plan", "--results", "."),
        "status": ("status", "."),
        "postprocess": ("postprocess", ".", "--partial", "--no-pages"),
        "export": ("export", "."),
        "sweep": ("sweep", sweep, "--results", ".", "--plan"),
    }
    done = sacma(*arguments[name], cwd=folder)
    assert not (folder / "SENTINEL").exists()
    if name in {"replay", "run"}:
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        source = decode(record_in(folder).read_bytes()).spec.algorithm_file
        assert f"it was in the file {source}" in done.stderr
        assert done.stderr.endswith(f"say where it is with --algorithm-file {source}\n")


def test_a_file_that_the_user_names_is_run(received: Path) -> None:
    """The same folder is replayed where the same file is named in that very call."""
    folder = received.parent
    sacma("replay", record_in(folder), "--algorithm-file", received, cwd=folder)
    assert (folder / "SENTINEL").exists()


def test_the_path_in_a_message_is_text(study: Callable[..., Study]) -> None:
    """A path that would steer the terminal, or the shell that it is pasted to, is shown so that it cannot."""
    (spec,) = plan([study("cmaes", functions="1", dimensions="2", instances="1")])
    path = "a\x1b[2J;rm -rf ~" + "x" * 10_000
    message = one_line(resolve_algorithm, replace(spec, algorithm="\x1bgone", version="1", algorithm_file=path))
    assert len(message) < 3000
    assert "--algorithm-file 'a\\x1b[2J;rm -rf ~x" in message


@pytest.mark.parametrize(("key", "value"), [("source", 5), ("version", ["x"]), ("version", None), ("is_file", "yes")])
def test_an_origin_is_text(received: Path, key: str, value: object) -> None:
    """A study whose algorithm comes from something that is no path and version is refused as no study."""
    path = received.parent / "studies" / "CMA-ES.json"
    content = json.loads(path.read_text())
    content[0]["origin"][key] = value
    path.write_text(json.dumps(content))
    with pytest.raises(SacmaError, match="not a study of this version"):
        Store(received.parent).studies()


RUNS = {"exec", "eval", "__import__", "runpy", "spec_from_file_location", "exec_module", "add_files"}


def test_who_may_run_files() -> None:
    """Files of users are run in one module, which commands and processes call; no other module runs any code."""
    root = Path(package.__file__).parent
    found: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
            if isinstance(name, str) and name.partition(".")[0] in RUNS:
                found.setdefault(name, set()).add(path.relative_to(root).as_posix())
    commands = {f"cli/{name}.py" for name in ("display", "results", "running", "setup")}
    registry = "algorithms/registry.py"
    assert found == {"exec": {registry}, "add_files": {registry, "config/plan.py", *commands}}


def test_a_configuration_of_numba_is_not_taken_from_results(tmp_path: Path) -> None:
    """A file in the current folder that tells Numba where to find pickles ends every command, with what to do."""
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: ./cache\n")
    assert "the current folder holds .numba_config.yaml" in refusal("status", ".", cwd=tmp_path)
