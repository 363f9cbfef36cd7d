"""Layout of figures: panels, titles and a key, placed in points so that nothing covers anything.

matplotlib can find a layout by itself, which takes longer than all drawing and depends on what is drawn. Here each
figure says where its panels are, measured from the top left of its body, and the body grows a head for its title and a
foot for its key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from sacma.analysis.figures.style import GAP, HANDLE, INK, SIZE, SMALL, shortened, text_width

PAGE = 481.5  # width of the text on an A4 page with margins of 2 cm, in points
COLUMN = 240.0  # half of it: a column of a paper
LINE = 11.0  # from one line of text to the next, in points

PARTIAL = "PARTIAL: trials are missing"

Key = tuple[str, Artist]  # A text of the key and what it stands for


@dataclass(frozen=True)
class Layout:
    """A figure with title and key, the height of its head in points, and panels that are placed below that."""

    figure: Figure
    head: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with head and foot, in points."""
        width, height = self.figure.get_size_inches()
        return 72 * float(width), 72 * float(height)

    def panel(self, left: float, top: float, width: float, height: float, title: str = "") -> Axes:
        """Add a panel; its frame is where it is said to be, its labels are outside, its title is just above."""
        whole_width, whole_height = self.size
        bottom = 1 - (self.head + top + height) / whole_height
        axes = self.figure.add_axes((left / whole_width, bottom, width / whole_width, height / whole_height))
        axes.tick_params(labelsize=SMALL, width=0.6, length=2.5, pad=2, color=INK)
        axes.tick_params(which="minor", width=0.4, length=1.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
        if title:
            text = shortened([title], min(width + 14, whole_width - left - 1), SIZE)[0]
            axes.set_title(text, loc="left", fontsize=SIZE, pad=3)
        return axes

    def write(self, x: float, y: float, text: str, **properties: Any) -> Text:
        """Write a text at a point of the body."""
        width, height = self.size
        return self.figure.text(x / width, 1 - (self.head + y) / height, text, **({"fontsize": SIZE} | properties))


def new_layout(
    width: float, height: float, *, title: str = "", keys: Sequence[Key] = (), partial: bool = False
) -> Layout:
    """Return a layout without panels, of a width and a height of its body in points.

    The title and a warning of partial results are in the head, the keys in the foot. Texts are shortened if need be.
    """
    heads = [(text, weight) for text, weight in ((title, "normal"), (PARTIAL * partial, "bold")) if text]
    head = LINE * len(heads)
    room = width - 8
    names = shortened([text for text, _ in keys], min(room, 230.0) - HANDLE - 3 * GAP)
    widest = max(map(text_width, names), default=0.0) + HANDLE + 3 * GAP
    columns = max(1, min(len(keys), int(room // widest)))
    lines = -(-len(keys) // columns)
    foot = LINE * lines + 3 if keys else 0
    figure = Figure(figsize=(width / 72, (head + height + foot) / 72))
    layout = Layout(figure, head)
    for line, (text, weight) in enumerate(heads):
        layout.write(4, line * LINE + 2 - head, shortened([text], room)[0], weight=weight, va="top")
    if keys:
        figure.legend(
            [artist for _, artist in keys],
            ["?"] * len(keys),  # given here, a name that begins with _ would be left out
            loc="lower center",
            bbox_to_anchor=(0.5, 2 / (head + height + foot)),
            ncols=-(-len(keys) // lines),
        )
        for shown, name in zip(figure.legends[0].get_texts(), names, strict=True):
            shown.set_text(name)
    return layout
