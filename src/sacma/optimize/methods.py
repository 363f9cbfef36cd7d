"""Methods of a call: the shipped configs by name, and algorithms of the registry with settings."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from sacma.algorithms.base import Algorithm
from sacma.algorithms.registry import ALGORITHMS, BUILT_IN
from sacma.algorithms.surrogate_cmaes import surrogate_cmaes
from sacma.config.study import load_study
from sacma.config.templates import template_paths
from sacma.files.printable import shown
from sacma.optimize.arguments import refuse, whole
from sacma.strategy.settings import StrategySettings

DEFAULT = "sacma"

# The words of a refusal for methods with populations.
COMPOSED = "sacma, ada-kendall, dts-cmaes, cmaes and others of sacma's own strategies"


@dataclass(frozen=True)
class Method:
    """An algorithm with settings."""

    algorithm: str  # name in the registry
    settings: BaseModel

    @property
    def composed(self) -> StrategySettings | None:
        """The settings, for a strategy composed of parts."""
        return self.settings if isinstance(self.settings, StrategySettings) else None

    @property
    def strategy(self) -> StrategySettings | None:
        """The settings of a strategy that is asked and told; None for an algorithm that calls f itself.

        An algorithm of a user's own calls f, though its settings be those of a strategy: it may do more than run it.
        """
        return self.composed if self.algorithm == surrogate_cmaes.name else None

    @property
    def allows_discrete(self) -> bool:
        """False for algorithms that can stand still on a plateau, as where f takes integers."""
        needs_box = getattr(self.settings, "needs_box", False)
        return self.strategy is not None or needs_box or ALGORITHMS[self.algorithm] not in BUILT_IN


NEAR = 0.7  # least likeness of a name that is suggested: of 'cmeas' and 'cmaes' 0.8, of 'bayes' and 'cmaes' 0.6


def _plain(name: str) -> str:
    """Return a name in lower case, with hyphens for underscores."""
    return name.lower().replace("_", "-")


@cache
def _configs() -> dict[str, Path]:
    """Return the shipped configs of the study and the baselines by their names in a call."""
    paths = [path for path in template_paths() if path.suffix == ".yaml"]
    return {_plain(path.stem): path for path in paths if path.parent.name in {"configs", "baselines"}}


@cache
def named(name: str) -> Method:
    """Return the method of a shipped config.

    >>> named("cobyqa").settings.method
    'cobyqa'
    """
    study = load_study(_configs()[name])
    return Method(study.algorithm, study.settings)


def names() -> list[str]:
    """Return the names of all methods."""
    return list(_configs())


def composed() -> list[str]:
    """Return the names of the methods that are strategies composed of parts."""
    return [name for name in names() if named(name).strategy is not None]


def method_of(
    given: object, *, sigma0: float, bounded: bool, boxed: bool = True, population_size: object = None
) -> Method:
    """Return the method of a call with σ₀ in units of the scale.

    A strategy without a handling of bounds gets the penalty if the call is ``bounded``; one with it gets none if not.
    Another algorithm gets σ₀, ``within_box`` and the population size, where it has such settings.

    Args:
        given: name or settings.
        sigma0: σ₀.
        bounded: True if any coordinate has a bound.
        boxed: True if all coordinates have two finite bounds.
        population_size: λ; None: the method's own.

    Raises:
        ValueError or TypeError: there is no such method, or no such population.
        ImportError: a package that the method needs is not installed.
    """
    method = _chosen(given)
    fields = type(method.settings if method.composed is None else method.composed.sampling).model_fields
    changes: dict[str, object] = {"sigma0": sigma0}
    if population_size is not None:
        if "population_size" not in fields:
            needed = "None with this method, which has no populations of a given size"
            refuse("population_size", population_size, needed)
        allowed = "an integer from 4 to 100000, or None for the method's own"
        changes["population_size"] = whole("population_size", population_size, allowed, least=4, most=100_000)
    if not boxed and getattr(method.settings, "needs_box", False):
        refuse("method", given, "with two finite bounds of each coordinate, within which it draws its points")
    if method.composed is not None:
        changes = _in_parts(method.composed, changes, bounded=bounded)
    else:
        changes = {key: value for key, value in {**changes, "within_box": bounded}.items() if key in fields}
    try:
        settings = type(method.settings).model_validate({**method.settings.model_dump(), **changes})
    except ValidationError as error:  # an object that was made without validation
        refuse("method", given, f"settings that are valid: {error.errors()[0]['msg']}")
    if (missing := ALGORITHMS[method.algorithm].missing(settings)) is not None:  # before anything is paid for
        raise ImportError(f"method is {shown(given)}: {missing}")
    return Method(method.algorithm, settings)


def _in_parts(settings: StrategySettings, changes: Mapping[str, object], *, bounded: bool) -> dict[str, object]:
    """Return the parts of a strategy that change: its sampling, and with a population size its restarts."""
    sampling, parts = {**settings.sampling.model_dump(), **changes}, {}
    if "population_size" in changes:  # that of the first run: nothing else multiplies it
        if "population_multiple" in sampling:
            sampling["population_multiple"] = 1.0
        if "first_factor" in type(settings.restarts).model_fields:
            parts["restarts"] = {**settings.restarts.model_dump(), "first_factor": 1.0}
    if bounded != (settings.sampling.bounds != "none"):
        sampling["bounds"] = "penalty" if bounded else "none"
    return {"sampling": sampling, **parts}


def _chosen(given: object) -> Method:
    if isinstance(given, Method):
        return given
    if isinstance(given, StrategySettings):
        return Method(surrogate_cmaes.name, given)
    if isinstance(given, str):
        return _of_name(given)
    name = next((name for name, algorithm in ALGORITHMS.items() if type(given) is algorithm.settings), None)
    if name is None or not isinstance(given, BaseModel):
        allowed = "the name of a method, such as 'sacma', or settings of a registered algorithm"
        refuse("method", given, f"{allowed}; of your own its name, once its package is installed", of_type=True)
    return Method(name, given)


def _of_name(given: str) -> Method:
    """Return the method of a config, or an algorithm of the registry with its defaults."""
    if (plain := _plain(given)) in _configs():
        return named(plain)
    if given not in ALGORITHMS.keys() - {surrogate_cmaes.name}:
        start = given[:20].lower()
        near = [name for name in names() if start and name.startswith(start)]
        near = near or difflib.get_close_matches(start, names(), n=1, cutoff=NEAR)
        refuse("method", given, ", ".join(sorted(names())) + (f"; is it {near[0]}?" if near else ""))
    try:
        return Method(given, ALGORITHMS[given].settings())
    except ValidationError:
        refuse("method", given, f"settings of {given}, an object of its class of settings: not each has a default")


def registered(name: str) -> Algorithm:
    """Return an algorithm by its name in the registry; a ValueError where there is none."""
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm is {shown(name)}, not one of {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
