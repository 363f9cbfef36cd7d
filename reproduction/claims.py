"""Claims of the paper, judged by our data.

A claim is a list of checks, each of a number of ours against the paper's statement. A check holds, fails if our data
contradict it, or is undecided: data are missing, a test is not significant, or more than 5 % of resamples reverse a
comparison. An insignificant test is no evidence of the opposite.
"""

import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from reproduction.checks import CHECKS
from reproduction.evidence import Check, Evidence


class Verdict(StrEnum):
    """Verdict of our data on a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    OPEN = "open"


class Claim(NamedTuple):
    """Claim of the paper in short, and the rule of its checks."""

    checks: str  # name of its checks
    where: str  # it stands in the paper
    text: str
    rule: str  # by which it is checked


@cache
def claims() -> tuple[Claim, ...]:
    """Return the claims of the paper, from its results and its conclusion."""
    content = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple(Claim(**entry) for entry in tomllib.loads(content)["claims"])


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the verdict of our data on each claim: columns claim (number), text, where, rule, verdict and counts.

    A claim is contradicted where one of its checks fails, supported where all hold, and open else. All are open where
    the protocol is not the paper's: of other functions or another budget it claims nothing. Counts are of checks, and
    of those that hold, fail and are undecided.
    """
    rows = []
    for number, (claim, checks) in enumerate(_checked(evidence), start=1):
        held = [check.holds for check in checks]
        judged = Verdict.CONTRADICTED if False in held else Verdict.SUPPORTED if held and all(held) else Verdict.OPEN
        verdict = judged if evidence.as_in_paper else Verdict.OPEN
        counts = len(held), held.count(True), held.count(False), held.count(None)
        rows.append((number, claim.text, claim.where, claim.rule, str(verdict), *counts))
    columns = ["claim", "text", "where", "rule", "verdict", "checks", "hold", "fail", "undecided"]
    return pd.DataFrame(rows, columns=columns)


def checks(evidence: Evidence) -> pd.DataFrame:
    """Return every check of every claim.

    Columns are claim (number), what, ours, wanted, resamples (the share of them in which the comparison holds, NaN
    where there is none) and holds (empty: undecided).
    """
    rows = [
        (number, check.what, check.ours, check.wanted, check.share, {True: "yes", False: "no", None: ""}[check.holds])
        for number, (_, checks) in enumerate(_checked(evidence), start=1)
        for check in checks
    ]
    return pd.DataFrame(rows, columns=["claim", "what", "ours", "wanted", "resamples", "holds"])


def _checked(evidence: Evidence) -> list[tuple[Claim, tuple[Check, ...]]]:
    return [(claim, tuple(CHECKS[claim.checks](evidence))) for claim in claims()]
