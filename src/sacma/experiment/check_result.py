"""The result of one check of a list."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckResult:
    """The result of one check.

    Args:
        point: a word or two.
        sound: whether all is well; None for a remark.
        reason: what was seen and, where something is to be mended, how.
    """

    point: str
    sound: bool | None
    reason: str
