"""The result of one check of a list."""

from typing import NamedTuple

Finding = tuple[bool | None, str]
"""Soundness and reason of a ``CheckResult``."""


class CheckResult(NamedTuple):
    """The result of one check: its name, in a word or two, and what was seen."""

    point: str
    sound: bool | None  # False where something is to be mended; None for a remark
    reason: str  # with the way to mend it
