"""What the site needs beside its theme.

Pages that stand elsewhere in the repository; formulas as MathML, which browsers draw themselves; and boxes that scroll,
with the keyboard, too, for what may be wider than its column.
"""

import re
from pathlib import Path
from typing import Any

from math_core import LatexToMathML

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "reference/results.md": "results/README.md"}
LATEX = LatexToMathML()
TEXT = re.compile(
    r"<(pre|code|math)\b.*?</\1>|<[^>]+>"  # stays as it is
    r"|\b(?P<name>\d+-D|(?:\w+-)*CMA-ES|ADA-\w+|GP-\d|L-BFGS-B)\b"
    r"|(?<!\w)(?P<base>[A-Za-zΑ-Ωα-ωŷ]|Δf|#FE|RDE)_(?P<index>[A-Za-zα-ω]{1,3})(?![A-Za-z0-9_])(?:\^(?P<power>max))?",
    re.DOTALL,
)


def on_config(config: Any) -> Any:
    """Add blocks of LaTeX, fenced as ``math``: GitHub draws them, too."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "math", "class": "formula", "format": formula})
    return config


def formula(source: str, _language: str, css_class: str, _options: Any, _md: Any, **_: Any) -> str:
    """Return a formula as MathML; LaTeX with a mistake ends the build."""
    drawn = LATEX.convert_with_local_state(source, displaystyle=True)
    return f'<div class="scrolls {css_class}" tabindex="0">{drawn}</div>'


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page; links into docs/ are relative to it here."""
    source = ELSEWHERE.get(page.file.src_uri)
    return (ROOT / source).read_text().replace("](docs/", "](") if source else markdown


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Set names and symbols; put tables, and pictures that stand alone, into boxes that can scroll."""
    if not page.file.src_uri.startswith("reference/"):  # where words with underscores are Python's
        html = TEXT.sub(set_text, html)
    boxed = html.replace("<table>", '<div class="scrolls" tabindex="0"><table>').replace("</table>", "</table></div>")
    return re.sub(r"<p>(<img [^>]*>)</p>", r'<p class="scrolls picture" tabindex="0">\1</p>', boxed)


def set_text(found: re.Match[str]) -> str:
    """Return a name that no line ends in, and a symbol with its index below."""
    if found["name"]:
        return f'<span class="name">{found["name"]}</span>'
    if found["base"]:
        power = f"<sup>{found['power']}</sup>" if found["power"] else ""
        return f'<span class="name">{found["base"]}<sub>{found["index"]}</sub>{power}</span>'
    return found[0]


def on_post_page(output: str, **_: Any) -> str:
    """Name the search for readers of screens, which the theme does not."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
