"""Looks that can be told apart by everyone and in print, and texts that stay what they are."""

import pytest
from matplotlib.figure import Figure

from sacma.analysis.figures.style import NAMED, looks, plain, shortened, styled, text_width
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


def test_colours_belong_to_names() -> None:
    """No two of a report are alike; whoever is beside it, an algorithm of ours keeps its colour, in any order."""
    mine = [f"mine{n}" for n in range(9)]
    found = looks([*NAMED, *mine])
    assert len({look.colour for look in found.values()}) == len(found) == 32
    for name in NAMED:
        assert looks([name, *mine])[name] == found[name] == looks([name])[name]
    beside = [*NAMED, *mine, *(f"{name}-kept" for name in NAMED)]
    assert looks(beside, "mine3")["mine3"].colour == looks(["mine3"])["mine3"].colour
    assert found["sacma"].dashes == ()
    alone = looks(["GP-1", "GP-5"], "GP-5")
    assert [(look.dashes == (), look.strong) for look in alone.values()] == [(False, False), (True, True)]
    assert alone["GP-5"].colour == found["GP-5"].colour
    many = looks(map(str, range(72)))
    assert len({(look.colour, look.dashes, look.marker, look.filled) for look in many.values()}) == 72
