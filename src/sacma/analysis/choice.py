"""Choice of the algorithms, functions, dimensions, instances, targets and budgets that are compared."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sacma.analysis.comparison import Covered, ExternalData
from sacma.analysis.trials import ROUNDING
from sacma.coco.ranges import format_ranges, parse_ranges
from sacma.coco.reader import Curve
from sacma.config.plan import TrialSpec
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.store.completeness import Completeness

MOST_TARGETS = 100
MOST_BUDGETS = 20


@dataclass(frozen=True)
class Choice:
    """Algorithms, functions, dimensions, instances, targets and budgets to compare; empty is all, or the usual ones."""

    algorithms: tuple[str, ...] = ()
    functions: tuple[int, ...] = ()
    dimensions: tuple[int, ...] = ()
    instances: tuple[int, ...] = ()
    targets: tuple[float, ...] = ()  # Δf of expected running times, from the largest down
    budgets: tuple[float, ...] = ()  # evaluations/D at which is compared, ascending

    @property
    def _numbers(self) -> dict[str, tuple[int, ...]]:
        """Chosen numbers by the attribute of a trial that must be one of them."""
        of = {"function": self.functions, "dimension": self.dimensions, "instance": self.instances}
        return {name: numbers for name, numbers in of.items() if numbers}

    @property
    def _problems(self) -> list[str]:
        return [f"{name}s {format_ranges(numbers)}" for name, numbers in self._numbers.items()]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the report on the choice."""
        parts = [f"algorithms {', '.join(self.algorithms)}"] if self.algorithms else []
        parts += self._problems
        return (f"only some of the results were chosen: {'; '.join(parts)}",) if parts else ()

    @property
    def cocopp_note(self) -> str:
        """A note for cocopp's pages, which are over all functions, dimensions and instances."""
        if not self._problems:
            return ""
        chosen = " and ".join(self._problems)
        return f"These pages are over all functions, dimensions and instances, the report is over {chosen}."

    def apply(
        self, covered: Iterable[Covered], external: Iterable[ExternalData]
    ) -> tuple[tuple[Covered, ...], tuple[ExternalData, ...]]:
        """Return the chosen studies and data of others, with the chosen functions, dimensions and instances.

        Raises:
            SacmaError: an algorithm, function, dimension or instance is not there, or an algorithm has no chosen trial.
        """
        ours, others = tuple(covered), tuple(external)
        names = [study.name for study, _ in ours] + [data.name for data in others]
        for name in self.algorithms:
            if name not in names:
                known = ", ".join(names)
                raise SacmaError(f"--algorithms: there is no algorithm {one_line(name, 80)!r}; there are {known}")
        if self.algorithms:
            ours = tuple((study, c) for study, c in ours if study.name in self.algorithms)
            others = tuple(data for data in others if data.name in self.algorithms)
        there: list[TrialSpec | Curve] = [spec for _, completeness in ours for spec in completeness.specs]
        there += [] if ours else [curve for data in others for curve in data.data.curves]
        for attribute, numbers in self._numbers.items():
            known_numbers = {getattr(trial, attribute) for trial in there}
            if absent := [number for number in numbers if number not in known_numbers]:
                raise SacmaError(
                    f"--{attribute}s: there are no trials of {attribute}s {format_ranges(absent)}; "
                    f"there are {format_ranges(sorted(known_numbers))}"
                )
        if not self._problems:
            return ours, others
        ours = tuple((study, self._some(completeness)) for study, completeness in ours)
        curves = [tuple(filter(self._has, data.data.curves)) for data in others]
        others = tuple(replace(d, data=replace(d.data, curves=of)) for d, of in zip(others, curves, strict=True))
        without = [study.name for study, completeness in ours if not completeness.specs]
        without += [data.name for data in others if not data.data.curves]
        if without:
            raise SacmaError(
                f"{', '.join(without)}: no trials of {' and '.join(self._problems)}; "
                "name the algorithms that have some with --algorithms"
            )
        return ours, others

    def _has(self, problem: TrialSpec | Curve) -> bool:
        return all(getattr(problem, attribute) in numbers for attribute, numbers in self._numbers.items())

    def _some(self, completeness: Completeness) -> Completeness:
        specs = tuple(filter(self._has, completeness.specs))
        keys = {spec.key for spec in specs}
        heads = {key: head for key, head in completeness.heads.items() if key in keys}
        failures = {key: failure for key, failure in completeness.failures.items() if key in keys}
        damaged = tuple(damage for damage in completeness.damaged if self._has(damage.spec))
        return replace(completeness, specs=specs, heads=heads, failures=failures, damaged=damaged)


def parse_choice(
    *,
    algorithms: str | None = None,
    functions: str | None = None,
    dimensions: str | None = None,
    instances: str | None = None,
    targets: str | None = None,
    budgets: str | None = None,
) -> Choice:
    """Return a choice from options of a command: names and numbers separated by commas.

    Raises:
        SacmaError: a list is not of that form.

    >>> choice = parse_choice(algorithms="GP-5, CMA-ES", functions="1-3", targets="1e2..1e-2,0.5", budgets="100,10")
    >>> choice.algorithms, choice.functions, choice.targets, choice.budgets
    (('GP-5', 'CMA-ES'), (1, 2, 3), (100.0, 10.0, 1.0, 0.5, 0.1, 0.01), (10.0, 100.0))
    """
    names = dict.fromkeys(name.strip() for name in (algorithms or "").split(",") if name.strip())
    if algorithms is not None and not names:
        raise SacmaError("--algorithms: the list is empty; give names, like GP-5,CMA-ES")
    at = () if budgets is None else _numbers("--budgets", "10,25,100", budgets, MOST_BUDGETS)
    if at and at[-1] < 1:
        raise SacmaError(f"--budgets: the largest is {at[-1]:g} evaluations/D; give at least 1")
    return Choice(
        tuple(names),
        _ranges("--functions", functions),
        _ranges("--dimensions", dimensions),
        _ranges("--instances", instances),
        () if targets is None else _numbers("--targets", "1e2..1e-8 or 10,1,1e-3", targets, MOST_TARGETS)[::-1],
        at,
    )


def _ranges(option: str, text: str | None) -> tuple[int, ...]:
    try:
        return () if text is None else parse_ranges(text)
    except ValueError as error:
        raise SacmaError(f"{option}: {error}") from None


def _numbers(option: str, form: str, text: str, most: int) -> tuple[float, ...]:
    """Return positive numbers, ascending; ``a..b`` are the decades from one to the other."""
    found = set[float]()
    for part in text.split(","):
        ends = [_positive(end) for end in part.split("..")]
        if None in ends or len(ends) > 2:  # noqa: PLR2004 the two ends of a range
            raise SacmaError(f"{option}: {one_line(part, 40)!r} is not a positive number; write them like {form}")
        low, high = min(filter(None, ends)), max(filter(None, ends))
        decades = range(round(math.log10(high / low)) + 1)
        found |= {float(f"{high / 10**decade:.12g}") for decade in decades if high / 10**decade >= low * (1 - ROUNDING)}
    if len(found) > most:
        raise SacmaError(f"{option}: there are {len(found)}; give at most {most}")
    return tuple(sorted(found))


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < math.inf else None
