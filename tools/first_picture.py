"""Milliseconds until a page has drawn its first chart: a part of `make bench`. Needs Chromium.

python tools/first_picture.py              # of the pages of the site that `make docs` has built
python tools/first_picture.py PAGE...      # of others, such as RESULTS/report/index.html

In windows as wide as a desktop's and a phone's, nine times each without --times. The bound is a second, where nothing
else runs.
"""

import argparse
import statistics
from pathlib import Path

from chromium import chromium
from playwright.sync_api import Browser

BUILT = [Path(__file__).parent.parent / "site" / "gallery" / f"{name}.html" for name in ("report", "charts")]
WIDTHS = (1400, 390)


def main() -> None:
    """Open the pages, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="*", default=BUILT)
    parser.add_argument("--times", type=int, default=9)
    given = parser.parse_args()
    if missing := [page for page in given.pages if not page.is_file()]:
        parser.error(f"there is no {missing[0]}; make docs builds the site, sacma postprocess a report")
    print("ms until the first chart is drawn\n       page     MB  width  shortest  median  bound")
    with chromium() as browser:
        for page in given.pages:
            for width in WIDTHS:
                times = [drawn(browser, page, width) for _ in range(given.times)]
                megabytes, median = page.stat().st_size / 1e6, statistics.median(times)
                print(f"{page.name:>11}  {megabytes:5.3f}  {width:5}  {min(times):8}  {median:6.0f}   1000")


def drawn(browser: Browser, path: Path, width: int) -> int:
    """Return the milliseconds from the request of a page to its first chart."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.resolve().as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    milliseconds = int(page.get_attribute("html", "data-first") or 0)
    page.close()
    return milliseconds


if __name__ == "__main__":
    main()
