"""The strategies that a call can name: the six of the study."""

import difflib
from collections.abc import Mapping

from pydantic import ValidationError

from sacma.files.printable import shown
from sacma.optimize.arguments import refuse, whole
from sacma.strategy.settings import AdaptiveSCMAESSettings, CMAESSettings, SCMAESSettings

SURROGATES: Mapping[str, CMAESSettings] = {
    "none": CMAESSettings(),
    "gp-1": SCMAESSettings(training_radius=64.0, model_generations=1),
    "gp-5": SCMAESSettings(training_radius=64.0, model_generations=5),
    "ada-kl": AdaptiveSCMAESSettings(
        training_radius=64.0, model_error="kullback_leibler", error_threshold=0.9, update_rate=0.5
    ),
    "ada-kendall": AdaptiveSCMAESSettings(training_radius=64.0, model_error="kendall"),
    "ada-rd": AdaptiveSCMAESSettings(training_radius=64.0, model_error="ranking_difference", transfer="T1"),
}
"""By name; a test holds them against the study's configs."""

KINDS: Mapping[str, type[CMAESSettings]] = {
    kind.__name__: kind for kind in (CMAESSettings, SCMAESSettings, AdaptiveSCMAESSettings)
}
"""Of settings, by the name that journals give them."""


def settings_of(surrogate: object, *, sigma0: float, bounded: bool, population_size: object = None) -> CMAESSettings:
    """Return the settings of a run.

    Args:
        surrogate: a name, None for "none", or settings, of which ``sigma0`` and ``initial_range`` have no effect.
        sigma0: σ₀ of the call, in units of the scale.
        bounded: whether the call has a bound. Then settings without a handling of bounds get the penalty; else those
            with one get none.
        population_size: λ of the first run instead of the settings'; None: theirs.

    Raises:
        TypeError: ``surrogate`` is neither a name nor settings.
        ValueError: a name or a population size that is not allowed.
    """
    settings = _named(surrogate)
    changes: dict[str, object] = {"sigma0": sigma0}
    if population_size is not None:
        allowed = "an integer from 4 to 100000, or None for the strategy's own"
        changes["population_size"] = whole("population_size", population_size, allowed, least=4, most=100_000)
    if bounded and settings.bounds == "none":
        changes["bounds"] = "penalty"
    if not bounded:
        changes["bounds"] = "none"
        if "trained_on" in type(settings).model_fields:
            changes["trained_on"] = "sampled"
    try:
        return type(settings).model_validate({**settings.model_dump(), **changes})
    except ValidationError as error:  # an object that was made without validation
        raise ValueError(
            f"surrogate is {shown(surrogate)}; allowed: settings that are valid: {error.errors()[0]['msg']}"
        ) from None


def _named(surrogate: object) -> CMAESSettings:
    names = ", ".join(SURROGATES)
    if surrogate is None:
        return SURROGATES["none"]
    if isinstance(surrogate, str):
        if surrogate not in SURROGATES:
            near = difflib.get_close_matches(surrogate[:20].lower(), SURROGATES, n=1)
            refuse("surrogate", surrogate, f"one of {names}" + (f"; is it {near[0]}?" if near else ""))
        return SURROGATES[surrogate]
    if not isinstance(surrogate, CMAESSettings) or type(surrogate) not in KINDS.values():
        refuse("surrogate", surrogate, f"one of {names}, or a {', '.join(KINDS)}", of_type=True)
    return surrogate
