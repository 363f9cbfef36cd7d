"""Settings of the strategy: its parts.

The defaults are the values that the paper prints, but for the radius, with which its experiments did not run. Where
the paper is silent they are our choice, mostly not that of its authors' code, whose values are in ``configs/as_run``.
Importing this module is cheap: it needs neither pycma nor SciPy nor Numba.
"""

from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from sacma.strategy.acceptance import RanksPopulation
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.control import AnyControl
from sacma.strategy.control.none import NoControl
from sacma.strategy.parts import AnyAcceptance, AnyRestarts, AnySampling
from sacma.strategy.proposals import AnyProposals
from sacma.strategy.proposals.none import NoProposals
from sacma.strategy.restarts import IPOP
from sacma.strategy.starts import AnyStart
from sacma.strategy.training import TrainingSetSettings
from sacma.surrogate.models import MODELS, AnyModel
from sacma.surrogate.part import Part, Settings

_USED = {
    "control": {"uses_model": "True or False"},
    "sampling": {"sigma0": "the initial standard deviation", "bounds": "'none' or 'penalty'"},
    "restarts": {"initial_range": "the half width of the box of initial points"},
}
"""Attributes of parts that others than the strategy itself use: a part of a user's own may lack them."""


class StrategySettings(Settings):
    """CMA-ES with restarts and, if a model is given, a surrogate that saves evaluations of f."""

    model: Annotated[AnyModel | None, Field(description="the surrogate; null: all points are evaluated with f")] = None
    training_set: Annotated[TrainingSetSettings, Field(description="archived points that the model is trained on")] = (
        TrainingSetSettings()
    )
    acceptance: Annotated[AnyAcceptance, Field(description="test that trained models must pass")] = RanksPopulation()
    control: Annotated[AnyControl, Field(description="generations or points to be evaluated with f")] = NoControl()
    proposals: Annotated[AnyProposals, Field(description="points for f besides the sampled ones")] = NoProposals()
    sampling: Annotated[AnySampling, Field(description="CMA-ES between two restarts")] = CMAESSampling()
    start: Annotated[
        AnyStart | None,
        Field(description="search before the first run of CMA-ES, which starts at its best point; null: none"),
    ] = None
    restarts: Annotated[AnyRestarts, Field(description="starts of further runs")] = IPOP()

    @model_validator(mode="after")
    def _parts_have_what_is_used(self) -> "StrategySettings":
        for key, names in _USED.items():
            part = getattr(self, key)
            for name, meaning in names.items():
                if not hasattr(part, name):
                    what = f"{key}: {type(part).__name__} has no {name}, {meaning}"
                    raise ValueError(f"{what}: see 'How to add' in CONTRIBUTING.md")
        return self

    @model_validator(mode="after")
    def _parts_have_an_effect(self) -> "StrategySettings":
        if self.control.uses_model and self.model is None:
            raise ValueError(
                f"control {self.control.name} needs a model; add model: {{name: gaussian-process}}, "
                f"or another of {', '.join(MODELS)}"
            )
        if not self.control.uses_model:
            for key in ("model", "training_set", "acceptance", "proposals"):
                if getattr(self, key) != type(self).model_fields[key].default:
                    raise ValueError(
                        f"{key} has no effect with control: {{name: none}}; leave it out, or add a control"
                    )
        return self

    @property
    def parts(self) -> Iterator[Part]:
        """All parts chosen by name, parts of parts included."""
        return _parts_of(self)

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """Modules that the parts import, each with the extra of sacma that installs it."""
        return tuple(part.needs for part in self.parts if part.needs is not None)

    def prepare(self) -> None:
        """Import and compile the code of the parts, once a process: before any trial is timed, or f is paid for."""
        for part in self.parts:
            if (which := repr(part)) not in _prepared:
                part.prepare()
                _prepared.add(which)


_prepared: set[str] = set()
"""Parts whose code this process has loaded."""


def _parts_of(settings: BaseModel) -> Iterator[Part]:
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, BaseModel):
                if isinstance(each, Part):
                    yield each
                yield from _parts_of(each)
