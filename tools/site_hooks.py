"""Hooks of the site: formulas, symbols, charts and links.

Pages that stand elsewhere in the repository; formulas as MathML, which browsers draw themselves; and boxes that scroll,
with the keyboard, too, for what may be wider than its column.
"""

import logging
import os
import re
from html import unescape
from pathlib import Path
from typing import Any

from gallery import GALLERY, charts
from math_core import LatexToMathML
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "reference/results.md": "results/README.md"}
IMAGES = ROOT / "docs" / "images"
NARROW = 740  # pixels of a window, at most, in which pictures have their narrow form; site.css has it, too
LATEX = LatexToMathML()
LINK = re.compile(r"\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")  # to a file
LONGEST = 24  # characters of code with hyphens in which no line ends
TEXT = re.compile(
    r"<(pre|math)\b.*?</\1>|<code\b[^>]*>.*?</code>|<[^>]+>"  # stays as it is, but that no line ends in short code
    r"|\b(?P<name>\d+-D|(?:\w+-)*\w*CMA-ES|ADA-\w+(?:-active)?|GP-\d|L-BFGS-B)\b"
    r"|(?<!\w)(?P<base>[A-Za-zΑ-Ωα-ωŷ∪][′²]?|Δf|#FE|RDE)_"
    r"(?P<index>[A-Za-zα-ω]{1,5}(?:≠[a-z]|=1…[a-z])?)(?![A-Za-z0-9_])(?:\^(?P<power>max))?"
    r"|(?<=[\w\])>])\^(?:\((?P<term>[^()<>]{1,8})\)|(?P<exponent>[A-Za-zα-ω0-9]{1,3})\b)",
    re.DOTALL,
)
PICTURE = re.compile(
    r'<p>(?P<link><a [^>]*>)?(?P<image><img [^>]*src="(?P<source>[^"]*)"[^>]*>)(?P<end>(?(link)</a>))</p>'
)
CHARTS = re.compile(
    r'<p><a href="(?P<gallery>[^"]*gallery/)report\.html">(?P<image><img [^>]*run_lengths\.svg"[^>]*>)</a></p>'
)


def on_startup(command: str, **_: Any) -> None:
    """Show warnings although ``--quiet`` was given: hidden ones are not counted by ``--strict``."""
    log = logging.getLogger("mkdocs")
    if command == "build" and log.level > logging.WARNING:
        log.setLevel(logging.WARNING)


def on_config(config: Any) -> Any:
    """Add blocks of LaTeX, fenced as ``math``: GitHub draws them, too."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "math", "class": "formula", "format": formula})
    return config


def on_files(all_files: Any, config: Any, **_: Any) -> Any:
    """Add the charts that pages embed, of the report in the gallery."""
    content = charts((GALLERY / "report.html").read_text(encoding="utf-8"))
    all_files.append(File.generated(config, f"{GALLERY.name}/charts.html", content=content))
    return all_files


def formula(source: str, _language: str, css_class: str, _options: Any, _md: Any, **_: Any) -> str:
    """Return a formula as MathML; LaTeX with a mistake ends the build."""
    drawn = LATEX.convert_with_local_state(source, displaystyle=True)
    return f'<div class="scrolls {css_class}" tabindex="0">{drawn}</div>'


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page; the links of one that stands elsewhere begin at its place in docs/."""
    name = ELSEWHERE.get(page.file.src_uri)
    if not name:
        return markdown
    source, place = ROOT / name, (ROOT / "docs" / page.file.src_uri).parent

    def moved(link: re.Match[str]) -> str:
        target = os.path.relpath(source.parent / link["target"], place)
        return f"]({Path(target).as_posix()}{link['anchor'] or ''})"

    return LINK.sub(moved, source.read_text(encoding="utf-8"))


def on_page_content(html: str, **_: Any) -> str:
    """Set names and symbols; put tables, and pictures that stand alone, into boxes that can scroll."""
    html = TEXT.sub(set_text, html)
    html = html.replace("<table>", '<div class="scrolls" tabindex="0"><table>').replace("</table>", "</table></div>")
    html = CHARTS.sub(embedded, html)
    return PICTURE.sub(fitted, html)


def embedded(found: re.Match[str]) -> str:
    """Return the charts that a picture stands for, and the picture for print and for readers without scripts."""
    page = f"{found['gallery']}charts.html"
    frame = f'<iframe class="charts" src="{page}" title="Charts: run lengths and mean ranks"></iframe>'
    return f'{frame}\n<div class="instead"><p>{found["image"]}</p></div>'


def fitted(found: re.Match[str]) -> str:
    """Return a picture that stands alone, with labels that are large enough.

    In narrow windows its narrow form takes its place, if there is one; else it scrolls.
    """
    file = IMAGES / Path(found["source"]).name
    narrow = file.with_stem(f"{file.stem}_narrow")
    size = f' style="--natural: {width_of(file)}px"' if file.exists() else ""
    link, end = found["link"] or "", found["end"] or ""
    if not narrow.exists():
        return f'<p class="scrolls picture" tabindex="0"{size}>{link}{found["image"]}{end}</p>'
    source = found["source"].replace(file.name, narrow.name)
    other = f'<source media="(max-width: {NARROW}px)" srcset="{source}">'
    return f'<p class="picture has-narrow"{size}>{link}<picture>{other}{found["image"]}</picture>{end}</p>'


def width_of(picture: Path) -> int:
    """Return the width of a picture in pixels, that of an SVG where a point is 4/3 of one."""
    content = picture.read_bytes()
    if picture.suffix == ".png":
        return int.from_bytes(content[16:20])
    width = re.search(rb'<svg [^>]*?width="([\d.]+)pt"', content)
    return round(float(width[1]) * 4 / 3) if width else 640


def set_text(found: re.Match[str]) -> str:
    """Return a name or short code that no line ends in, and symbols with their indices and exponents."""
    code = re.fullmatch(r"<code>(\S*-\S*)</code>", found[0])
    if code and len(unescape(code[1])) <= LONGEST:
        return f'<code class="name">{code[1]}</code>'
    if found["name"]:
        return f'<span class="name">{found["name"]}</span>'
    if found["base"]:
        power = f"<sup>{found['power']}</sup>" if found["power"] else ""
        return f'<span class="name">{found["base"]}<sub>{found["index"]}</sub>{power}</span>'
    exponent = found["term"] or found["exponent"]
    return f"<sup>{exponent}</sup>" if exponent else found[0]


def on_post_page(output: str, **_: Any) -> str:
    """Name the search for screen readers."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
