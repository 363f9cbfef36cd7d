"""The sections of the report, a file and a line each."""

from importlib import import_module

from sacma.analysis.comparison import Comparison
from sacma.analysis.section import Findings, Section
from sacma.store.store import Store

# In the order of the page.
FILES = ("summary", "ranks", "functions", "curves", "ert", "strategy", "costs", "publication", "data")


def all_sections() -> tuple[Section, ...]:
    """Return the sections in the order of the page."""
    return tuple(import_module(f"{__name__}.{file}").SECTION for file in FILES)


def find(comparison: Comparison, store: Store | None = None) -> Findings:
    """Return the findings of a comparison of at least one algorithm with a finished trial."""
    frames = {name: make for section in all_sections() for name, make in section.frames.items()}
    return Findings(comparison, frames, store)
