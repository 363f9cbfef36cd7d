"""Runs from Python: a request and options in, a result out, and an observer who is told what happens."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.errors import RunError, SacmaError
from sacma.experiment.run import RunObserver, RunRequest, run_trials
from sacma.experiment.workers import Result
from sacma.store.completeness import Completeness
from sacma.store.outcome import TrialFailure
from sacma.store.record import FinishedTrial
from sacma.store.store import Damage, Store
from tests.commands import NoWorkers, no_workers
from tests.conftest import coco_files

SMALL = {"functions": "1,8", "dimensions": "2", "instances": "1-2", "budget": 20}


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    with no_workers():
        yield


class Told(RunObserver):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def note(self, lines: Sequence[str]) -> None:
        """Write down lines."""
        self.events += lines

    def damaged(self, damages: Sequence[Damage]) -> None:
        """Write down the files."""
        self.events += [f"damaged {damage.path.name}" for damage in damages]

    def started(self, completeness: Completeness, todo: Sequence[TrialSpec], jobs: int | None) -> None:
        """Write down the beginning."""
        self.events.append(f"start {len(todo)} of {len(completeness.specs)}, {jobs} at a time")

    def attempted(self, result: FinishedTrial | TrialFailure, *, last: bool) -> None:
        """Write down an attempt."""
        self.events.append(f"{type(result).__name__} {last}")

    def ended(self) -> None:
        """Write down the end."""
        self.events.append("end")


def test_from_studies_to_coco_data(
    study: Callable[..., Study], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A study is run, a damaged record is run again, what is there is not; nothing is printed."""
    request = RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path)
    told = Told()
    result = run_trials(request, told)
    assert (result.finished, result.failures, result.attempts) == (4, (), 0)
    assert told.events == ["start 4 of 4, 1 at a time", *["FinishedTrial True"] * 4, "end"]
    expected = coco_files(tmp_path)
    assert expected

    path = Store(tmp_path).path_of(request.specs[0])
    path.write_bytes(b"no record")
    told = Told()
    run_trials(RunRequest.of_results(tmp_path), told)
    renamed = "renamed 1 damaged record to *.damaged-N; running those trials again"
    assert told.events == [
        f"damaged {path.name}", renamed, "start 1 of 4, 1 at a time", "FinishedTrial True", "end"
    ]  # fmt: skip
    assert coco_files(tmp_path) == expected
    assert capfd.readouterr() == ("", "")


def test_shards_are_all_of_it(study: Callable[..., Study], tmp_path: Path) -> None:
    """Each trial is in one of them."""
    asked = [study("cmaes", **SMALL)]
    shards = [RunRequest.of_studies(asked, tmp_path, f"{number}/3").specs for number in (1, 2, 3)]
    assert sorted(spec.key for specs in shards for spec in specs) == sorted(
        spec.key for spec in RunRequest.of_studies(asked, tmp_path).specs
    )
    for wrong in ("0/3", "4/3", "1", "x/y"):
        with pytest.raises(SacmaError, match="give K/N"):
            RunRequest.of_studies(asked, tmp_path, wrong)


def test_what_is_replaced_is_told(study: Callable[..., Study], tmp_path: Path) -> None:
    """A study of the same name with another budget."""
    run_trials(RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path))
    told = Told()
    run_trials(RunRequest.of_studies([study("cmaes", **SMALL | {"budget": 10})], tmp_path), told)
    assert told.events[0].startswith(f"{tmp_path} held CMA-ES with other settings, budget or seed")


def test_options_are_checked_first(study: Callable[..., Study], tmp_path: Path) -> None:
    """Before a folder is made."""
    request = RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path / "results")
    with pytest.raises(SacmaError, match="--jobs: 100000 is not allowed"):
        run_trials(request, jobs=100_000)
    assert not (tmp_path / "results").exists()


class LosingWorkers(NoWorkers):
    """Finishes the first trial, and is lost."""

    def begin(self, spec: TrialSpec) -> Future[Result]:
        """Run a trial, or lose it."""
        if vars(self).setdefault("begun", spec) is spec:
            return super().begin(spec)
        lost: Future[Result] = Future()
        lost.set_exception(RunError("the cluster was lost"))
        return lost


def test_what_is_kept_is_told(study: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of workers that cannot go on comes with the number of trials that are kept."""
    monkeypatch.setattr("sacma.experiment.run.LocalWorkers", LosingWorkers)
    request = RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path)
    with pytest.raises(RunError, match="the cluster was lost; 1 of 4 trials are kept"):
        run_trials(request)


def test_there_must_be_a_study(tmp_path: Path) -> None:
    """To go on with."""
    with pytest.raises(SacmaError, match="holds no study to continue"):
        RunRequest.of_results(tmp_path)
