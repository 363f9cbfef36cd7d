"""The pages of the built site in a browser, opened from a folder: offline, as wide as the window, legible, searched."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page

from tests.browser import BROKEN_WORDS, needs_chromium, wait_until
from tests.commands import environment
from tests.docs.pages import ROOT

pytestmark = needs_chromium

WIDTHS = (1400, 800, 390)

AXE = Axe()

# Rules of the Web Content Accessibility Guidelines, up to level AA.
AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

WITHOUT_CONTRAST = {"color-contrast": {"enabled": False}}

# Takes rows of tables away that are like those above them.
ALIKE = "document.querySelectorAll('tr:nth-child(n+4)').forEach(row => row.remove())"

NAMES = sorted(str(page.relative_to(ROOT / "docs").with_suffix("")) for page in ROOT.glob("docs/**/*.md"))

# What is wider than its column and in no box that scrolls.
WIDER = """() => {
    const column = document.querySelector(".md-content").getBoundingClientRect().right + 1;
    const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflowX);
    const scrolled = each => each.tagName !== "ARTICLE" && (scrolls(each) || scrolled(each.parentElement));
    return [...document.querySelectorAll("article *")]
        .filter(each => each.getBoundingClientRect().right > column && !scrolled(each.parentElement))
        .map(each => each.outerHTML.slice(0, 200));
}"""


# Pairs of texts that cover each other.
OVERLAPPING = """() => {
    const boxes = [...document.querySelectorAll(".chart svg text, .controls label, .readout, .headline, .scope")]
        .map(each => [each.textContent, each.getBoundingClientRect()]).filter(([, box]) => box.width);
    const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
    const above = (a, b) => a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
    return boxes.flatMap(([text, a], n) =>
        boxes.slice(n + 1).filter(([, b]) => !beside(a, b) && !above(a, b)).map(([other]) => [text, other]));
}"""

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
        """Return what axe-core finds to be serious or worse, but for contrast, which takes minutes."""
        self.page.evaluate(ALIKE)
        options = {"resultTypes": ["violations"], "preload": False, "runOnly": AA, "rules": WITHOUT_CONTRAST}
        return [
            f"{violation['id']}: {node['html']} {node['failureSummary']}"
            for violation in AXE.run(self.page, None, options).response["violations"]
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
    """Nothing is wider than its column or loaded from elsewhere; axe finds nothing serious."""
    site.open(name)
    for width in WIDTHS:
        site.page.set_viewport_size({"width": width, "height": 900})
        site.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # laid out
        assert site.page.evaluate("document.documentElement.scrollWidth") <= width
        assert site.page.evaluate(WIDER) == []
    assert site.complaints == []
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []
    assert site.faults() == []


def test_charts_of_the_comparison(site: Site) -> None:
    """They are as high as they need to be, as light or dark as the site, and answer to the reader."""
    for width in WIDTHS:
        site.open("comparison", width)
        frame = site.frame()
        wait_until(frame, "Math.abs(document.body.getBoundingClientRect().height - innerHeight) <= 1")
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert frame.evaluate("document.body.getBoundingClientRect().width") > 0.9 * min(width, 700) - 60
        assert frame.evaluate(OVERLAPPING) == []
        labels, algorithms = frame.locator("#chart-ecdf text.end"), frame.locator("#chart-ranks circle")
        assert labels.count() == algorithms.count() + 1  # best 2009
        assert not site.page.locator(".instead").is_visible()
        assert site.complaints == []
    for scheme, shade in (("slate", "dark"), ("default", "light")):
        site.page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
        frame.wait_for_selector(f"html[data-shade={shade}]")
    picture = "document.querySelector('#chart-ecdf .drawing').innerHTML"
    before = frame.evaluate(picture)
    frame.select_option("select[name=dimension]", index=0)
    assert frame.evaluate(picture) != before
    assert frame.locator("#chart-ranks circle").count() > 1


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
    assert site.faults() == []
    assert (site.folder / f"{name}.html").stat().st_size <= 3_000_000
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []
    for link in links:
        path = urlsplit(link)
        assert path.scheme == "https" or Path(unquote(path.path)).exists(), link


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
