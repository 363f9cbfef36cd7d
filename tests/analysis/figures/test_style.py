"""Looks that can be told apart by everyone and in print, and texts that stay what they are."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from sacma.analysis.figures.style import Look, look, looks, number, plain, shortened, styled, text_width
from tests.analysis.figures.charts import TWELVE

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])

# G. M. Machado et al., A physiologically-based model for simulation of color vision deficiency (2009), severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(colour: str, deficiency: str = "none") -> np.ndarray:
    """CIE L*a*b* of a colour as it is seen, D65."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(DEFICIENCIES[deficiency] @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def grey(colour: str) -> float:
    """L*, from 0 for black to 100 for white."""
    return float(lab(colour)[0])


def pairs(n: int) -> list[tuple[Look, Look]]:
    return list(combinations([look(position) for position in range(n)], 2))


def test_grey_print() -> None:
    """Of twelve algorithms no two have both the same dashes and a similar lightness, and none is near white."""
    assert min(abs(grey(a.colour) - grey(b.colour)) for a, b in pairs(12) if a.dashes == b.dashes) > 25
    assert max(grey(look(n).colour) for n in range(12)) < 85


def test_neighbours_in_grey() -> None:
    """Algorithms next to one another in the study have other dashes."""
    assert all(look(n).dashes != look(n + 1).dashes for n in range(23))


def test_each_has_a_marker_of_its_own() -> None:
    """Where there is no line, twelve algorithms differ by their markers, and twelve more have them open."""
    assert len({look(n).marker for n in range(12)}) == 12
    assert len({(look(n).marker, look(n).filled) for n in range(24)}) == 24


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colour_blind(deficiency: str) -> None:
    """Colours of all twelve stay apart for all kinds of eyes; those with the same dashes more so."""
    distance = {
        (a, b): float(np.linalg.norm(lab(a.colour, deficiency) - lab(b.colour, deficiency))) for a, b in pairs(12)
    }
    assert min(distance.values()) > 15
    assert min(distance[a, b] for a, b in pairs(12) if a.dashes == b.dashes) > 25


def test_many_algorithms() -> None:
    """Looks go on beyond twelve without repeating."""
    assert len({look(n) for n in range(72)}) == 72


def test_the_reference_is_no_algorithm() -> None:
    """Best 2009 takes no position."""
    assert list(looks(["A", "best 2009", "B"]).values()) == [look(0), look(1)]


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


@pytest.mark.parametrize("text", ["ADA-Kendall", "W" * 40, "Δf…", "log₁₀"])
def test_text_width(text: str) -> None:
    """The width that layouts count on is what matplotlib draws, to half a point a letter."""
    with styled():
        figure = Figure(dpi=72)
        drawn = figure.text(0, 0, text, fontsize=8).get_window_extent().width
    assert text_width(text, 8) == pytest.approx(drawn, abs=0.5 * len(text))


def test_numbers() -> None:
    """Three digits, a minus that is one, no exponent, no minus before 0."""
    given = [0, -0.0, 0.3, -2.5, 1e-5, 123456, 1e-20]
    assert [number(n) for n in given] == ["0", "0", "0.3", "−2.5", "0.00001", "123000", "0"]
