"""A page of a report in a browser, and what happens in it."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page


def data_of(page: str) -> dict[str, Any]:
    """Return the data in a page of a report."""
    parts = re.findall(r'id="payload(?:-more)?">([^<]*)<', page)
    return {name: of for part in parts for name, of in json.loads(gzip.decompress(base64.b64decode(part))).items()}


class Opened:
    """A page, and what happened in it."""

    def __init__(self, browser: Browser, results: Path, address: str = "", **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{(results / 'index.html').as_uri()}{address}")
        self.page.wait_for_selector("html[data-ready=yes]")

    def close(self) -> None:
        """Close it, when nothing has complained."""
        assert self.complaints == []
        self.page.close()

    def unfold(self) -> None:
        """Open all that is folded away, but the list of algorithms."""
        self.page.evaluate("document.querySelectorAll('main details').forEach(each => { each.open = true; })")
        self.page.wait_for_timeout(100)

    def choose(self, **choice: object) -> None:
        """Choose values by column."""
        for column, value in choice.items():
            self.page.select_option(f"select[name={column}]", str(value))

    def show(self, name: str, *, shown: bool) -> None:
        """Show or hide an algorithm."""
        if not self.page.locator(".algorithms .popover").is_visible():
            self.page.click(".algorithms summary")
        self.page.set_checked(f".algorithms input[value='{name}']", shown)

    def picture(self, chart: str) -> str:
        """Return the content of a chart, but for the numbers of its places."""
        return re.sub(r'clip-\d+|data-number="\d+"', "", self.page.locator(f"#chart-{chart} .drawing").inner_html())

    def numbers(self) -> list[str]:
        """Return the headline, and the numbers of the charts that have some as text."""
        texts = self.page.locator(".headline, #chart-functions table, svg[role=img] circle title")
        return [self.page.locator("#choice").inner_text(), *texts.all_text_contents()]
