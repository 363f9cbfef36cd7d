"""Text that is made printable."""

from hypothesis import given
from hypothesis import strategies as st

from sacma.files.printable import LONGEST_SHOWN, one_line, printable, shown


@given(st.text(st.characters()))
def test_any_text_becomes_printable(text: str) -> None:
    """Whatever a text holds, what comes out prints, can be encoded, and is not changed by doing it again."""
    made = printable(text)
    assert made.isprintable()
    made.encode()
    assert printable(made) == made


@given(st.text(st.characters()))
def test_lines_may_be_kept(text: str) -> None:
    """Newlines stay where they are to be kept, and nothing else does."""
    assert all(line.isprintable() for line in printable(text, keep="\n").split("\n"))
    assert printable(text, keep="\n").count("\n") == text.count("\n")


@given(st.text(st.characters()), st.integers(1, 50))
def test_one_line_is_short(text: str, most: int) -> None:
    """One line has at most as many characters as it may, and a sign that there were more."""
    assert one_line(text, most).isprintable()
    assert len(one_line(text, most)) <= most + 2


def test_a_value_is_shown_in_short_whatever_its_repr_does() -> None:
    """A huge text, a nested value and one whose repr raises are one short line."""

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    for value in ("x" * 10**6, nested, {"\x1b[2J": "\n"}, Odd(), 10**4000):
        assert shown(value).isprintable()
        assert len(shown(value)) <= 2 * LONGEST_SHOWN + 2
