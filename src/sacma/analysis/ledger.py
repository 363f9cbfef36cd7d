"""Numbers and lists in sentences of the report."""

from collections.abc import Iterable, Sequence

import pandas as pd


class Ledger:
    """Numbers that sentences name, with what they are of."""

    def __init__(self) -> None:
        self._entries: list[tuple[str, float, str]] = []

    def say(self, what: str, value: float, form: str = ",.0f") -> str:
        """Return ``value`` as text, and enter it."""
        shown = format(value, f"z{form}")  # never -0
        self._entries.append((what, value, shown))
        return shown

    def count(self, what: str, number: int, noun: str) -> str:
        """Return a number with its noun, one or many, and enter it."""
        return f"{self.say(what, number)} {noun}{'' if number == 1 else 's'}"

    @property
    def entries(self) -> pd.DataFrame:
        """All numbers: columns quantity, value, shown."""
        return pd.DataFrame(self._entries, columns=["quantity", "value", "shown"])


def listed(items: Sequence[str]) -> str:
    """Return items as a list in words.

    >>> listed(["2-D", "3-D", "5-D"]), listed(["2-D"])
    ('2-D, 3-D and 5-D', '2-D')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def dimensions(values: Iterable[int]) -> str:
    """Return dimensions as a list in words.

    >>> dimensions([3, 2, 3])
    '2-D and 3-D'
    """
    return listed([f"{D}-D" for D in sorted(set(values))])
