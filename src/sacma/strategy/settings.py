"""The settings of the strategies: names, ranges, and the only place that knows a default.

The defaults are the paper's values, or, where the paper is silent, those of its authors' published code.
Importing this module is cheap: nothing here needs pycma.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class CMAESSettings(BaseModel):
    """CMA-ES with IPOP restarts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sigma0: Annotated[float, Field(gt=0, le=1e10, description="initial step size σ₀")] = 8.0 / 3.0
    initial_range: Annotated[
        float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")
    ] = 4.0
    population_size: Annotated[
        int | None, Field(ge=4, le=100_000, description="λ of the first run; null: 4 + ⌊3 ln D⌋")
    ] = None
    population_factor: Annotated[
        float, Field(ge=1, le=10, description="IPOP: λ is multiplied by this at each restart")
    ] = 2.0
    max_restarts: Annotated[int, Field(ge=0, le=100, description="restarts with a growing population")] = 4
    after_last_restart: Annotated[
        Literal["start_over", "stop"],
        Field(description="what follows the last of them: the first population size again, or the end"),
    ] = "start_over"
    active: Annotated[
        bool, Field(description="negative (active) covariance update; the paper's CMA-ES predates it")
    ] = False
    bounds: Annotated[
        Literal["none", "penalty", "transform"],
        Field(description="handling of the problem's box: ignore it, or one of pycma's two handlers"),
    ] = "none"


class SurrogateSettings(CMAESSettings):
    """What S-CMA-ES has beyond CMA-ES, however g_m is set."""

    training_radius: Annotated[
        float,
        Field(
            gt=0,
            description="r: largest Mahalanobis distance from m of a training point; the paper prints 8, "
            "its experiments ran with 64, as configs/ do; .inf: no limit",
        ),
    ] = 8.0
    n_req_factor: Annotated[int, Field(ge=1, le=1000, description="n_req/D: fewest training points")] = 3
    n_max_factor: Annotated[int, Field(ge=1, le=1000, description="n_max/D: most training points")] = 15
    selection: Annotated[
        Literal["recent", "nearest", "kmeans"],
        Field(description="which n_max of more candidates: newest, nearest to m, nearest to k-means centroids"),
    ] = "recent"
    length_start: Annotated[float, Field(gt=0, le=1e10, description="ℓ at which the likelihood search starts")] = 0.5
    signal_std_start: Annotated[float, Field(gt=0, le=1e10, description="s_f at its start")] = 2.0
    noise_std_start: Annotated[float, Field(gt=0, le=1e10, description="σ_n at its start")] = 0.01
    warm_start: Annotated[
        bool, Field(description="also try the last model's hyperparameters as the start of the search")
    ] = True

    @model_validator(mode="after")
    def _room_for_a_training_set(self) -> "SurrogateSettings":
        if self.n_max_factor < self.n_req_factor:
            raise ValueError(
                f"n_max_factor is {self.n_max_factor}, less than n_req_factor, {self.n_req_factor}; "
                "allowed: n_max_factor ≥ n_req_factor"
            )
        return self


class SCMAESSettings(SurrogateSettings):
    """S-CMA-ES with a constant number of model-evaluated generations."""

    model_generations: Annotated[
        int, Field(ge=0, le=1000, description="g_m: model-evaluated generations after each true one")
    ] = 1


class AdaptiveSCMAESSettings(SurrogateSettings):
    """S-CMA-ES with g_m adapted to the error of the last model (Algorithms 2 and 3)."""

    model_error: Annotated[
        Literal["kendall", "ranking_difference", "kullback_leibler"],
        Field(description="ε: how far the last model's ranking was off"),
    ]
    transfer: Annotated[
        Literal["T1", "T2"],
        Field(description="γ, from 1 - ε_s/ε_T to the share of max_model_generations: identity or sigmoid"),
    ] = "T2"
    transfer_steepness: Annotated[float, Field(gt=0, le=1e6, description="k > 0 of T2, steeper as it grows")] = 2.0
    error_threshold: Annotated[
        float, Field(gt=0, le=1, description="ε_T: smoothed error at and above which g_m is 0")
    ] = 0.5
    update_rate: Annotated[float, Field(gt=0, le=1, description="r_u: weight of the newest error")] = 0.2
    max_model_generations: Annotated[
        int, Field(ge=1, le=1000, description="g_m^max: most model-evaluated generations in a row")
    ] = 5
    kl_scale: Annotated[
        Literal["sigma_squared", "sigma"],
        Field(description="covariance in the Kullback-Leibler error: σ²C, or σC as the paper prints it"),
    ] = "sigma_squared"

    @model_validator(mode="after")
    def _nothing_that_has_no_effect(self) -> "AdaptiveSCMAESSettings":
        if self.kl_scale != "sigma_squared" and self.model_error != "kullback_leibler":
            raise ValueError(
                f"kl_scale is {self.kl_scale} and would have no effect; "
                "leave it out, or set model_error: kullback_leibler"
            )
        return self
