"""Notes on the data of a comparison: differences of protocols, omitted parts, and unknown values."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter

from sacma.analysis import published
from sacma.analysis.comparison import MANY, Comparison
from sacma.analysis.overlap import Overlap
from sacma.analysis.published import Reading
from sacma.analysis.terms import listed
from sacma.analysis.trials import SMALLEST_TARGET
from sacma.coco.index_file import DataPart
from sacma.coco.ranges import format_ranges
from sacma.coco.suites import Suite

SHARED = "what is over functions or instances is over those that all algorithms with trials of a dimension have"

AS_TOLD = (
    "files of COCO tell the best Δf at some evaluation numbers only, so all algorithms are compared as far as all "
    "files tell: exactly at the numbers that each has, and between them by where Δf passed five levels a decade"
)


def notes(comparison: Comparison) -> tuple[str, ...]:
    """Return notes on the data: differences of protocols, unknown values, and their consequences."""
    suite = comparison.suite
    noisy = (
        "Δf is noise-free, that of the best point evaluated, as COCO's logger writes it; trials do not end at their "
        "target, which no measured value tells"
    )
    of_the_suite = (f"{suite.name}: {line}" for line in (*[noisy] * suite.noisy, *left_out(suite)))
    whole = beyond(comparison, "CPU times, control frequencies and counts of evaluations")
    of_it = (*_differences(comparison), *_of_the_paper(comparison))
    return (*of_the_suite, *of_it, *whole, *_of_targets(comparison), *_unknown(comparison))


def left_out(suite: Suite) -> tuple[str, ...]:
    """Return notes on parts that the report of a suite lacks.

    >>> from sacma.coco.suites import BBOB
    >>> left_out(BBOB)
    ()
    """
    why = {
        "no comparison with the paper's tables, which are of bbob": suite.of_the_paper,
        "cocopp's pages are of absolute targets, as it has no reference data for others": suite.expensive,
        "no distributions of run lengths, whose targets are those of the best of 2009 on bbob": suite.of_2009,
    }
    return tuple(line for line, there in why.items() if not there)


def _of_the_paper(comparison: Comparison) -> Iterator[str]:
    """Yield what the paper's tables lack: its protocol, or enough of its algorithms."""
    for reading in comparison.readings:
        if differences := protocol_differences(comparison, reading):
            yield f"the protocol is not the paper's, {reading.title}: {'; '.join(differences)}"
    for reading in published.READINGS:
        names = dict.fromkeys(reading.names)
        several = len(comparison.names) > 1 and set(comparison.names) < set(names)
        if several and comparison.suite.of_the_paper and not comparison.of_paper:
            others = ",".join(name for name in names if name not in comparison.names)
            yield f"the paper's tables need {published.FEWEST_OF_PAPER} of its algorithms: --against {others}"


def _differences(comparison: Comparison) -> Iterator[str]:
    protocols = [study.parts[0].protocol for study, _ in comparison.covered]
    problems = list(_problems(comparison.compared.overlap))
    ends = {*(p.budget for p in protocols), *([comparison.budget] if comparison.cut is None else [])}
    found = [
        (bool(protocols) and len(ends) > 1, f"budgets: {_end(comparison)}"),
        (len({p.target for p in protocols}) > 1, f"final targets: Δf counts as no less than {comparison.target:g}"),
        (len({p.seed for p in protocols}) > 1, "seeds: initial points are not paired"),
        (bool(problems), f"problems: {SHARED}; {'; '.join(problems)}"),
    ]
    yield from (f"the algorithms differ in their {what}" for differ, what in found if differ)
    counts = Counter((t.algorithm, t.dimension, t.function, t.instance) for t in comparison.compared.trials)
    repeated = dict.fromkeys(name for (name, *_), number in counts.items() if number > 1)
    yield from (f"{name} has several trials of some instances: all count" for name in repeated)
    if comparison.of_files(comparison.names):
        yield AS_TOLD


def _end(comparison: Comparison) -> str:
    """Say where tables end, unless that was asked for also why, and the remedy."""
    end = f"tables end at {comparison.budget:g}·D"
    if comparison.cut is not None:
        return end
    first = [name for name, of in comparison.ends.items() if of <= comparison.budget]
    who = listed(first) if len(first) <= MANY else f"{len(first)} algorithms"
    longest = max((study.budget for study, _ in comparison.covered), default=comparison.budget)
    return f"{end}, where {who} end{'s' * (len(first) == 1)}; --budget {longest:g} goes on with the others"


