"""The settings of the strategies: names, ranges, and the only place that knows a default.

The defaults are the paper's values, or, where the paper is silent, those of its authors' published code.
Importing this module is cheap: nothing here needs pycma.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sacma.strategy.choices import MODEL_ERRORS, SELECTIONS

if TYPE_CHECKING:
    ModelErrorName = str
    SelectionName = str
else:
    ModelErrorName = Literal[tuple(MODEL_ERRORS)]
    SelectionName = Literal[tuple(SELECTIONS)]

StepSize = Annotated[float, Field(gt=0, le=1e10, description="initial step size σ₀")]
Restarts = Annotated[int, Field(ge=0, le=100, description="restarts with a growing population")]
ActiveUpdate = Annotated[bool, Field(description="negative (active) covariance update; the paper's CMA-ES predates it")]


class RestartSettings(BaseModel):
    """What all variants of CMA-ES share whose population grows with their restarts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sigma0: StepSize = 8.0 / 3.0
    initial_range: Annotated[
        float, Field(ge=0, le=1e10, description="initial points are uniform in [-this, this]^D")
    ] = 4.0
    population_size: Annotated[
        int | None, Field(ge=4, le=100_000, description="λ of the first run; null: 4 + ⌊3 ln D⌋")
    ] = None
    population_factor: Annotated[
        float, Field(ge=1, le=10, description="IPOP: λ is multiplied by this at each restart")
    ] = 2.0
    max_restarts: Restarts = 4
    active: ActiveUpdate = False


class CMAESSettings(RestartSettings):
    """CMA-ES with IPOP restarts."""

    after_last_restart: Annotated[
        Literal["start_over", "start_afresh", "stop"],
        Field(
            description="what follows the last of them: the first population size again, the same with all memory "
            "lost (archive, smoothed error, model), or the end"
        ),
    ] = "start_over"
    restart_from: Annotated[
        Literal["new", "same"],
        Field(description="x₀ of a run after a restart: newly drawn, or as before until the sequence starts over"),
    ] = "new"
    evaluate_means: Annotated[
        bool,
        Field(description="evaluate x₀ before each run and m after it: counted, but seen by no model and no update"),
    ] = False
    bounds: Annotated[
        Literal["none", "penalty", "transform"],
        Field(description="handling of the problem's box: ignore it, or one of pycma's two handlers"),
    ] = "none"


class SurrogateSettings(CMAESSettings):
    """What a strategy with a surrogate has beyond CMA-ES, whatever the surrogate."""

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
        SelectionName,
        Field(description="which n_max of more candidates: newest, nearest to m, nearest to k-means centroids"),
    ] = "recent"
    trained_on: Annotated[
        Literal["sampled", "repaired"],
        Field(
            description="with bounds: penalty, what enters the archive and is judged: points as sampled, or as "
            "repaired for f; model-evaluated generations always predict points as sampled"
        ),
    ] = "sampled"
    rejected_model: Annotated[
        Literal["constant", "narrow"],
        Field(
            description="a model counts as not trained where its predictions of the population are constant, or where "
            "those of a fresh sample span less than min(1e-8, 5 % of the training values' range)"
        ),
    ] = "constant"
    survives_restart: Annotated[
        Literal["archive_and_error", "all"],
        Field(description="what a restart keeps; all: the last model and what is left of g_m, too"),
    ] = "archive_and_error"

    @model_validator(mode="after")
    def _room_for_a_training_set(self) -> "SurrogateSettings":
        if self.n_max_factor < self.n_req_factor:
            raise ValueError(
                f"n_max_factor is {self.n_max_factor}, less than n_req_factor, {self.n_req_factor}; "
                "allowed: n_max_factor ≥ n_req_factor"
            )
        return self

    @model_validator(mode="after")
    def _points_have_an_effect(self) -> "SurrogateSettings":
        _needs(self, "trained_on", "bounds", "penalty")
        return self


class GaussianProcessSettings(SurrogateSettings):
    """What there is to set of a Gaussian process."""

    length_start: Annotated[float, Field(ge=1e-10, le=1e10, description="ℓ at which the likelihood search starts")] = (
        0.5
    )
    signal_std_start: Annotated[float, Field(ge=1e-10, le=1e10, description="s_f at its start")] = 2.0
    noise_std_start: Annotated[float, Field(ge=1e-10, le=1e10, description="σ_n at its start")] = 0.01
    warm_start: Annotated[
        bool,
        Field(description="start the search at the last model's hyperparameters, while they explain anything"),
    ] = True
    likelihood_starts: Annotated[
        Literal["several", "one"],
        Field(description="where a search that is not warm starts: at several points, or at ℓ, s_f, σ_n above alone"),
    ] = "several"
    second_search_below: Annotated[
        float,
        Field(
            ge=0,
            description="with one start, search from several as well where the log likelihood has grown by less; "
            "0: never",
        ),
    ] = 0.0

    @model_validator(mode="after")
    def _likelihood_has_an_effect(self) -> "GaussianProcessSettings":
        _needs(self, "second_search_below", "likelihood_starts", "one")
        return self


ModelGenerations = Annotated[
    int, Field(ge=0, le=1000, description="g_m: model-evaluated generations after each true one")
]


class SCMAESSettings(GaussianProcessSettings):
    """S-CMA-ES with a constant number of model-evaluated generations."""

    model_generations: ModelGenerations = 1


