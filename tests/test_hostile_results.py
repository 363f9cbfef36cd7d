"""A results folder of somebody else: whatever is in it, commands end with a line and change nothing outside."""

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sacma.config.plan import plan
from sacma.config.study import load_study
from sacma.errors import SacmaError
from sacma.store.lock import locked
from sacma.store.outcome import FailureKind, encode_failure, failed
from sacma.store.store import Store
from tests.commands import run_here, sacma
from tests.conftest import CONFIGS
from tests.store.forgeries import opened, packed

if sys.platform == "win32":
    pytest.skip("signals and files of POSIX", allow_module_level=True)

TEXT = "not ours: must stay as it is"
QUICKLY = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
PROTOCOL = {"functions": "1", "dimensions": "2", "instances": "1-2", "budget": 10}
RUN = ["run", str(CONFIGS / "cmaes.yaml"), *(f"--{key}={value}" for key, value in PROTOCOL.items())]
COMMANDS = [["status"], ["plan", *RUN[1:], "--results"], [*RUN, "--results"], ["run", "--results"], ["export"]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study with a failure, and with what is derived from it."""
    asked = load_study(CONFIGS / "cmaes.yaml", PROTOCOL)
    store = Store(tmp_path_factory.mktemp("hostile") / "results")
    specs = plan([asked])
    run_here(store.root, asked)
    failure = failed(specs[0], FailureKind.EXCEPTION, "an error", "its traceback")
    path = store.root / "failures" / asked.name / f"{store.path_of(specs[0]).stem}.json"
    path.parent.mkdir()
    path.write_bytes(encode_failure(failure))
    return store.root


def command(*arguments: str) -> tuple[int, str]:
    """Run the command line; return its exit code and what it said."""
    done = sacma(*arguments, cwd=Path.cwd())
    return done.returncode, done.stdout + done.stderr


def in_place(path: Path, kind: str, outside: Path) -> None:
    """Put something in the place of a file or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in MADE:
        MADE[kind](path, outside)
    else:
        path.write_bytes(kind.encode())


def _socket(path: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(path.parent):
        listening.bind(path.name[:100])


def _sparse(path: Path, _: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


def _folder(path: Path, _: Path) -> None:
    (path / "deep").mkdir(parents=True)
    (path / ".x.record.0123abcd.7").write_text("left behind, in a folder that is ours")


MADE: dict[str, Callable[[Path, Path], object]] = {
    "pipe": lambda path, _: os.mkfifo(path),
    "socket": _socket,
    "sparse": _sparse,
    "folder": _folder,
    "link to nothing": lambda path, outside: path.symlink_to(outside / "new"),
    "link to a file": lambda path, outside: path.symlink_to(outside / "file"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "link to itself": lambda path, _: path.symlink_to(path.name),
    "second name": lambda path, outside: os.link(outside / "file", path),
    "device": lambda path, _: path.symlink_to("/dev/zero"),
    "nothing": lambda _path, _outside: None,
}

KINDS = [*MADE, "", "{}", "[" * 100_000, '[{"name": "\x1b[2J"}]', "\x1b]0;x\x07"]


@contextlib.contextmanager
def received(results: Path) -> Iterator[tuple[Path, Path]]:
    """Give a copy of the results, and a folder outside that must not change."""
    with tempfile.TemporaryDirectory(dir=results.parent) as folder:
        copy, outside = Path(folder) / "results", Path(folder) / "outside"
        shutil.copytree(results, copy)
        outside.mkdir()
        for name in ("file", ".hidden.0", ".CMA-ES.json.0123abcd.1", "CMA-ES.json"):
            (outside / name).write_text(TEXT)
        yield copy, outside
        found = {path.name: path.read_text() for path in outside.iterdir()}
        assert found == dict.fromkeys(("file", ".hidden.0", ".CMA-ES.json.0123abcd.1", "CMA-ES.json"), TEXT)


def places(results: Path) -> list[Path]:
    """Return all files and folders of the results, relative."""
    return sorted(path.relative_to(results) for path in results.rglob("*"))


@QUICKLY
@given(data=st.data())
def test_anything_in_any_place(results: Path, data: st.DataObject) -> None:
    """No command hangs, shows a traceback or a control character, or touches what is outside, whatever is where."""
    place = data.draw(st.sampled_from(places(results)), label="place")
    kind = data.draw(st.sampled_from(KINDS), label="kind")
    arguments = data.draw(st.sampled_from(COMMANDS), label="command")
    with received(results) as (copy, outside):
        in_place(copy / place, kind, outside)
        code, said = command(*arguments, str(copy))
        assert code in {0, 1, 2}, said
        assert "Traceback" not in said
        assert all(line.isprintable() for line in said.split("\n")), said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["records.lock", "derived.lock"])
def test_a_lock_is_a_regular_file_of_its_own(tmp_path: Path, name: str, kind: str) -> None:
    """A lock is never taken through a link, nor by emptying what is no lock; what is in its place stays as it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text(TEXT)
    path = tmp_path / name
    in_place(path, kind, outside)
    before = path.lstat() if os.path.lexists(path) else None
    if kind in {"nothing", ""}:
        with locked(path, "a test"):
            assert path.stat().st_size > 0
    else:
        with pytest.raises(SacmaError, match="is in the way: it is not a lock file"), locked(path, "a test"):
            pass
        after = path.lstat()
        assert before is not None
        assert (after.st_ino, after.st_size, after.st_mtime) == (before.st_ino, before.st_size, before.st_mtime)
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == TEXT


WRITTEN = ["studies", "records", "failures", "records/CMA-ES", "failures/CMA-ES"]
DERIVED = ["coco", "traces", "provenance", "export", "sweep", "report", "coco/CMA-ES"]


@pytest.mark.parametrize("folder", [*WRITTEN, *DERIVED])
def test_nothing_is_written_or_removed_through_a_linked_folder(results: Path, folder: str) -> None:
    """A folder of the results that is a link is refused with its path, before anything is cleaned up."""
    with received(results) as (copy, outside):
        in_place(copy / folder, "link to a folder", outside)
        store = Store(copy)
        lock = store.lock_records if folder in WRITTEN else store.lock_derived
        with pytest.raises(SacmaError, match=f"{folder} is a link"), lock("a test"):
            pass


def test_a_temporary_file_is_a_new_one(results: Path) -> None:
    """A link that lies where a temporary file of any process could be is not written through."""
    with received(results) as (copy, outside):
        for path in (copy / "studies" / ".CMA-ES.json", copy / "traces" / ".CMA-ES.parquet"):
            path.with_name(f"{path.name}.{os.getpid()}").symlink_to(outside / "file")
        code, said = command(*COMMANDS[2], str(copy))
        assert code == 0, said


@pytest.mark.parametrize("arguments", [*COMMANDS, ["postprocess", "--no-pages"]])
def test_every_command_says_that_a_record_is_forged(results: Path, arguments: list[str]) -> None:
    """A forged record is named with the reason, in the same words, by every command that reads it."""
    with received(results) as (copy, _):
        path = min(copy.glob("records/*/*.record"))
        head, parts = opened(path.read_bytes())
        head["outcome"]["evaluations"] += 1
        path.write_bytes(packed(head, parts))
        code, said = command(*arguments, str(copy))
        assert code in {0, 2}
        words = " ".join(said.split())
        assert f"damaged: {path}: " in words, said
        if arguments[0] in {"export", "postprocess"}:
            assert "trials are missing: CMA-ES (1 of 2)" in words


@QUICKLY
@given(error=st.text(st.characters()), traceback=st.text(st.characters()))
def test_texts_of_failures_are_printable(results: Path, error: str, traceback: str) -> None:
    """Forged failures show their texts escaped, in status and with their tracebacks."""
    with received(results) as (copy, _):
        for path in copy.glob("records/*/*.record"):
            path.unlink()
        (path,) = copy.glob("failures/*/*.json")
        content = json.loads(path.read_text())
        content["error"], content["traceback"] = error, traceback
        path.write_text(json.dumps(content))
        for arguments in (["status"], ["status", "--tracebacks"]):
            code, said = command(*arguments, str(copy))
            assert code == 0
            assert all(line.isprintable() for line in said.split("\n"))
