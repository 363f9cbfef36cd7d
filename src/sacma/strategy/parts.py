"""Registries of the parts of a strategy that need no folder of their own; a line here adds a kind."""

from sacma.surrogate.part import kinds

SAMPLINGS = kinds("sacma.strategy.cma_es:CMAESSampling", "sacma.strategy.as_run.sampling:CMAESAsRun")
RESTARTS = kinds("sacma.strategy.restarts:IPOP", "sacma.strategy.as_run.restarts:IPOPAsRun")
ACCEPTANCES = kinds("sacma.strategy.acceptance:RanksPopulation", "sacma.strategy.as_run.acceptance:SpansSample")