class ForestSCMAESSettings(SurrogateSettings):
    """S-CMA-ES with a random forest and a constant number of model-evaluated generations."""

    model_generations: ModelGenerations = 1
    trees: Annotated[int, Field(ge=1, le=10_000, description="trees of the forest")] = 100
    leaf_size: Annotated[int, Field(ge=1, le=1000, description="fewest training points in a leaf of a tree")] = 1


class AdaptiveSCMAESSettings(GaussianProcessSettings):
    """S-CMA-ES with g_m adapted to the error of the last model (Algorithms 2 and 3)."""

    model_error: Annotated[
        ModelErrorName,
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
    error_floor: Annotated[
        float, Field(ge=0, lt=1, description="smoothed error at and below which g_m is g_m^max; below error_threshold")
    ] = 0.0
    initial_error: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="ε_s into which the first error is smoothed; null: the first error is taken as it is",
        ),
    ] = None
    failed_training: Annotated[
        Literal["forgets_model", "keeps_model"],
        Field(
            description="a training that fails forgets the last model, or keeps it to be judged after the next success"
        ),
    ] = "forgets_model"
    kendall_tau: Annotated[
        Literal["a", "b"],
        Field(description="Kendall error: τ as the paper defines it, or τ-b, which accounts for ties"),
    ] = "a"
    rank_over: Annotated[
        Literal["predicted_best", "true_best"],
        Field(description="ranking difference: the μ points summed over"),
    ] = "predicted_best"
    kl_scale: Annotated[
        Literal["sigma_squared", "sigma"],
        Field(description="covariance in the Kullback-Leibler error: σ²C, or σC as the paper prints it"),
    ] = "sigma_squared"
    kl_discount: Annotated[
        float,
        Field(ge=1, le=1e6, description="what multiplies the largest divergence at first, down to 1 in five updates"),
    ] = 1.0

    @model_validator(mode="after")
    def _room_between_floor_and_threshold(self) -> "AdaptiveSCMAESSettings":
        if self.error_floor >= self.error_threshold:
            raise ValueError(
                f"error_floor is {self.error_floor}, error_threshold {self.error_threshold}; "
                "allowed: error_floor < error_threshold"
            )
        return self

    @model_validator(mode="after")
    def _errors_have_an_effect(self) -> "AdaptiveSCMAESSettings":
        _needs(self, "kendall_tau", "model_error", "kendall")
        _needs(self, "rank_over", "model_error", "ranking_difference")
        _needs(self, "kl_scale", "model_error", "kullback_leibler")
        _needs(self, "kl_discount", "model_error", "kullback_leibler")
        return self


class DTSSettings(GaussianProcessSettings):
    """DTS-CMA-ES: in each generation f evaluates a share of the population, and a model the rest."""

    training_radius: Annotated[
        float, Field(gt=0, description="r: largest Mahalanobis distance from m of a training point; .inf: no limit")
    ] = 64.0
    share: Annotated[
        float, Field(gt=0, le=1, description="α: share of a population that f evaluates; with adapts_share, the first")
    ] = 0.05
    population_multiple: Annotated[
        float, Field(ge=1, le=10, description="λ of the first run, where population_size is null: ⌊this (4 + 3 ln D)⌋")
    ] = 2.0
    criterion: Annotated[
        Literal["ranking_difference", "variance", "improvement"],
        Field(
            description="which points f evaluates: those of the largest expected ranking difference, posterior "
            "variance, or probability of improvement"
        ),
    ] = "ranking_difference"
    raises_predictions: Annotated[
        bool, Field(description="whether predictions are raised, all by the same, to the best true value at least")
    ] = False
    adapts_share: Annotated[bool, Field(description="whether α follows the error of the models")] = False
    smallest_share: Annotated[float, Field(gt=0, le=1, description="α_min: where the smoothed error is ≤ ε_min")] = 0.04
    largest_share: Annotated[float, Field(gt=0, le=1, description="α_max: where the smoothed error is ≥ ε_max")] = 1.0
    error_update_rate: Annotated[float, Field(gt=0, le=1, description="β: weight of the newest error")] = 0.3
    first_error: Annotated[
        float, Field(ge=0, le=1, description="smoothed error into which the first one is smoothed")
    ] = 0.05

    @model_validator(mode="after")
    def _multiple_has_an_effect(self) -> "DTSSettings":
        _needs(self, "population_multiple", "population_size", None)
        return self

    @model_validator(mode="after")
    def _room_between_shares(self) -> "DTSSettings":
        if self.largest_share < self.smallest_share:
            raise ValueError(
                f"largest_share is {self.largest_share}, less than smallest_share, {self.smallest_share}; "
                "allowed: largest_share ≥ smallest_share"
            )
        return self

    @model_validator(mode="after")
    def _adaptation_has_an_effect(self) -> "DTSSettings":
        for name in ("smallest_share", "largest_share", "error_update_rate", "first_error"):
            _needs(self, name, "adapts_share", value=True)
        return self


def _needs(settings: BaseModel, name: str, other: str, value: str | bool | None) -> None:  # noqa: FBT001 a value like others
    """Refuse a setting that differs from its default, where that has an effect with another setting only."""
    given = getattr(settings, name)
    if given != type(settings).model_fields[name].default and getattr(settings, other) != value:
        words: dict[object, str] = {True: "true", False: "false", None: "null"}
        shown = words.get(value, value)
        raise ValueError(f"{name} is {given} and would have no effect; leave it out, or set {other}: {shown}")
