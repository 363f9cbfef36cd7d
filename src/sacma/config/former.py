"""Former names of algorithms and settings, and their replacements, for error messages."""

from collections.abc import Mapping

_MODEL = "model: {name: gaussian-process}"

FORMER_ALGORITHMS: Mapping[str, str] = {
    "cmaes": "surrogate-cmaes",
    "scmaes": f"surrogate-cmaes with {_MODEL} and control: {{name: generations, model_generations: 1}}",
    "ascmaes": f"surrogate-cmaes with {_MODEL} and control: {{name: adaptive-generations, error: {{name: kendall}}}}",
    "dtscmaes": f"surrogate-cmaes with {_MODEL}, sampling: {{name: cma-es, population_multiple: 2}} and "
    "control: {name: doubly-trained}",
    "forestscmaes": "surrogate-cmaes with model: {name: random-forest} and control: {name: generations}",
    "lqcmaes": "lq-cmaes",
    "bipopcmaes": "bipop-cmaes",
    "local_search": "local-search",
    "random_search": "random-search",
}
"""Replacements of former algorithms."""

_SECTIONS = {
    "sampling": "sigma0 population_size population_multiple active bounds",
    "restarts": "initial_range population_factor max_restarts after_last_restart",
    "model": "length_start signal_std_start noise_std_start warm_start trees leaf_size",
    "control": "model_generations transfer transfer_steepness error_threshold update_rate max_model_generations "
    "raises_predictions",
    "training_set": "n_req_factor n_max_factor",
}  # keys of the same name, by the part that they are below now
_REPLACED = {
    "training_set.radius": "training_radius",
    "training_set.selection: {name: …}": "selection",
    "control.error: {name: …}": "model_error",
    "control.criterion: {name: …}": "criterion",
    "control.share: {name: constant, value: …}": "share",
    "control.share: {name: adaptive}": "adapts_share",
    "control.share.smallest": "smallest_share",
    "control.share.largest": "largest_share",
    "control.share.error_update_rate": "error_update_rate",
    "control.share.first_error": "first_error",
    "sampling: {name: cma-es-as-run}": "trained_on",
    "acceptance: {name: spans-sample-as-run}": "rejected_model",
    "model: {name: gaussian-process-as-run}": "likelihood_starts second_search_below",
    "restarts: {name: ipop-as-run}": "restart_from survives_restart evaluate_means",
    "control: {name: adaptive-generations-as-run}": "failed_training error_floor initial_error",
    "control.error: {name: kendall-as-run}": "kendall_tau",
    "control.error: {name: ranking-difference-as-run}": "rank_over",
    "control.error: {name: kullback-leibler-as-run}": "kl_scale kl_discount",
}  # former keys by what is written instead
FORMER_KEYS: Mapping[str, str] = {
    **{key: f"{part}.{key}" for part, keys in _SECTIONS.items() for key in keys.split()},
    **{key: instead for instead, keys in _REPLACED.items() for key in keys.split()},
}
"""Replacements of former settings of ``surrogate-cmaes``."""


def former_keys(algorithm: str) -> Mapping[str, str]:
    """Return the former settings of an algorithm."""
    return FORMER_KEYS if algorithm == "surrogate-cmaes" else {}
