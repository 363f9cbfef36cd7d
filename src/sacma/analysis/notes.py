"""What to know of the data before reading what was found in them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from sacma.analysis import published
from sacma.analysis.comparison import Comparison
from sacma.analysis.trials import ROUNDING
from sacma.suites import Suite

SMALLEST_TARGET = 1e-8
"""Of run lengths, as in COCO."""


def notes(comparison: Comparison) -> tuple[str, ...]:
    """Say in what the algorithms differ beside themselves, what their data do not tell, and what follows from it."""
    return (
        *_of_the_suite(comparison.suite),
        *_differences(comparison),
        *_loose_targets(comparison),
        *_foreign(comparison),
    )


def _of_the_suite(suite: Suite) -> Iterator[str]:
    """Say what Δf is where f is noisy, and what is left out of the report as bbob only has it."""
    if suite.noisy:
        yield (
            f"{suite.name}: Δf is noise-free, that of the best point evaluated, as COCO's logger writes it; trials do "
            "not end at their target, which no measured value tells"
        )
    yield from (f"{suite.name}: {line}" for line in left_out(suite))


def left_out(suite: Suite) -> tuple[str, ...]:
    """Say what of the report there is not for a suite, and why.

    >>> from sacma.suites import BBOB
    >>> left_out(BBOB)
    ()
    """
    why = {
        "no comparison with the paper's figures and claims, which are of bbob": suite.of_the_paper,
        "cocopp's pages are of absolute targets, as it has no reference data for others": suite.expensive,
        "no distributions of run lengths, whose targets are those of the best of 2009 on bbob": suite.of_2009,
    }
    return tuple(line for line, there in why.items() if not there)


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
    if loose and not comparison.suite.noisy:  # whose trials go on
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
        short = sum(trial.known_until < int(comparison.budget * trial.dimension + ROUNDING) for trial in common)
        if short:
            yield (
                f"{data.name}: {short} of {len(common)} trials end before {comparison.budget:g}·D evaluations, off the "
                "target; what they would have found is not known, and not compared"
            )


def protocol_differences(comparison: Comparison) -> tuple[str, ...]:
    """Say in what the plan for the paper's algorithms differs from the paper's; nothing where it does not."""
    planned = {cell: number for cell, number in comparison.planned.items() if cell[0] in published.ALGORITHMS}
    if not planned:
        return ()
    if not comparison.suite.of_the_paper:
        return (f"functions of {comparison.suite.name}, not of bbob",)
    functions = Counter((algorithm, D) for algorithm, D, _ in planned)
    found = [
        (functions.values(), published.PROBLEMS, "{} functions"),
        (planned.values(), published.INSTANCES, "{} trials of a function"),
        ([comparison.budget], published.BUDGET, "{} evaluations/D"),
        ([comparison.target], published.TARGET, "target {}"),
    ]
    return tuple(
        f"{what.format(_range(ours))}, not {theirs:g}" for ours, theirs, what in found if set(ours) != {theirs}
    )


def _range(values: Iterable[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def paper_notes(comparison: Comparison) -> tuple[str, ...]:
    """Say what to know of the data where they are held against the paper's."""
    return tuple(_beside_the_paper(comparison))


def _beside_the_paper(comparison: Comparison) -> Iterator[str]:
    differences = protocol_differences(comparison)
    if differences:
        yield (
            f"The protocol is not the paper's ({'; '.join(differences)}). What differs may come from that, "
            "and no claim is judged."
        )
    ours = [(study, c) for study, c in comparison.covered if study.name in published.ALGORITHMS]
    if any(not coverage.complete for _, coverage in ours):
        yield "Trials are missing: what is said here may change when they are there."
    changed: dict[str, list[str]] = defaultdict(list)
    for study, _ in ours:
        settings = study.parts[0].settings.model_dump()
        for key, printed in published.SETTINGS[study.name].items():
            if settings.get(key) != printed:
                changed[f"{key} is {_shown(settings.get(key))}, not {_shown(printed)}"].append(study.name)
    if changed:
        of_whom = "; ".join(f"{what} ({', '.join(names)})" for what, names in changed.items())
        yield f"Settings are not all as the paper prints them: {of_whom}."


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
