"""Formatted tables: one description, written as LaTeX, Markdown, HTML and CSV."""

import csv
import html
import io
import math
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import jinja2
import numpy as np
import pandas as pd

from sacma.files.printable import printable


@dataclass(frozen=True)
class Cell:
    """A literal text in a table, and the value for sorting if it is another."""

    text: str
    bold: bool = False  # the best of its kind
    star: bool = False  # an asterisk behind, for what is significant
    value: float | None = None

    @property
    def sort_value(self) -> str:
        """The value as JavaScript reads it."""
        return f"{self.value:.9g}".replace("inf", "Infinity")


@dataclass(frozen=True)
class Head:
    """A heading over one or more columns."""

    text: str
    span: int = 1


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Block:
    """Rows below lines of headings of their own; the first cell of each row names it."""

    header: tuple[tuple[Head, ...], ...]
    rows: tuple[Row, ...]

    @property
    def heads(self) -> list[str]:
        """One heading a column; a heading over several columns is repeated in each."""
        lines = [[printable(head.text) for head in line for _ in range(head.span)] for line in self.header]
        return [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*lines, strict=True)]


@dataclass(frozen=True)
class FormattedTable:
    """A table as it is printed, of blocks that all have the same number of columns."""

    name: str  # of its files
    title: str  # in few words
    caption: str  # says how to read it
    blocks: tuple[Block, ...]

    @property
    def columns(self) -> int:
        """Number of columns."""
        return max(sum(head.span for head in line) for block in self.blocks for line in block.header)


def number(value: float, form: str, *, bold: bool = False, star: bool = False) -> Cell:
    """Return a cell of a number, or of a dash where there is none.

    >>> number(2.345, ".2f").text, number(float("nan"), ".2f").text, number(float("inf"), ".2f").text
    ('2.35', '–', '∞')
    """
    known = not math.isnan(value)
    text = format(value, f"z{form}").replace("inf", "∞") if known else "–"
    return Cell(text, bold and known, star and known, value if known else None)


def number_rows(
    values: pd.DataFrame, form: str, *, best: bool = False, stars: Container[tuple[object, object]] = ()
) -> tuple[Row, ...]:
    """Return a table of numbers as rows of cells, named by its index.

    With ``best`` the lowest numbers of each column, as printed, are bold; ``stars`` has the significant (row, column).
    """
    shown = values.to_numpy(float)
    bold = np.zeros(shown.shape, bool)
    if best:
        bold.T[:] = [lowest(line, form) for line in shown.T]
    rows = []
    for name, line, bolds in zip(values.index, shown.tolist(), bold.tolist(), strict=True):
        places = zip(line, bolds, values.columns, strict=True)
        cells = (number(value, form, bold=is_best, star=(name, c) in stars) for value, is_best, c in places)
        rows.append((Cell(str(name)), *cells))
    return tuple(rows)


def spanning(corner: tuple[str, str], over: Iterable[object], below: Sequence[str]) -> tuple[tuple[Head, ...], ...]:
    """Return a header of two lines: headings over several columns, and the same below each of them."""
    tops = [Head(str(text), len(below)) for text in over]
    return (Head(corner[0]), *tops), (Head(corner[1]), *(Head(text) for _ in tops for text in below))


LARGE = 1e4  # from which on numbers have no decimals


def cell_of(value: object, *, text: bool = False) -> Cell:
    """Return a cell of any value of a data frame.

    >>> cell_of(12345).text, cell_of(12345.6).text, cell_of(0.123456).text, cell_of(float("nan")).text
    ('12345', '12346', '0.1235', '–')
    """
    if text or not isinstance(value, int | float | np.number) or isinstance(value, bool | np.bool_):
        return Cell(str(value))
    decimals = isinstance(value, float | np.floating) and abs(float(value)) < LARGE
    return number(float(value), ".4g" if decimals else ".0f")


def lowest(values: Iterable[float], form: str) -> list[bool]:
    """Return for each value if it is the lowest as they are printed: equal ones are all.

    >>> lowest([2.304, 2.301, 3], ".2f")
    [True, True, False]
    """
    shown = [float(format(value, form)) for value in values]
    best = min((value for value in shown if not math.isnan(value)), default=math.nan)
    return [value == best for value in shown]


LINES_OF_A_PAGE = 45  # rows of a table in LaTeX beyond which each of its blocks gets a page
COLUMNS_OF_A_PAGE = 14  # columns beyond which the page is turned

