"""cocopp's pages, made in a fresh process and checked by what it wrote.

cocopp keeps option state between calls in one process, names its output by the clock and exits with 0 when it
fails: so it gets a process of its own, its output moves to a path that stays, and success is a page.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sacma.errors import RunError

PAGES = "comparison"
"""What the folder with a time stamp is renamed to."""

CONTENTS = ("pprldmany-single-functions", "pprldflex.html", "pptable*.html", "pp*.svg")
"""What a complete output holds, of one algorithm or of several, beside its index page."""


def make_pages(folders: Sequence[Path], output: Path) -> Path:
    """Run cocopp over COCO ``folders`` with run-length-based targets and return the page to open.

    Args:
        folders: one an algorithm; cocopp shows their names.
        output: folder that is replaced with the pages. cocopp's own log is left there, or on failure beside it.

    Raises:
        RunError: cocopp did not write its pages.
    """
    work = output.with_name(f".{output.name}.new")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    log = work / "cocopp.log"
    command = [
        *(sys.executable, "-W", "ignore", "-m", "cocopp"),
        *("--no-interactive", "--expensive", "-o", "pages"),
        *(str(folder.resolve()) for folder in folders),
    ]
    environment = {**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with log.open("w") as file:
        finished = subprocess.run(  # noqa: S603 our own interpreter, our own arguments
            command,
            cwd=work,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    pages = list(work.glob("pages/*/index*.html"))
    complete = len(pages) == 1 and all(any(pages[0].parent.glob(pattern)) for pattern in CONTENTS)
    if not complete:
        failed = output.with_name(f"{output.name}-failed.log")
        log.replace(failed)
        shutil.rmtree(work, ignore_errors=True)
        raise RunError(
            f"cocopp did not write its pages (its exit code was {finished.returncode}); what it said is in {failed}"
        )
    page, stamped = pages[0].name, pages[0].parent
    start = work / "pages" / "index.html"
    start.write_text(start.read_text().replace(stamped.name, PAGES))
    stamped.replace(stamped.with_name(PAGES))
    log.replace(work / "pages" / "cocopp.log")
    shutil.rmtree(output, ignore_errors=True)
    (work / "pages").replace(output)
    shutil.rmtree(work, ignore_errors=True)
    return output / PAGES / page
