"""Make the gallery of the site from a report: `make gallery`.

python tools/gallery.py RESULTS     # after sacma postprocess RESULTS; writes docs/gallery/report.html

The page holds all that it needs, so that it opens anywhere. When the site is built, ``charts`` makes a page of the
first charts alone, which other pages embed.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
MOST = 3_000_000  # bytes of the report's page

DATA = re.compile(r'<script type="text/plain" id="payload">[^<]*</script>')
SCRIPTS = re.compile(r"(?<=</script>)\s*<script>.*</script>", re.DOTALL)
FILE = re.compile(r'<a href="((?:tables|figures|\.\./cocopp)/[^"]*)">(.*?)</a>', re.DOTALL)
SUMMARY = re.compile(r'<section id="summary">\s*<h2>.*?</h2>(.*?)</section>', re.DOTALL)

NOTE = """<aside><a href="../gallery.html">sacma’s documentation</a> · A report, as <code>sacma postprocess</code>
writes it, without the files beside it: there csv, tex, md and figures are links to them.</aside>
"""
CHARTS = """<main>
<div id="choice" class="controls" role="group" aria-label="choice"></div>
<section id="summary">{summary}</section>
<p><a href="report.html" target="_top">The whole report</a></p>
</main>
{data}
{scripts}
<script>{embedded}</script>
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
    """Write the page of a report and the files beside it."""
    shutil.copytree(GALLERY, folder, dirs_exist_ok=True)
    for name, text in {"report.html": page, "charts.html": charts(page)}.items():
        (folder / name).write_text(text, encoding="utf-8")


def content(report: str) -> str:
    """Return the page of a report for the gallery; links to files beside it are plain text."""
    page = FILE.sub(r'<span class="file" title="\1, in the folder of a report">\2</span>', report)
    own = (GALLERY / "gallery.css").read_text(encoding="utf-8")
    return page.replace("<body>\n", f"<body>\n{NOTE}", 1).replace("</style>", f"{own}</style>", 1)


def charts(page: str) -> str:
    """Return the page of a report with its first charts alone, and their data."""
    summary, data, scripts = SUMMARY.search(page), DATA.search(page), SCRIPTS.search(page)
    if not (summary and data and scripts):
        sys.exit("the report has no summary, no data or no scripts")
    head, embedded = page.partition("<body>")[0], (GALLERY / "embedded.js").read_text(encoding="utf-8")
    body = CHARTS.format(summary=summary[1], data=data[0], scripts=scripts[0], embedded=embedded)
    return f'{head}<body class="embedded">\n{body}'


if __name__ == "__main__":
    main()
