"""Runs from Python: a request and options in, events out."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from sacma.config.plan import TrialSpec
from sacma.config.study import Study
from sacma.errors import RunError, SacmaError
from sacma.experiment.run import Attempt, RunRequest, Started, run_trials
from sacma.experiment.workers import Result
from sacma.store.store import Store
from tests.commands import NoWorkers, no_workers
from tests.conftest import coco_files

SMALL = {"functions": "1,8", "dimensions": "2", "instances": "1-2", "budget": 20}


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    with no_workers():
        yield


def told(request: RunRequest) -> list[str]:
    """Run a request, and write down the events."""
    lines = []
    for event in run_trials(request):
        match event:
            case Started(completeness, todo, jobs):
                lines += [f"damaged {damage.path.name}" for damage in completeness.damaged]
                lines.append(f"start {len(todo)} of {len(completeness.specs)}, {jobs} at a time")
            case Attempt(result, last):
                lines.append(f"{type(result).__name__} {last}")
            case _:
                lines.append(event)
    return lines


def test_from_studies_to_coco_data(
    study: Callable[..., Study], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A study is run, a damaged record is run again, what is there is not; nothing is printed."""
    request = RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path)
    assert told(request) == ["start 4 of 4, 1 at a time", *["FinishedTrial True"] * 4]
    expected = coco_files(tmp_path)
    assert expected

    path = Store(tmp_path).path_of(request.specs[0])
    path.write_bytes(b"no record")
    events = told(RunRequest.of_results(tmp_path))
    assert events == [f"damaged {path.name}", "start 1 of 4, 1 at a time", "FinishedTrial True"]
    assert path.with_suffix(".damaged-1").read_bytes() == b"no record"
    assert coco_files(tmp_path) == expected
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "x/y"])
def test_what_is_no_shard_is_refused(study: Callable[..., Study], tmp_path: Path, shard: str) -> None:
    """With what is allowed."""
    with pytest.raises(SacmaError, match="give K/N"):
        RunRequest.of_studies([study("cmaes", **SMALL)], tmp_path, shard)


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
        told(request)
