"""Evaluations on disk: nothing is paid for twice, and a continued run is the one that would have been."""

import contextlib
import errno
import itertools
import json
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sacma
from sacma.optimize import journal as journal_module
from sacma.optimize.journal import to_line
from sacma.optimize.methods import DEFAULT
from sacma.optimize.result import Result, Status
from sacma.types import Array
from tests.optimize.kills import killed, run, same_evaluations
from tests.optimize.runs import GENERATIONS as METHOD
from tests.optimize.runs import bits, rosenbrock
from tests.sizes import sizes

BUDGET = 80


class Counted:
    """Rosenbrock's function, that fails in places, counts, and may be interrupted."""

    def __init__(self, interrupted_at: int | None = None) -> None:
        self.calls = 0
        self._interrupted_at = interrupted_at

    def __call__(self, x: Array) -> float:
        """Evaluate and count."""
        if self.calls == self._interrupted_at:
            raise KeyboardInterrupt
        self.calls += 1
        if x[0] > 0.5:
            raise ValueError("out of range")
        return rosenbrock(x)


def call(fun: Callable[[Array], float], journal: Path | None, **arguments: Any) -> Result:
    given = {"bounds": (-2, 2), "seed": 5, "budget": BUDGET, "method": METHOD, **arguments}
    return sacma.minimize(fun, [0.0, 0.0, 0.0], 0.5, journal=journal, **given)


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The journal of a whole run."""
    path = tmp_path / "alone.jsonl"
    call(Counted(), path)
    return path


def test_a_journal_has_every_evaluation(alone: Path) -> None:
    """A header, and a line each with number, point and value or failure; reading it gives them back to the bit."""
    result = call(Counted(), None)
    header, *lines = [json.loads(line) for line in alone.read_text().splitlines()]
    assert header["format"] == "sacma-journal-9"
    assert header["call"]["seed"] == 5
    assert {"numpy", "scipy", "cma", "numba"} == header["versions"].keys()
    assert [line["number"] for line in lines] == list(range(1, BUDGET + 1))
    assert any(line.get("failure") == "ValueError: out of range" for line in lines)
    content = sacma.read_journal(alone)
    np.testing.assert_array_equal(content.points, result.history.points)
    np.testing.assert_array_equal(content.values, result.history.values)
    assert content.known[0].shape == (BUDGET, 3)


@sizes("kills", small=3, full=50)
@pytest.mark.parametrize(
    ("threads", "method"), [(1, METHOD), (1, DEFAULT), (2, METHOD), (1, "cobyqa"), (1, "lq-cma-es")]
)
def test_killed_at_random_moments(tmp_path: Path, threads: int, method: str, kills: int) -> None:
    """Its evaluations are those of a run that is left alone, and its journal is the same to the byte."""
    alone, other, budget = tmp_path / "alone.jsonl", tmp_path / "killed.jsonl", 60 + 10 * (kills - 3)
    run(alone, budget=budget, method=method)
    lines = killed(other, kills, np.random.default_rng(3), threads=threads, budget=budget, method=method)
    assert lines  # fewer where the machine is so busy that the run ends before it is killed again
    assert same_evaluations(alone, other)
    if threads == 1:
        assert alone.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("torn", [1, 75, 10**6])
def test_a_half_written_line_is_dropped(alone: Path, tmp_path: Path, torn: int) -> None:
    """Of the header, too. Its evaluation is made again."""
    path = tmp_path / "journal.jsonl"
    whole = alone.read_bytes()
    lines = whole.splitlines(keepends=True)
    header = len(lines[0])
    for kept in (whole[: min(torn, header - 1)], whole[: header + len(lines[1]) + min(torn, len(lines[2]) - 1)]):
        path.write_bytes(kept)
        call(Counted(), path)
        assert path.read_bytes() == whole


@sizes("examples", small=150, full=20_000)
def test_any_bit_that_flips_is_noticed(tmp_path: Path, examples: int) -> None:
    """A journal with it is refused, or read as far as the lines before: none gives another point, value or call."""
    path = tmp_path / "journal"
    sacma.minimize(
        lambda x: float(x @ x) if x[0] > 0 else None, [1.0], 1.0, seed=1, budget=4, method="cmaes", journal=path
    )
    whole, known = path.read_bytes(), sacma.read_journal(path)

    @given(place=st.integers(0, 8 * len(whole) - 1))
    @settings(max_examples=examples)
    def check(place: int) -> None:
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        with contextlib.suppress(ValueError):
            found = sacma.read_journal(path)
            assert found.header == known.header
            assert len(found.values) < len(known.values)
            assert found.points.tobytes() == known.points[: len(found.points)].tobytes()
            assert found.values.tobytes() == known.values[: len(found.values)].tobytes()

    check()


def test_other_known_points_are_counted_or_shown(tmp_path: Path) -> None:
    """However many they are: the first that differs, or how many there are."""
    X = np.linspace(0.1, 0.9, 60).reshape(30, 2)
    other = X.copy()
    other[12, 1] = 0.25

    def begin(*known: Any) -> None:
        sacma.Optimizer(bounds=[(0, 1)] * 2, known=known, seed=1, journal=tmp_path / "journal").close()

    begin(X, X[:, 0])
    with pytest.raises(ValueError, match=r"of another call: known\[0\] has 30 points there, 29 here;"):
        begin(X[:29], X[:29, 0])
    with pytest.raises(ValueError, match=r"of another call: known\[0\]\[12\] = \[.*\] there, \[.*, 0.25\] here;"):
        begin(other, X[:, 0])
    with pytest.raises(ValueError, match=r"of another call: bounds\[0\] = "):  # not x0, which follows from them
        sacma.Optimizer(bounds=[(0, 2)] * 2, known=(X, X[:, 0]), seed=1, journal=tmp_path / "journal")


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"seed": 6}, "seed = 5 there, 6 here"),
        ({"bounds": (-2, 3)}, r"bounds\[0\] = \[-2.0, 2.0\] there, \[-2.0, 3.0\] here"),
        ({"method": "ada-rd"}, "method.settings.control.error.name = 'kendall' there, 'ranking-difference' here"),
        ({"method": "cmaes"}, "method.settings.model = .* there, None here"),
        ({"known": ([[0.0, 0.0, 0.0]], [1.0])}, "known = None there, .* here"),
    ],
)
def test_the_journal_of_another_call_is_refused(alone: Path, other: dict[str, Any], difference: str) -> None:
    """With the argument or the setting that differs, and what to do."""
    before = alone.read_bytes()
    with pytest.raises(ValueError, match=rf"of another call: {difference}; .*known=sacma.read_journal\(path\)"):
        call(Counted(), alone, **other)
    assert alone.read_bytes() == before
    result = call(Counted(), None, known=sacma.read_journal(alone).known, seed=6)
    assert result.history.generations[0].fit_status == "trained"


def test_values_computed_elsewhere_are_learned(alone: Path) -> None:
    """Where the run asks for other points than those of its journal, they cost nothing again, and models know them."""
    lines = [json.loads(line) for line in alone.read_text().splitlines()]
    lines[20].pop("failure", None)
    lines[20]["value"] = -1e-9
    alone.write_bytes(b"".join(to_line({k: v for k, v in line.items() if k != "crc"}) for line in lines))
    counted = Counted()
    result = call(counted, alone, budget=BUDGET + 10)
    assert (result.nfev, counted.calls) == (BUDGET + 10, 10)
    assert result.fun == -1e-9
    again = call(counted, alone, budget=BUDGET + 10)
    assert counted.calls == 10
    assert bits(again) == bits(result)


@pytest.mark.parametrize("method", ["cmaes", "nelder-mead"])
def test_the_last_evaluations_are_tried_again(tmp_path: Path, method: str) -> None:
    """Those that have failed are not in the file any more, where new ones take their numbers."""
    path, calls = tmp_path / "journal", itertools.count(1)

    def fun(x: Array) -> float:
        if next(calls) in {11, 12}:
            raise RuntimeError("no licence")
        return float(x @ x)

    given: dict[str, Any] = {"seed": 1, "budget": 12, "method": method}
    for retried in (False, True, False):
        found = sacma.minimize(fun, [1.0, 2.0], 0.5, journal=path, retry_failed=retried, **given)
    assert next(calls) == 15
    assert bits(found) == bits(sacma.minimize(lambda x: float(x @ x), [1.0, 2.0], 0.5, **given))
    assert len(sacma.read_journal(path).values) == 12


def test_without_a_seed_the_journal_has_it(tmp_path: Path) -> None:
    """A drawn seed is kept, so that the same call goes on."""
    path = tmp_path / "journal.jsonl"
    first = call(Counted(interrupted_at=20), path, seed=None)
    second = call(Counted(), path, seed=None)
    assert first.seed == second.seed
    np.testing.assert_array_equal(first.history.points, second.history.points[:20])


def test_evaluations_may_end_out_of_order(alone: Path, tmp_path: Path) -> None:
    """Lines of a population in any order, and gaps between them: what is missing is made."""
    path = tmp_path / "journal.jsonl"
    header, *lines = alone.read_bytes().splitlines(keepends=True)
    some = [lines[i] for i in (4, 0, 6, 3, 1, 2, 5, 11, 9)]  # λ = 7: one population, and two of the next
    path.write_bytes(b"".join([header, *some]))
    rest = Counted()
    call(rest, path)
    assert rest.calls == BUDGET - 9
    assert same_evaluations(alone, path)
    with ThreadPoolExecutor(2) as executor:
        path.write_bytes(b"".join([header, *some]))
        call(Counted(), path, workers=executor, asynchronous=False)
    assert same_evaluations(alone, path)


def test_a_journal_is_one_run_s(tmp_path: Path) -> None:
    """While it is open, another run is kept out, and can read it; it is said how the first lets go of it."""
    path = tmp_path / "journal.jsonl"
    es = sacma.Optimizer([0.0, 0.0], 1.0, journal=path)
    with pytest.raises(ValueError, match=r"journal is .*; allowed: one that no other run is writing .* by close\(\)"):
        sacma.Optimizer([0.0, 0.0], 1.0, journal=path)
    with pytest.raises(ValueError, match=r"path is .*; allowed: one that no other run is writing to"):
        es.save(path)
    assert sacma.read_journal(path).points.shape[0] == 0
    es.close()
    sacma.Optimizer([0.0, 0.0], 1.0, journal=path).close()
    for wrong in (tmp_path / "no" / "journal", "/dev/null"):
        with pytest.raises(ValueError, match=r"journal is .*; allowed: a file that can be written, in a folder"):
            sacma.Optimizer([0.0, 0.0], 1.0, journal=wrong)
    with pytest.raises(TypeError, match="journal is 3; allowed: the path of a file"):
        sacma.Optimizer([0.0, 0.0], 1.0, journal=3)  # type: ignore[arg-type]


def folder_removed(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


def replaced(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"of somebody else")


@pytest.mark.parametrize("harm", [folder_removed, replaced])
def test_a_journal_that_is_gone_is_noticed(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    """At the next evaluation; all that was found is in the error."""
    path = tmp_path / "folder" / "journal"
    path.parent.mkdir()
    f = Counted()

    def fun(x: Array) -> float:
        if f.calls == 30:
            harm(path)
        return f(x)

    with pytest.raises(sacma.JournalError, match=r"No such file|replaced") as raised:
        call(fun, path)
    result = raised.value.result
    assert result is not None
    assert (result.nfev, f.calls) == (31, 31)
    assert math.isfinite(result.fun)
    if harm is replaced:
        assert path.read_bytes() == b"of somebody else"


def test_a_journal_that_something_else_writes_to_is_noticed(tmp_path: Path) -> None:
    """It is left as it is; in ask and tell the state can be saved, and what was not taken told again."""
    path = tmp_path / "journal"
    for harm in (b"", b"more"):
        es = sacma.Optimizer([0.0, 0.0], 1.0, journal=path, seed=1, method=METHOD)
        X = es.ask()
        es.tell(X[:2], [1.0, 2.0])
        content = path.read_bytes() + harm if harm else b""
        path.write_bytes(content)
        with pytest.raises(sacma.JournalError, match="it was replaced, changed or closed by something else") as raised:
            es.tell(X[2:], [3.0] * (len(X) - 2))
        assert path.read_bytes() == content
        assert raised.value.result is not None
        assert raised.value.result.nfev == 2
        es.close()
        es.save(path)
        es = sacma.Optimizer([0.0, 0.0], 1.0, journal=path, seed=1, method=METHOD)
        es.tell(X[2:], [3.0] * (len(X) - 2))
        assert es.result.nfev == len(X)
        es.close()
        path.unlink()


def test_a_descriptor_that_became_another_file_s_is_left_alone(tmp_path: Path) -> None:
    """What closes files that are not its own makes an error, and no line in a file that is opened next."""
    es = sacma.Optimizer([0.0, 0.0], 1.0, journal=tmp_path / "journal")
    X = es.ask()
    descriptor = es._run.log.journal._file  # type: ignore[union-attr]
    os.close(descriptor)
    with (tmp_path / "other").open("w") as other:
        assert other.fileno() == descriptor
        with pytest.raises(sacma.JournalError, match="it was replaced, changed or closed by something else"):
            es.tell(X[:1], [1.0])
        es.close()
        other.write("still open")
    assert (tmp_path / "other").read_text() == "still open"


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the result with the evaluation that could not be written; the journal goes on from the others."""
    path = tmp_path / "journal"
    f, fsync = Counted(), os.fsync

    def full(file: int) -> None:
        if f.calls == 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(file)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no more can be written: No space left on device; what was found") as raised:
            call(f, path)
    assert raised.value.errno == errno.ENOSPC
    result = raised.value.result  # type: ignore[attr-defined]
    assert result.nfev == 30
    assert len(sacma.read_journal(path).values) == 29
    assert call(Counted(), path).fun == call(Counted(), None).fun


