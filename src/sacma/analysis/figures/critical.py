"""Critical-difference diagrams: mean ranks on a line, and bars over algorithms that no test tells apart.

J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.2.4. Names stand in
two columns, the better half on the left, each on a line of its own: ranks may be as close as they like.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.figures.groups import ALPHA, Ranking, Ranks, by_rank, groups_alike
from sacma.analysis.figures.layout import LINE, PAGE, new_sheet
from sacma.analysis.figures.style import INK, SIZE, SMALL, Look, looks, number, shortened, styled, text_width

MOST_NAME = 120.0
"""Width of a name at most, in points; less than a third of the diagram."""

STEP = 4.5
"""From one bar to the next, in points."""

BETWEEN = 14.0
"""From one diagram to the next, in points."""

MARK = 9.0
"""Room for the marker beside a name, in points."""

RANK = 22.0
"""Room for a mean rank, in points; in a narrow diagram there is none, and the line of ranks must do."""

APART = 16.0
"""Between numbers at the line of ranks, in points."""


def critical_differences(
    ranking: Ranking, *, alpha: float = ALPHA, algorithms: Sequence[str] | None = None, partial: bool = False
) -> Figure:
    """Draw one diagram, as wide as a page.

    Args:
        ranking: what to draw.
        alpha: family-wise level; pairs with p-values below it differ.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there are fewer than two algorithms, or it is not said which pairs differ.
    """
    return critical_differences([ranking], columns=1, alpha=alpha, algorithms=algorithms, partial=partial)


def critical_differences(
    rankings: Sequence[Ranking],
    *,
    columns: int = 2,
    alpha: float = ALPHA,
    algorithms: Sequence[str] | None = None,
    partial: bool = False,
) -> Figure:
    """Draw a diagram for each of several rankings, such as dimensions by budgets, row by row.

    Args:
        rankings: what to draw.
        columns: number of diagrams beside one another.
        alpha: family-wise level; pairs with p-values below it differ.
        algorithms: of the study, in its order.
        partial: whether to say that trials are missing.

    Raises:
        ValueError: there is nothing to draw, or a ranking is of fewer than two algorithms, or does not say which
            pairs differ.
    """
    if not rankings:
        raise ValueError("nothing to draw: there are no rankings")
    names = list(dict.fromkeys(str(name) for one in rankings for name in one.mean_ranks.index))
    study = names if algorithms is None else algorithms
    if unknown := [name for name in names if name not in study]:
        raise ValueError(f"algorithm {unknown[0]!r} is not one of the study: {', '.join(study)}")
    diagrams = [_diagram(ranking, alpha) for ranking in rankings]
    lines = [diagrams[start : start + columns] for start in range(0, len(diagrams), columns)]
    heights = [max(diagram.height for diagram in line) for line in lines]
    width = (PAGE - BETWEEN * (columns - 1)) / columns
    with styled():
        look_of = looks(study)
        sheet = new_sheet(PAGE, sum(heights) + BETWEEN * len(heights), partial=partial)
        top = 2.0
        for line, height in zip(lines, heights, strict=True):
            for column, diagram in enumerate(line):
                axes = sheet.panel(column * (width + BETWEEN), top, width, diagram.height)
                axes.set_axis_off()
                axes.set(xlim=(0, width), ylim=(diagram.height, 0))
                _draw(axes, diagram, width, look_of)
            top += height + BETWEEN
        return sheet.figure


@dataclass(frozen=True, eq=False)
class _Diagram:
    """What there is to draw of a ranking, and where it is below the top, in points."""

    ranks: Ranks
    groups: Sequence[tuple[str, ...]]
    critical_difference: float | None
    title: str

    @property
    def axis(self) -> float:
        return (LINE + 4 if self.title or self.critical_difference else 0.0) + LINE + 4

    @property
    def names(self) -> float:
        return self.axis + 6 + STEP * len(self.groups) + 6

    @property
    def height(self) -> float:
        return self.names + LINE * ((len(self.ranks) + 1) // 2 - 0.5)


def _diagram(ranking: Ranking, alpha: float) -> _Diagram:
    groups = groups_alike(ranking, alpha)
    return _Diagram(by_rank(ranking), groups, ranking.critical_difference, ranking.title)


def _draw(axes: Axes, diagram: _Diagram, width: float, look_of: Mapping[str, Look]) -> None:
    """Draw a diagram into a panel whose coordinates are points from its top left."""
    k = len(diagram.ranks)
    wide = width > PAGE / 2
    room = min(MOST_NAME, 0.3 * width)
    names = shortened([str(name) for name in diagram.ranks.index], room)
    side = max(map(text_width, names)) + MARK + 16 + (RANK if wide else 0.0)

    def at(rank: float) -> float:
        return side + (rank - 1) / (k - 1) * (width - 2 * side)

    start = _critical_difference(axes, diagram, width, at(2) - at(1)) if diagram.critical_difference else width
    if diagram.title:
        axes.text(4, LINE / 2, shortened([diagram.title], start - 12)[0], va="center")
    _axis(axes, diagram, at)
    for level, group in enumerate(diagram.groups):
        y = diagram.axis + 6 + STEP * level
        ends = at(float(diagram.ranks[group[0]])) - 2, at(float(diagram.ranks[group[-1]])) + 2
        axes.plot(ends, [y, y], color=INK, linewidth=2.6, solid_capstyle="butt", label="bar")
    for n, (algorithm, rank) in enumerate(diagram.ranks.items()):
        left = n < (k + 1) // 2
        y = diagram.names + LINE * (n if left else k - 1 - n)
        edge, outwards, align = (side - 8, -1, "right") if left else (width - side + 8, 1, "left")
        axes.plot([at(rank), at(rank), edge], [diagram.axis, y, y], color=INK, linewidth=0.6, label="stem")
        axes.plot([edge + outwards * MARK / 2], [y], linestyle="none", markersize=5, **look_of[str(algorithm)].mark)
        beside = edge + outwards * (MARK + 1)
        axes.text(beside, y, names[n], ha=align, va="center", fontsize=SIZE)
        if wide:
            beside += outwards * (text_width(names[n]) + 4)
            axes.text(beside, y, f"{rank:.2f}", ha=align, va="center", fontsize=SMALL)


def _axis(axes: Axes, diagram: _Diagram, at: Callable[[float], float]) -> None:
    """Draw the line of ranks with its ticks."""
    k, y = len(diagram.ranks), diagram.axis
    axes.plot([at(1), at(k)], [y, y], color=INK, linewidth=0.8, label="axis")
    labelled = next(step for step in range(1, k + 1) if at(1 + step) - at(1) >= APART or step == k)
    for rank in range(1, k + 1):
        axes.plot([at(rank)] * 2, [y, y - 3], color=INK, linewidth=0.6, label="tick")
        if (rank - 1) % labelled == 0:
            axes.text(at(rank), y - 4, str(rank), ha="center", va="bottom", fontsize=SMALL)


def _critical_difference(axes: Axes, diagram: _Diagram, width: float, unit: float) -> float:
    """Draw the critical difference at the right, where a rank is ``unit`` points; return where it begins."""
    difference = diagram.critical_difference or 0.0
    text = f"CD = {number(difference)}"
    end = width - text_width(text, SMALL) - 8
    start = max(width / 2, end - unit * difference)
    axes.text(end + 5, LINE / 2, text, va="center", fontsize=SMALL)
    if start == end - unit * difference:  # else there is no room for it beside the title
        axes.plot([start, end], [LINE / 2] * 2, color=INK, linewidth=0.8, marker="|", markersize=5, label="CD")
        return start
    return end
