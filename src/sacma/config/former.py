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

FORMER_KEYS: Mapping[str, str] = {
    **{key: f"sampling.{key}" for key in ("sigma0", "population_size", "population_multiple", "active", "bounds")},
    **{key: f"restarts.{key}" for key in ("initial_range", "population_factor", "max_restarts", "after_last_restart")},
    **{
        key: f"model.{key}"
        for key in ("length_start", "signal_std_start", "noise_std_start", "warm_start", "trees", "leaf_size")
    },
    **{
        key: f"control.{key}"
        for key in (
            *("model_generations", "transfer", "transfer_steepness", "error_threshold", "update_rate"),
            *("max_model_generations", "raises_predictions"),
        )
    },
    **{key: f"training_set.{key}" for key in ("n_req_factor", "n_max_factor")},
    "training_radius": "training_set.radius",
    "selection": "training_set.selection: {name: …}",
    "model_error": "control.error: {name: …}",
    "criterion": "control.criterion: {name: …}",
    "share": "control.share: {name: constant, value: …}",
    "adapts_share": "control.share: {name: adaptive}",
    "smallest_share": "control.share.smallest",
    "largest_share": "control.share.largest",
    "error_update_rate": "control.share.error_update_rate",
    "first_error": "control.share.first_error",
    "trained_on": "sampling: {name: cma-es-as-run}",
    "rejected_model": "acceptance: {name: spans-sample-as-run}",
    "likelihood_starts": "model: {name: gaussian-process-as-run}",
    "second_search_below": "model: {name: gaussian-process-as-run}",
    "restart_from": "restarts: {name: ipop-as-run}",
    "survives_restart": "restarts: {name: ipop-as-run}",
    "evaluate_means": "restarts: {name: ipop-as-run}",
    "failed_training": "control: {name: adaptive-generations-as-run}",
    "error_floor": "control: {name: adaptive-generations-as-run}",
    "initial_error": "control: {name: adaptive-generations-as-run}",
    "kendall_tau": "control.error: {name: kendall-as-run}",
    "rank_over": "control.error: {name: ranking-difference-as-run}",
    "kl_scale": "control.error: {name: kullback-leibler-as-run}",
    "kl_discount": "control.error: {name: kullback-leibler-as-run}",
}
"""Replacements of former settings of ``surrogate-cmaes``."""


def former_keys(algorithm: str) -> Mapping[str, str]:
    """Return the former settings of an algorithm."""
    return FORMER_KEYS if algorithm == "surrogate-cmaes" else {}
