"""cocopp's pages.

cocopp keeps state between calls, names its output by the clock and exits with 0 when it fails: so it runs in a process
of its own, its output is renamed, and its files tell success from failure.
"""

import html
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sacma.errors import RunError
from sacma.files.atomic import atomic_folder
from sacma.files.printable import printable
from sacma.process_wide import threads

PAGES = "comparison"  # new name of the folder with a time stamp

# Patterns of complete output, beside its index page.
CONTENTS = ("pprldmany-single-functions", "pprldflex.html", "pptable*.html", "pp*.svg")


def drop_what_is_missing(folder: Path) -> None:
    """Remove functions and dimensions without data from cocopp's pages, which list the whole suite."""
    dimensions = sorted({int(path.stem.split("_")[1].removesuffix("D")) for path in folder.glob("pprldmany_*D_*.svg")})
    for page in folder.rglob("*.html"):
        text = _read(page)
        for link, name in set(re.findall(r"""(<a href="([^"#]+)"><img[^>]*></a>)""", text, flags=re.IGNORECASE)):
            if not (page.parent / name).exists():
                text = text.replace(link, "")
        if dimensions:  # links lead to the anchor of 20-D in any case
            text = re.sub(r"(pprldmany\.html)#\d+", rf"\1#{dimensions[-1]}", text)
        _write(page, text)
    config = folder / "pprldflex-config.js"
    if dimensions and config.exists():
        lines = re.sub(r'"dimensions": \[.*?\]', f'"dimensions": {dimensions}', _read(config)).splitlines()
        _write(config, "\n".join(line for line in lines if _is_there(folder, line)) + "\n")


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8", errors="surrogateescape")


def _write(page: Path, text: str) -> None:
    page.write_text(text, encoding="utf-8", errors="surrogateescape")


def _is_there(folder: Path, line: str) -> bool:
    """Return True unless a line of cocopp's list of pictures names one that exists in no dimension."""
    named = re.search(r'"filename": "([^"]*)<0,2>([^"]*)"', line)
    return named is None or any(folder.glob(f"{named[1]}[0-9][0-9]*{named[2]}"))


def with_banner(page: str, banner: str) -> str:
    """Return an HTML page with ``banner`` above its content."""
    shown = (
        '<p style="background:#fc0;color:#000;font-weight:bold;padding:0.5em;margin:0" role="alert">'
        f"{html.escape(printable(banner))}</p>"
    )
    with_it, found = re.subn(r"(<body[^>]*>)", lambda body: body[1] + shown, page, count=1, flags=re.IGNORECASE)
    return with_it if found else shown + page


def run_python(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run Python for a program that loads cocopp, and with it pyplot: no window, no warnings, one thread, UTF-8."""
    environment = {**os.environ, **threads(1), "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-W", "ignore", *arguments]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, text=True, check=False, **options)  # noqa: S603 our own


def make_pages(folders: Sequence[Path], output: Path, banner: str = "", *, expensive: bool = True) -> Path:
    """Run cocopp over COCO ``folders``, one an algorithm, and return the page to open.

    The pages, with ``banner`` above each, replace the folder ``output``. cocopp's log is in it; on failure, which is a
    RunError, beside it. ``expensive``: run-length-based targets, for which cocopp needs reference data of the suite.
    """
    with atomic_folder(output) as work:
        return output / _make_pages(folders, output, work, banner, expensive=expensive)


def _make_pages(folders: Sequence[Path], output: Path, work: Path, banner: str, *, expensive: bool) -> Path:
    """Write the pages to ``work``, which becomes ``output``; return the relative path of the page to open."""
    log = work / "cocopp.log"
    options = ("--no-interactive", *["--expensive"] * expensive, "-o", "pages")
    data = (str(folder.resolve()) for folder in folders)
    with log.open("w", encoding="utf-8") as file:
        finished = run_python("-m", "cocopp", *options, *data, cwd=work, stdout=file, stderr=subprocess.STDOUT)
    pages = list(work.glob("pages/*/index*.html"))
    complete = len(pages) == 1 and all(any(pages[0].parent.glob(pattern)) for pattern in CONTENTS)
    failed = output.with_name(f"{output.name}-failed.log")
    if not complete:
        log.replace(failed)
        raise RunError(
            f"cocopp did not write its pages (its exit code was {finished.returncode}); what it said is in {failed}; "
            "sacma doctor checks its installation"
        )
    page, stamped = pages[0].name, pages[0].parent
    start = work / "pages" / "index.html"
    _write(start, _read(start).replace(stamped.name, PAGES))
    stamped = stamped.replace(stamped.with_name(PAGES))
    drop_what_is_missing(stamped)
    if banner:
        for page_file in (work / "pages").rglob("*.html"):
            _write(page_file, with_banner(_read(page_file), banner))
    failed.unlink(missing_ok=True)
    for made in (work / "pages").iterdir():
        made.replace(work / made.name)
    (work / "pages").rmdir()
    return Path(PAGES) / page
