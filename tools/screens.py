"""Take pictures of the first screens of the site and of its report: `make gallery`. Needs Chromium.

python tools/screens.py              # builds the site, and writes docs/images/screen_*.png
python tools/screens.py FOLDER --tiny       # of the report alone, into FOLDER
"""

import os
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from chromium import chromium
from gallery import GALLERY, write_all
from PIL import Image
from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
# Pages of the site by the names of their pictures.
PAGES = {
    "report": "gallery/report",
    "home": "index",
    "comparison": "comparison",
    "tutorial": "tutorial",
    "optimizer": "optimizer",
}

DESK, PHONE = 1400, 390  # widths of windows in pixels

COLOURS = 200
MOST = 150_000  # bytes of a picture


def main() -> None:
    """Build the site and take the pictures."""
    tiny = sys.argv[-1] == "--tiny"
    folder = Path(sys.argv[1]) if tiny else IMAGES
    with tempfile.TemporaryDirectory() as site, chromium() as browser:
        if tiny:
            write_all((GALLERY / "report.html").read_text(encoding="utf-8"), Path(site) / "gallery")
        else:
            build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site]
            subprocess.run(build, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        for name, path in list(PAGES.items())[: 1 if tiny else None]:
            for width, height, suffix in ((DESK, 900, ""), (PHONE, 844, "_narrow")):
                page = opened(browser, Path(site) / f"{path}.html", width, height)
                keep_screen(page, f"screen_{name}{suffix}", folder)


def opened(browser: Browser, file: Path, width: int, height: int) -> Page:
    """Return a page of a file, with its charts drawn."""
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.goto(file.as_uri())
    for frame in page.frames:
        if frame.locator("#payload").count():
            frame.wait_for_selector("html[data-ready=yes]")
    page.wait_for_timeout(300)  # for the frame to be as high as its charts
    return page


def keep_screen(of: Page | Locator, name: str, folder: Path = IMAGES) -> None:
    """Write a picture, in as few colours as can be seen."""
    picture = Image.open(BytesIO(of.screenshot())).convert("RGB")
    file = folder / f"{name}.png"
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, optimize=True)
    size = file.stat().st_size
    if size > MOST:
        sys.exit(f"{file} has {size:,} bytes; at most {MOST:,} are wanted")
    print(f"{file}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
