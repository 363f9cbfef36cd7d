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
    """One generation; fields that do not apply are NaN, 0 or empty."""

    generation: int  # counted from 1 over all restarts
    restart: int  # number of restarts before it
    evaluated_by: EvaluatedBy  # f or the model
    population_size: int  # λ
    true_evaluations: int  # of f, up to and including this generation
    sigma: float  # σ that the population was sampled with
    best_value: float  # lowest true value so far
    model_generations: int = 0  # g_m, decided in this generation if true-evaluated
    error: float = math.nan  # ε of the earlier model on this population
    smoothed_error: float = math.nan  # ε_s
    training_set_size: int = 0  # n_tr
    fit_status: str = ""  # outcome of the training
    likelihood_evaluations: int = 0  # of the training
    half_evaluations: int = 0  # of the training, on half the points
    jitters: int = 0  # increases of η of the starts until A had a factor
    searched_from: str = ""  # start of the likelihood search
    fit_seconds: float = 0.0  # CPU seconds of training-set selection and training
    predict_seconds: float = 0.0  # CPU seconds of predictions
    strategy_seconds: float = 0.0  # CPU seconds of sampling, update and stop conditions
