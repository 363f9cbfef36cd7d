"""The strategies that a call can name: those of the shipped configs."""

import difflib
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from sacma.config.study import load_study
from sacma.config.templates import template_paths
from sacma.files.printable import shown
from sacma.optimize.arguments import refuse, whole
from sacma.strategy.settings import StrategySettings

PLAIN = "cmaes"  # the strategy without a surrogate


@cache
def _configs() -> dict[str, Path]:
    """Return the shipped configs of the study and the baselines by their names in a call."""
    paths = [path for path in template_paths() if path.suffix == ".yaml"]
    return {path.stem.replace("_", "-"): path for path in paths if path.parent.name in {"configs", "baselines"}}


@cache
def named(name: str) -> StrategySettings | None:
    """Return the settings of a shipped config, None where it is of another algorithm.

    >>> named("ada-kendall").control.error.name
    'kendall'
    """
    settings = load_study(_configs()[name]).settings
    return settings if isinstance(settings, StrategySettings) else None


def names() -> list[str]:
    """Return the names of all strategies."""
    return [name for name in _configs() if named(name) is not None]


def settings_of(surrogate: object, *, sigma0: float, bounded: bool, population_size: object = None) -> StrategySettings:
    """Return the settings of a run with σ₀ in units of the scale; see ``SurrogateCMAES`` for ``surrogate``.

    If the call is ``bounded``, settings without a handling of bounds get the penalty; else those with one get none.
    """
    settings = _chosen(surrogate)
    changes: dict[str, object] = {"sigma0": sigma0}
    if population_size is not None:
        allowed = "an integer from 4 to 100000, or None for the strategy's own"
        changes["population_size"] = whole("population_size", population_size, allowed, least=4, most=100_000)
        changes["population_multiple"] = 1.0
    if bounded != (settings.sampling.bounds != "none"):
        changes["bounds"] = "penalty" if bounded else "none"
    content = settings.model_dump()
    try:
        return StrategySettings.model_validate({**content, "sampling": {**content["sampling"], **changes}})
    except ValidationError as error:  # an object that was made without validation
        raise ValueError(
            f"surrogate is {shown(surrogate)}; allowed: settings that are valid: {error.errors()[0]['msg']}"
        ) from None


def _chosen(surrogate: object) -> StrategySettings:
    if isinstance(surrogate, StrategySettings):
        return surrogate
    if surrogate is not None and not isinstance(surrogate, str):
        refuse("surrogate", surrogate, f"one of {', '.join(names())}, or StrategySettings", of_type=True)
    name = PLAIN if surrogate is None else surrogate
    settings = named(name) if name in _configs() else None
    if settings is None:
        near = difflib.get_close_matches(name[:20].lower(), names(), n=1)
        refuse("surrogate", surrogate, f"one of {', '.join(names())}" + (f"; is it {near[0]}?" if near else ""))
    return settings
