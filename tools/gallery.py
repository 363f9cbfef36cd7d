"""Make the gallery of the site from a report: `make gallery`.

python tools/gallery.py RESULTS     # after sacma postprocess RESULTS; writes docs/gallery/report.html

What is committed is the content of the report's page. When the site is built, ``files`` makes what belongs beside it:
the package's styles and script, and a page of the first charts alone, which other pages embed.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from sacma.analysis.page.page import script, styles, uplot_script

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
MOST = 3_000_000
"""Bytes of the report's page."""

STYLES = re.compile(r"<style>.*?</style>", re.DOTALL)
DATA = re.compile(r'<script type="text/plain" id="payload">[^<]*</script>')
SCRIPTS = re.compile(r"(?<=</script>)\s*<script>.*</script>", re.DOTALL)
POLICY = re.compile(r'(?<=http-equiv="Content-Security-Policy" content=")[^"]*')
FILE = re.compile(r'<a href="((?:tables|figures|\.\./cocopp)/[^"]*)">(.*?)</a>', re.DOTALL)
SUMMARY = re.compile(r'<section id="summary">\s*<h2>.*?</h2>(.*?)</section>', re.DOTALL)

ALLOWED = "default-src 'none'; img-src data:; style-src 'self' file: 'unsafe-inline'; script-src 'self' file:"
LINKS = '<link rel="stylesheet" href="report.css">\n<link rel="stylesheet" href="gallery.css">'
NOTE = """<aside><a href="../gallery.html">sacma’s documentation</a> · A report, as <code>sacma postprocess</code>
writes it, without the files beside it: there csv, tex, md and figures are links to them.</aside>
"""
CHARTS = """<main>
<section id="summary">{summary}</section>
<p><a href="report.html" target="_top">The whole report</a></p>
</main>
{data}
<script src="report.js"></script>
<script src="embedded.js"></script>
</body>
</html>
"""


def main() -> None:
    """Write the page of a report, and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument(
        "folder", type=Path, nargs="?", default=GALLERY, help="another folder, for a look without a site"
    )
    given = parser.parse_args()
    page = content((given.results / "report" / "index.html").read_text(encoding="utf-8"))
    size = len(page.encode())
    if size > MOST:
        sys.exit(
            f"the page has {size / 1e6:.2f} MB; a site is to have {MOST / 1e6:g} MB at most: compare fewer algorithms"
        )
    if given.folder == GALLERY:
        (GALLERY / "report.html").write_text(page, encoding="utf-8")
    else:
        write_all(page, given.folder)
    print(f"{given.folder / 'report.html'}: {size / 1e6:.2f} MB")


def write_all(page: str, folder: Path) -> None:
    """Write the page of a report and all that belongs beside it, as the site has it."""
    shutil.copytree(GALLERY, folder, dirs_exist_ok=True)
    for name, text in {"report.html": page, **files(page)}.items():
        (folder / name).write_text(text, encoding="utf-8")


def content(report: str) -> str:
    """Return the page of a report without its styles and scripts; links to files beside it are plain text."""
    page = POLICY.sub(ALLOWED, report)
    page = STYLES.sub(LINKS, page, count=1)
    page = SCRIPTS.sub('\n<script src="report.js"></script>', page)
    page = FILE.sub(r'<span class="file" title="\1, in the folder of a report">\2</span>', page)
    return page.replace("<body>\n", f"<body>\n{NOTE}", 1)


def files(page: str) -> Mapping[str, str]:
    """Return the files that belong beside the page of a report, by name."""
    return {"report.css": styles(), "report.js": f"{uplot_script()}\n{script()}", "charts.html": charts(page)}


def charts(page: str) -> str:
    """Return the page of a report with its first charts alone, and their data."""
    summary, data = SUMMARY.search(page), DATA.search(page)
    if not (summary and data):
        sys.exit("the report has no summary or no data")
    head = page.partition("<body>")[0]
    return f'{head}<body class="embedded">\n{CHARTS.format(summary=summary[1], data=data[0])}'


if __name__ == "__main__":
    main()
