"""Words of the report: lists and numbers in sentences, and terms, each explained on hover and in a legend."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence

from sacma.analysis.table_format import html_text

# Explanations of terms, as plain text writes them.
TERMS: Mapping[str, str] = {
    "#FE_t": "of a function: the fewest evaluations after which the median trial of some algorithm is at the "
    "target, or the whole budget if none is",
    "Δf": "the best value that a trial has found so far, less the optimal value of the function",
    "Δf_med": "the median of Δf over trials, on the log scale; below the target it counts as the target",
    "mean rank": "algorithms are ranked on each function by Δf_med, the best is first, ties share their ranks; the "
    "mean over functions",
    "proportion of targets": "the share that trials have reached of up to 31 targets of each function, the values of "
    "Δf that the best algorithm of BBOB 2009 just did not reach within k·D evaluations, k in 0.5 … 50",
    "best 2009": "the best algorithm of BBOB 2009 for each function and target",
    "F_F": "Iman's and Davenport's statistic: do the mean ranks differ more than by chance?",
    "decades": "orders of magnitude: a decade of Δf gained is ten times closer to the optimum",
    "control frequency": "generations evaluated with the function for each that was evaluated with the model",
    "ERT": "expected running time: evaluations of all trials, until the target or their end, over the number of trials "
    "that reached the target",
    "virtual best": "of all algorithms that are compared, the lowest ERT to each target of each function",
}

_EXPLAINED = ("#FE_t", "Δf_med", "F_F", "control frequency", "ERT", "virtual best")
_TEXTS = {html_text(term): TERMS[term] for term in _EXPLAINED}
_TERM = re.compile("|".join(rf"(?<![\w-]){re.escape(shown)}(?![\w-])" for shown in _TEXTS))


def explained(text: str) -> str:
    """Return HTML without tags of attributes, the first of each term in it with its explanation.

    >>> explained("after #FE<sub>t</sub> or more")[:40]
    'after <abbr tabindex="0" title="of a fun'
    """
    seen: set[str] = set()

    def first(found: re.Match[str]) -> str:
        if found[0] in seen:
            return found[0]
        seen.add(found[0])
        return f'<abbr tabindex="0" title="{html.escape(_TEXTS[found[0]])}">{found[0]}</abbr>'

    return _TERM.sub(first, text)


def listed(items: Sequence[str]) -> str:
    """Return items as a list in words.

    >>> listed(["2-D", "3-D", "5-D"]), listed(["2-D"])
    ('2-D, 3-D and 5-D', '2-D')
    """
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def dimensions(values: Iterable[int]) -> str:
    """Return dimensions as a list in words.

    >>> dimensions([3, 2, 3])
    '2-D and 3-D'
    """
    return listed([f"{D}-D" for D in sorted(set(values))])


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "trial"), counted(1200, "trial")
    ('1 trial', '1,200 trials')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
