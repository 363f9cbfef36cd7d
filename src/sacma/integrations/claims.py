"""Data of the sampler in Optuna's storages: integers and digests in the system attributes of trials.

They name trials by number. Points and values are the trials' own, and the state of the optimizer follows from both.
A damaged or foreign record is treated as absent.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

CLAIM, FOUNDING = "sacma:claim", "sacma:run"  # keys of system attributes

MOST = 100_000  # trials in a list, and the largest place in a population
LARGEST = 2**63 - 1  # largest number of a trial or a population
LARGEST_SEED = 2**128 - 1


@dataclass(frozen=True)
class Closing:
    """The trials from which the strategy learned as a population ended."""

    evaluated: tuple[int, ...]  # trials of its points, in the order of the points
    learned: tuple[int, ...]  # other trials, which only models see


@dataclass(frozen=True)
class PointClaim:
    """The point that a trial was given."""

    trial: int  # with this claim; a retried trial has a copy of another's
    founder: int  # trial that began the run
    population: int  # from 0
    place: int | None  # of its point in the population; None: a further point
    closing: Closing | None  # of the population before


@dataclass(frozen=True)
class Founding:
    """The beginning of a run by a trial."""

    trial: int  # with which the run began
    call: str  # digest of settings and search space
    seed: int
    learned: tuple[int, ...]  # trials that models know from the start


def stored(record: PointClaim | Founding) -> dict[str, Any]:
    """Return a record as storages take it: JSON."""
    return asdict(record)


def claim_of(number: int, attributes: Mapping[str, Any]) -> PointClaim | None:
    """Return the claim of trial ``number``, None where it has none of its own."""
    match attributes.get(CLAIM):
        case {"trial": trial, "founder": founder, "population": population, "place": place, "closing": closing} if (
            trial == number
            and _is_whole(founder)  # of several trials that begin at a time a later one may be the first to sample
            and _is_whole(population)
            and (place is None or _is_whole(place, MOST))
        ):
            closed = _closing(closing)
            return (
                PointClaim(number, founder, population, place, closed)
                if (closed is None) == (population == 0)
                else None
            )
    return None


def founding_of(number: int, attributes: Mapping[str, Any]) -> Founding | None:
    """Return the run that trial ``number`` began, None where it began none."""
    match attributes.get(FOUNDING):
        case {"trial": trial, "call": str(call), "seed": seed, "learned": learned} if (
            trial == number and _is_whole(seed, LARGEST_SEED) and (trials := _trials(learned)) is not None
        ):
            return Founding(number, call, seed, trials)
    return None


def _closing(content: object) -> Closing | None:
    match content:
        case {"evaluated": evaluated, "learned": learned}:
            trials = _trials(evaluated), _trials(learned)
            if trials[0] is not None and trials[1] is not None:
                return Closing(trials[0], trials[1])
    return None


def _trials(content: object) -> tuple[int, ...] | None:
    if isinstance(content, list | tuple) and len(content) <= MOST and all(_is_whole(number) for number in content):
        return tuple(content)
    return None


def _is_whole(value: object, most: int = LARGEST) -> bool:
    return type(value) is int and 0 <= value <= most
