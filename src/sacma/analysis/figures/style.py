"""One look for all figures: colours, dashes, markers, fonts, and texts that are shown as they are.

An algorithm has the same look in every report: it is decided by its name, and no two of a report share a colour while
there are enough. Dashes and markers differ, too, for print without colour. The colours of the first six are of M.
Okabe and K. Ito, Color universal design (2008), those of the next six of P. Tol, Colour schemes (2021); each further
one is as far as can be in OKLab from all before it, from white, and from grey.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, count
from typing import Any
from zlib import crc32

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.textpath import text_to_path

from sacma.coco.suites import BEST_2009
from sacma.files.printable import printable

FONT = "DejaVu Sans"  # comes with matplotlib: the same everywhere
SIZE = 8.0  # of text, in points
SMALL = 7.0  # of tick labels and of what is crowded, in points: nothing is smaller
HANDLE = 26.0  # length of a line in the key, in points
GAP = 6.0  # between such a line and its text, and as much again and more to the next, in points

INK = "#000000"
FAINT = "#D9D9D9"  # of what guides the eye
Properties = dict[str, Any]  # of an artist, by matplotlib's names

STYLE: dict[Any, Any] = {
    "font.family": [FONT],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "legend.fontsize": SIZE,
    "legend.frameon": False,
    "legend.handlelength": HANDLE / SIZE,
    "legend.handletextpad": GAP / SIZE,
    "legend.columnspacing": 2 * GAP / SIZE,
    "legend.labelspacing": 0.25,
    "legend.borderpad": 0,
    "legend.borderaxespad": 0,
    "text.parse_math": False,  # names are no formulas
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.6,
    "patch.linewidth": 0.6,
    # Glyphs as outlines: a page looks the same in every browser, offline and with whatever fonts, and texts are as wide
    # as they were when they were placed. As text a figure would be smaller, by a sixth of curves and half of numbers,
    # but its labels could overlap where the font is another.
    "svg.fonttype": "path",
    # In PDF the font is embedded and text can be searched. Type 3 is what many journals refuse.
    "pdf.fonttype": 42,
    # Identifiers within the file; random unless salted.
    "svg.hashsalt": "sacma",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style, whatever the user's own settings of matplotlib, which hold again afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


@dataclass(frozen=True)
class Look:
    """Colour, dashes and marker of an algorithm, which tell it from others."""

    colour: str  # as #RRGGBB
    dashes: tuple[float, ...]  # lengths of dashes and gaps, in line widths; empty for a solid line
    marker: str  # as matplotlib names it
    filled: bool = True  # the marker, with the colour
    strong: bool = False  # the line, of the baseline

    @property
    def line(self) -> Properties:
        """Colour, dashes and width as properties of a line."""
        width = {"linewidth": STRONG} if self.strong else {}
        return {"color": self.colour, "linestyle": (0, self.dashes) if self.dashes else "-", **width}

    @property
    def mark(self) -> Properties:
        """Colour and shape as properties of a marker."""
        if not self.filled:
            edge = {"markerfacecolor": "white", "markeredgecolor": self.colour, "markeredgewidth": 0.9}
        else:
            edge = {"markeredgecolor": self.colour if self.marker in THIN else "white", "markeredgewidth": 0.4}
        return {"color": self.colour, "marker": self.marker, **edge}


# Algorithms of the first colours, in this order.
NAMED = (
    *("CMA-ES", "GP-5", "sacma", "ADA-KL", "ADA-Kendall", "GP-1", "ADA-RD", "BIPOP-CMA-ES", "lq-CMA-ES"),
    *("Random-Search", "SLSQP", "Powell", "DTS-CMA-ES", "DTS-aCMA-ES", "aDTS-CMA-ES", "ADA-Kendall-active"),
    *("aCMA-ES", "COBYQA", "COBYLA", "L-BFGS-B", "Nelder-Mead", "Py-BOBYQA", "TuRBO"),
)

COLOURS = (
    *("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"),
    *("#E69F00", "#90C987", "#332288", "#521A13", "#882255", "#6B4A00"),
    *("#00D000", "#A000F8", "#908800", "#0000F8", "#004850", "#F880F8", "#006800", "#8878F8", "#7800A0", "#C0A8F8"),
    *("#D0A898", "#F80068", "#B80008", "#F800D0", "#5840D8", "#B838A0", "#7858A0", "#500050", "#004000", "#1870F8"),
)
DASHES = ((), (4, 1.6), (9, 2.2), (6, 1.6, 1.2, 1.6))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", "p", ">", "*", "h")
THIN = ("X", "P", "*")  # of which a white edge would not leave much
STRONG = 2.2  # points of the baseline's line


def look(position: int) -> Look:
    """Return the look at a position, from 0; the first 72 are different, and sacma's, that of 2, is a solid line."""
    turn = position // len(COLOURS)
    dashes = DASHES[(position - 2 + turn) % len(DASHES)]
    filled = position // len(MARKERS) % 2 == 0
    return Look(COLOURS[position % len(COLOURS)], dashes, MARKERS[(position + turn) % len(MARKERS)], filled)