def test_a_journal_does_not_outgrow_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does its header."""
    monkeypatch.setattr(journal_module, "LARGEST_JOURNAL", 2500)
    with pytest.raises(sacma.JournalError, match="it has grown to the 0 MiB that are read of one"):
        call(Counted(), tmp_path / "journal")
    assert len(sacma.read_journal(tmp_path / "journal").values) > 3
    monkeypatch.setattr(journal_module, "LARGEST_LINE", 2000)
    with pytest.raises(ValueError, match=r"known is '0 MiB large, as it is written'; allowed: at most"):
        call(Counted(), tmp_path / "other", known=(np.ones((100, 3)), np.ones(100)))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("earlier", [0, 2])
def test_a_mistake_in_f_is_not_in_the_journal(tmp_path: Path, earlier: int) -> None:
    """What f raised by mistake is taken back: the same call with f mended is the run that would have been."""
    alone, path = tmp_path / "alone", tmp_path / "journal"
    call(Counted(), alone, max_failures=None)
    path.write_bytes(b"".join(alone.read_bytes().splitlines(keepends=True)[: 1 + earlier]))
    before = path.read_bytes()

    def fun(x: Array) -> float:
        return x.nothing  # type: ignore[attr-defined, no-any-return]

    if earlier:  # there was a value: the failures may come from the points
        assert call(fun, path).status == Status.FAILURES
        return
    with pytest.raises(AttributeError, match="nothing"):
        call(fun, path, max_failures=20)
    assert path.read_bytes().splitlines()[1:] == before.splitlines()[1:]
    assert call(Counted(), path).fun == call(Counted(), None).fun


@pytest.mark.parametrize("method", [DEFAULT, "lq-cma-es"])
@pytest.mark.parametrize("end", ["target", "failures", "callback"])
def test_a_run_that_has_ended_is_not_gone_on_with(tmp_path: Path, method: str, end: str) -> None:
    """Called again, whatever ended it and whoever evaluates, it has the same result, without an evaluation."""
    path = tmp_path / "journal"
    counted = Counted()

    def again(workers: Any = None) -> sacma.Result:
        ends: dict[str, dict[str, Any]] = {
            "target": {"target": 0.3},
            "failures": {"max_failures": 3},
            "callback": {"callback": lambda result: result.nfev >= 20},
        }
        fun = (lambda x: counted(x) if x[0] > -0.9 else None) if end == "failures" else counted
        given: dict[str, Any] = {"method": method, "seed": 3, "budget": 200, "journal": path, "workers": workers}
        return sacma.minimize(fun, [-1.0, 1.0], 0.5, **given, **ends[end])

    first = again()
    calls = counted.calls
    assert first.nfev < 200
    assert bits(again()) == bits(first)
    if method != "lq-cma-es":
        with ThreadPoolExecutor(2) as threads:
            assert bits(again(threads)) == bits(first)
    assert counted.calls == calls
