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

from sacma.errors import SacmaError

CONTENTS = ("ppfigs", "pprldmany", "pptables")
"""Substrings of names of what a complete output holds, beside its index page."""


def make_pages(folders: Sequence[Path], output: Path) -> Path:
    """Run cocopp over COCO ``folders`` with run-length-based targets and return the page to open.

    Args:
        folders: one an algorithm; cocopp shows their names.
        output: folder that is replaced with the pages. cocopp's own log is left there, or on failure beside it.

    Raises:
        SacmaError: cocopp did not write its pages.
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
    pages = [page.parent for page in work.glob("pages/*/index.html")]
    if len(pages) != 1 or not all(any(pages[0].glob(f"*{part}*")) for part in CONTENTS):
        failed = output.with_name(f"{output.name}-failed.log")
        log.replace(failed)
        shutil.rmtree(work, ignore_errors=True)
        raise SacmaError(
            f"cocopp wrote no pages (its exit code was {finished.returncode}); what it said is in {failed}"
        )
    log.replace(pages[0] / "cocopp.log")
    shutil.rmtree(output, ignore_errors=True)
    pages[0].replace(output)
    shutil.rmtree(work, ignore_errors=True)
    return output / "index.html"
