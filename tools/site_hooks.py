"""Pages of the site that stand elsewhere in the repository, and formulas as MathML, which browsers draw themselves."""

from pathlib import Path
from typing import Any

from math_core import LatexToMathML

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "reference/results.md": "results/README.md"}
LATEX = LatexToMathML()


def on_config(config: Any) -> Any:
    """Add blocks of LaTeX, fenced as ``math``: GitHub draws them, too."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "math", "class": "formula", "format": formula})
    return config


def formula(source: str, _language: str, css_class: str, _options: Any, _md: Any, **_: Any) -> str:
    """Return a formula as MathML; LaTeX with a mistake ends the build."""
    return f'<div class="{css_class}" tabindex="0">{LATEX.convert_with_local_state(source, displaystyle=True)}</div>'


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page; links into docs/ are relative to it here."""
    source = ELSEWHERE.get(page.file.src_uri)
    return (ROOT / source).read_text().replace("](docs/", "](") if source else markdown
