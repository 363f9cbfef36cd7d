"""What to know of the data before reading what was found in them."""

from collections.abc import Iterator

from sacma.analysis.comparison import Comparison

SMALLEST_TARGET = 1e-8
"""Of run lengths, as in COCO."""


def notes(comparison: Comparison) -> tuple[str, ...]:
    """Say in what the algorithms differ beside themselves, what their data do not tell, and what follows from it."""
    return (*_differences(comparison), *_loose_targets(comparison), *_foreign(comparison))


def _differences(comparison: Comparison) -> Iterator[str]:
    protocols = [study.parts[0].protocol for study, _ in comparison.covered]
    places = [{spec.place for spec in coverage.specs} for _, coverage in comparison.covered]
    found = [
        (len({p.budget for p in protocols}) > 1, "budgets: tables end at the smallest"),
        (len({p.target for p in protocols}) > 1, f"final targets: Δf counts as no less than {comparison.target:g}"),
        (len({p.seed for p in protocols}) > 1, "seeds: initial points are not paired"),
        (
            any(p != places[0] for p in places),
            "problems: mean ranks are over functions that all have, of those with data of the dimension and budget",
        ),
    ]
    yield from (f"the algorithms differ in their {what}" for differ, what in found if differ)


def _loose_targets(comparison: Comparison) -> Iterator[str]:
    targets = {study.name: study.parts[0].protocol.target for study, coverage in comparison.covered if coverage.heads}
    loose = [f"{name} at {target:g}" for name, target in targets.items() if target > SMALLEST_TARGET]
    if loose:
        yield f"trials end before Δf is {SMALLEST_TARGET:g} ({', '.join(loose)}): run lengths below are not known"


def _foreign(comparison: Comparison) -> Iterator[str]:
    yield from (note for data in comparison.foreign for note in data.data.notes)
    ours = {spec.place for _, coverage in comparison.covered for spec in coverage.specs}
    wanted = {(D, f) for f, D, _ in ours}
    for data in comparison.foreign:
        trials = [trial for trial in comparison.trials if trial.algorithm == data.name]
        lacking = wanted - {(trial.dimension, trial.function) for trial in trials}
        if lacking:
            dimensions = {D: sorted(f for d, f in lacking if d == D) for D in sorted({D for D, _ in lacking})}
            where = "; ".join(f"{D}-D: {', '.join(f'f{f}' for f in fs)}" for D, fs in dimensions.items())
            yield f"{data.name} has no trials of functions that ours have ({where}): they are not compared"
        common = [trial for trial in trials if (trial.dimension, trial.function) in wanted]
        others = {trial.instance for trial in common if (trial.function, trial.dimension, trial.instance) not in ours}
        if others:
            yield f"{data.name} has other instances than ours: {', '.join(map(str, sorted(others)))}"
        short = sum(trial.known_until < int(comparison.budget * trial.dimension + 1e-9) for trial in common)
        if short:
            yield (
                f"{data.name}: {short} of {len(common)} trials end before {comparison.budget:g}·D evaluations, off the "
                "target; what they would have found is not known, and not compared"
            )
