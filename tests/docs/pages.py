"""The pages of the documentation, taken apart: their blocks, and what a comment before a block says of its test.

A comment on the line before a block tells what the test does with it:

    <!-- in small: --functions 1 --budget 10 -->   these options are added to each sacma run, sweep and plan
    <!-- not run: needs Slurm -->                  it cannot be run here, and why

A title, as in ```python title="mine.py", is the file that the reader saves the block in.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PLACES = ("*.md", "results/README.md", "docs/**/*.md", "reproduction/*.md", "research/*.md")
PAGES = sorted(page for place in PLACES for page in ROOT.glob(place))

_BLOCK = re.compile(
    r"(?:<!-- (?P<note>[^\n]*) -->\n\s*)?"
    r"^(?P<indent> *)```(?P<language>\S*)(?: title=\"(?P<title>[^\"\n]+)\")?[^\n]*\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Args:
        page: that it is on.
        line: of the page on which it begins.
        language: as the fence says.
        text: its content.
        note: the comment before it, or empty.
        title: name of the file that it is saved in, or empty.
    """

    page: Path
    line: int
    language: str
    text: str
    note: str
    title: str

    @property
    def in_small(self) -> str:
        """Options that make its commands quick."""
        return self.note.removeprefix("in small:").strip() if self.note.startswith("in small:") else ""

    @property
    def not_run(self) -> bool:
        """Whether it cannot be run."""
        return self.note.startswith("not run:")


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in their order."""
    text = page.read_text()
    return [
        Block(
            page,
            text.count("\n", 0, m.start("language")) + 1,
            m["language"],
            m["text"],
            m["note"] or "",
            m["title"] or "",
        )
        for m in _BLOCK.finditer(text)
    ]
