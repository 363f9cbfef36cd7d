"""Choice of what is compared: some of the algorithms, functions and targets of all that there are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sacma.analysis.comparison import Covered, ExternalData
from sacma.coco.ranges import format_ranges, parse_ranges
from sacma.errors import SacmaError
from sacma.files.printable import one_line
from sacma.store.completeness import Completeness

MOST_TARGETS = 100


@dataclass(frozen=True)
class Choice:
    """What was asked for; empty is all."""

    algorithms: tuple[str, ...] = ()
    functions: tuple[int, ...] = ()
    targets: tuple[float, ...] = ()  # Δf of expected running times, from the largest down

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report says of it."""
        parts = [f"algorithms {', '.join(self.algorithms)}"] if self.algorithms else []
        parts += [f"functions {format_ranges(self.functions)}"] if self.functions else []
        return (f"only some of the results were chosen: {'; '.join(parts)}",) if parts else ()

    @property
    def cocopp_note(self) -> str:
        """What cocopp's pages, which are over all functions, say of it."""
        chosen = f"f{format_ranges(self.functions)}"
        return f"These pages are over all functions, the report is over {chosen}." if self.functions else ""

    def apply(
        self, covered: Iterable[Covered], external: Iterable[ExternalData]
    ) -> tuple[tuple[Covered, ...], tuple[ExternalData, ...]]:
        """Return the studies and data of others that were chosen, with the functions that were.

        Raises:
            SacmaError: there is no such algorithm, or function, or no study of ours is left.
        """
        ours, others = tuple(covered), tuple(external)
        names = [study.name for study, _ in ours] + [data.name for data in others]
        for name in self.algorithms:
            if name not in names:
                there = ", ".join(names)
                raise SacmaError(f"--algorithms: there is no algorithm {one_line(name, 80)!r}; there are {there}")
        if self.algorithms:
            ours = tuple((study, c) for study, c in ours if study.name in self.algorithms)
            others = tuple(data for data in others if data.name in self.algorithms)
        if not ours:
            raise SacmaError("--algorithms: none of them is of the results folder; name one that is")
        if self.functions:
            planned = sorted({spec.function for _, c in ours for spec in c.specs})
            absent = [function for function in self.functions if function not in planned]
            if absent:
                raise SacmaError(
                    f"--functions: there are no trials of f{format_ranges(absent)}; there are f{format_ranges(planned)}"
                )
            ours = tuple((study, self._some(completeness)) for study, completeness in ours)
            others = tuple(self._some_of(data) for data in others)
        return ours, others

    def _some(self, completeness: Completeness) -> Completeness:
        specs = tuple(spec for spec in completeness.specs if spec.function in self.functions)
        keys = {spec.key for spec in specs}
        heads = {key: head for key, head in completeness.heads.items() if key in keys}
        failures = {key: failure for key, failure in completeness.failures.items() if key in keys}
        return replace(completeness, specs=specs, heads=heads, failures=failures)

    def _some_of(self, data: ExternalData) -> ExternalData:
        curves = tuple(curve for curve in data.data.curves if curve.function in self.functions)
        return replace(data, data=replace(data.data, curves=curves))


def parse_choice(algorithms: str = "", functions: str = "", targets: str = "") -> Choice:
    """Return what options of a command ask for: names and numbers separated by commas.

    Raises:
        SacmaError: a list is not of that form.

    >>> parse_choice("GP-5, CMA-ES", "1-3", "1,1e-3")
    Choice(algorithms=('GP-5', 'CMA-ES'), functions=(1, 2, 3), targets=(1.0, 0.001))
    """
    try:
        chosen = parse_ranges(functions) if functions else ()
    except ValueError as error:
        raise SacmaError(f"--functions: {error}") from None
    names = dict.fromkeys(name.strip() for name in algorithms.split(",") if name.strip())
    if algorithms and not names:
        raise SacmaError("--algorithms: the list is empty; give names, like GP-5,CMA-ES")
    return Choice(tuple(names), chosen, _targets(targets.split(",")) if targets else ())


def _targets(texts: Sequence[str]) -> tuple[float, ...]:
    found = set()
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 < value < float("inf"):
            raise SacmaError(f"--targets: {one_line(text, 40)!r} is not a positive number; write them like 10,1,1e-3")
        found.add(value)
    if len(found) > MOST_TARGETS:
        raise SacmaError(f"--targets: there are {len(found)}; give at most {MOST_TARGETS}")
    return tuple(sorted(found, reverse=True))
