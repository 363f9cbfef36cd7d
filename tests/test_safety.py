"""What comes from files cannot run code, nor leave the results folder."""

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import sacma
from sacma.config import Study, load_study
from sacma.errors import SacmaError
from sacma.experiment.store import Store

NAMES = [
    "../x",
    "/x",
    "a/b",
    "a\\b",
    "..",
    ".",
    "",
    "nul",
    "CON",
    "com1",
    "lpt9.txt",
    "records",
    "a.",
    "a b",
    "-rf",
    "ä",
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


@pytest.mark.parametrize(
    "yaml", ["!!python/object/apply:os.system ['touch x']", "!!python/name:os.system", "name: !!python/tuple [1]"]
)
def test_yaml_is_data(tmp_path: Path, yaml: str) -> None:
    """Tags that would build Python objects are an error."""
    path = tmp_path / "config.yaml"
    path.write_text(yaml)
    with pytest.raises(SacmaError, match="not valid YAML"):
        load_study(path)
    assert [p.name for p in tmp_path.iterdir()] == ["config.yaml"]


def test_no_pickle_is_read() -> None:
    """No module of ours imports what reads pickles, or calls what might."""
    for path in Path(sacma.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                assert not {"pickle", "marshal", "shelve", "dill", "cloudpickle"} & {n.split(".")[0] for n in names}, (
                    path
                )
            if isinstance(node, ast.Attribute):
                assert node.attr not in {"read_pickle", "to_pickle", "allow_pickle", "unsafe_load", "full_load"}, path
            if isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", path
