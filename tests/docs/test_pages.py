"""The pages of the built site in a browser, opened from a folder: offline, as wide as the window, legible, searched."""

import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser import needs_chromium
from tests.commands import environment
from tests.docs.pages import ROOT

pytestmark = needs_chromium

WIDTHS = (1400, 800, 390)

AXE = Axe()

AA = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""Rules of the Web Content Accessibility Guidelines, up to level AA."""

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

    def faults(self, *rules: str) -> list[str]:
        """Return what axe-core finds to be serious or worse."""
        options = {"resultTypes": ["violations"], "preload": False, "runOnly": rules}
        found = AXE.run(self.page, options=options)
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
    assert done.returncode == 0, done.stderr
    return Site(folder, browser.new_page(reduced_motion="reduce"))


@pytest.mark.parametrize("name", NAMES)
def test_page(site: Site, name: str) -> None:
    """At no width is anything wider than its column; nothing is loaded from elsewhere; axe finds nothing serious."""
    site.open(name)
    for width in WIDTHS:
        site.page.set_viewport_size({"width": width, "height": 900})
        assert site.page.evaluate("document.documentElement.scrollWidth") <= width
        assert site.page.evaluate(WIDER) == []
    assert site.complaints == []
    assert [url for url in site.requests if not url.startswith(("file:", "data:"))] == []
    assert site.faults(*AA) == []
    site.page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    assert site.faults("color-contrast") == []


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
