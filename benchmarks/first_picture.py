"""Milliseconds until a page with charts has drawn the first of them, in Chromium, from its file.

Of the pages that are given; without one, of those with charts in the site that ``make docs`` has built. A page says
when that was, counted from the moment that it was asked for; it is opened again and again, in windows as wide as a
desktop's and a phone's. Run when nothing else runs: where another process has half of the core, a page takes twice as
long.
"""

import argparse
import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from report import ROOT, end, parsed, print_table, write

BUILT = [ROOT.parent / "site" / "gallery" / f"{name}.html" for name in ("report", "charts")]
WIDTHS = (1400, 390)
BOUND = 1000.0


def main() -> None:
    """Open the pages, print the table and write ``out/first_picture.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, nargs="*", default=BUILT)
    parser.add_argument("--repeats", type=int, default=9)
    given = parsed(parser, repeats=1)
    if missing := [str(page) for page in given.pages if not page.is_file()]:
        end(f"there is no {missing[0]}; make docs builds the site, sacma postprocess a report")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        rows = [row for page in given.pages for row in measured(browser, page, given.repeats)]
        browser.close()
    print("ms until the first chart is drawn")
    print_table(rows)
    write("first_picture", {"repeats": given.repeats}, figures=rows)


def measured(browser: Browser, path: Path, repeats: int) -> Iterator[dict[str, Any]]:
    """Yield the times of a page in windows of each width."""
    for width in WIDTHS:
        times = []
        for _ in range(repeats):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(path.resolve().as_uri())
            page.wait_for_selector("html[data-ready=yes]")
            times.append(float(page.get_attribute("html", "data-first") or "nan"))
            page.close()
        yield {
            "page": path.name,
            "MB": path.stat().st_size / 1e6,
            "width": width,
            "shortest": min(times),
            "median": statistics.median(times),
            "bound": BOUND,
        }


if __name__ == "__main__":
    main()
