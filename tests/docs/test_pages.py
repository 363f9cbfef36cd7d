"""The pages of the built site in a browser, opened from a folder: offline, as wide as the window, legible, searched."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page

from sacma.analysis.page import page as page_files
from sacma.analysis.sections import all_sections
from tests.browser import BROKEN_WORDS, needs_chromium
from tests.commands import environment
from tests.docs.pages import ROOT

pytestmark = needs_chromium

WIDTHS = (1400, 800, 390)

PAPER = 624
"""Pixels of a page of 8.5 inches between margins of an inch."""

AXE = Axe()

AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""Rules of the Web Content Accessibility Guidelines, up to level AA."""

CONTRAST = "color-contrast"
"""The one of these rules that takes axe longer than all others together."""

LOOKS = """looks => {
    const known = new Set(looks), found = [];
    for (const each of document.querySelectorAll("body *")) {
        each.removeAttribute("data-look");
        if (![...each.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
        const style = getComputedStyle(each);
        const look = [each.tagName, style.color, style.fontSize, style.fontWeight, style.visibility];
        for (let behind = each; behind; behind = behind.parentElement) {
            const {backgroundColor, backgroundImage, opacity, display} = getComputedStyle(behind);
            look.push(backgroundColor, backgroundImage, opacity, display === "none");
        }
        if (known.has(look.join())) continue;
        each.setAttribute("data-look", "");
        known.add(look.join());
        found.push(look.join());
    }
    return found;
}"""
"""Marks a text of each colour, size and weight on each background: contrast is the same wherever these are."""

ALIKE = "document.querySelectorAll('tr:nth-child(n+4):not(:has([data-look]))').forEach(row => row.remove())"
"""Takes rows of tables away that look like those above them: axe takes minutes for tens of thousands of cells."""

NAMES = sorted(str(page.relative_to(ROOT / "docs").with_suffix("")) for page in ROOT.glob("docs/**/*.md"))

WIDER = """() => {
    const column = document.querySelector(".md-content").getBoundingClientRect().right + 1;
    const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflowX);
    const scrolled = each => each.tagName !== "ARTICLE" && (scrolls(each) || scrolled(each.parentElement));
    return [...document.querySelectorAll("article *")]
        .filter(each => each.getBoundingClientRect().right > column && !scrolled(each.parentElement))
        .map(each => each.outerHTML.slice(0, 200));
}"""
"""What is wider than its column and in no box that scrolls."""


CUT = """() => [...document.querySelectorAll("html, .scrolls")]
    .filter(each => each.scrollWidth > each.clientWidth + 1)
    .map(each => each.innerText.slice(0, 200))"""
"""What paper has no room for."""

LABELS = 10
"""Pixels of the smallest label of a drawing, at least."""

DRAWINGS = """() => [...document.querySelectorAll("article img")]
    .filter(each => each.currentSrc.endsWith(".svg") && each.clientWidth)
    .map(each => [each.currentSrc, each.clientWidth])"""

CHOSEN = """() => [...document.querySelectorAll("article picture")].every(picture => {
    const image = picture.querySelector("img");
    const source = [...picture.querySelectorAll("source")].find(each => matchMedia(each.media).matches);
    return image.complete && image.currentSrc === new URL(source ? source.srcset : image.src, document.baseURI).href;
})"""
"""Whether each picture shows the form for the window as it is: browsers change it some time after the window."""

OVERLAPPING = """() => {
    const boxes = [...document.querySelectorAll(".chart svg text, .controls label, .readout, .headline, .scope")]
        .map(each => [each.textContent, each.getBoundingClientRect()]).filter(([, box]) => box.width);
    const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
    const above = (a, b) => a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
    return boxes.flatMap(([text, a], n) =>
        boxes.slice(n + 1).filter(([, b]) => !beside(a, b) && !above(a, b)).map(([other]) => [text, other]));
}"""
"""Pairs of texts that cover each other."""

CHARTS, REPORT = "gallery/charts", "gallery/report"


