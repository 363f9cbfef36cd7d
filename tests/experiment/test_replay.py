"""Running a trial again from its record: the same bits, or where they part."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.replay import replay
from sacma.experiment.trial import run_trial
from sacma.store.provenance import differences
from sacma.store.record import TrialRecord, decode, encode
from tests.commands import refusal, sacma, successful
from tests.conftest import CONFIGS


@pytest.fixture
def record(study: Callable[..., Study]) -> TrialRecord:
    (spec,) = plan([study("ada_kendall", functions="8", dimensions="3", instances="1", budget=30)])
    return decode(encode(run_trial(spec)))


def test_same_bits(record: TrialRecord) -> None:
    """A record of this machine is made again, bit for bit."""
    result = replay(record)
    assert result.difference is None
    assert result.environment == ()


def test_first_difference(record: TrialRecord) -> None:
    """What differs first in the trial's own time is named, whatever follows from it."""
    trace = record.trace.copy()
    sigma = trace["sigma"]
    sigma[3:] *= 2
    outcome = replace(record.outcome, improved_to=(*record.outcome.improved_to[:-1], 1.0), evaluations=7)
    changed = replace(record, trace=trace, outcome=outcome)
    found = replay(changed).difference
    assert found is not None
    assert found.startswith("generation 4: sigma was")

    found = replay(replace(record, outcome=outcome)).difference
    assert found is not None
    assert found.startswith(f"evaluation {record.outcome.improved_at[-1]}: improvement")

    data = {**record.coco.data, "dat": record.coco.data["dat"].replace("\n", "\nx", 1)}
    found = replay(replace(record, coco=replace(record.coco, data=data))).difference
    assert found is not None
    assert found.startswith("COCO's .dat, line 2")


def test_environments_differ(record: TrialRecord) -> None:
    """Each package and property that differs is a phrase."""
    here = record.provenance.environment
    packages = tuple((name, "0.1" if name == "numpy" else version) for name, version in here.packages)
    there = replace(here, packages=packages, processor="abacus")
    phrases = differences(there, here)
    assert phrases == [f"processor abacus / {here.processor}", f"numpy 0.1 / {dict(here.packages)['numpy']}"]
    assert there.fingerprint != here.fingerprint


def test_command(tmp_path: Path, record: TrialRecord) -> None:
    """Exit code 0 and "bit-identical"; 1 and the first difference; 2 for what is no record."""
    arguments = (CONFIGS / "ada_rd.yaml", "--functions", 8, "--dimensions", 2, "--instances", 1, "--budget", 30)
    assert sacma("run", *arguments, cwd=tmp_path).returncode == 0
    (path,) = (tmp_path / "results").rglob("*.record")
    again = successful("replay", path, cwd=tmp_path)
    assert "ADA-RD on f8, 2-D, instance 1" in again.stdout
    assert again.stdout.endswith("bit-identical\n")
    other = tmp_path / "other.record"
    trace = record.trace.copy()
    sigma = trace["sigma"]
    sigma[1] = 7.0
    other.write_bytes(encode(replace(record, trace=trace)))
    differs = sacma("replay", other, cwd=tmp_path)
    assert differs.returncode == 1
    assert "differs first at generation 2: sigma was 7.0, is" in differs.stderr
    other.write_bytes(path.read_bytes()[:-1])
    assert "its checksum does not match" in refusal("replay", other, cwd=tmp_path)
