"""The result of one check of a list."""

from typing import NamedTuple

Finding = tuple[bool | None, str]
"""Soundness and reason of a ``CheckResult``."""


class CheckResult(NamedTuple):
    """The result of one check.

    Args:
        point: a word or two.
        sound: False where something is to be mended; None for a remark.
        reason: what was seen and, where something is to be mended, how.
    """

    point: str
    sound: bool | None
    reason: str
