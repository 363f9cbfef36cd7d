"""Critical-difference diagrams: mean ranks on a line, and bars over algorithms that no test tells apart.

J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.2.4. Names stand in
two columns, the better half on the left, each on a line of its own: ranks may be as close as they like.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial as bind
from itertools import permutations
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.comparison import MANY
from sacma.analysis.figures.layout import LINE, PAGE, new_layout
from sacma.analysis.figures.rows import Names
from sacma.analysis.figures.style import INK, SIZE, SMALL, Look, looks, number, shortened, styled, text_width
from sacma.analysis.section import Drawing, Findings, Report, Section
from sacma.analysis.sections.ranks import are_compared
from sacma.analysis.tables import ALPHA, PLACE, decisive
from sacma.analysis.trials import OF_TARGET

PIECE = """
{{ figure("critical", "Mean ranks; a bar joins algorithms of which no two differ significantly, after correction for\
 many tests. CD: Nemenyi's critical difference.") }}
"""

MOST_NAME = 120.0  # width of a name at most, in points; less than a third of the diagram
STEP = 4.5  # from one bar to the next, in points
PANELS, BETWEEN = 2, 14.0  # diagrams beside one another where algorithms are few, and from one to the next, in points
MARK = 9.0  # room for the marker beside a name, in points
APART = 16.0  # between numbers at the line of ranks, in points
Ranks: TypeAlias = "pd.Series[float]"  # mean ranks by algorithm, the best first


@dataclass(frozen=True, eq=False)
class Ranking:
    """Mean ranks of algorithms on the same problems, and which pairs differ."""

    mean_ranks: pd.Series  # R_j by algorithm, 1 the best
    p_values: pd.DataFrame  # adjusted, algorithms × algorithms, as from ``bergmann_hommel``
    critical_difference: float | None = None  # drawn as a scale if it is no longer than about half the diagram
    title: str = ""  # what was compared


def by_rank(mean_ranks: pd.Series) -> Ranks:
    """Return the mean ranks, the best first.

    >>> by_rank(pd.Series({"A": 1.0}))
    Traceback (most recent call last):
    ...
    ValueError: 1 algorithm: a ranking needs two or more
    """
    ranks: Ranks = mean_ranks.astype(float)
    k = len(ranks)
    if k < 2:  # noqa: PLR2004 two to compare
        raise ValueError(f"{k} algorithm{'' if k == 1 else 's'}: a ranking needs two or more")
    if not ranks.index.is_unique:
        raise ValueError(f"algorithm {ranks.index[ranks.index.duplicated()][0]!r} has more than one mean rank")
    wrong = ranks[~ranks.between(1, k)]
    if len(wrong):
        raise ValueError(f"the mean rank of {wrong.index[0]} is {wrong.iloc[0]:g}; of {k} algorithms it is 1 … {k}")
    return ranks.sort_values(kind="stable")


def groups_alike(ranking: Ranking, alpha: float = ALPHA) -> list[tuple[str, ...]]:
    """Return the maximal groups of two or more neighbours in rank of which no pair has a p-value below ``alpha``.

    Adjusted p-values need not fall with the distance of ranks: two algorithms that do not differ may have one between
    them that differs from one of the two. A bar over all three would say more than the tests do, so there is none.
    """
    ranks = by_rank(ranking.mean_ranks)
    p = ranking.p_values.reindex(index=ranks.index, columns=ranks.index).to_numpy(dtype=np.float64, na_value=np.nan)
    for i, j in permutations(range(len(p)), 2):
        if not 0 <= p[i, j] <= 1:
            raise ValueError(f"the p-value of {ranks.index[i]} and {ranks.index[j]} is {p[i, j]}; every pair needs one")
    alike = np.minimum(p, p.T) >= alpha
    groups, reached = [], 0
    for first in range(len(ranks)):
        last = first
        while last + 1 < len(ranks) and alike[first : last + 1, last + 1].all():
            last += 1
        if last > max(first, reached):
            groups.append(tuple(str(name) for name in ranks.index[first : last + 1]))
            reached = last
    return groups


def _figures(report: Report) -> Iterator[Drawing]:
    if not are_compared(report.findings):
        return
    for name, title, of_target in (("target", "at #FE_t/3 and #FE_t", True), ("budgets", "at fixed budgets", False)):
        rankings = list(_rankings(report.findings, of_target=of_target))
        if rankings:
            make = bind(critical_differences, rankings, **report.look)
            yield Drawing(f"critical_differences_{name}", "critical", title, make)


def _rankings(findings: Findings, *, of_target: bool) -> Iterator[Ranking]:
    ranks, tests, pairs = findings["mean_ranks"], findings["rank_tests"], findings["pairwise"]
    differ, difference = (tests.set_index(PLACE)[name].to_dict() for name in ("significant", "critical_difference"))
    for (D, scenario), group in ranks[ranks["scenario"].isin(OF_TARGET) == of_target].groupby(PLACE, sort=False):
        if (D, scenario) not in differ:
            continue
        these = pairs[(pairs["dimension"] == D) & (pairs["scenario"] == scenario)].assign(none=1.0)
        # Where ranks do not differ at all, no pair is said to.
        values = decisive(these) if differ[D, scenario] else "none"
        p_values = these.pivot(index="algorithm", columns="other", values=values)
        mean_ranks = group.set_index("algorithm")["mean_rank"]
        title = f"{D}-D, {scenario}, {group['functions'].iloc[0]} functions"
        yield Ranking(mean_ranks, p_values, difference[D, scenario], title)


def critical_differences(
    rankings: Sequence[Ranking], *, alpha: float = ALPHA, algorithms: Names = None, partial: bool = False
) -> Figure:
    """Draw a diagram for each of several rankings, row by row; pairs with p-values below ``alpha`` differ."""
    if not rankings:
        raise ValueError("nothing to draw: there are no rankings")
    names = list(dict.fromkeys(str(name) for one in rankings for name in one.mean_ranks.index))
    study = names if algorithms is None else algorithms
    if unknown := [name for name in names if name not in study]:
        raise ValueError(f"algorithm {unknown[0]!r} is not one of the study: {', '.join(study)}")
    panels = PANELS if max(len(one.mean_ranks) for one in rankings) <= MANY else 1  # stems of many need its length
    width = (PAGE - BETWEEN * (panels - 1)) / panels
    diagrams = [
        _Diagram(by_rank(one.mean_ranks), groups_alike(one, alpha), one.critical_difference, one.title, width)
        for one in rankings
    ]
    lines = [diagrams[start : start + panels] for start in range(0, len(diagrams), panels)]
    heights = [max(diagram.height for diagram in line) for line in lines]
    with styled():
        look_of = looks(study)
        layout = new_layout(PAGE, sum(heights) + BETWEEN * len(heights), partial=partial)
        top = 2.0
        for line, height in zip(lines, heights, strict=True):
            for column, diagram in enumerate(line):
                axes = layout.panel(column * (width + BETWEEN), top, width, diagram.height)
                axes.set_axis_off()
                axes.set(xlim=(0, width), ylim=(diagram.height, 0))
                _draw(axes, diagram, look_of)
            top += height + BETWEEN
        return layout.figure


@dataclass(frozen=True, eq=False)
class _Diagram:
    """A ranking to draw, its width, and where its parts are below the top, in points."""

    ranks: Ranks
    groups: Sequence[tuple[str, ...]]
    critical_difference: float | None
    title: str
    width: float

    @property
    def axis(self) -> float:
        return (LINE + 4 if self.title or self.critical_difference else 0.0) + LINE + 4

    @property
    def names(self) -> float:
        return self.axis + 6 + STEP * len(self.groups) + 6

    @property
    def height(self) -> float:
        return self.names + LINE * ((len(self.ranks) + 1) // 2 - 0.5)


def _draw(axes: Axes, diagram: _Diagram, look_of: Mapping[str, Look]) -> None:
    """Draw a diagram into a panel whose coordinates are points from its top left."""
    k = len(diagram.ranks)
    names = shortened([str(name) for name in diagram.ranks.index], min(MOST_NAME, 0.3 * diagram.width))
    side = max(map(text_width, names)) + MARK + 16

    def at(rank: float) -> float:
        return side + (rank - 1) / (k - 1) * (diagram.width - 2 * side)

    start = _critical_difference(axes, diagram, at(2) - at(1)) if diagram.critical_difference else diagram.width
    if diagram.title:
        axes.text(4, LINE / 2, shortened([diagram.title], start - 12)[0], va="center")
    axes.plot([at(1), at(k)], [diagram.axis] * 2, color=INK, linewidth=0.8, label="axis")
    labelled = next(step for step in range(1, k + 1) if at(1 + step) - at(1) >= APART or step == k)
    for tick in range(1, k + 1):
        axes.plot([at(tick)] * 2, [diagram.axis, diagram.axis - 3], color=INK, linewidth=0.6, label="tick")
        if (tick - 1) % labelled == 0:
            axes.text(at(tick), diagram.axis - 4, str(tick), ha="center", va="bottom", fontsize=SMALL)
    for level, group in enumerate(diagram.groups):
        y = diagram.axis + 6 + STEP * level
        ends = at(float(diagram.ranks[group[0]])) - 2, at(float(diagram.ranks[group[-1]])) + 2
        axes.plot(ends, [y, y], color=INK, linewidth=2.6, solid_capstyle="butt", label="bar")
    for n, (algorithm, rank) in enumerate(diagram.ranks.items()):
        left = n < (k + 1) // 2
        y = diagram.names + LINE * (n if left else k - 1 - n)
        edge, outwards, align = (side - 8, -1, "right") if left else (diagram.width - side + 8, 1, "left")
        axes.plot([at(rank), at(rank), edge], [diagram.axis, y, y], color=INK, linewidth=0.6, label="stem")
        axes.plot([edge + outwards * MARK / 2], [y], linestyle="none", markersize=5, **look_of[str(algorithm)].mark)
        axes.text(edge + outwards * (MARK + 1), y, names[n], ha=align, va="center", fontsize=SIZE)


def _critical_difference(axes: Axes, diagram: _Diagram, unit: float) -> float:
    """Draw the critical difference at the right, where a rank is ``unit`` points; return where it begins."""
    difference = diagram.critical_difference or 0.0
    text = f"CD = {number(difference)}"
    end = diagram.width - text_width(text, SMALL) - 8
    start = max(diagram.width / 2, end - unit * difference)
    axes.text(end + 5, LINE / 2, text, va="center", fontsize=SMALL)
    if start == end - unit * difference:  # else there is no room for it beside the title
        axes.plot([start, end], [LINE / 2] * 2, color=INK, linewidth=0.8, marker="|", markersize=5, label="CD")
        return start
    return end


SECTION = Section(key="ranks", title="Ranks", figures=_figures, piece=PIECE, shown=are_compared)
