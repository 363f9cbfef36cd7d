"""Journals that come from somebody else: each is read to the letter, or refused in one line; none harms."""

import copy
import json
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from sacma.optimize.journal import read_state, to_line
from tests.optimize.runs import sphere
from tests.optimize.sealed import sealed

SETTINGS = settings(deadline=None, max_examples=100)


def minimized(path: Path) -> object:
    known: dict[str, Any] = {"known": ARCHIVE, "journal": path}
    return sacma.minimize(sphere, [1.0, 2.0], 0.5, bounds=(-3, 3), seed=1, budget=12, method=METHOD, **known)


METHOD = "ada-kendall"  # whose settings are damaged below
ARCHIVE = ([[1.0, 1.0], [0.0, 2.0]], [3.0, 4.0])
READERS: list[Callable[[Path], object]] = [sacma.read_journal, sacma.Optimizer.load, minimized]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """A journal's header and evaluations."""
    path = tmp_path_factory.mktemp("lines") / "journal"
    minimized(path)
    return [{k: v for k, v in json.loads(line).items() if k != "crc"} for line in path.read_text().splitlines()]


def written(path: Path, lines: list[Any]) -> None:
    """Write lines with the checksums that they have to have; what is no object as it is."""
    path.write_bytes(b"".join(to_line(x) if isinstance(x, dict) else json.dumps(x).encode() + b"\n" for x in lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all examples of a test."""
    return tmp_path_factory.mktemp("examples")


def message_of(read: Callable[[Path], object], path: Path) -> str:
    """Return what is said of a path that cannot be read."""
    with pytest.raises(ValueError, match="; allowed: ") as raised:
        read(path)
    message = str(raised.value)
    assert message.isprintable()
    assert len(message) < 900
    return message


@pytest.mark.parametrize("read", READERS)
def test_any_kind_of_file_in_the_place_of_a_journal(tmp_path: Path, read: Callable[[Path], object]) -> None:
    """A pipe, a folder, a device or an endless file is refused at once."""
    if sys.platform == "win32":
        pytest.skip("it has no such pipes")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.write(b'{"format": "sacma-journal-9", ')
        file.truncate(200 << 20)
    for path in (tmp_path / "pipe", tmp_path / "sparse", tmp_path, Path("/dev/zero")):
        assert path.name in message_of(read, path)


@SETTINGS
@given(content=st.binary(max_size=60) | st.text().map(str.encode), number=st.integers(0, 2))
def test_any_bytes_in_the_place_of_a_journal(folder: Path, content: bytes, number: int) -> None:
    """Other files are refused and kept; an empty one, or half a header, is a journal that begins."""
    path = folder / "bytes"
    path.write_bytes(content)
    begins = b'{"format": "sacma-journal-9"'.startswith(content)
    if READERS[number] is minimized and begins:
        minimized(path)
        return
    message_of(READERS[number], path)
    assert path.read_bytes() == content


ODD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**64, 2**200, 10**400, 1e308, -0.5, "1", "1.0", "\x1b[2J", "x" * 10_000, [], {}])
    | st.floats()
    | st.text(max_size=5)
)
ANYTHING = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give where the parts of JSON are."""
    yield path
    if isinstance(content, dict | list):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield from places(content[key], (*path, key))


def mutated(content: Any, data: st.DataObject) -> Any:
    """Return JSON of which one part is another, is missing, or has one more beside it."""
    place = data.draw(st.sampled_from(list(places(content))[1:]))
    changed = inner = copy.deepcopy(content)
    for key in place[:-1]:
        inner = inner[key]
    match data.draw(st.sampled_from(["other", "missing", "more"])):
        case "other":
            inner[place[-1]] = data.draw(ANYTHING)
        case "missing":
            del inner[place[-1]]
        case _ if isinstance(inner, list):
            inner.append(data.draw(ANYTHING))
        case _:
            inner[data.draw(st.text(max_size=5))] = data.draw(ANYTHING)
    return changed


@SETTINGS
@given(data=st.data(), number=st.integers(0, 2), at=st.integers(0, 4))
def test_any_change_to_a_journal(lines: list[Any], folder: Path, data: st.DataObject, number: int, at: int) -> None:
    """It is read as what it is, or refused in words that name the file and the line; nothing else comes out."""
    path = folder / "changed.jsonl"
    changed = [*lines[:at], mutated(lines[at], data), *lines[at + 1 :]]
    written(path, changed)
    content = path.read_bytes()
    try:
        found = READERS[number](path)
    except ValueError as error:
        message = str(error)
        assert message.isprintable(), message
        assert len(message) < 900
        assert "changed.jsonl" in message
        assert "allowed: " in message
        assert path.read_bytes() == content
        return
    if READERS[number] is not minimized:
        result = sacma.read_journal(path)
        assert np.isfinite(result.points).all()
        assert not np.isinf(result.values).any()
        assert found is not None


HEADER_DAMAGES: list[tuple[str, Any, str]] = [
    ("call", None, "call: Field required"),
    ("limits", {"odd": 1}, "limits.odd"),
    ("more", 1, "more: "),
    ("call.x0", [1.0, "2"], "call.x0"),
    ("call.bounds", [[0.0, float("inf")], [0.0, None]], "call.bounds.0.1: "),
    ("call.constraints", ["<= 0"] * 2000, "List should have at most 1000 items"),
    ("call.space", {"a": {"kind": "odd", "low": 0, "high": 1}}, "the kind of a parameter is 'odd'"),
]
CALL_DAMAGES: list[tuple[str, Any, str]] = [
    ("call.x0", [0.0] * 3, "bounds is "),
    ("call.sigma0", 0, "sigma0 is 0.0; allowed"),
    ("call.method.algorithm", "os.system", "algorithm is 'os.system', not one of surrogate-cmaes, lq-cmaes"),
    ("call.method.settings.control", {"name": "x"}, "call.method.settings: control"),
    ("call.known", [[[9.0, 9.0]], [1.0]], r"known\[0\]\[0\]\[0\] is .*; allowed: within its bounds"),
    ("limits.budget", 0, "budget"),
]


@pytest.mark.parametrize(("place", "value", "message"), HEADER_DAMAGES + CALL_DAMAGES)
def test_a_damaged_header_names_the_key(lines: list[Any], tmp_path: Path, place: str, value: Any, message: str) -> None:
    """None as the value takes the key out; what is another call is read, but not loaded."""
    header = inner = copy.deepcopy(lines[0])
    *keys, last = place.split(".")
    for key in keys:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    path = tmp_path / "journal"
    written(path, [header])
    if (place, value, message) in CALL_DAMAGES:
        assert len(sacma.read_journal(path).values) == 0
        with pytest.raises(ValueError, match=f"journal, of which line 1 is no call: {message}"):
            sacma.Optimizer.load(path)
        return
    for read in READERS:
        with pytest.raises(ValueError, match=f"journal, of which line 1 is .*: {message}"):
            read(path)


LINE_DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"value": "1.5"}, "value: "),
    ({"value": float("nan")}, "value: "),
    ({"value": None}, "it has not 2 coordinates, 0 constraints, and a value or a failure"),
    ({"failure": "both"}, "it has not 2 coordinates, 0 constraints, and a value or a failure"),
    ({"constraints": [0.0]}, "it has not 2 coordinates, 0 constraints, and a value or a failure"),
    ({"number": 10**30}, "number: "),
    ({"number": 1}, "its number is 1, as that of a line before"),
    ({"place": -1}, "place"),
    ({"point": [1.0]}, "it has not 2 coordinates"),
    ({"point": [1.0, False]}, "point.1: "),
    ({"more": 1}, "more: "),
]


