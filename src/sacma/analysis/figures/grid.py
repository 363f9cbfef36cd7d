"""Grids of small panels, one a function, four in a row."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sacma.analysis.figures.layout import PAGE, Key, new_layout
from sacma.coco.function_names import function_title

PANELS = 4  # beside one another

LEFT, BETWEEN, ABOVE, BELOW = 32.0, 24.0, 20.0, 28.0
"""Room left of the panels, between them, above each and below the last, in points."""

WIDTH, HEIGHT = (PAGE - LEFT - (PANELS - 1) * BETWEEN - 6) / PANELS, 78.0  # of a panel, in points


def function_grid(
    functions: Sequence[int], *, title: str, x: str, y: str, keys: Sequence[Key], partial: bool
) -> tuple[Figure, dict[int, Axes]]:
    """Return a figure with a panel for each function, by function; x and y are labels of all panels.

    Ticks along x have labels below the last panel of each column only.
    """
    columns = min(PANELS, len(functions))
    body = -(-len(functions) // columns) * (ABOVE + HEIGHT) + BELOW
    width = PAGE if columns == PANELS else LEFT + columns * (WIDTH + BETWEEN)
    layout = new_layout(width, body, title=title, keys=keys, partial=partial)
    panels = {}
    for n, function in enumerate(functions):
        row, column = divmod(n, columns)
        place = (LEFT + column * (WIDTH + BETWEEN), ABOVE - 5 + row * (ABOVE + HEIGHT))
        axes = layout.panel(*place, WIDTH, HEIGHT, function_title(function))
        axes.tick_params(axis="x", labelbottom=n + columns >= len(functions))
        panels[function] = axes
    layout.write(8, (body - BELOW) / 2, y, rotation=90, va="center", ha="center")
    if x:
        layout.write(width / 2, body - 8, x, ha="center", va="center")
    return layout.figure, panels