def _problems(overlap: Overlap) -> Iterator[str]:
    """Yield problems that are left out of each algorithm, and places where algorithms share nothing."""
    for name, places in overlap.left_out.items():
        functions = {(D, f) for D, f, _ in places if not overlap.shares(D, f)}
        some = _functions({(D, f) for D, f, _ in places} - functions)
        left = [*_functions(functions), *(f"some instances of {text}" for text in some)]
        yield f"left out of {name}: {', '.join(left)}"
    dimensions = {name: {D for D, _, _ in places} for name, places in overlap.there.items()}
    for D, shared in sorted(overlap.functions.items()):
        without = [name for name, of in dimensions.items() if D not in of]
        if without:
            yield f"{D}-D is without {', '.join(without)}"
        if not shared:
            yield f"in {D}-D no function is common to all, and nothing is compared over functions"
    for apart in _functions(overlap.apart):
        yield f"no instance is common to all on {apart}: all trials are taken, of different problems"


def _functions(places: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield names of functions, those of several dimensions once."""
    functions = {D: [f for _, f in pairs] for D, pairs in groupby(sorted(set(places)), key=itemgetter(0))}
    texts = {D: f"f{format_ranges(fs)}" for D, fs in functions.items()}
    for text in dict.fromkeys(texts.values()):
        yield f"{text} in {format_ranges(sorted(D for D, of in texts.items() if of == text))}-D"


def scope(comparison: Comparison) -> str:
    """Return the scope of tables and charts, where not all trials can be compared as they are."""
    overlap = comparison.compared.overlap
    said = [
        (not overlap.complete, f"{SHARED[0].upper()}{SHARED[1:]}: see Data for what is left out."),
        (comparison.of_files(comparison.names), f"{AS_TOLD[0].upper()}{AS_TOLD[1:]}."),
    ]
    return " ".join(text for there, text in said if there)


def beyond(comparison: Comparison, what: str) -> Iterator[str]:
    """Yield a note on quantities of whole trials, where some go beyond the budget."""
    if comparison.longer:
        longer = listed(comparison.longer)
        yield f"{what} are of whole trials, those of {longer} beyond {comparison.budget:g}·D evaluations"


def _of_targets(comparison: Comparison) -> Iterator[str]:
    """Yield notes on targets below those at which trials end."""
    targets = {
        study.name: study.parts[0].protocol.target for study, completeness in comparison.covered if completeness.heads
    }
    loose = [f"{name} at {target:g}" for name, target in targets.items() if target > SMALLEST_TARGET]
    if loose and not comparison.suite.noisy:  # whose trials go on
        yield f"trials end before Δf is {SMALLEST_TARGET:g} ({', '.join(loose)}): run lengths below are not known"
    if comparison.targets_below:
        left_out = ", ".join(f"{target:g}" for target in comparison.targets_below)
        yield f"expected running times to {left_out} are left out: Δf counts as no less than {comparison.target:g}"


def _unknown(comparison: Comparison) -> Iterator[str]:
    """Yield notes on files of COCO, and on trials that end before the budget of the comparison."""
    yield from (note for data in comparison.external for note in data.data.notes)
    yield from (_left_out(data.name, data.data.left_out) for data in comparison.external if data.data.left_out)
    for name in comparison.names:
        common = [t for t in comparison.compared.shared if t.algorithm == name]
        short = [trial for trial in common if trial.known_until < comparison.evaluations(trial.dimension)]
        if short:
            of = short[0]
            first = f"{'first ' * (len(short) > 1)}f{of.function} in {of.dimension}-D, instance {of.instance}"
            yield (
                f"{name}: {len(short)} of {len(common)} trials end before {comparison.budget:g}·D evaluations, off the "
                f"target ({first}); what they would have found is not known, and not compared"
            )


def _left_out(name: str, parts: Mapping[DataPart, str]) -> str:
    """Return the note on unusable data of an algorithm, with the reason."""
    what = _functions([(D, f) for D, f in parts if f])
    first, *others = dict.fromkeys(parts.values())
    more = f" (and {len(others)} more)" if others else ""
    return f"{name}: left out as damaged or not of the suite: {', '.join(what) or 'what no index tells'}: {first}{more}"


def protocol_differences(comparison: Comparison, reading: Reading) -> tuple[str, ...]:
    """Return the differences of the plan for the paper's algorithms from the paper's."""
    planned = {cell: number for cell, number in comparison.planned.items() if cell[0] in reading.names}
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
        f"{what.format(' to '.join(dict.fromkeys((f'{min(ours):g}', f'{max(ours):g}'))))}, not {theirs:g}"
        for ours, theirs, what in found
        if set(ours) != {theirs}
    )
