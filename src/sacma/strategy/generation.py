"""The record of one generation in a trace."""

import math
from dataclasses import dataclass
from enum import StrEnum


class EvaluatedBy(StrEnum):
    """Source of a generation's values."""

    TRUTH = "true"
    MODEL = "model"


@dataclass(frozen=True)
class Generation:
    """One generation; fields that do not apply are NaN, 0 or empty.

    Args:
        generation: counted from 1 over all restarts.
        restart: number of restarts before it.
        evaluated_by: f or the model.
        population_size: λ.
        true_evaluations: of f, up to and including this generation.
        model_generations: g_m, decided in this generation if true-evaluated.
        error: ε of the earlier model on this population.
        smoothed_error: ε_s.
        training_set_size: n_tr.
        fit_status: outcome of the training.
        likelihood_evaluations: of the training.
        half_evaluations: of the training, on half the points.
        jitters: increases of η of the starts until A had a factor.
        searched_from: start of the likelihood search.
        sigma: σ that the population was sampled with.
        best_value: lowest true value so far.
        fit_seconds: CPU seconds of training-set selection and training.
        predict_seconds: CPU seconds of predictions.
        strategy_seconds: CPU seconds of sampling, update and stop conditions.
    """

    generation: int
    restart: int
    evaluated_by: EvaluatedBy
    population_size: int
    true_evaluations: int
    sigma: float
    best_value: float
    model_generations: int = 0
    error: float = math.nan
    smoothed_error: float = math.nan
    training_set_size: int = 0
    fit_status: str = ""
    likelihood_evaluations: int = 0
    half_evaluations: int = 0
    jitters: int = 0
    searched_from: str = ""
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    strategy_seconds: float = 0.0
