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

    def __init__(self, browser: Browser, results: Path, **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto((results / "index.html").as_uri())
        self.page.wait_for_selector("html[data-ready=yes]")

    def picture(self, chart: str) -> str:
        """Return what a chart shows, as text."""
        place = f"document.querySelector('#chart-{chart} .drawing')"
        return str(self.page.evaluate(f"{place}.querySelector('canvas')?.toDataURL() ?? {place}.innerHTML"))
