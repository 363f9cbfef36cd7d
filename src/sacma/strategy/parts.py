"""Registries of samplings, restarts and acceptances, one line a kind."""

from typing import TYPE_CHECKING, Any

from sacma.surrogate.part import kinds, one_of

SAMPLINGS = kinds("sacma.strategy.cma_es:CMAESSampling", "sacma.strategy.as_run.sampling:CMAESAsRun")
RESTARTS = kinds(
    "sacma.strategy.restarts:IPOP", "sacma.strategy.restarts:BIPOP", "sacma.strategy.as_run.restarts:IPOPAsRun"
)
ACCEPTANCES = kinds("sacma.strategy.acceptance:RanksPopulation", "sacma.strategy.as_run.acceptance:SpansSample")

if TYPE_CHECKING:
    AnySampling = Any
    AnyRestarts = Any
    AnyAcceptance = Any
else:
    AnySampling = one_of(SAMPLINGS, "cma-es")
    AnyRestarts = one_of(RESTARTS, "ipop")
    AnyAcceptance = one_of(ACCEPTANCES, "ranks-population")
