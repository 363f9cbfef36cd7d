"""Index files of COCO (``.info``), which name the trials in data files.

An entry is a header, comments and a line of runs. One that is damaged, or of another suite, is left out and named.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sacma.coco.ranges import format_ranges
from sacma.coco.suites import BBOB, NOISY, SUITES, Suite
from sacma.errors import SacmaError
from sacma.files.printable import one_line

MOST = 1e15  # largest number of evaluations
MOST_INSTANCE = 10**9  # largest number of an instance
LONGEST_LINE = 1 << 20  # characters of a line: a thousand trials in an index, or a row of 40,000 dimensions
LONGEST_QUOTE = 60  # characters of a file in a message

DataPart = tuple[int, int]  # dimension and function; 0: not known
Lose = Callable[[DataPart, str], object]  # called with a part of the data that is left out, and why

_HEADER = re.compile(r"\b(?:suite|funcId|function|DIM|dim|Precision|algId|algorithm|indicator)\s*+=")
_FIELD = re.compile(r"\b(\w++)\s*+=\s*+(?:'(.{0,400}?)'(?=\s*+(?:,|$))|([^',][^,]*+))")
_NAMED = re.compile(r"_f(\d{1,4})_DIM(\d{1,4})\b")


@dataclass(frozen=True)
class Entry:
    """Runs of an algorithm on a function in a dimension."""

    function: int
    dimension: int
    algorithm: str
    data: str  # path of the data file, from the folder of the index
    runs: tuple[tuple[int, int], ...]  # instance and number of evaluations of each


def suite_of(indices: Sequence[bytes]) -> Suite:
    """Return the suite of which we know the most that index files name; bbob where they name none."""
    for index in indices:
        named = re.search(rb"\bsuite\s*+=\s*+'([\w-]{1,40})'", index)
        if named and named[1].decode() in SUITES:
            return SUITES[named[1].decode()]
    return BBOB


def lines_of(where: str, content: bytes) -> Iterator[str]:
    """Yield the lines of a file, with any line ends; raise SacmaError if one is too long."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace")
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise SacmaError(f"{where}, line {number}: it is too long to be one of COCO's")
        yield line.rstrip("\n")


def quoted(text: object) -> str:
    """Return foreign text in short and printable."""
    return one_line(str(text), LONGEST_QUOTE)


def entries(where: str, content: bytes, suite: Suite, lose: Lose) -> Iterator[Entry]:
    """Yield the entries of an index file, called ``where`` in messages, that are intact and of ``suite``."""
    header = ""
    for line in (line.strip() for line in lines_of(where, content)):
        if not line or line.startswith("%"):
            continue
        if not _HEADER.search(line):
            if not header:
                lose(_part(line), f"{where}: a line of runs has no header before it: '{quoted(line)}'")
            elif entry := _entry(where, header, line, suite, lose):
                yield entry
            header = ""
            continue
        if header:
            lose(_part(header), f"{where}: a header has no line of runs after it: '{quoted(header)}'")
        header = line
        fields = _fields(header)
        # Old data do not name their suite: bbob or bbob-noisy, which number their functions differently.
        unnamed = "bbob-biobj" if "indicator" in fields else suite.name if suite in {BBOB, NOISY} else BBOB.name
        given = fields.get("suite", unnamed)
        if given != suite.name and re.fullmatch(r"[A-Za-z][\w-]*", given):  # anything else is damage
            lose((0, 0), f"{where} is of the suite {quoted(given)}; {_only(suite)}")
            return
    if header:
        lose(_part(header), f"{where}: a header has no line of runs after it: '{quoted(header)}'")


def _fields(header: str) -> Mapping[str, str]:
    """Return the attributes of a header, without a cut text."""
    return {key: text or other.strip() for key, text, other in _FIELD.findall(header)}


def _part(header: str, line: str = "") -> DataPart:
    """Return dimension and function of a damaged entry, 0 if unknown."""
    fields, named = _fields(header), _NAMED.search(line or header)
    told = fields.get("DIM") or fields.get("dim", ""), fields.get("funcId") or fields.get("function", "")
    dimension, function = (named[2], named[1]) if named else told
    known = all(re.fullmatch(r"[0-9]{1,4}", number) for number in (dimension, function))
    return (int(dimension), int(function)) if known else (0, 0)


def _only(suite: Suite) -> str:
    kind = "" if suite.noisy else "noiseless "
    return (
        f"only {suite.name}'s {kind}functions can be compared: {format_ranges(suite.functions)} in dimensions "
        f"{format_ranges(suite.dimensions)}"
    )


def _entry(where: str, header: str, line: str, suite: Suite, lose: Lose) -> Entry | None:
    """Parse a header and a line of runs; None if they are not COCO's, or of another suite."""
    fields = _fields(header)
    data, *runs = (part.strip() for part in line.split(","))
    try:
        entry = Entry(
            int(fields.get("funcId") or fields["function"]),
            int(fields.get("DIM") or fields["dim"]),
            quoted(fields.get("algId") or fields["algorithm"]),
            data.replace("\\", "/"),
            tuple(_run(run) for run in runs if run),
        )
    except (KeyError, ValueError) as error:
        lose(_part(header, line), f"{where}: not an entry of COCO's: '{quoted(header)}' ({quoted(error)})")
        return None
    stranger = f"function {quoted(entry.function)}" if entry.function not in suite.functions else ""
    stranger = stranger or ("" if entry.dimension in suite.dimensions else f"dimension {quoted(entry.dimension)}")
    fault = f"is of {stranger}; {_only(suite)}" if stranger else "" if entry.runs else f"names no run of {quoted(data)}"
    if fault:
        lose(_part(header, line), f"{where} {fault}")
    return None if fault else entry


def _run(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,10}):([^|]{1,30})(?:\|.*)?", text)
    instance, evaluations = (int(found[1]), float(found[2])) if found else (0, 0)
    if not (1 <= instance <= MOST_INSTANCE and 1 <= evaluations <= MOST):
        raise ValueError(f"not a run of COCO's: '{quoted(text)}'")
    return instance, int(evaluations)
