"""Pages of the site that stand elsewhere in the repository: one text, two places."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "reference/results.md": "results/README.md"}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page; links into docs/ are relative to it here."""
    source = ELSEWHERE.get(page.file.src_uri)
    return (ROOT / source).read_text().replace("](docs/", "](") if source else markdown