# With an index, which plain text shows by an underscore.
SYMBOLS = {"#FE_t": ("#FE", "t"), "Δf_med": ("Δf", "med"), "F_F": ("F", "F"), "g_m": ("g", "m"), "ε_T": ("ε", "T")}

_SYMBOL = re.compile(r"(?<![\w.+-])({})(?![\w.+-])".format("|".join(map(re.escape, SYMBOLS))))  # not within a name

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"–": "--", "…": r"\ldots{}", "₀": "$_0$", "²": r"\textsuperscript{2}", "½": r"$\frac12$"}
_LATEX |= {"·": r"$\cdot$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "∞": r"$\infty$"}
_LATEX |= {"Δ": r"$\Delta$", "χ": r"$\chi$", "ε": r"$\varepsilon$", "γ": r"$\gamma$", "λ": r"$\lambda$"}
_LATEX |= {"ρ": r"$\rho$", "σ": r"$\sigma$", "ℓ": r"$\ell$"}


def latex_text(text: str) -> str:
    r"""Return a text as LaTeX that shows it literally.

    >>> print(latex_text("50% of #FE_t"))
    50\% of \#FE$_\mathrm{t}$
    """
    text = printable(text)
    text = _SYMBOL.sub(lambda found: "{}\0{}\1".format(*SYMBOLS[found[0]]), text)
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return re.sub("\0(\\w+)\1", r"$_\\mathrm{\1}$", escaped)


def html_text(text: str) -> str:
    """Return a text as HTML that shows it literally.

    >>> html_text("#FE_t & <b>")
    '#FE<sub>t</sub> &amp; &lt;b&gt;'
    """
    shown = html.escape(printable(text))
    shown = _SYMBOL.sub(lambda found: "{}<sub>{}</sub>".format(*SYMBOLS[found[0]]), shown)
    return re.sub(r"(\d)-D\b", r"\1&#8209;D", shown)  # never at the end of a line


def markdown_text(text: str) -> str:
    """Return a text as Markdown that shows it literally."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", printable(text))


_ESCAPES: dict[str, Callable[[str], str]] = {"tex": latex_text, "md": markdown_text, "html": html_text}


@cache
def _template(kind: str) -> jinja2.Template:
    environment = jinja2.Environment(  # noqa: S701 each format has an escape of its own, the filter text
        *("<%", "%>", "<<", ">>", "<#", "#>"), undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"text": _ESCAPES[kind], "printable": printable, "spans": _spans}
    source = resources.files("sacma.analysis.page").joinpath(f"table.{kind}").read_text(encoding="utf-8")
    return environment.from_string(source)


def _spans(line: Sequence[Head]) -> list[str]:
    """Return the columns, as in ``2-3``, of each heading that is over several."""
    ends = np.cumsum([head.span for head in line]).tolist()
    return [f"{end - head.span + 1}-{end}" for end, head in zip(ends, line, strict=True) if head.span > 1]


def rendered(table: FormattedTable, kind: str) -> str:
    """Return the table as a file of a kind.

    ``csv`` is as it is printed; ``tex`` a document of the table alone, whose tabulars can be put into another; ``md``
    GitHub-flavoured Markdown; ``html`` one sortable ``table`` a block, with what cells are sorted by in ``data-value``
    and the name of each row in ``data-name``.
    """
    if kind == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        for block in table.blocks:
            writer.writerow(block.heads)
            writer.writerows([printable(cell.text) + "*" * cell.star for cell in row] for row in block.rows)
        return lines.getvalue()
    long = sum(len(block.rows) for block in table.blocks) > LINES_OF_A_PAGE
    pages = [(block,) for block in table.blocks] if long else [table.blocks]
    text = _template(kind).render(table=table, pages=pages, most_columns=COLUMNS_OF_A_PAGE)
    return text.rstrip("\n") + "\n" * (kind != "html")


def renderings(table: FormattedTable) -> dict[str, str]:
    """Return the table in all forms, by the ending of their files."""
    return {kind: rendered(table, kind) for kind in ("csv", "tex", "md", "html")}


def csv_of(frame: pd.DataFrame, float_format: str | None = None) -> str:
    r"""Return a data frame as CSV, texts printable.

    >>> csv_of(pd.DataFrame({"a": ["x\x1by"], "b": [1]}))
    'a,b\nx\\x1by,1\n'
    """
    texts = frame.select_dtypes(exclude="number").columns
    shown = {str(name): frame[name].map(lambda v: printable(v) if isinstance(v, str) else v) for name in texts}
    return frame.assign(**shown).to_csv(index=False, float_format=float_format, lineterminator="\n")