class Site:
    """A page for all pages of the site, one after the other, and what happens in it.

    Args:
        folder: of the built site.
        page: of the browser.
    """

    def __init__(self, folder: Path, page: Page) -> None:
        self.folder = folder
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.legible: set[str] = set()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, name: str, width: int = WIDTHS[0]) -> None:
        """Open a page and forget those before it."""
        self.complaints.clear()
        self.requests.clear()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto((self.folder / f"{name}.html").as_uri())

    def frame(self) -> Frame:
        """Return the charts within the page, when they are drawn."""
        element = self.page.wait_for_selector("iframe.charts")
        frame = element.content_frame() if element else None
        assert frame
        frame.wait_for_selector("html[data-ready=yes]")
        return frame

    def faults(self) -> list[str]:
        """Return what axe-core finds to be serious or worse, but for contrast."""
        return self._found({"runOnly": AA, "rules": {CONTRAST: {"enabled": False}}})

    def illegible(self) -> list[str]:
        """Return what has too little contrast, of all that look the same the first, if that was on no page before."""
        new = self.page.evaluate(LOOKS, sorted(self.legible))
        found = self._found({"runOnly": [CONTRAST]}, {"include": [["[data-look]"]]}) if new else []
        if not found:
            self.legible.update(new)
        return found

    def _found(self, options: dict[str, object], context: dict[str, object] | None = None) -> list[str]:
        self.page.evaluate(ALIKE)
        found = AXE.run(self.page, context, {"resultTypes": ["violations"], "preload": False, **options})
        return [
            f"{violation['id']}: {node['html']} {node['failureSummary']}"
            for violation in found.response["violations"]
            if violation["impact"] in {"serious", "critical"}
            for node in violation["nodes"]
        ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Site:
    """Build the site, and open a page."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        build, cwd=ROOT, env=environment(NO_MKDOCS_2_WARNING=1), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return Site(folder, browser.new_page(reduced_motion="reduce"))


@pytest.mark.parametrize("name", NAMES)
def test_page(site: Site, name: str) -> None:
    """Nothing is wider than its column, cut off on paper, or loaded from elsewhere; axe finds nothing serious."""
    site.open(name)
    for width in WIDTHS:
        site.page.set_viewport_size({"width": width, "height": 900})
        assert site.page.evaluate("document.documentElement.scrollWidth") <= width
        assert site.page.evaluate(WIDER) == []
        site.page.wait_for_function(CHOSEN)
        for url, shown in site.page.evaluate(DRAWINGS):
            assert smallest_label(Path(unquote(urlsplit(url).path)), shown) >= LABELS, (url, width)
    site.page.set_viewport_size({"width": PAPER, "height": 900})
    site.page.emulate_media(media="print")
    cut = site.page.evaluate(CUT)
    site.page.emulate_media(media="screen")
    assert cut == []
    assert site.complaints == []
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []
    assert site.illegible() == []
    site.page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    assert site.illegible() == []
    assert site.faults() == []


def smallest_label(drawing: Path, shown: float) -> float:
    """Return the height in pixels of the smallest text of an SVG that is shown so many pixels wide."""
    text = drawing.read_text()
    width = re.search(r'<svg [^>]*?width="([\d.]+)pt"', text)
    assert width
    points = min(100 * float(scale) for scale in re.findall(r"scale\(([\d.]+) ", text))
    return points * shown / float(width[1])


def test_charts_of_the_comparison(site: Site) -> None:
    """They are as high as they need to be, as light or dark as the site, and answer to the reader."""
    for width in WIDTHS:
        site.open("comparison", width)
        frame = site.frame()
        frame.wait_for_function("Math.abs(document.body.getBoundingClientRect().height - innerHeight) <= 1")
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert frame.evaluate("document.body.getBoundingClientRect().width") > 0.9 * min(width, 700) - 60
        assert frame.evaluate(OVERLAPPING) == []
        assert not site.page.locator(".instead").is_visible()
        assert site.complaints == []
    for scheme, shade in (("slate", "dark"), ("default", "light")):
        site.page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
        frame.wait_for_selector(f"html[data-shade={shade}]")
    picture = "document.querySelector('#first-chart canvas').toDataURL()"
    before = frame.evaluate(picture)
    frame.select_option("#first-dimension", index=0)
    assert frame.evaluate(picture) != before
    assert frame.locator("#first-ranks circle").count() > 1


def test_charts_on_paper_and_without_scripts(site: Site, browser: Browser) -> None:
    """A picture takes their place."""
    site.open("comparison")
    site.page.emulate_media(media="print")
    assert site.page.locator(".instead img").is_visible()
    assert not site.page.locator("iframe.charts").is_visible()
    site.page.emulate_media(media="screen")
    page = browser.new_page(java_script_enabled=False)
    page.goto((site.folder / "comparison.html").as_uri())
    assert page.locator(".instead img").is_visible()
    assert not page.locator("iframe.charts").is_visible()
    page.close()


@pytest.mark.parametrize("name", [CHARTS, REPORT])
def test_gallery(site: Site, name: str) -> None:
    """Light enough, as wide as the window, offline, without dead links, legible in light and dark."""
    links: set[str] = set()
    for width, shade in ((WIDTHS[0], "light"), (WIDTHS[-1], "dark")):
        site.page.emulate_media(color_scheme=shade)  # type: ignore[arg-type]
        site.open(name, width)
        site.page.wait_for_selector("html[data-ready=yes]")
        assert site.page.evaluate("document.documentElement.scrollWidth") <= width
        assert site.page.evaluate(OVERLAPPING) == []
        assert site.page.evaluate(BROKEN_WORDS) == []
        assert site.complaints == []
        assert int(site.page.get_attribute("html", "data-first") or 0) > 0  # tools/first_picture.py has a bound
        links.update(site.page.locator("a").evaluate_all("all => all.map(each => each.href)"))
        assert site.illegible() == []
    assert site.faults() == []
    assert (site.folder / f"{name}.html").stat().st_size <= 3_000_000
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []
    for link in links:
        path = urlsplit(link)
        assert path.scheme == "https" or Path(unquote(path.path)).exists(), link


def test_curves_of_the_best_of_many_stand_out(site: Site) -> None:
    site.open(REPORT, WIDTHS[0])
    site.page.wait_for_selector("html[data-ready=yes]")
    chart, ranks = site.page.locator("#first-chart"), site.page.locator("#first-ranks")
    names = (ranks.get_attribute("data-order") or "").split()
    assert chart.get_attribute("data-behind") == str(len(names) - 5)
    assert "strong lines" in site.page.locator("#first-readout").inner_text()
    ranks.locator("rect").first.hover()
    assert chart.get_attribute("data-behind") == str(len(names) - 1)
    site.page.mouse.move(0, 0)
    for name in names[5:-3]:  # all that are chosen are seen where they are few
        site.page.locator(f"#first-algorithms input[value='{name}']").uncheck()
    assert chart.get_attribute("data-behind") == "0"


def test_gallery_has_what_the_scripts_look_for() -> None:
    """The committed page holds the package's styles and scripts, asks for no file, and has the sections' elements."""
    shown = (ROOT / "docs" / "gallery" / "report.html").read_text()
    assert page_files.styles() in shown, "styles are new in the report: python tools/gallery.py"
    assert page_files.script() in shown, "scripts are new in the report: python tools/gallery.py"
    assert not re.search(r'<(?:link rel="stylesheet"|script|img)[^>]* (?:src|href)="(?!data:)', shown)
    for section in all_sections():
        if f'<section id="{section.key}">' in shown and section.chart:
            for element in re.findall(r'id="([a-z-]+)"', section.piece):
                assert f'id="{element}"' in shown, f"{element} is new in the report: make gallery"


def test_boxes_that_scroll_say_so(site: Site) -> None:
    """And those that do not, do not."""
    hints = """() => [...document.querySelectorAll(".scrolls")].map(each => [
        each.scrollWidth > each.clientWidth + 1,
        getComputedStyle(each, "::after").content.includes("scrolls sideways")])"""
    for width in (WIDTHS[0], WIDTHS[-1]):
        site.open("baselines", width)
        site.page.wait_for_timeout(100)
        found = [tuple(each) for each in site.page.evaluate(hints)]
        assert all(wider == said for wider, said in found)
        assert (True, True) in found or width > WIDTHS[-1]


def test_rows_keep_their_names(site: Site) -> None:
    """Where a table of many columns is scrolled sideways, by 50 pixels or as far as it can be."""
    site.open("comparison", WIDTHS[-1])
    places = """box => { const most = Math.min(50, box.scrollWidth - box.clientWidth); box.scrollLeft = 50;
        const cell = box.querySelector("tbody tr").cells[0];
        return [box.scrollLeft, most, box, cell].map(each => each.getBoundingClientRect?.().left ?? each) }"""
    found = site.page.locator(".scrolls:has(table)").evaluate_all(f"all => all.map({places})")
    assert any(most == 50 for _, most, _, _ in found)
    for scrolled, most, box, name in found:
        assert (scrolled, name) == (pytest.approx(most, abs=1), pytest.approx(box, abs=1))


def test_dark_where_the_reader_likes_it_dark(site: Site) -> None:
    """Without a script of ours or a choice on the page."""
    for shade, scheme in (("dark", "slate"), ("light", "default")):
        site.page.emulate_media(color_scheme=shade)  # type: ignore[arg-type]
        site.open("index")
        assert site.page.get_attribute("body", "data-md-color-scheme") == scheme


@pytest.mark.parametrize(("name", "width"), [("index", WIDTHS[0]), ("reference/config", WIDTHS[-1])])
def test_search(site: Site, name: str, width: int) -> None:
    """It works in a page that is opened from a folder, and leads to the page."""
    site.open(name, width)
    if width == WIDTHS[-1]:
        site.page.click("label.md-header__button[for=__search]")
    site.page.locator("[data-md-component=search-query]").press_sequentially("Mahalanobis")
    site.page.click(".md-search-result__link >> text=The algorithm")
    site.page.wait_for_url("**/algorithm.html*")
    assert site.complaints == []
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []


def test_formulas_are_drawn(site: Site) -> None:
    """As MathML, with some height."""
    site.open("algorithm")
    heights = site.page.locator(".formula math").evaluate_all("all => all.map(each => each.clientHeight)")
    assert len(heights) >= 8
    assert min(heights) > 15
