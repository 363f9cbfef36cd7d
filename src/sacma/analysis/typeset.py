"""A table for people, as LaTeX, Markdown and HTML from one description."""

import csv
import html
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from sacma.files.printable import printable


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table.

    Args:
        text: shown literally.
        bold: for the best of its kind.
        star: with an asterisk behind, for what is significant.
        value: what to sort by; None: the text.
    """

    text: str
    bold: bool = False
    star: bool = False
    value: float | None = None


@dataclass(frozen=True)
class Head:
    """A heading over one or more columns."""

    text: str
    span: int = 1


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Block:
    """Rows below headings of their own.

    Args:
        header: lines of headings; the spans of each add up to the number of columns.
        rows: what is below; the first cell of each names it.
    """

    header: tuple[tuple[Head, ...], ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Sheet:
    """A table as it is printed.

    Args:
        name: of its files.
        number: as which table of the paper; None where it has none such.
        title: in few words.
        caption: says how to read it.
        blocks: of rows; all have the same number of columns.
    """

    name: str
    number: int | None
    title: str
    caption: str
    blocks: tuple[Block, ...]

    @property
    def heading(self) -> str:
        """Title with number."""
        return self.title if self.number is None else f"Table {self.number}: {self.title}"

    @property
    def columns(self) -> int:
        """How many there are."""
        return max(sum(head.span for head in line) for block in self.blocks for line in block.header)


def number(value: float, form: str, *, bold: bool = False, star: bool = False) -> Cell:
    """Return a cell of a number, or of a dash where there is none.

    >>> number(2.345, ".2f").text, number(float("nan"), ".2f").text, number(float("inf"), ".2f").text
    ('2.35', '–', '∞')
    """
    known = not math.isnan(value)
    text = format(value, form).replace("inf", "∞") if known else "–"
    return Cell(text, bold and known, star and known, value if known else None)


def lowest(values: Sequence[float], form: str) -> list[bool]:
    """Say which values are the lowest as they are printed: equal ones are all.

    >>> lowest([2.304, 2.301, 3], ".2f")
    [True, True, False]
    """
    shown = [float(format(value, form)) for value in values]
    best = min((value for value in shown if not math.isnan(value)), default=math.nan)
    return [value == best for value in shown]


LINES_OF_A_PAGE = 45
"""Rows of a table in LaTeX beyond which each of its blocks gets a page."""

COLUMNS_OF_A_PAGE = 14
"""Columns beyond which the page is turned."""

SYMBOLS = {"#FE_t": ("#FE", "t"), "Δf_med": ("Δf", "med"), "F_F": ("F", "F"), "g_m": ("g", "m"), "ε_T": ("ε", "T")}
"""With an index, which plain text shows by an underscore."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "–": "--",
    "…": r"\ldots{}",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "Δ": r"$\Delta$",
    "χ": r"$\chi$",
    "ε": r"$\varepsilon$",
    "γ": r"$\gamma$",
    "λ": r"$\lambda$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "ℓ": r"$\ell$",
    "₀": "$_0$",
    "²": r"\textsuperscript{2}",
    "½": r"$\frac12$",
}


def latex_text(text: str) -> str:
    r"""Return a text as LaTeX that shows it literally.

    >>> print(latex_text("50% of #FE_t"))
    50\% of \#FE$_\mathrm{t}$
    """
    text = printable(text)
    for symbol, (base, index) in SYMBOLS.items():
        text = text.replace(symbol, f"{base}\0{index}\1")
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return re.sub("\0(\\w+)\1", r"$_\\mathrm{\1}$", escaped)


def latex(sheet: Sheet) -> str:
    """Return a document of the table alone, which compiles by itself; its tabulars can be put into another."""
    lines = sum(len(block.rows) for block in sheet.blocks)
    pages = [(block,) for block in sheet.blocks] if lines > LINES_OF_A_PAGE else [sheet.blocks]
    preamble = (r"\documentclass{article}", r"\usepackage[T1]{fontenc}")
    landscape = "landscape," if sheet.columns > COLUMNS_OF_A_PAGE else ""
    packages = (rf"\usepackage[a4paper,{landscape}margin=1cm]{{geometry}}", r"\usepackage{booktabs,graphicx}")
    body = chain.from_iterable(_latex_page(sheet, blocks) for blocks in pages)
    begin = (r"\newsavebox{\tablebox}", r"\begin{document}", r"\pagestyle{empty}")
    return "\n".join([*preamble, *packages, *begin, *body, r"\end{document}", ""])


def _latex_page(sheet: Sheet, blocks: Sequence[Block]) -> list[str]:
    lines = []
    for position, block in enumerate(blocks):
        lines.append(r"\midrule[\heavyrulewidth]" if position else r"\toprule")
        for line in block.header:
            lines.append(" & ".join(map(_latex_head, line)) + r" \\")
            if any(head.span > 1 for head in line):
                lines.append(" ".join(_rules(line)))
        lines.append(r"\midrule")
        lines += [" & ".join(map(_latex_cell, row)) + r" \\" for row in block.rows]
    return [
        r"\begin{table}",
        r"\centering",
        *_latex_caption(sheet),
        r"\par\medskip",
        r"\begin{lrbox}{\tablebox}",
        rf"\begin{{tabular}}{{l{'r' * (sheet.columns - 1)}}}",
        *lines,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{lrbox}",
        r"\ifdim\wd\tablebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\tablebox}}\else\usebox{\tablebox}\fi",
        r"\end{table}",
        r"\clearpage",
    ]


