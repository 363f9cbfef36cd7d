"""Studies as results folders hold them."""

from collections.abc import Callable

import pytest

from sacma.config.study import Study
from sacma.store.stored_study import StoredStudy

MakeStudy = Callable[..., Study]


def test_parts_belong_together(study: MakeStudy) -> None:
    """Of another budget, seed or suite they are no extension, whoever wrote the file."""
    first = study("cmaes", functions="1", dimensions="2", instances="1-2", budget=20)
    more = study("cmaes", functions="8", dimensions="3", instances="5", budget=20)
    whole = StoredStudy((first,)).extended_by(more)
    assert StoredStudy.load(whole.dump(), first.name) == whole
    others: dict[str, dict[str, object]] = {
        "budget": {"budget": 40},
        "seed": {"seed": 7},
        "suite": {"suite": "bbob-largescale", "dimensions": "80"},
    }
    for changed in others.values():
        protocol = {"functions": "1", "dimensions": "2", "instances": "3", "budget": 20, **changed}
        other = StoredStudy((study("cmaes", **protocol),))
        with pytest.raises(ValueError, match="its parts differ"):
            StoredStudy.load([*whole.dump(), *other.dump()], first.name)


def test_a_bounded_number_of_trials(study: MakeStudy) -> None:
    """Over all parts."""
    part = StoredStudy(
        (study("cmaes", functions="1-24", dimensions="2,3,5,10,20", instances="1-1000", budget=20),)
    ).dump()
    StoredStudy.load(part * 16, "CMA-ES")
    with pytest.raises(ValueError, match="2,040,000 trials; allowed: 2,000,000"):
        StoredStudy.load(part * 17, "CMA-ES")
