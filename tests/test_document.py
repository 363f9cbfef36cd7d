"""YAML documents: where things stand in them."""

from pathlib import Path

import pytest

from sacma.document import Document, read_document
from sacma.errors import SacmaError


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "d.yaml"
    path.write_text("name: A\nparts:\n  - x: 1\n  - x: 2\n    y: &both\n      - 3\n      - 4\nagain: *both\n")
    return read_document(path, "document", ["name", "parts"])


def test_content(document: Document) -> None:
    """The content is that of the file, aliases resolved."""
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
