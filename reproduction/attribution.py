"""Effect of each difference between the paper's text and its authors' code on the mean ranks.

The six algorithms of ``configs/`` with one difference of ``configs/as_run/``, and those of ``configs/as_run/`` with
all but one, are ranked among themselves and compared with the paper's Table 3. An interrupted run continues. Run by
``make attribution``.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common import CONFIGS, ROOT, campaign_of, changed, named, print_table
from reproduction.agreement import agreements
from reproduction.checks import MEASURED
from sacma.analysis.published import ALGORITHMS, correlations, mean_ranks_beside
from sacma.analysis.tables import PLACE, decisive, mean_ranks, medians_of, pairwise_table
from sacma.analysis.trials import OF_TARGET, Trial, best_delta_f, budgets_to_target, evaluations_to_target
from sacma.config.nested import value_at
from sacma.config.study import Study, load_study

# The parts that are exchanged: the radius of GP-1 and GP-5 goes with k-means, c_μ and c_σ with the box, error measures
# and raised predictions with the floor, and when a run ends with where the next one starts.
DIFFERENCES = {
    "k-means": ("training_set",),
    "cold-start": ("model",),
    "box": ("sampling",),
    "floor": ("control",),
    "restarts": ("restarts", "acceptance"),
}
TESTED = ("CMA-ES", "GP-5")  # algorithms that ADA-Kendall is ahead of, by the paper's third claim


def main() -> None:
    """Run missing trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", help="names, like text,text+box,code-box")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table into FILE")
    campaign, given = campaign_of(parser, "attribution", dimensions="2,5,10", instances="1-5", variants="text,code")

    known = dict(variants(campaign.protocol))
    wholes = {name: known[name] for name in named("--variants", given.variants, known)}
    studies = {study.name: study for whole in wholes.values() for study in whole.values()}
    trials = campaign.trials_of(studies.values())
    rows = [row for name, whole in wholes.items() for row in agreement(name, whole, trials)]
    rows.sort(key=lambda row: (row["D"], OF_TARGET.index(row["scenario"])))
    print(
        "\nmean ranks; whether ADA-Kendall or ADA-RD has the lowest (claim 2); corrected p-values where ADA-Kendall is"
    )
    print("ahead (claim 3); Spearman's ρ with the paper's mean ranks, the root mean square of their differences (rms),")
    print("each with what a repetition of the variant would reach in 95 of 100 cases")
    print_table(rows)
    if given.csv:
        pd.DataFrame(rows).round(4).to_csv(given.csv, index=False)


def variants(protocol: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Study]]]:
    """Yield names of variants and their six algorithms, by the paper's names."""
    folder = ROOT / "configs"
    text, code = (
        {name: load_study(place / f"{file}.yaml", protocol) for name, file in zip(ALGORITHMS, CONFIGS, strict=True)}
        for place in (folder, folder / "as_run")
    )
    yield "text", text
    for difference, parts in DIFFERENCES.items():
        yield f"text+{difference}", _with(text, code, parts, difference)
    yield "code", code
    for difference, parts in DIFFERENCES.items():
        yield f"code-{difference}", _with(code, text, parts, difference)
    k_means = _with(text, code, DIFFERENCES["k-means"], "k-means")
    for name, whole in (("code", code), ("text+k-means", k_means)):
        yield f"{name} random seeds", {of: _at_random_seeds(study) for of, study in whole.items()}


def _at_random_seeds(study: Study) -> Study:
    """Return an algorithm with random seeds of its k-means, or itself without k-means."""
    if study.settings.training_set.selection.name != "kmeans":
        return study
    return changed(study, "random-seeds", {"training_set.selection.seeding": "random"})


def _with(
    ours: Mapping[str, Study], theirs: Mapping[str, Study], parts: Iterable[str], suffix: str
) -> dict[str, Study]:
    """Return algorithms with parts of others, or themselves where the parts are the same."""
    made = {}
    for name, study in ours.items():
        content, other = study.settings.model_dump(), theirs[name].settings.model_dump()
        exchanged = {part: value_at(other, part) for part in parts if value_at(other, part) != value_at(content, part)}
        made[name] = changed(study, suffix, exchanged) if exchanged else study
    return made


def agreement(name: str, whole: Mapping[str, Study], trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield a row for each dimension and scenario of a variant."""
    named = {study.name: algorithm for algorithm, study in whole.items()}
    theirs = [trial for trial in trials if trial.algorithm in named]
    scenarios = budgets_to_target(evaluations_to_target(theirs, whole[ALGORITHMS[0]].protocol.budget))
    best = best_delta_f(theirs, scenarios).replace({"algorithm": named})
    medians = medians_of(best)
    pairs, beside = pairwise_table(medians), mean_ranks_beside(mean_ranks(medians))
    found = agreements(correlations(beside), beside, best).to_dict("records")
    for row, (_, here) in zip(found, beside.groupby(PLACE, sort=False), strict=True):
        ranks = here.set_index("algorithm")["ours"].reindex(ALGORITHMS)
        yield {
            "D": row["dimension"],
            "scenario": row["scenario"],
            "variant": name,
            **ranks.to_dict(),
            "claim 2": "yes" if ranks[list(MEASURED)].min() == ranks.min() else "no",
            **{f"over {other}": _lead(pairs, ranks, other, row) for other in TESTED},
            "ρ": row["spearman_rho"],
            "ρ repeated ≥": row["repeated_rho"],
            "rms": row["rms_difference"],
            "rms repeated ≤": row["repeated_difference"],
        }


def _lead(pairs: pd.DataFrame, ranks: pd.Series, other: str, at: Mapping[str, Any]) -> str:
    """Return the corrected p-value of ADA-Kendall's lead over another algorithm, or "behind"."""
    if ranks["ADA-Kendall"] > ranks[other]:
        return "behind"
    names = {"algorithm": "ADA-Kendall", "other": other, **{key: at[key] for key in PLACE}}
    here = pairs[(pairs[list(names)] == pd.Series(names)).all(axis=1)]
    return f"{float(here[decisive(here)].iloc[0]):.2g}"


if __name__ == "__main__":
    main()
