"""Kept algorithms beside one's own: those of the catalogue, on the problems that one's own have."""

import difflib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import median

from sacma.analysis.comparison import Comparison, Covered
from sacma.analysis.published import AS_RUN
from sacma.analysis.trials import PAPER_BUDGETS, ROUNDING, fixed_budgets
from sacma.coco.suites import BBOB
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.store.catalogue import KeptAlgorithm, kept_algorithms
from sacma.store.completeness import covered_by
from sacma.store.kept import KeptStudy, KeptTrial, as_kept
from sacma.store.record import RecordHead
from sacma.store.stored_study import StoredStudy

ALL = "all"  # name of all that can be compared
NEAR = 0.7  # least likeness of a name that is suggested, by difflib
FIRST_BUDGET = 10.0  # evaluations/D, before those of the paper, at which kept outcomes are exact, too
Instances = Mapping[tuple[int, int], Collection[int]]  # by (dimension, function)


def beside_kept(own: Comparison, given: str, budget: float | None) -> tuple[Comparison, list[str]]:
    """Return own and kept algorithms, see ``kept_beside``, with Δf at one resolution; and notes.

    It is that of kept outcomes: exact at the budgets that these look at, elsewhere rounded up to their levels. So of
    equal trials neither is better by its digits.
    """
    kept, notes = kept_beside(own, given, budget)
    end = min([study.budget for study, completeness in (*own.covered, *kept) if completeness.heads])
    looks = fixed_budgets(look for look in (FIRST_BUDGET, *PAPER_BUDGETS) if look <= end)

    def head(of: RecordHead) -> RecordHead:
        at = [scenario.evaluations(of.spec.dimension, of.spec.function) for scenario in looks]
        return replace(of, outcome=as_kept(of.outcome, at))

    covered = [
        (study, replace(completeness, heads={key: head(of) for key, of in completeness.heads.items()}))
        for study, completeness in (*own.covered, *kept)
    ]
    return Comparison(tuple(covered), tuple(replace(data, data=data.data.rounded()) for data in own.external)), notes


def kept_beside(own: Comparison, given: str, budget: float | None) -> tuple[tuple[Covered, ...], list[str]]:
    """Return the kept algorithms of a list of names, or all, on the problems of one's own; and notes.

    All are those that go as far as the comparison, on half the usual number of problems or more, without second
    readings and runs of an algorithm. Names are taken without case and hyphens. A kept algorithm with the name of
    one's own is called ``NAME-kept``, and left out if it is the same study.

    Raises:
        SacmaError: a name is not in the catalogue, or a kept algorithm has no problem in common with one's own.
    """
    suite = own.suite.name if own.names else BBOB.name
    known = {each.name: each for each in kept_algorithms() if each.kept.study.suite == suite}
    plain = {_plain(name): name for name in (*known, ALL)}
    given_names = [name.strip() for name in given.split(",") if name.strip()]
    unknown = next((name for name in given_names if _plain(name) not in plain), None)
    if unknown is not None or not given_names:
        wrong = "no algorithm is named," if unknown is None else f"there is no kept algorithm {one_line(unknown, 80)!r}"
        near = difflib.get_close_matches(_plain(unknown or "")[:80], plain, n=1, cutoff=NEAR)
        of = f"give {ALL}, or some of {', '.join(known) or 'none'}"
        if near:
            of = f"is it {plain[near[0]]}? give {ALL}, or names that sacma algorithms --kept lists"
        raise SacmaError(f"--against: {wrong} of {suite}; {of}")
    names = list(dict.fromkeys(plain[_plain(name)] for name in given_names))
    problems: dict[tuple[int, int], set[int]] = defaultdict(set)
    for _, D, f, instance in own.problems:
        problems[D, f].add(instance)
    common = {name: _common(each.kept, problems) for name, each in known.items()}
    notes: list[str] = []
    chosen = {name: known[name] for name in names if name in known}
    if ALL in names:
        usual = own.budget if own.names else 1.0
        some, notes = _all_of(known, common, usual if budget is None else budget)
        twins = [name for name, each in some.items() if any(_is_twin(s, each.kept.study) for s, _ in own.covered)]
        chosen |= {name: each for name, each in some.items() if name not in twins}
        if twins:
            notes.append(f"left out of all, as yours are the same but for the budget: {', '.join(twins)}")
    covered, taken = [], {name.lower() for name in own.names}
    for name, each in chosen.items():
        if not common[name]:
            raise SacmaError(f"--against: {name} has no trial on a function, dimension and instance of yours")
        if any(all(map(study.mixes_with, each.kept.study.parts)) for study, _ in own.covered):
            notes.append(f"the kept {name} is left out: yours is the same study")
            continue
        called = f"{name}-kept" if name.lower() in taken else name
        covered.append(covered_by(KeptStudy(each.kept.study, common[name]).called(called)))
    return tuple(covered), notes


def _is_twin(own: StoredStudy, kept: StoredStudy) -> bool:
    """Return True for a study that differs from a kept one in its budget, besides the problems."""
    last = own.parts[-1]
    as_long = last.model_copy(update={"protocol": last.protocol.model_copy(update={"budget": kept.budget})})
    return own.budget != kept.budget and kept.mixes_with(as_long)


def _plain(name: str) -> str:
    """Return a name as it is compared: without case, hyphens and underscores."""
    return name.lower().replace("-", "").replace("_", "")


def _common(kept: KeptStudy, problems: Instances) -> list[KeptTrial]:
    """Return the trials on some problems, all where there are none; of a function without a common instance all."""
    if not problems:
        return list(kept.trials)
    there = defaultdict(list)
    for trial in kept.trials:
        there[trial.spec.dimension, trial.spec.function].append(trial)
    found = []
    for cell, trials in there.items():
        if cell in problems:
            found += [trial for trial in trials if trial.spec.instance in problems[cell]] or trials
    return found


def _all_of(
    known: Mapping[str, KeptAlgorithm], common: Mapping[str, Sequence[KeptTrial]], budget: float
) -> tuple[dict[str, KeptAlgorithm], list[str]]:
    first = {name: each for name, each in known.items() if not (each.again and common[each.kept.study.name])}
    some = {name: each for name, each in first.items() if common[name] and not name.endswith(AS_RUN.suffix)}
    far = {name: each for name, each in some.items() if each.kept.study.budget >= budget * (1 - ROUNDING)} or some
    usual = median([len(common[name]) for name in far]) if far else 0
    found = {name: each for name, each in far.items() if 2 * len(common[name]) >= usual}
    if not found:
        raise SacmaError("--against: no kept algorithm has a trial on a function and dimension of yours")
    left = [name for name in some if name not in found]
    why = "left out of all, as shorter or on fewer of these problems; name them to compare as far as they go"
    return found, [f"{', '.join(left)}: {why}"] if left else []