@pytest.mark.parametrize(("change", "message"), LINE_DAMAGES)
def test_a_damaged_line_is_named(lines: list[Any], tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """The last one too: what is whole JSON was not cut by a crash."""
    path = tmp_path / "journal"
    for rest in ([], lines[3:]):
        written(path, [*lines[:2], {**lines[2], **change}, *rest])
        for read in READERS:
            with pytest.raises(ValueError, match=f"journal, of which line 3 is .*: {message}"):
                read(path)


@settings(deadline=None, max_examples=30)
@given(text=st.text(st.characters(exclude_categories=[]), max_size=30))
def test_texts_of_a_journal_are_shown_printable(lines: list[Any], folder: Path, text: str) -> None:
    """Failures and versions can hold what steers a terminal: no message does, nor a result."""
    path = folder / "steering.jsonl"
    evil = f"\x1b[2J\x9b{text}"
    header = {**lines[0], "versions": {evil: evil, "cma": evil}}
    changed = [{k: v for k, v in lines[n].items() if k != "value"} | {"failure": evil} for n in range(1, 6)]
    written(path, [header, *changed])
    content = sacma.read_journal(path)
    assert len(content.entries) == 5
    result = sacma.Optimizer.load(path).result
    assert result.failures == 5
    assert all(failure.isprintable() for failure in result.history.failures.values())
    assert result.message.isprintable()
    assert "\x1b" not in repr(result)


def forged(folder: Path, dimension: int, population_size: int | None, **settings: Any) -> Path:
    """Save an optimizer in 2-D, and let its file say that it is of another size."""
    path = folder / "forged"
    sacma.Optimizer([0.0, 0.0], 1.0, seed=1, population_size=population_size, **settings).save(path)
    header = json.loads(path.read_text())
    for key in ("x0", "bounds", "scale"):
        header["call"][key] = header["call"][key][:1] * dimension
    path.write_bytes(sealed(json.dumps(header) + "\n"))
    return path


@settings(deadline=None, max_examples=20)
@given(
    dimension=st.integers(1, 4000) | st.sampled_from([40, 41, 2000, 2001]),
    size=st.none() | st.integers(4, 100_000),
    method=st.sampled_from(["sacma", "cmaes", "ada-kendall", "dts-cmaes"]),
)
def test_a_forged_size_takes_no_memory(folder: Path, dimension: int, size: int | None, method: str) -> None:
    """Coordinates by themselves, and coordinates times points: what would take gigabytes is refused as it is read."""
    path, large = forged(folder, dimension, size, method=method), dimension > 2000 or dimension * (size or 0) > 2000**2
    words = "line 1 is no call: (x0|population_size) is .* at most"
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=words) if large else nullcontext():
            read_state(path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
