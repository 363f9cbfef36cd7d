"""What is found of one point of a list of checks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckResult:
    """What was found of one point.

    Args:
        point: a word or two.
        sound: whether all is well; None for a remark.
        reason: what was seen and, where something is to be mended, how.
    """

    point: str
    sound: bool | None
    reason: str