def looks(algorithms: Iterable[str], baseline: str = "") -> dict[str, Look]:
    """Return the look of each algorithm by its name, the baseline with a solid line; the reference has none.

    A name that is none of ``NAMED`` has a position of its own behind them, or the next free one: the baseline before
    others, and those that begin like one of ``NAMED`` at last.

    >>> looks(["GP-1", "CMA-ES"])["CMA-ES"].colour, looks(["CMA-ES", "mine"])["mine"] == looks(["mine"])["mine"]
    ('#000000', True)
    """
    names = [name for name in algorithms if name != BEST_2009]
    places = {name: NAMED.index(name) for name in names if name in NAMED}
    behind = range(len(NAMED), len(COLOURS))
    for name in sorted(set(names) - places.keys(), key=lambda name: (name != baseline, name.startswith(NAMED), name)):
        first = crc32(name.encode()) % len(behind)
        wanted = chain(behind[first:], behind[:first], range(len(NAMED)), count(len(COLOURS)))
        places[name] = next(place for place in wanted if place not in places.values())
    found = {name: look(places[name]) for name in names}
    return found | {name: replace(found[name], dashes=(), strong=True) for name in names if name == baseline}


def plain(text: object) -> str:
    r"""Return a text on one line, in characters that the font has; others become escapes, as in Python.

    >>> plain("Δf\n中")
    'Δf\\n\\u4e2d'
    """
    there = _characters()
    shown = printable(str(text)).replace("#FE_t", "#FEₜ")
    return "".join(c if ord(c) in there else c.encode("unicode_escape").decode() for c in shown)


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())


@cache
def text_width(text: str, size: float = SIZE) -> float:
    """Return the width of a line of text, in points."""
    font = FontProperties(family=FONT, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width)


def shortened(texts: Sequence[str], room: float, size: float = SIZE) -> list[str]:
    """Return texts that fit and stay distinct; … stands for the middle of those that are too long.

    ``room``, their width at most, and the size of the font are in points.

    >>> shortened(["CMA-ES", "ADA-Kendall with radius 8", "ADA-Kendall with radius 64"], 60)
    ['CMA-ES', 'ADA-Ke…ius 8', 'ADA-Ke…us 64']
    """
    whole = [plain(text) for text in texts]
    short = [_fitted(text, room, size) for text in whole]
    seen = Counter(short)
    # Same at both ends: their position tells them apart.
    return [
        _fitted(f"{n}: {text}", room, size) if seen[fitted] > 1 else fitted
        for n, (text, fitted) in enumerate(zip(whole, short, strict=True), start=1)
    ]


def _fitted(text: str, room: float, size: float) -> str:
    if text_width(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        tail = kept // 2
        candidate = f"{text[: kept - tail]}…{text[len(text) - tail :]}"
        if text_width(candidate, size) <= room:
            return candidate
    return f"{text[0]}…"


def number(value: float, digits: int = 3) -> str:
    """Return a number as it is written in print: with a minus instead of a hyphen, without an exponent.

    >>> number(-0.25), number(1234.5), number(0.00012)
    ('−0.25', '1230', '0.00012')
    """
    rounded = float(f"{value:.{digits}g}")
    text = f"{rounded:.12f}".rstrip("0").rstrip(".") if rounded else "0"
    return text.replace("-", "\N{MINUS SIGN}")
