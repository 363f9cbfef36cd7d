"""Looks that can be told apart by everyone and in print, and texts that stay what they are."""

import pytest
from matplotlib.figure import Figure

from sacma.analysis.figures.style import plain, shortened, styled, text_width
from tests.analysis.figures.charts import TWELVE


@pytest.mark.parametrize("name", TWELVE)
@pytest.mark.parametrize("room", [25.0, 60.0, 150.0, 400.0])
def test_shortened(name: str, room: float) -> None:
    """A text that fits is left alone; another fits afterwards, and keeps its ends."""
    (short,) = shortened([name], room)
    whole = plain(name)
    assert text_width(short) <= room
    if text_width(whole) <= room:
        assert short == whole
    else:
        head, tail = short.split("…")
        assert whole.startswith(head)
        assert whole.endswith(tail)


@pytest.mark.parametrize("room", [45.0, 60.0, 100.0])
def test_shortened_stay_distinct(room: float) -> None:
    """Names that differ in the middle alone get their position."""
    names = [f"adaptive_evolution_control_{n}_with_training_radius_64" for n in "abc"]
    short = shortened(names, room)
    assert len(set(short)) == 3
    assert [text[0] for text in short] == ["1", "2", "3"]


def test_plain() -> None:
    """What the font has stays; line breaks, controls and what it lacks become escapes, with no warning when drawn."""
    assert plain("Δf_μ $x^2$ \\alpha % & <ž>") == "Δf_μ $x^2$ \\alpha % & <ž>"
    assert plain("a\nb\t\x00") == "a\\nb\\t\\x00"
    assert plain("中") == "\\u4e2d"
    with styled():
        figure = Figure()
        figure.text(0, 0, plain("".join(TWELVE)))
        figure.draw_without_rendering()
