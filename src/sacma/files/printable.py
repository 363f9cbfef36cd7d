"""Text from files, algorithms and objectives, made safe to print."""

import reprlib

LONGEST_SHOWN = 80  # characters of a value in a message

_shortened = reprlib.Repr()
_shortened.maxstring = _shortened.maxother = LONGEST_SHOWN


def printable(text: str, *, keep: str = "") -> str:
    r"""Escape the unprintable characters of ``text`` except those in ``keep``.

    These are control characters, which can steer a terminal, marks that change the direction of text or have no
    width, and characters that cannot be encoded.

    >>> printable("a\x1b[2Jb\u202e")
    'a\\x1b[2Jb\\u202e'
    >>> printable("one\ntwo", keep="\n")
    'one\ntwo'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)


def one_line(text: str, most: int | None = None) -> str:
    r"""Return ``text`` as one printable line, cut after ``most`` characters.

    >>> one_line("a\n  b\x07", most=3)
    'a b …'
    """
    line = printable(" ".join(text.split()))
    return line if most is None or len(line) <= most else f"{line[:most]} …"


def shown(value: object) -> str:
    """Return ``value`` as one short printable line.

    >>> shown({"key": "x" * 1000})
    "{'key': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'}"
    """
    try:
        return one_line(_shortened.repr(value), 2 * LONGEST_SHOWN)
    except Exception:  # noqa: BLE001 a __repr__ may do anything
        return f"a value of type {type(value).__name__}"
