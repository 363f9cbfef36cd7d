"""Lists of whole numbers written as ranges: ``1-5,41-50``."""

import re
from collections.abc import Iterable

from sacma.files.printable import one_line, shown

LARGEST = 100_000

MOST_PARTS = 1000  # numbers and ranges of a list


def parse_ranges(given: object) -> tuple[int, ...]:
    """Return the numbers in a whole number, a string like ``1-5,41-50`` or a list of these: ascending, each once.

    >>> parse_ranges("1-3, 41")
    (1, 2, 3, 41)
    """
    items = given if isinstance(given, list | tuple) else [given]
    if sum(item.count(",") + 1 if isinstance(item, str) else 1 for item in items) > MOST_PARTS:
        raise ValueError(f"there are more than {MOST_PARTS} numbers and ranges; write numbers that follow as 1-100")
    numbers = sorted({number for item in items for number in _numbers(item)})
    if not numbers:
        raise ValueError("the list is empty; give at least one number, like 1-5,41-50")
    return tuple(numbers)


def _numbers(item: object) -> Iterable[int]:
    if isinstance(item, int) and not isinstance(item, bool):
        return _range(item, item, str(item))
    if not isinstance(item, str):
        raise ValueError(f"{shown(item)} is not a whole number or a range; write it like 1-5,41-50")  # noqa: TRY004 for pydantic
    return [number for part in item.split(",") if part.strip() for number in _part(part.strip())]


def _part(part: str) -> Iterable[int]:
    first, dash, last = (piece.strip() for piece in part.partition("-"))
    if not all(re.fullmatch("[1-9][0-9]*|0", piece) for piece in ((first, last) if dash else (first,))):
        raise ValueError(f"{shown(part)} is not a whole number or a range; write it like 1-5,41-50")
    return _range(int(first), int(last or first), part)


def _range(first: int, last: int, given: str) -> Iterable[int]:
    given = one_line(given, 40)
    if first > last:
        raise ValueError(f"{given} runs backwards; write {last}-{first}")
    if not 1 <= first <= last <= LARGEST:
        raise ValueError(f"{given} is out of range; the numbers here go from 1 to {LARGEST}")
    return range(first, last + 1)


def format_ranges(numbers: Iterable[int]) -> str:
    """Return ascending ``numbers`` as ranges.

    >>> format_ranges([1, 2, 3, 41])
    '1-3,41'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    # A run of two is as short as a list.
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)  # noqa: PLR2004
