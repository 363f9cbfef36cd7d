"""YAML documents: where things stand in them."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sacma.config.study import load_study
from sacma.config.yaml_file import DEEPEST, MOST_BYTES, Document, read_document
from sacma.errors import SacmaError


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "d.yaml"
    path.write_text("name: A\nparts:\n  - x: 1\n  - x: 2\n    y:\n      - 3\n      - 4\nagain: [3, 4]\n")
    return read_document(path, "document", ["name", "parts"])


def test_content(document: Document) -> None:
    """The content is that of the file."""
    assert document.content == {"name": "A", "parts": [{"x": 1}, {"x": 2, "y": [3, 4]}], "again": [3, 4]}


@pytest.mark.parametrize(
    ("location", "line"),
    [
        (("name",), 1),
        (("parts",), 2),
        (("parts", "0"), 3),
        (("parts", "1", "x"), 4),
        (("parts", "1", "y", "1"), 7),
        (("parts", "1", "absent", "deep"), 4),
        (("again", "0"), 8),
        (("absent",), None),
    ],
)
def test_lines(document: Document, location: tuple[str, ...], line: int | None) -> None:
    """Keys and entries of lists have lines; what is not there has that of what is around it, or none."""
    place = f"{document.path}:{line}" if line else str(document.path)
    assert document.where(location) == f"{place}: {'.'.join(location)}"


def test_what_a_document_needs_is_said(tmp_path: Path) -> None:
    """A file that is no mapping is refused with the keys that it needs."""
    (tmp_path / "d.yaml").write_text("3\n")
    with pytest.raises(SacmaError, match="a thing is a mapping with at least the keys a, b and c"):
        read_document(tmp_path / "d.yaml", "thing", ["a", "b", "c"])


def message_of(read: Callable[[], object]) -> str:
    """Return what is wrong with what is read; nothing where it is right."""
    try:
        read()
    except SacmaError as error:
        return str(error)
    return ""


BOMB = "a0: &a0 {k: 1}\n" + "".join(f"a{n + 1}: &a{n + 1} {{<<: [{', '.join([f'*a{n}'] * 9)}]}}\n" for n in range(12))


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (BOMB, 2, r"\*a0 is an alias; write its value out"),
        ("a: &a [*a]\n", 1, "is an alias"),
        ("a: 1\nb: !!timestamp x\n", 2, "tag:yaml.org,2002:timestamp is a tag; write a plain value"),
        ("a: 1\nb: !!bool x\n", 2, "is a tag"),
        ("!!python/object/apply:os.system ['touch x']", 1, "is a tag"),
        ("[" * 100_000, 1, f"nested more than {DEEPEST} levels deep"),
        ("- " * 100_000, 1, "nested more than"),
        ("{a: " * 60_000, 1, "nested more than"),
    ],
)
def test_yaml_that_expands_or_nests_is_refused_at_once(tmp_path: Path, text: str, line: int, problem: str) -> None:
    """Aliases, tags and deep nesting are refused with their line, however short the file."""
    (tmp_path / "d.yaml").write_text(text)
    with pytest.raises(SacmaError, match=f"d.yaml:{line}: not valid YAML: .*{problem}"):
        read_document(tmp_path / "d.yaml", "document", ["name", "parts"])


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """A file larger than any config is refused by its size."""
    (tmp_path / "d.yaml").write_text("#" * (MOST_BYTES + 1))
    with pytest.raises(SacmaError, match="cannot be read: it is larger than 256 KiB"):
        read_document(tmp_path / "d.yaml", "document", ["name", "parts"])


@given(st.text(st.sampled_from(list("abn:-[]{},&*!?|>%@`'\"# \n\t0159.=~<e+\x1b\u202e\\")), max_size=80))
def test_any_text_is_a_document_or_one_line(text: str) -> None:
    """Whatever a file holds, it is read, or refused in one printable line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.yaml"
        path.write_text(text)
        assert message_of(lambda: read_document(path, "document", ["name", "parts"])).isprintable()


@settings(max_examples=40)
@given(st.sampled_from(["name", "description", "algorithm", "functions", "budget", "key"]), st.text(max_size=20))
def test_messages_of_configs_are_short_and_printable(key: str, text: str) -> None:
    """What a config holds, as a key or as a value, reaches a message as printable text, and in short."""
    content = {"name": "A", "algorithm": "surrogate-cmaes", "protocol": {}}
    long = (text or "x") * 10_000
    where = content["protocol"] if key in {"functions", "budget"} else content
    assert isinstance(where, dict)
    where[long if key == "key" else key] = long
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.yaml"
        path.write_text(json.dumps(content))
        message = message_of(lambda: load_study(path))
        assert message.isprintable()
        assert len(message) < 1500


@pytest.mark.parametrize("key", ["null", "2020-01-01", "1", "true"])
def test_keys_are_text(tmp_path: Path, key: str) -> None:
    """Any other is refused with its line; in quotes it is text."""
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\n{key}: 1\n")
    with pytest.raises(SacmaError, match=f"a.yaml:2: key {key} is no text; put it in quotes"):
        read_document(path, "config", ["name", "algorithm"])
    path.write_text(f"name: a\n'{key}': 1\n")
    assert read_document(path, "config", ["name", "algorithm"]).content[key] == 1
