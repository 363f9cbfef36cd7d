"""Settings of the strategy: its parts.

The defaults are the values that the paper prints, but for the radius, with which its experiments did not run. Where
the paper is silent they are our choice, mostly not that of its authors' code, whose values are in ``configs/as_run``.
Importing this module is cheap: it needs neither pycma nor SciPy nor Numba.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, model_validator

from sacma.strategy.approximate_ranking import ApproximateRanking
from sacma.strategy.as_run import (
    AdaptiveGenerationsAsRun,
    CMAESAsRun,
    GaussianProcessAsRun,
    GenerationsAsRun,
    IPOPAsRun,
    SpansSample,
)
from sacma.strategy.best_first import BestFirst
from sacma.strategy.cma_es import CMAESSampling
from sacma.strategy.control import NoControl
from sacma.strategy.doubly_trained import DoublyTrained
from sacma.strategy.generation_control import AdaptiveGenerations, Generations
from sacma.strategy.lifelength import Lifelength
from sacma.strategy.proposals import ModelOptimum, NoProposals
from sacma.strategy.ranking_model import RankingSVMModel
from sacma.strategy.restarts import BIPOP, IPOP
from sacma.strategy.training import RanksPopulation, TrainingSetSettings
from sacma.strategy.trust_region import TrustRegion
from sacma.surrogate.models import (
    Competition,
    GaussianProcessModel,
    LocalQuadraticModel,
    QuadraticProcessModel,
    RandomForestModel,
    WarpedProcessModel,
)
from sacma.surrogate.part import Kinds, Part, Settings, parts_within

# The registries of parts, one line a kind; those of parts of parts are beside these: ``errors``, ``criteria``, …
MODELS = Kinds(
    GaussianProcessModel,
    WarpedProcessModel,
    QuadraticProcessModel,
    Competition,
    LocalQuadraticModel,
    RankingSVMModel,
    RandomForestModel,
    GaussianProcessAsRun,
    usual="gaussian-process",
)
ACCEPTANCES = Kinds(RanksPopulation, SpansSample, usual="ranks-population")
CONTROLS = Kinds(
    NoControl,
    Generations,
    AdaptiveGenerations,
    DoublyTrained,
    ApproximateRanking,
    BestFirst,
    Lifelength,
    GenerationsAsRun,
    AdaptiveGenerationsAsRun,
)
PROPOSALS = Kinds(NoProposals, ModelOptimum)
SAMPLINGS = Kinds(CMAESSampling, CMAESAsRun, usual="cma-es")
STARTS = Kinds(TrustRegion)
RESTARTS = Kinds(IPOP, BIPOP, IPOPAsRun, usual="ipop")

AnyModel = Annotated[Any, MODELS]
AnyControl = Annotated[Any, CONTROLS]


class StrategySettings(Settings):
    """CMA-ES with restarts and, if a model is given, a surrogate that saves evaluations of f."""

    model: Annotated[AnyModel | None, Field(description="the surrogate; null: all points are evaluated with f")] = None
    training_set: Annotated[TrainingSetSettings, Field(description="archived points that the model is trained on")] = (
        TrainingSetSettings()
    )
    acceptance: Annotated[Any, ACCEPTANCES, Field(description="test that trained models must pass")] = RanksPopulation()
    control: Annotated[AnyControl, Field(description="generations or points to be evaluated with f")] = NoControl()
    proposals: Annotated[Any, PROPOSALS, Field(description="points for f besides the sampled ones")] = NoProposals()
    sampling: Annotated[Any, SAMPLINGS, Field(description="CMA-ES between two restarts")] = CMAESSampling()
    start: Annotated[
        Annotated[Any, STARTS] | None,
        Field(description="search before the first run of CMA-ES, which starts at its best point; null: none"),
    ] = None
    restarts: Annotated[Any, RESTARTS, Field(description="starts of further runs")] = IPOP()

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
        return iter(parts_within(self))

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


_prepared: set[str] = set()  # parts whose code this process has loaded
