"""Figures: one style for screen and print, drawings of charts, and files."""

from sacma.files.drawing import load_matplotlib

load_matplotlib()
