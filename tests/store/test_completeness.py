"""Finished and missing trials, the order in which they run, and their cost."""

from collections.abc import Callable
from itertools import chain

import pytest

from sacma.cli.tables import missing_lines
from sacma.config.plan import TrialSpec, plan
from sacma.config.study import Study
from sacma.experiment.cost import CostModel, shipped_seconds, work_in
from sacma.store.completeness import Completeness, shard, to_run
from sacma.store.outcome import FailureKind, TrialFailure, decode_failure, encode_failure


@pytest.fixture
def specs(study: Callable[..., Study]) -> tuple[TrialSpec, ...]:
    return plan([study("cmaes", functions="1-3,8", dimensions="2,5", instances="1-5")])


@pytest.mark.parametrize("of", [1, 2, 3, 7, 50])
def test_shards_are_a_partition(specs: tuple[TrialSpec, ...], of: int) -> None:
    """Every trial is in exactly one shard, and shards differ in size by one at most."""
    shards = [shard(specs, number, of) for number in range(1, of + 1)]
    assert sorted(spec.key for spec in chain.from_iterable(shards)) == sorted(spec.key for spec in specs)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def failure(spec: TrialSpec) -> TrialFailure:
    return TrialFailure(spec, FailureKind.TIMEOUT, "it took longer than 1 s", "words\nof it", 2, "2026-01-01")


def test_failed_trials_come_last(specs: tuple[TrialSpec, ...]) -> None:
    """All missing ones are run, the failed ones after the others, or alone if so asked."""
    failed = {spec.key: failure(spec) for spec in specs[:3]}
    completeness = Completeness(specs, {}, failed, ())
    order = to_run(completeness)
    assert set(order) == set(specs)
    assert set(order[-3:]) == set(specs[:3]) == set(to_run(completeness, failed_only=True))


def test_failures_come_back(specs: tuple[TrialSpec, ...]) -> None:
    """A failure file is read as it was written; anything else is no failure."""
    content = encode_failure(failure(specs[0]))
    assert decode_failure(content) == failure(specs[0])
    assert decode_failure(content[:-9]) is None
    assert decode_failure(b"[]") is None


def test_missing_trials_in_short(specs: tuple[TrialSpec, ...]) -> None:
    """A line an algorithm and dimension, functions with the same instances together."""
    assert missing_lines(Completeness(specs, {}, {}, ())) == [
        "CMA-ES 2-D: f1-3,8 instances 1-5",
        "CMA-ES 5-D: f1-3,8 instances 1-5",
    ]
    few = Completeness(specs[:1] + specs[5:7], {}, {}, ())
    assert missing_lines(few) == ["CMA-ES 2-D: f1 instances 1; f2 instances 1,2"]


def test_costs_follow_what_is_seen(specs: tuple[TrialSpec, ...]) -> None:
    """Shipped figures at first; then this machine's speed for all, and a kind's own once it is known."""
    costs = CostModel()
    small, large = ([spec for spec in specs if spec.dimension == D] for D in (2, 5))
    shipped = sum(map(shipped_seconds, specs))
    assert costs.seconds(work_in(specs)) == pytest.approx(shipped)
    for spec in small:
        costs.learn(spec, 3 * shipped_seconds(spec))
    assert costs.seconds(work_in(large)) == pytest.approx(3 * sum(map(shipped_seconds, large)))
    for spec in large:
        costs.learn(spec, 12 * shipped_seconds(spec))
    ratio = costs.seconds(work_in(large)) / sum(map(shipped_seconds, large))
    assert ratio == pytest.approx(12, rel=0.1)
    assert costs.seconds(work_in(small)) / sum(map(shipped_seconds, small)) == pytest.approx(3, rel=0.5)
