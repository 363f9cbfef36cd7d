"""Algorithms in a file: read, versioned, registered; what is wrong with a file is said with its line."""

from pathlib import Path

import pytest

from sacma.algorithms.registry import ALGORITHMS, Registry, read_algorithm_file
from sacma.errors import SacmaError
from tests.conftest import one_line

SOURCE = '''
import sacma

@sacma.algorithm
def still(problem, rng, step: float = 1.0):
    """Stays where it is."""
    problem(problem.initial_point(4))
'''


def write(path: Path, source: str = SOURCE) -> Path:
    path.write_text(source)
    return path


def test_a_file_gives_its_algorithms_and_its_version(tmp_path: Path) -> None:
    """The version is the content's: the same wherever the file lies; nothing is left beside it."""
    one = read_algorithm_file(write(tmp_path / "one.py"))
    assert list(one.algorithms) == ["still"]
    assert one.version == read_algorithm_file(write(tmp_path / "two.py")).version
    assert one.version != read_algorithm_file(write(tmp_path / "one.py", SOURCE + "\n")).version
    (tmp_path / "two.py").write_bytes(SOURCE.replace("\n", "\r\n").encode())  # as a checkout on Windows may be
    assert one.version == read_algorithm_file(tmp_path / "two.py").version
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.py", "two.py"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(:\n", "own.py:1: invalid syntax"),
        ("\nimport nowhere_to_be_found\n", "own.py:2: ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("raise SystemExit(3)\n", "own.py:1: SystemExit: 3"),
        ("x = 1\n", "defines no algorithm; put @sacma.algorithm before"),
        (SOURCE + SOURCE.replace("still(", "again(").replace("algorithm\n", "algorithm('still')\n"), "two algorithms"),
        (SOURCE.replace(": float", ""), "own.py:4: parameter step of still has no type hint"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, source: str, message: str) -> None:
    """One line: the file, the line, the reason."""
    assert message in one_line(read_algorithm_file, write(tmp_path / "own.py", source))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(SacmaError, match=r"nowhere\.py cannot be read: No such file"):
        read_algorithm_file(tmp_path / "nowhere.py")


def test_files_add_to_the_registry(tmp_path: Path) -> None:
    """With their origin; a later version takes the place of an earlier one, but of no other algorithm."""
    registry = Registry({"random-search": ALGORITHMS["random-search"]})
    path = write(tmp_path / "own.py")
    registry.add_files([path, path])
    origin = registry.origin("still")
    assert origin is not None
    assert origin.source == str(path)
    registry.add_files([write(path, SOURCE + "\n")])
    assert registry.origin("still") != origin
    assert list(registry)[:2] == ["random-search", "still"]
    assert len(registry) == len(list(registry))
    assert registry.origin("random-search") is None
    with pytest.raises(SacmaError, match="still is also an algorithm of"):
        registry.add_files([path, write(tmp_path / "two.py")])
    with pytest.raises(SacmaError, match="random-search is also an algorithm of sacma"):
        registry.add_files([write(path, SOURCE.replace("algorithm\n", "algorithm('random-search')\n"))])


def test_what_it_imports_is_not_its_own(tmp_path: Path) -> None:
    """An algorithm of sacma's can be imported to be called."""
    source = f"from sacma.algorithms.baselines import random_search\n{SOURCE}"
    assert "random-search" not in read_algorithm_file(write(tmp_path / "own.py", source)).algorithms


def test_neighbours_of_one_name(tmp_path: Path) -> None:
    """A file that would be given another file's neighbour is refused."""
    for folder, value in (("one", 1.0), ("two", 2.0)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a_neighbour.py").write_text(f"STEP = {value}\n")
    source = SOURCE.replace("import sacma", "import sacma\nfrom a_neighbour import STEP").replace("= 1.0", "= STEP")
    assert read_algorithm_file(write(tmp_path / "one" / "own.py", source)).algorithms["still"].settings().step == 1.0  # type: ignore[attr-defined]
    with pytest.raises(SacmaError, match=r"its neighbour a_neighbour.py cannot be imported: .*one/a_neigh"):
        read_algorithm_file(write(tmp_path / "two" / "own.py", source))
    assert read_algorithm_file(tmp_path / "one" / "own.py").algorithms


def test_a_path_that_does_not_print(tmp_path: Path) -> None:
    """Is escaped in what is stored; the file is found all the same."""
    folder = tmp_path / "a\u3000b"
    folder.mkdir()
    registry = Registry({})
    registry.add_files([write(folder / "own.py")])
    origin = registry.origin("still")
    assert origin is not None
    assert origin.source.endswith("a\\u3000b/own.py")
    assert registry.files == (folder / "own.py",)