def _latex_caption(sheet: Sheet) -> list[str]:
    text = rf"{latex_text(sheet.title)}. {latex_text(sheet.caption)}"
    if sheet.number is None:
        return [rf"\parbox{{0.9\linewidth}}{{{text}}}"]
    return [rf"\renewcommand{{\thetable}}{{{sheet.number}}}", rf"\caption{{{text}}}"]


def _latex_head(head: Head) -> str:
    text = latex_text(head.text)
    return rf"\multicolumn{{{head.span}}}{{c}}{{{text}}}" if head.span > 1 else text


def _rules(line: Sequence[Head]) -> list[str]:
    ends = [sum(head.span for head in line[: position + 1]) for position in range(len(line))]
    return [
        rf"\cmidrule(lr){{{end - head.span + 1}-{end}}}" for head, end in zip(line, ends, strict=True) if head.span > 1
    ]


def _latex_cell(cell: Cell) -> str:
    text = latex_text(cell.text)
    # The asterisk takes no room: digits stay below digits.
    return (rf"\textbf{{{text}}}" if cell.bold else text) + (r"\rlap{$^{\ast}$}" if cell.star else "")


def markdown(sheet: Sheet) -> str:
    """Return the table as GitHub-flavoured Markdown; headings over several columns are repeated in each."""
    parts = [f"**{_markdown_text(sheet.heading)}.** {_markdown_text(sheet.caption)}", ""]
    for block in sheet.blocks:
        heads = _flat_header(block)
        parts += [_markdown_line(map(_markdown_text, heads)), _markdown_line(["---", *["---:"] * (len(heads) - 1)])]
        for row in block.rows:
            texts = [f"**{text}**" if cell.bold else text for cell, text in ((c, _markdown_text(c.text)) for c in row)]
            parts.append(_markdown_line(text + r"\*" * cell.star for cell, text in zip(row, texts, strict=True)))
        parts.append("")
    return "\n".join(parts)


def _markdown_line(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", printable(text))


def renderings(sheet: Sheet) -> dict[str, str]:
    """Return the table in all forms, by the ending of their files."""
    return {"csv": csv_text(sheet), "tex": latex(sheet), "md": markdown(sheet), "html": html_table(sheet)}


def csv_text(sheet: Sheet) -> str:
    """Return the table as CSV, as it is printed; headings over several columns are repeated in each."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for block in sheet.blocks:
        writer.writerow(_flat_header(block))
        writer.writerows([printable(cell.text) + "*" * cell.star for cell in row] for row in block.rows)
    return lines.getvalue()


def csv_of(frame: pd.DataFrame, float_format: str | None = None) -> str:
    r"""Return a data frame as CSV, texts printable.

    >>> csv_of(pd.DataFrame({"a": ["x\x1by"], "b": [1]}))
    'a,b\nx\\x1by,1\n'
    """
    texts = frame.select_dtypes(exclude="number").columns
    shown = frame.assign(**{str(name): frame[name].map(_shown) for name in texts})
    return shown.to_csv(index=False, float_format=float_format, lineterminator="\n")


def _shown(value: object) -> object:
    return printable(value) if isinstance(value, str) else value


def _flat_header(block: Block) -> list[str]:
    lines = [list(chain.from_iterable([printable(head.text)] * head.span for head in line)) for line in block.header]
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*lines, strict=True)]


def html_text(text: str) -> str:
    """Return a text as HTML that shows it literally.

    >>> html_text("#FE_t & <b>")
    '#FE<sub>t</sub> &amp; &lt;b&gt;'
    """
    shown = html.escape(printable(text))
    for symbol, (base, index) in SYMBOLS.items():
        shown = shown.replace(symbol, f"{base}<sub>{index}</sub>")
    return re.sub(r"(\d)-D\b", r"\1&#8209;D", shown)  # never at the end of a line


def html_table(sheet: Sheet) -> str:
    """Return the table as HTML: one ``table`` a block, sortable ones marked by the class ``sortable``.

    Cells carry what they are sorted by in ``data-value``.
    """
    parts = []
    for block in sheet.blocks:
        parts.append('<div class="scroll"><table class="sortable"><thead>')
        parts += [f"<tr>{''.join(map(_html_head, line))}</tr>" for line in block.header]
        parts.append("</thead><tbody>")
        parts += [f"<tr>{_html_name(row[0])}{''.join(map(_html_cell, row[1:]))}</tr>" for row in block.rows]
        parts.append("</tbody></table></div>")
    return "\n".join(parts)


def _html_head(head: Head) -> str:
    span = f'colspan="{head.span}"' if head.span > 1 else 'scope="col"'
    return f"<th {span}>{html_text(head.text)}</th>"


def _html_name(cell: Cell) -> str:
    return f'<th scope="row">{html_text(cell.text)}</th>'


def _html_cell(cell: Cell) -> str:
    text = f"<b>{html_text(cell.text)}</b>" if cell.bold else html_text(cell.text)
    star = '<sup title="significant">*</sup>' if cell.star else ""
    sorted_by = "" if cell.value is None else f"{cell.value:.9g}".replace("inf", "Infinity")
    value = f' data-value="{sorted_by}"' if sorted_by else ""
    return f"<td{value}>{text}{star}</td>"
